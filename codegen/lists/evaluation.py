"""Operation lists for evaluation tasks of ARC-AGI-1.

Each function solves one task: it takes the input grid and gives the output
grid, one primitive a line, with names for all arguments.  They were written
by looking at the tasks.
"""

# ruff: noqa: F405
from megabatt.runtime.arc import *  # noqa: F403


def solve_00576224(I):
    """Tile three by three, the middle band mirrored."""
    x1 = hconcat(I, I)
    x2 = hconcat(x1, I)
    x3 = vmirror(x2)
    x4 = vconcat(x2, x3)
    O = vconcat(x4, x2)
    return O


def solve_00dbd492(I):
    """Fill the red frames by their width."""
    x1 = objects(I, T, F, T)
    x2 = matcher(width, FIVE)
    x3 = matcher(width, SEVEN)
    x4 = matcher(width, NINE)
    x5 = sfilter(x1, x2)
    x6 = sfilter(x1, x3)
    x7 = sfilter(x1, x4)
    x8 = mapply(delta, x5)
    x9 = mapply(delta, x6)
    x10 = mapply(delta, x7)
    x11 = fill(I, EIGHT, x8)
    x12 = fill(x11, FOUR, x9)
    x13 = fill(x12, THREE, x10)
    x14 = ofcolor(I, TWO)
    O = fill(x13, TWO, x14)
    return O


def solve_0692e18c(I):
    """A fractal whose copies are the negative of the figure."""
    x1 = palette(I)
    x2 = other(x1, ZERO)
    x3 = switch(I, ZERO, x2)
    x4 = hconcat(x3, x3)
    x5 = hconcat(x4, x3)
    x6 = vconcat(x5, x5)
    x7 = vconcat(x6, x5)
    x8 = upscale(I, THREE)
    O = cellwise(x8, x7, ZERO)
    return O


def solve_0a2355a6(I):
    """Colour the figures by how many holes they have."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, EIGHT)
    x3 = colorfilter(x1, ZERO)
    x4 = rbind(bordering, I)
    x5 = compose(flip, x4)
    x6 = sfilter(x3, x5)
    x7 = lbind(sfilter, x6)
    x8 = lbind(lbind, adjacent)
    x9 = chain(size, x7, x8)
    x10 = matcher(x9, ONE)
    x11 = matcher(x9, TWO)
    x12 = matcher(x9, THREE)
    x13 = matcher(x9, FOUR)
    x14 = mfilter(x2, x10)
    x15 = mfilter(x2, x11)
    x16 = mfilter(x2, x12)
    x17 = mfilter(x2, x13)
    x18 = fill(I, ONE, x14)
    x19 = fill(x18, THREE, x15)
    x20 = fill(x19, TWO, x16)
    O = fill(x20, FOUR, x17)
    return O


def solve_0bb8deee(I):
    """Bring the four figures together, each in its quarter."""
    x1 = objects(I, T, T, T)
    x2 = argmax(x1, size)
    x3 = color(x2)
    x4 = remove(x2, x1)
    x5 = frontiers(I)
    x6 = colorfilter(x5, x3)
    x7 = first(x6)
    x8 = other(x6, x7)
    x9 = intersection(x7, x8)
    x10 = lbind(position, x9)
    x11 = matcher(x10, NEG_UNITY)
    x12 = matcher(x10, UP_RIGHT)
    x13 = matcher(x10, DOWN_LEFT)
    x14 = matcher(x10, UNITY)
    x15 = extract(x4, x11)
    x16 = extract(x4, x12)
    x17 = extract(x4, x13)
    x18 = extract(x4, x14)
    x19 = subgrid(x15, I)
    x20 = subgrid(x16, I)
    x21 = subgrid(x17, I)
    x22 = subgrid(x18, I)
    x23 = hconcat(x19, x20)
    x24 = hconcat(x21, x22)
    O = vconcat(x23, x24)
    return O


def solve_0becf7df(I):
    """Exchange colours as the two pairs in the corner say."""
    x1 = index(I, ORIGIN)
    x2 = index(I, RIGHT)
    x3 = index(I, DOWN)
    x4 = index(I, UNITY)
    x5 = switch(I, x1, x2)
    x6 = switch(x5, x3, x4)
    x7 = crop(I, ORIGIN, TWO_BY_TWO)
    x8 = asobject(x7)
    O = paint(x6, x8)
    return O


def solve_0c786b71(I):
    """Mirror to the left and upwards."""
    x1 = vmirror(I)
    x2 = hconcat(x1, I)
    x3 = hmirror(x2)
    O = vconcat(x3, x2)
    return O


def solve_12422b43(I):
    """Below, repeat the rows that are marked in grey."""
    x1 = ofcolor(I, FIVE)
    x2 = asindices(I)
    x3 = ofcolor(I, ZERO)
    x4 = difference(x2, x3)
    x5 = difference(x4, x1)
    x6 = toobject(x5, I)
    x7 = rbind(hmatching, x1)
    x8 = chain(x7, initset, last)
    x9 = sfilter(x6, x8)
    x10 = height(x5)
    x11 = height(x1)
    x12 = height(I)
    x13 = interval(x10, x12, x11)
    x14 = apply(toivec, x13)
    x15 = lbind(shift, x9)
    x16 = mapply(x15, x14)
    O = underpaint(I, x16)
    return O


def solve_12997ef3(I):
    """One copy of the blue figure for each coloured cell, in their order."""
    x1 = objects(I, T, T, T)
    x2 = colorfilter(x1, ONE)
    x3 = first(x2)
    x4 = subgrid(x3, I)
    x5 = remove(x3, x1)
    x6 = merge(x5)
    x7 = portrait(x6)
    x8 = branch(x7, uppermost, leftmost)
    x9 = branch(x7, identity, dmirror)
    x10 = order(x5, x8)
    x11 = lbind(replace, x4)
    x12 = lbind(x11, ONE)
    x13 = chain(x9, x12, color)
    x14 = apply(x13, x10)
    x15 = merge(x14)
    O = x9(x15)
    return O


def solve_12eac192(I):
    """Recolour the connected pieces of fewer than three cells."""
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = sizefilter(x1, TWO)
    x4 = combine(x2, x3)
    x5 = merge(x4)
    O = fill(I, THREE, x5)
    return O


def solve_137f0df0(I):
    """Streets between the blocks in red, their ends outside in blue."""
    x1 = ofcolor(I, FIVE)
    x2 = frontiers(I)
    x3 = backdrop(x1)
    x4 = lbind(intersection, x3)
    x5 = chain(size, x4, toindices)
    x6 = compose(positive, x5)
    x7 = mfilter(x2, x6)
    x8 = fill(I, ONE, x7)
    x9 = delta(x1)
    O = fill(x8, TWO, x9)
    return O


def solve_140c817e(I):
    """A blue cross through every odd cell, red centre, green diagonals."""
    x1 = mostcolor(I)
    x2 = partition(I)
    x3 = colorfilter(x2, x1)
    x4 = difference(x2, x3)
    x5 = merge(x4)
    x6 = toindices(x5)
    x7 = fork(combine, hfrontier, vfrontier)
    x8 = mapply(x7, x6)
    x9 = mapply(ineighbors, x6)
    x10 = fill(I, ONE, x8)
    x11 = fill(x10, THREE, x9)
    O = fill(x11, TWO, x6)
    return O


def solve_15696249(I):
    """Copy the grid along the position of its only uniform line."""
    x1 = frontiers(I)
    x2 = merge(x1)
    x3 = canvas(ZERO, THREE_BY_THREE)
    x4 = fill(x3, ONE, x2)
    x5 = upscale(x4, THREE)
    x6 = ofcolor(x5, ZERO)
    x7 = repeat(I, THREE)
    x8 = merge(x7)
    x9 = hconcat(x8, x8)
    x10 = hconcat(x9, x8)
    O = fill(x10, ZERO, x6)
    return O


def solve_195ba7dc(I):
    """Union of left and right, in blue."""
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = asindices(x1)
    x4 = ofcolor(x1, ZERO)
    x5 = ofcolor(x2, ZERO)
    x6 = intersection(x4, x5)
    x7 = difference(x3, x6)
    x8 = shape(x1)
    x9 = canvas(ZERO, x8)
    O = fill(x9, ONE, x7)
    return O


def solve_19bb5feb(I):
    """Which colour lies in which quarter of the board?"""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, EIGHT)
    x3 = colorfilter(x1, ZERO)
    x4 = difference(x1, x2)
    x5 = difference(x4, x3)
    x6 = merge(x2)
    x7 = lbind(position, x6)
    x8 = chain(halve, increment, x7)
    x9 = compose(initset, x8)
    x10 = fork(recolor, color, x9)
    x11 = mapply(x10, x5)
    x12 = canvas(ZERO, TWO_BY_TWO)
    O = paint(x12, x11)
    return O


def solve_1a2e2828(I):
    """The colour of the one line that is nowhere crossed."""
    x1 = frontiers(I)
    x2 = apply(color, x1)
    x3 = maximum(x2)
    O = canvas(x3, UNITY)
    return O


def solve_1c0d0a4b(I):
    """In the cells of the lattice exchange figure and ground."""
    x1 = frontiers(I)
    x2 = merge(x1)
    x3 = toindices(x2)
    x4 = ofcolor(I, ZERO)
    x5 = difference(x4, x3)
    x6 = replace(I, EIGHT, ZERO)
    O = fill(x6, TWO, x5)
    return O


def solve_2072aba6(I):
    """Enlarge twofold and paint the marked cells as a checkerboard."""
    x1 = upscale(I, TWO)
    x2 = ofcolor(x1, FIVE)
    x3 = fork(add, first, last)
    x4 = compose(even, x3)
    x5 = sfilter(x2, x4)
    x6 = fill(x1, ONE, x5)
    O = replace(x6, FIVE, TWO)
    return O


def solve_2685904e(I):
    """Raise a bar over each digit that occurs as often as told."""
    x1 = tophalf(I)
    x2 = colorcount(x1, EIGHT)
    x3 = tojvec(EIGHT)
    x4 = dmirror(I)
    x5 = width(I)
    x6 = astuple(x5, ONE)
    x7 = crop(x4, x3, x6)
    x8 = dmirror(x7)
    x9 = partition(x8)
    x10 = sizefilter(x9, x2)
    x11 = merge(x10)
    x12 = subtract(FIVE, x2)
    x13 = interval(FIVE, x12, NEG_ONE)
    x14 = apply(toivec, x13)
    x15 = lbind(shift, x11)
    x16 = mapply(x15, x14)
    O = paint(I, x16)
    return O


def solve_2753e76c(I):
    """A bar chart of how many squares each colour has, largest on top."""
    x1 = objects(I, T, F, T)
    x2 = palette(I)
    x3 = remove(ZERO, x2)
    x4 = lbind(colorfilter, x1)
    x5 = compose(size, x4)
    x6 = compose(invert, x5)
    x7 = order(x3, x6)
    x8 = valmax(x3, x5)
    x9 = size(x7)
    x10 = interval(ZERO, x9, ONE)
    x11 = lbind(subtract, x8)
    x12 = compose(x11, x5)
    x13 = apply(x12, x7)
    x14 = pair(x10, x13)
    x15 = decrement(x8)
    x16 = repeat(x15, x9)
    x17 = pair(x10, x16)
    x18 = papply(connect, x14, x17)
    x19 = mpapply(recolor, x7, x18)
    x20 = astuple(x9, x8)
    x21 = canvas(ZERO, x20)
    O = paint(x21, x19)
    return O


def solve_27a77e38(I):
    """Below the grey line, mark the middle with the commonest colour above."""
    x1 = tophalf(I)
    x2 = mostcolor(x1)
    x3 = asindices(I)
    x4 = center(x3)
    x5 = last(x4)
    x6 = lowermost(x3)
    x7 = astuple(x6, x5)
    x8 = initset(x7)
    O = fill(I, x2, x8)
    return O


def solve_27f8ce4f(I):
    """Copy the grid into the places of its most common colour."""
    x1 = mostcolor(I)
    x2 = ofcolor(I, x1)
    x3 = asobject(I)
    x4 = lbind(shift, x3)
    x5 = rbind(multiply, THREE)
    x6 = compose(x4, x5)
    x7 = mapply(x6, x2)
    x8 = multiply(THREE_BY_THREE, THREE)
    x9 = canvas(ZERO, x8)
    O = paint(x9, x7)
    return O


def solve_281123b4(I):
    """Stack the four panels between the green bars."""
    x1 = hsplit(I, FOUR)
    x2 = apply(asobject, x1)
    x3 = shape(I)
    x4 = first(x3)
    x5 = astuple(x4, x4)
    x6 = canvas(ZERO, x5)
    x7 = merge(x2)
    x8 = lbind(matcher, first)
    x9 = lbind(sfilter, x7)
    x10 = compose(x9, x8)
    x11 = x10(FIVE)
    x12 = x10(EIGHT)
    x13 = x10(FOUR)
    x14 = x10(NINE)
    x15 = paint(x6, x11)
    x16 = paint(x15, x12)
    x17 = paint(x16, x13)
    O = paint(x17, x14)
    return O


def solve_2a5f8217(I):
    """Blue figures take the colour of the other figure of the same form."""
    x1 = objects(I, T, T, T)
    x2 = colorfilter(x1, ONE)
    x3 = difference(x1, x2)
    x4 = compose(normalize, toindices)
    x5 = lbind(matcher, x4)
    x6 = compose(x5, x4)
    x7 = lbind(extract, x3)
    x8 = chain(color, x7, x6)
    x9 = fork(recolor, x8, identity)
    x10 = mapply(x9, x2)
    O = paint(I, x10)
    return O


def solve_310f3251(I):
    """Red above left of every cell, wrapping round; then tile three by three."""
    x1 = ofcolor(I, ZERO)
    x2 = asindices(I)
    x3 = difference(x2, x1)
    x4 = height(I)
    x5 = initset(ZERO)
    x6 = insert(x4, x5)
    x7 = product(x6, x6)
    x8 = shift(x3, NEG_UNITY)
    x9 = lbind(shift, x8)
    x10 = mapply(x9, x7)
    x11 = underfill(I, TWO, x10)
    x12 = hconcat(x11, x11)
    x13 = hconcat(x12, x11)
    x14 = vconcat(x13, x13)
    O = vconcat(x14, x13)
    return O


def solve_32e9702f(I):
    """Move the figures one step left and set the ground to grey."""
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = shape(I)
    x4 = canvas(FIVE, x3)
    x5 = shift(x2, LEFT)
    O = paint(x4, x5)
    return O


def solve_332efdb3(I):
    """A lattice of one cell windows."""
    x1 = asindices(I)
    x2 = compose(even, first)
    x3 = compose(even, last)
    x4 = fork(either, x2, x3)
    x5 = sfilter(x1, x4)
    O = fill(I, ONE, x5)
    return O


def solve_34b99a2b(I):
    """Cells marked in exactly one half, in red."""
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = ofcolor(x1, EIGHT)
    x4 = ofcolor(x2, FIVE)
    x5 = difference(x3, x4)
    x6 = difference(x4, x3)
    x7 = combine(x5, x6)
    x8 = shape(x1)
    x9 = canvas(ZERO, x8)
    O = fill(x9, TWO, x7)
    return O


def solve_37d3e8b2(I):
    """Colour the figures by how many holes they have."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, EIGHT)
    x3 = colorfilter(x1, ZERO)
    x4 = rbind(bordering, I)
    x5 = compose(flip, x4)
    x6 = sfilter(x3, x5)
    x7 = lbind(sfilter, x6)
    x8 = lbind(lbind, adjacent)
    x9 = chain(size, x7, x8)
    x10 = matcher(x9, FOUR)
    x11 = mfilter(x2, x10)
    x12 = fork(recolor, x9, identity)
    x13 = mapply(x12, x2)
    x14 = paint(I, x13)
    O = fill(x14, SEVEN, x11)
    return O


def solve_3b4c2228(I):
    """Count the green squares of four cells along the diagonal."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, THREE)
    x3 = sizefilter(x2, FOUR)
    x4 = sfilter(x3, square)
    x5 = size(x4)
    x6 = decrement(x5)
    x7 = multiply(UNITY, x6)
    x8 = connect(ORIGIN, x7)
    x9 = canvas(ZERO, THREE_BY_THREE)
    O = fill(x9, ONE, x8)
    return O


def solve_3d31c5b3(I):
    """Stack four layers, grey over yellow over light blue over red."""
    x1 = vsplit(I, FOUR)
    x2 = first(x1)
    x3 = last(x1)
    x4 = remove(x2, x1)
    x5 = first(x4)
    x6 = remove(x5, x4)
    x7 = first(x6)
    x8 = ofcolor(x3, EIGHT)
    x9 = ofcolor(x5, FOUR)
    x10 = ofcolor(x2, FIVE)
    x11 = fill(x7, EIGHT, x8)
    x12 = fill(x11, FOUR, x9)
    O = fill(x12, FIVE, x10)
    return O


def solve_42a15761(I):
    """Sort the columns of blocks by their number of holes."""
    x1 = shape(I)
    x2 = first(x1)
    x3 = last(x1)
    x4 = increment(x3)
    x5 = divide(x4, FOUR)
    x6 = hsplit(I, x5)
    x7 = rbind(colorcount, ZERO)
    x8 = order(x6, x7)
    x9 = apply(dmirror, x8)
    x10 = astuple(ONE, x2)
    x11 = canvas(ZERO, x10)
    x12 = rbind(vconcat, x11)
    x13 = mapply(x12, x9)
    x14 = dmirror(x13)
    O = crop(x14, ORIGIN, x1)
    return O


def solve_45737921(I):
    """Exchange the two colours within each figure."""
    x1 = objects(I, F, T, T)
    x2 = lbind(matcher, first)
    x3 = compose(x2, leastcolor)
    x4 = compose(x2, mostcolor)
    x5 = fork(sfilter, identity, x3)
    x6 = fork(sfilter, identity, x4)
    x7 = fork(recolor, mostcolor, x5)
    x8 = fork(recolor, leastcolor, x6)
    x9 = fork(combine, x7, x8)
    x10 = mapply(x9, x1)
    O = paint(I, x10)
    return O


def solve_45bbe264(I):
    """Lines through every cell; where different lines cross, red."""
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = compose(vfrontier, last)
    x4 = fork(recolor, first, x3)
    x5 = compose(hfrontier, last)
    x6 = fork(recolor, first, x5)
    x7 = mapply(x4, x2)
    x8 = mapply(x6, x2)
    x9 = toindices(x7)
    x10 = toindices(x8)
    x11 = intersection(x9, x10)
    x12 = paint(I, x7)
    x13 = paint(x12, x8)
    x14 = fill(x13, TWO, x11)
    O = paint(x14, x2)
    return O


def solve_48131b3c(I):
    """Exchange figure and ground, then tile two by two."""
    x1 = palette(I)
    x2 = remove(ZERO, x1)
    x3 = first(x2)
    x4 = switch(I, ZERO, x3)
    x5 = repeat(x4, TWO)
    x6 = merge(x5)
    x7 = dmirror(x6)
    x8 = vconcat(x7, x7)
    O = dmirror(x8)
    return O


def solve_4852f2fa(I):
    """Repeat the three by three figure once for each yellow cell."""
    x1 = ofcolor(I, EIGHT)
    x2 = lrcorner(x1)
    x3 = subtract(x2, TWO)
    x4 = crop(I, x3, THREE_BY_THREE)
    x5 = colorcount(I, FOUR)
    x6 = dmirror(x4)
    x7 = repeat(x6, x5)
    x8 = merge(x7)
    O = dmirror(x8)
    return O


def solve_48f8583b(I):
    """Copy the grid into the places of its rarest colour."""
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = asobject(I)
    x4 = lbind(shift, x3)
    x5 = rbind(multiply, THREE_BY_THREE)
    x6 = compose(x4, x5)
    x7 = mapply(x6, x2)
    x8 = shape(I)
    x9 = multiply(x8, x8)
    x10 = canvas(ZERO, x9)
    O = paint(x10, x7)
    return O


def solve_505fff84(I):
    """Collect the pieces between each blue and its light blue mark."""
    x1 = ofcolor(I, ONE)
    x2 = ofcolor(I, EIGHT)
    x3 = prapply(connect, x1, x2)
    x4 = sfilter(x3, hline)
    x5 = order(x4, uppermost)
    x6 = rbind(toobject, I)
    x7 = apply(x6, x5)
    x8 = rbind(subgrid, I)
    x9 = apply(x8, x7)
    x10 = merge(x9)
    x11 = dmirror(x10)
    x12 = height(x11)
    x13 = width(x11)
    x14 = subtract(x12, TWO)
    x15 = astuple(x14, x13)
    x16 = crop(x11, DOWN, x15)
    O = dmirror(x16)
    return O


def solve_506d28a5(I):
    """Union of top and bottom, in green."""
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = ofcolor(x2, ONE)
    x4 = replace(x1, TWO, THREE)
    O = fill(x4, THREE, x3)
    return O


def solve_50a16a69(I):
    """Continue the pattern over the whole grid, one step on."""
    x1 = asindices(I)
    x2 = lrcorner(x1)
    x3 = index(I, x2)
    x4 = ofcolor(I, x3)
    x5 = difference(x1, x4)
    x6 = toobject(x5, I)
    x7 = hperiod(x6)
    x8 = vperiod(x6)
    x9 = double(TEN)
    x10 = interval(ZERO, x9, x8)
    x11 = increment(x9)
    x12 = interval(ZERO, x11, x7)
    x13 = astuple(x8, x7)
    x14 = crop(I, ORIGIN, x13)
    x15 = asobject(x14)
    x16 = shift(x15, LEFT)
    x17 = lbind(shift, x16)
    x18 = product(x10, x12)
    x19 = mapply(x17, x18)
    O = paint(I, x19)
    return O


def solve_516b51b7(I):
    """Paint the rectangles in rings: red, green, red."""
    x1 = ofcolor(I, ONE)
    x2 = rbind(difference, x1)
    x3 = chain(size, x2, neighbors)
    x4 = matcher(x3, ZERO)
    x5 = sfilter(x1, x4)
    x6 = rbind(difference, x5)
    x7 = chain(size, x6, neighbors)
    x8 = matcher(x7, ZERO)
    x9 = sfilter(x5, x8)
    x10 = rbind(difference, x9)
    x11 = chain(size, x10, neighbors)
    x12 = matcher(x11, ZERO)
    x13 = sfilter(x9, x12)
    x14 = fill(I, TWO, x5)
    x15 = fill(x14, THREE, x9)
    O = fill(x15, TWO, x13)
    return O


def solve_575b1a71(I):
    """Number the columns of the holes from left to right."""
    x1 = ofcolor(I, ZERO)
    x2 = apply(last, x1)
    x3 = order(x2, identity)
    x4 = size(x3)
    x5 = increment(x4)
    x6 = interval(ONE, x5, ONE)
    x7 = compose(vfrontier, tojvec)
    x8 = apply(x7, x3)
    x9 = lbind(intersection, x1)
    x10 = apply(x9, x8)
    x11 = mpapply(recolor, x6, x10)
    O = paint(I, x11)
    return O


def solve_5783df64(I):
    """Each of nine blocks holds one coloured cell: gather the colours."""
    x1 = objects(I, T, F, T)
    x2 = height(I)
    x3 = divide(x2, THREE)
    x4 = rbind(divide, x3)
    x5 = chain(initset, x4, ulcorner)
    x6 = fork(recolor, color, x5)
    x7 = mapply(x6, x1)
    x8 = canvas(ZERO, THREE_BY_THREE)
    O = paint(x8, x7)
    return O


def solve_59341089(I):
    """A strip of the mirrored and the plain grid, twice."""
    x1 = vmirror(I)
    x2 = hconcat(x1, I)
    O = hconcat(x2, x2)
    return O


def solve_5b6cbef5(I):
    """A fractal: the figure made of copies of itself."""
    x1 = upscale(I, FOUR)
    x2 = hconcat(I, I)
    x3 = hconcat(x2, x2)
    x4 = vconcat(x3, x3)
    x5 = vconcat(x4, x4)
    O = cellwise(x1, x5, ZERO)
    return O


def solve_5d2a5c43(I):
    """Union of left and right, in light blue."""
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = ofcolor(x2, FOUR)
    x4 = fill(x1, FOUR, x3)
    O = replace(x4, FOUR, EIGHT)
    return O


def solve_60a26a3e(I):
    """Connect the hollow crosses that face each other."""
    x1 = dneighbors(UNITY)
    x2 = recolor(TWO, x1)
    x3 = occurrences(I, x2)
    x4 = shift(x3, UNITY)
    x5 = prapply(connect, x4, x4)
    x6 = fork(either, vline, hline)
    x7 = mfilter(x5, x6)
    x8 = difference(x7, x4)
    O = underfill(I, ONE, x8)
    return O


def solve_60c09cac(I):
    """Twofold enlargement."""
    x1 = hupscale(I, TWO)
    O = vupscale(x1, TWO)
    return O


def solve_62ab2642(I):
    """The largest room light blue, the smallest orange."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = argmax(x2, size)
    x4 = argmin(x2, size)
    x5 = fill(I, EIGHT, x3)
    O = fill(x5, SEVEN, x4)
    return O


def solve_62b74c02(I):
    """Copy the block to the far side, its first column in between."""
    x1 = width(I)
    x2 = hsplit(I, x1)
    x3 = first(x2)
    x4 = hupscale(x3, x1)
    x5 = ofcolor(I, ZERO)
    x6 = asobject(I)
    x7 = toobject(x5, I)
    x8 = difference(x6, x7)
    x9 = width(x8)
    x10 = subtract(x1, x9)
    x11 = tojvec(x10)
    x12 = shift(x8, x11)
    x13 = paint(x4, x8)
    O = paint(x13, x12)
    return O


def solve_639f5a19(I):
    """Four coloured quarters and a yellow middle in every rectangle."""
    x1 = objects(I, T, F, T)
    x2 = apply(toindices, x1)
    x3 = compose(halve, shape)
    x4 = compose(invert, x3)
    x5 = fork(shift, identity, x4)
    x6 = fork(intersection, identity, x5)
    x7 = mapply(x6, x2)
    x8 = chain(toivec, halve, height)
    x9 = fork(shift, x6, x8)
    x10 = mapply(x9, x2)
    x11 = chain(tojvec, halve, width)
    x12 = fork(shift, x6, x11)
    x13 = mapply(x12, x2)
    x14 = chain(backdrop, inbox, inbox)
    x15 = mapply(x14, x2)
    x16 = replace(I, EIGHT, THREE)
    x17 = fill(x16, SIX, x7)
    x18 = fill(x17, TWO, x10)
    x19 = fill(x18, ONE, x13)
    O = fill(x19, FOUR, x15)
    return O


def solve_64a7c07e(I):
    """Each figure moves right by its own width."""
    x1 = objects(I, T, T, T)
    x2 = compose(tojvec, width)
    x3 = fork(shift, identity, x2)
    x4 = mapply(x3, x1)
    x5 = merge(x1)
    x6 = cover(I, x5)
    O = paint(x6, x4)
    return O


def solve_66e6c45b(I):
    """Send the four inner cells out to the four corners."""
    x1 = asindices(I)
    x2 = corners(x1)
    x3 = trim(I)
    x4 = asindices(x3)
    x5 = shift(x4, UNITY)
    x6 = order(x2, identity)
    x7 = order(x5, identity)
    x8 = lbind(index, I)
    x9 = apply(x8, x7)
    x10 = apply(initset, x6)
    x11 = mpapply(recolor, x9, x10)
    x12 = cover(I, x5)
    O = paint(x12, x11)
    return O


def solve_66f2d22f(I):
    """Cells empty on both sides, in grey."""
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = replace(x2, TWO, THREE)
    x4 = cellwise(x1, x3, THREE)
    x5 = replace(x4, ZERO, FIVE)
    O = replace(x5, THREE, ZERO)
    return O


def solve_67636eac(I):
    """Line the figures up along the longer side of the grid."""
    x1 = objects(I, T, T, T)
    x2 = portrait(I)
    x3 = branch(x2, uppermost, leftmost)
    x4 = branch(x2, identity, dmirror)
    x5 = order(x1, x3)
    x6 = rbind(subgrid, I)
    x7 = compose(x4, x6)
    x8 = apply(x7, x5)
    x9 = merge(x8)
    O = x4(x9)
    return O


def solve_68b67ca3(I):
    """Keep every second row and column."""
    O = downscale(I, TWO)
    return O


def solve_695367ec(I):
    """A lattice with windows as large as the input square."""
    x1 = height(I)
    x2 = increment(x1)
    x3 = add(TEN, FIVE)
    x4 = astuple(x3, x3)
    x5 = canvas(ZERO, x4)
    x6 = interval(x1, x3, x2)
    x7 = pair(x6, x6)
    x8 = fork(combine, hfrontier, vfrontier)
    x9 = mapply(x8, x7)
    x10 = mostcolor(I)
    O = fill(x5, x10, x9)
    return O


def solve_6a11f6da(I):
    """Stack three layers: pink over blue over light blue."""
    x1 = vsplit(I, THREE)
    x2 = first(x1)
    x3 = last(x1)
    x4 = remove(x3, x1)
    x5 = last(x4)
    x6 = ofcolor(x2, ONE)
    x7 = fill(x5, ONE, x6)
    x8 = ofcolor(x3, SIX)
    O = fill(x7, SIX, x8)
    return O


def solve_6df30ad6(I):
    """The grey figure takes the colour of the nearest cell; the rest goes."""
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FIVE)
    x3 = first(x2)
    x4 = remove(x3, x1)
    x5 = toindices(x3)
    x6 = lbind(shift, x5)
    x7 = chain(x6, invert, ulcorner)
    x8 = fork(add, first, last)
    x9 = fork(multiply, identity, identity)
    x10 = compose(x8, x9)
    x11 = rbind(valmin, x10)
    x12 = compose(x11, x7)
    x13 = argmin(x4, x12)
    x14 = color(x13)
    x15 = shape(I)
    x16 = canvas(ZERO, x15)
    O = fill(x16, x14, x5)
    return O


def solve_6ea4a07e(I):
    """Complement the figure, with a new colour fixed by the old one."""
    x1 = palette(I)
    x2 = other(x1, ZERO)
    x3 = equality(x2, EIGHT)
    x4 = equality(x2, THREE)
    x5 = branch(x4, ONE, FOUR)
    x6 = branch(x3, TWO, x5)
    x7 = switch(I, ZERO, x2)
    O = replace(x7, x2, x6)
    return O


def solve_6f473927(I):
    """Add the mirrored negative on the side the figure touches."""
    x1 = vmirror(I)
    x2 = replace(x1, ZERO, EIGHT)
    x3 = replace(x2, TWO, ZERO)
    x4 = ofcolor(I, TWO)
    x5 = leftmost(x4)
    x6 = equality(x5, ZERO)
    x7 = hconcat(x3, I)
    x8 = hconcat(I, x3)
    O = branch(x6, x7, x8)
    return O


def solve_73182012(I):
    """The upper left quarter of the symmetric figure."""
    x1 = objects(I, F, T, T)
    x2 = first(x1)
    x3 = subgrid(x2, I)
    x4 = tophalf(x3)
    O = lefthalf(x4)
    return O


def solve_73ccf9c2(I):
    """The figure that is not its own mirror image."""
    x1 = objects(I, T, T, T)
    x2 = fork(equality, identity, vmirror)
    x3 = compose(flip, x2)
    x4 = extract(x1, x3)
    O = subgrid(x4, I)
    return O


def solve_770cc55f(I):
    """Fill from the longer bar to the red line where the shorter bar is."""
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, TWO)
    x3 = difference(x1, x2)
    x4 = argmax(x3, size)
    x5 = argmin(x3, size)
    x6 = merge(x2)
    x7 = toindices(x4)
    x8 = toindices(x6)
    x9 = prapply(connect, x7, x8)
    x10 = rbind(vmatching, x5)
    x11 = fork(both, vline, x10)
    x12 = mfilter(x9, x11)
    O = underfill(I, FOUR, x12)
    return O


def solve_7953d61e(I):
    """A pinwheel of the four rotations."""
    x1 = rot270(I)
    x2 = hconcat(I, x1)
    x3 = rot180(I)
    x4 = rot90(I)
    x5 = hconcat(x3, x4)
    O = vconcat(x2, x5)
    return O


def solve_7c8af763(I):
    """Flood each room with the colour that prevails in its walls."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = lbind(mapply, dneighbors)
    x4 = rbind(toobject, I)
    x5 = chain(x4, x3, toindices)
    x6 = initset(ONE)
    x7 = insert(TWO, x6)
    x8 = rbind(contained, x7)
    x9 = compose(x8, first)
    x10 = rbind(sfilter, x9)
    x11 = chain(mostcolor, x10, x5)
    x12 = fork(recolor, x11, identity)
    x13 = mapply(x12, x2)
    O = paint(I, x13)
    return O


def solve_7c9b52a0(I):
    """Lay the windows over one another."""
    x1 = objects(I, F, F, T)
    x2 = apply(normalize, x1)
    x3 = merge(x2)
    x4 = matcher(first, ZERO)
    x5 = sfilter(x3, x4)
    x6 = difference(x3, x5)
    x7 = shape(x3)
    x8 = canvas(ZERO, x7)
    O = paint(x8, x6)
    return O


def solve_7d1f7ee8(I):
    """What lies within a frame takes the frame's colour."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = mfilter(x2, x3)
    x5 = difference(x1, x2)
    x6 = rbind(adjacent, x4)
    x7 = sfilter(x5, x6)
    x8 = ofcolor(I, ZERO)
    x9 = rbind(difference, x8)
    x10 = compose(x9, backdrop)
    x11 = fork(recolor, color, x10)
    x12 = mapply(x11, x7)
    O = paint(I, x12)
    return O


def solve_7ee1c6ea(I):
    """Exchange the two colours inside the grey frame."""
    x1 = ofcolor(I, FIVE)
    x2 = backdrop(x1)
    x3 = toobject(x2, I)
    x4 = palette(x3)
    x5 = remove(FIVE, x4)
    x6 = remove(ZERO, x5)
    x7 = first(x6)
    x8 = last(x6)
    x9 = switch(I, x7, x8)
    x10 = toobject(x2, x9)
    O = paint(I, x10)
    return O


def solve_817e6c09(I):
    """From the right, recolour every second square."""
    x1 = objects(I, T, F, T)
    x2 = order(x1, rightmost)
    x3 = size(x2)
    x4 = decrement(x3)
    x5 = interval(x4, NEG_ONE, NEG_ONE)
    x6 = pair(x5, x2)
    x7 = compose(even, first)
    x8 = sfilter(x6, x7)
    x9 = mapply(last, x8)
    O = fill(I, EIGHT, x9)
    return O


def solve_833dafe3(I):
    """Mirror to the left and upwards."""
    x1 = rot180(I)
    x2 = hmirror(I)
    x3 = vmirror(I)
    x4 = hconcat(x1, x2)
    x5 = hconcat(x3, I)
    O = vconcat(x4, x5)
    return O


def solve_84db8fc4(I):
    """Empty regions: red where they touch the edge, grey where enclosed."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = mfilter(x2, x3)
    x5 = fill(I, TWO, x4)
    O = replace(x5, ZERO, FIVE)
    return O


def solve_84f2aca1(I):
    """Holes of one cell grey, of two cells orange."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = sizefilter(x2, ONE)
    x4 = sizefilter(x2, TWO)
    x5 = merge(x3)
    x6 = merge(x4)
    x7 = fill(I, FIVE, x5)
    O = fill(x7, SEVEN, x6)
    return O


def solve_8597cfd7(I):
    """Which colour's bar grows more below the grey line?"""
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = rbind(colorcount, TWO)
    x4 = rbind(colorcount, FOUR)
    x5 = x3(x2)
    x6 = x3(x1)
    x7 = x4(x2)
    x8 = x4(x1)
    x9 = subtract(x5, x6)
    x10 = subtract(x7, x8)
    x11 = greater(x9, x10)
    x12 = branch(x11, TWO, FOUR)
    O = canvas(x12, TWO_BY_TWO)
    return O


def solve_8e2edd66(I):
    """The negative of the figure, copied to where the figure is empty."""
    x1 = palette(I)
    x2 = other(x1, ZERO)
    x3 = switch(I, ZERO, x2)
    x4 = hconcat(x3, x3)
    x5 = hconcat(x4, x3)
    x6 = vconcat(x5, x5)
    x7 = vconcat(x6, x5)
    x8 = upscale(x3, THREE)
    O = cellwise(x8, x7, ZERO)
    return O


def solve_90347967(I):
    """Turn the figure half round about its grey cell."""
    x1 = objects(I, F, T, T)
    x2 = first(x1)
    x3 = hmirror(x2)
    x4 = vmirror(x3)
    x5 = cover(I, x2)
    x6 = paint(x5, x4)
    x7 = ofcolor(I, FIVE)
    x8 = ofcolor(x6, FIVE)
    x9 = ulcorner(x7)
    x10 = ulcorner(x8)
    x11 = subtract(x9, x10)
    O = move(x6, x4, x11)
    return O


def solve_903d1b4a(I):
    """Restore the symmetric picture under the green patches."""
    x1 = ofcolor(I, THREE)
    x2 = vmirror(I)
    x3 = toobject(x1, x2)
    x4 = paint(I, x3)
    x5 = ofcolor(x4, THREE)
    x6 = hmirror(x4)
    x7 = toobject(x5, x6)
    x8 = paint(x4, x7)
    x9 = ofcolor(x8, THREE)
    x10 = dmirror(x8)
    x11 = toobject(x9, x10)
    O = paint(x8, x11)
    return O


def solve_9110e3c5(I):
    """The commonest colour names one of three signs."""
    x1 = partition(I)
    x2 = colorfilter(x1, ZERO)
    x3 = difference(x1, x2)
    x4 = argmax(x3, size)
    x5 = color(x4)
    x6 = equality(x5, ONE)
    x7 = equality(x5, TWO)
    x8 = canvas(ZERO, THREE_BY_THREE)
    x9 = hfrontier(DOWN)
    x10 = vfrontier(RIGHT)
    x11 = fill(x8, EIGHT, x9)
    x12 = fill(x8, EIGHT, x10)
    x13 = initset(ZERO_BY_TWO)
    x14 = fill(x12, EIGHT, x13)
    x15 = insert(UNITY, x13)
    x16 = insert(DOWN, x15)
    x17 = astuple(TWO, ONE)
    x18 = insert(x17, x16)
    x19 = fill(x8, EIGHT, x18)
    x20 = branch(x7, x11, x14)
    O = branch(x6, x19, x20)
    return O


def solve_94414823(I):
    """Quarter the frame's inside; opposite quarters take the nearby colour."""
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FIVE)
    x3 = first(x2)
    x4 = remove(x3, x1)
    x5 = delta(x3)
    x6 = lbind(position, x5)
    x7 = lbind(shift, x5)
    x8 = chain(x7, double, x6)
    x9 = compose(invert, x6)
    x10 = chain(x7, double, x9)
    x11 = fork(combine, x8, x10)
    x12 = lbind(intersection, x5)
    x13 = compose(x12, x11)
    x14 = fork(recolor, color, x13)
    x15 = mapply(x14, x4)
    O = paint(I, x15)
    return O


def solve_981571dc(I):
    """Fill the holes from the symmetric copies of the pattern."""
    x1 = asobject(I)
    x2 = ofcolor(I, ZERO)
    x3 = recolor(ZERO, x2)
    x4 = difference(x1, x3)
    x5 = dmirror(I)
    x6 = asobject(x5)
    x7 = ofcolor(x5, ZERO)
    x8 = recolor(ZERO, x7)
    x9 = difference(x6, x8)
    x10 = paint(I, x9)
    x11 = vmirror(x10)
    x12 = asobject(x11)
    x13 = ofcolor(x11, ZERO)
    x14 = recolor(ZERO, x13)
    x15 = difference(x12, x14)
    x16 = shift(x15, ZERO_BY_TWO)
    x17 = paint(x10, x16)
    x18 = hmirror(x17)
    x19 = asobject(x18)
    x20 = ofcolor(x18, ZERO)
    x21 = recolor(ZERO, x20)
    x22 = difference(x19, x21)
    x23 = shift(x22, TWO_BY_ZERO)
    x24 = paint(x17, x23)
    O = paint(x24, x4)
    return O


def solve_9a4bb226(I):
    """The figure with the most colours."""
    x1 = objects(I, F, T, T)
    x2 = argmax(x1, numcolors)
    O = subgrid(x2, I)
    return O


def solve_9c56f360(I):
    """Let the green cells slide to the left until something stops them."""
    x1 = rbind(ofcolor, THREE)
    x2 = rbind(ofcolor, ZERO)
    x3 = rbind(shift, RIGHT)
    x4 = compose(x3, x2)
    x5 = fork(intersection, x1, x4)
    x6 = lbind(recolor, THREE)
    x7 = compose(x6, x5)
    x8 = rbind(move, LEFT)
    x9 = fork(x8, identity, x7)
    x10 = power(x9, TEN)
    O = x10(I)
    return O


def solve_9ddd00f0(I):
    """Complete the symmetric pattern."""
    x1 = palette(I)
    x2 = other(x1, ZERO)
    x3 = repeat(cmirror, ONE)
    x4 = repeat(dmirror, ONE)
    x5 = repeat(hmirror, ONE)
    x6 = repeat(vmirror, ONE)
    x7 = combine(x3, x4)
    x8 = combine(x5, x6)
    x9 = combine(x7, x8)
    x10 = rapply(x9, I)
    x11 = rbind(ofcolor, x2)
    x12 = mapply(x11, x10)
    O = fill(I, x2, x12)
    return O


def solve_9f27f097(I):
    """Put the mirrored figure into the empty patch."""
    x1 = fgpartition(I)
    x2 = colorfilter(x1, ZERO)
    x3 = merge(x2)
    x4 = difference(x1, x2)
    x5 = merge(x4)
    x6 = subgrid(x5, I)
    x7 = vmirror(x6)
    x8 = asobject(x7)
    x9 = ulcorner(x3)
    x10 = shift(x8, x9)
    O = paint(I, x10)
    return O


def solve_a59b95c0(I):
    """Tile as many times each way as there are colours."""
    x1 = numcolors(I)
    x2 = repeat(I, x1)
    x3 = merge(x2)
    x4 = dmirror(x3)
    x5 = repeat(x4, x1)
    x6 = merge(x5)
    O = dmirror(x6)
    return O


def solve_a8610ef7(I):
    """Red where the upside-down figure agrees, grey elsewhere."""
    x1 = ofcolor(I, EIGHT)
    x2 = hmirror(I)
    x3 = ofcolor(x2, EIGHT)
    x4 = intersection(x1, x3)
    x5 = fill(I, TWO, x4)
    O = replace(x5, EIGHT, FIVE)
    return O


def solve_a934301b(I):
    """Remove the figures with more than one light blue cell."""
    x1 = objects(I, F, F, T)
    x2 = rbind(colorcount, EIGHT)
    x3 = rbind(greater, ONE)
    x4 = compose(x3, x2)
    x5 = mfilter(x1, x4)
    O = cover(I, x5)
    return O


def solve_aa18de87(I):
    """Fill each row in red between its marks."""
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = prapply(connect, x2, x2)
    x4 = mfilter(x3, hline)
    x5 = fill(I, TWO, x4)
    O = fill(x5, x1, x2)
    return O


def solve_ae58858e(I):
    """Pieces of more than three cells turn pink."""
    x1 = objects(I, T, F, T)
    x2 = rbind(greater, THREE)
    x3 = compose(x2, size)
    x4 = mfilter(x1, x3)
    O = fill(I, SIX, x4)
    return O


def solve_af24b4cc(I):
    """The commonest colour of each block."""
    x1 = objects(I, F, F, T)
    x2 = astuple(FOUR, THREE)
    x3 = rbind(divide, x2)
    x4 = chain(x3, decrement, ulcorner)
    x5 = chain(initset, increment, x4)
    x6 = fork(recolor, mostcolor, x5)
    x7 = mapply(x6, x1)
    x8 = astuple(FOUR, FIVE)
    x9 = canvas(ZERO, x8)
    O = paint(x9, x7)
    return O


def solve_bc4146bd(I):
    """A strip of five, every second one mirrored."""
    x1 = vmirror(I)
    x2 = hconcat(I, x1)
    x3 = hconcat(x2, x2)
    O = hconcat(x3, I)
    return O


def solve_be03b35f(I):
    """Continue the rotation series: the last quarter is the third one turned."""
    x1 = bottomhalf(I)
    x2 = lefthalf(x1)
    O = rot90(x2)
    return O


def solve_bf32578f(I):
    """Close the half figure by its mirror image and keep only the inside."""
    x1 = fgpartition(I)
    x2 = first(x1)
    x3 = color(x2)
    x4 = toindices(x2)
    x5 = width(x4)
    x6 = tojvec(x5)
    x7 = vmirror(x4)
    x8 = shift(x7, x6)
    x9 = combine(x4, x8)
    x10 = prapply(connect, x9, x9)
    x11 = mfilter(x10, hline)
    x12 = difference(x11, x9)
    x13 = cover(I, x2)
    O = fill(x13, x3, x12)
    return O


def solve_c074846d(I):
    """Turn the red hand a quarter clockwise and leave a green trace."""
    x1 = ofcolor(I, FIVE)
    x2 = ofcolor(I, TWO)
    x3 = position(x1, x2)
    x4 = last(x3)
    x5 = first(x3)
    x6 = invert(x5)
    x7 = astuple(x4, x6)
    x8 = size(x2)
    x9 = multiply(x7, x8)
    x10 = ulcorner(x1)
    x11 = add(x10, x9)
    x12 = connect(x10, x11)
    x13 = difference(x12, x1)
    x14 = replace(I, TWO, THREE)
    O = fill(x14, TWO, x13)
    return O


def solve_c35c1b4c(I):
    """Make the big figure symmetric about the middle of the grid."""
    x1 = vmirror(I)
    x2 = objects(x1, T, F, F)
    x3 = colorfilter(x2, ZERO)
    x4 = difference(x2, x3)
    x5 = argmax(x4, size)
    O = paint(I, x5)
    return O


def solve_c48954c1(I):
    """Tile three by three, mirroring at every seam."""
    x1 = rot180(I)
    x2 = hmirror(I)
    x3 = hconcat(x1, x2)
    x4 = hconcat(x3, x1)
    x5 = hmirror(x4)
    x6 = vconcat(x4, x5)
    O = vconcat(x6, x4)
    return O


def solve_c7d4e6ad(I):
    """Grey cells take the colour at the left of their row."""
    x1 = ofcolor(I, FIVE)
    x2 = asindices(I)
    x3 = ofcolor(I, ZERO)
    x4 = difference(x2, x3)
    x5 = difference(x4, x1)
    x6 = rbind(toobject, I)
    x7 = x6(x5)
    x8 = compose(hfrontier, last)
    x9 = fork(recolor, first, x8)
    x10 = mapply(x9, x7)
    x11 = shape(I)
    x12 = canvas(ZERO, x11)
    x13 = paint(x12, x10)
    x14 = toobject(x1, x13)
    O = paint(I, x14)
    return O


def solve_c8b7cc0f(I):
    """Count the cells inside the frame, in reading order."""
    x1 = palette(I)
    x2 = remove(ZERO, x1)
    x3 = other(x2, ONE)
    x4 = ofcolor(I, ONE)
    x5 = subgrid(x4, I)
    x6 = colorcount(x5, x3)
    x7 = canvas(ZERO, THREE_BY_THREE)
    x8 = asindices(x7)
    x9 = totuple(x8)
    x10 = rbind(multiply, THREE)
    x11 = compose(x10, first)
    x12 = fork(add, x11, last)
    x13 = lbind(greater, x6)
    x14 = compose(x13, x12)
    x15 = sfilter(x9, x14)
    O = fill(x7, x3, x15)
    return O


def solve_ca8de6ea(I):
    """Fold the two crossed diagonals into a dense three by three grid."""
    x1 = downscale(I, TWO)
    x2 = index(I, UNITY)
    x3 = trim(I)
    x4 = asindices(x3)
    x5 = urcorner(x4)
    x6 = index(x3, x5)
    x7 = astuple(TWO, ONE)
    x8 = initset(RIGHT)
    x9 = insert(x7, x8)
    x10 = fill(x1, x2, x9)
    O = replace(x10, ZERO, x6)
    return O


def solve_ccd554ac(I):
    """Tile as many times each way as the grid is wide."""
    x1 = shape(I)
    x2 = first(x1)
    x3 = asindices(I)
    x4 = rbind(multiply, x1)
    x5 = apply(x4, x3)
    x6 = asobject(I)
    x7 = lbind(shift, x6)
    x8 = mapply(x7, x5)
    x9 = multiply(x1, x2)
    x10 = canvas(ZERO, x9)
    O = paint(x10, x8)
    return O


def solve_cd3c21df(I):
    """The figure that occurs only once."""
    x1 = objects(I, F, T, T)
    x2 = totuple(x1)
    x3 = rbind(subgrid, I)
    x4 = apply(x3, x2)
    O = leastcommon(x4)
    return O


def solve_d19f7514(I):
    """Union of top and bottom, in yellow."""
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = replace(x1, THREE, FOUR)
    x4 = replace(x2, FIVE, FOUR)
    x5 = ofcolor(x4, FOUR)
    x6 = toobject(x5, x4)
    O = paint(x3, x6)
    return O


def solve_d2acf2cb(I):
    """On lines across the grid between yellow posts exchange 0/8 and 6/7."""
    x1 = ofcolor(I, FOUR)
    x2 = prapply(connect, x1, x1)
    x3 = width(I)
    x4 = matcher(width, x3)
    x5 = fork(both, hline, x4)
    x6 = height(I)
    x7 = matcher(height, x6)
    x8 = fork(both, vline, x7)
    x9 = fork(either, x5, x8)
    x10 = mfilter(x2, x9)
    x11 = switch(I, ZERO, EIGHT)
    x12 = switch(x11, SIX, SEVEN)
    x13 = toobject(x10, x12)
    O = paint(I, x13)
    return O


def solve_d37a1ef5(I):
    """Fill the frame up to the box round the inner cells."""
    x1 = ofcolor(I, TWO)
    x2 = ofcolor(I, FIVE)
    x3 = backdrop(x1)
    x4 = backdrop(x2)
    x5 = difference(x3, x4)
    O = fill(I, TWO, x5)
    return O


def solve_d4b1c2b1(I):
    """Enlarge by the number of colours."""
    x1 = numcolors(I)
    O = upscale(I, x1)
    return O


def solve_d56f2372(I):
    """The figure that is its own mirror image."""
    x1 = objects(I, T, T, T)
    x2 = fork(equality, identity, vmirror)
    x3 = extract(x1, x2)
    O = subgrid(x3, I)
    return O


def solve_da2b0fe3(I):
    """Draw a green line through the gap."""
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = backdrop(x2)
    x4 = lbind(intersection, x3)
    x5 = chain(size, x4, toindices)
    x6 = compose(positive, x5)
    x7 = frontiers(I)
    x8 = mfilter(x7, x6)
    O = fill(I, THREE, x8)
    return O


def solve_e133d23d(I):
    """Union of the two halves, in red."""
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = ofcolor(x1, SIX)
    x4 = ofcolor(x2, EIGHT)
    x5 = combine(x3, x4)
    x6 = canvas(ZERO, THREE_BY_THREE)
    O = fill(x6, TWO, x5)
    return O


def solve_e1baa8a4(I):
    """One cell for each block of the mosaic."""
    x1 = dedupe(I)
    x2 = dmirror(x1)
    x3 = dedupe(x2)
    O = dmirror(x3)
    return O


def solve_e21a174a(I):
    """Reverse the order of the coloured bands."""
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = fork(add, uppermost, lowermost)
    x4 = x3(x2)
    x5 = lbind(subtract, x4)
    x6 = chain(toivec, x5, x3)
    x7 = fork(shift, identity, x6)
    x8 = mapply(x7, x1)
    x9 = cover(I, x2)
    O = paint(x9, x8)
    return O


def solve_e345f17b(I):
    """Cells empty in both halves, in yellow."""
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = ofcolor(x1, ZERO)
    x4 = ofcolor(x2, ZERO)
    x5 = intersection(x3, x4)
    x6 = shape(x1)
    x7 = canvas(ZERO, x6)
    O = fill(x7, FOUR, x5)
    return O


def solve_e57337a4(I):
    """Shrink fivefold, keeping the holes."""
    x1 = ofcolor(I, ZERO)
    x2 = mostcolor(I)
    x3 = canvas(x2, THREE_BY_THREE)
    x4 = rbind(divide, FIVE)
    x5 = apply(x4, x1)
    O = fill(x3, ZERO, x5)
    return O


def solve_e633a9e5(I):
    """Double the outer rows and columns."""
    x1 = vsplit(I, THREE)
    x2 = first(x1)
    x3 = last(x1)
    x4 = vconcat(x2, I)
    x5 = vconcat(x4, x3)
    x6 = hsplit(x5, THREE)
    x7 = first(x6)
    x8 = last(x6)
    x9 = hconcat(x7, x5)
    O = hconcat(x9, x8)
    return O


def solve_e74e1818(I):
    """Turn every figure upside down in its place."""
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = mapply(hmirror, x1)
    x4 = cover(I, x2)
    O = paint(x4, x3)
    return O


def solve_e7a25a18(I):
    """Stretch the four coloured squares to fill the frame."""
    x1 = ofcolor(I, TWO)
    x2 = subgrid(x1, I)
    x3 = trim(x2)
    x4 = fgpartition(x3)
    x5 = merge(x4)
    x6 = subgrid(x5, x3)
    x7 = width(x6)
    x8 = halve(x7)
    x9 = downscale(x6, x8)
    x10 = width(x3)
    x11 = halve(x10)
    x12 = upscale(x9, x11)
    x13 = asobject(x12)
    x14 = shift(x13, UNITY)
    O = paint(x2, x14)
    return O


def solve_e7dd8335(I):
    """Paint the lower half of the figure red."""
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = height(x2)
    x4 = halve(x3)
    x5 = toivec(x4)
    x6 = backdrop(x2)
    x7 = shift(x6, x5)
    x8 = toindices(x2)
    x9 = intersection(x7, x8)
    O = fill(I, TWO, x9)
    return O


def solve_e872b94a(I):
    """A column of zeros, one longer than the number of grey pieces."""
    x1 = objects(I, T, T, F)
    x2 = colorfilter(x1, FIVE)
    x3 = size(x2)
    x4 = increment(x3)
    x5 = astuple(x4, ONE)
    O = canvas(ZERO, x5)
    return O


def solve_e99362f0(I):
    """Stack the four quarters: light blue, orange, maroon, red on top down."""
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = lefthalf(x1)
    x4 = righthalf(x1)
    x5 = lefthalf(x2)
    x6 = righthalf(x2)
    x7 = rbind(ofcolor, ZERO)
    x8 = asindices(x3)
    x9 = lbind(difference, x8)
    x10 = compose(x9, x7)
    x11 = x10(x4)
    x12 = x10(x3)
    x13 = x10(x6)
    x14 = fill(x5, NINE, x11)
    x15 = fill(x14, SEVEN, x12)
    O = fill(x15, EIGHT, x13)
    return O


def solve_e9ac8c9e(I):
    """Quarter the grey squares and paint each quarter as the cell beside it."""
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FIVE)
    x3 = difference(x1, x2)
    x4 = lbind(argmin, x2)
    x5 = lbind(lbind, manhattan)
    x6 = chain(toindices, x4, x5)
    x7 = fork(position, x6, identity)
    x8 = chain(halve, width, x6)
    x9 = fork(multiply, x7, x8)
    x10 = fork(shift, x6, x9)
    x11 = fork(intersection, x6, x10)
    x12 = fork(recolor, color, x11)
    x13 = mapply(x12, x3)
    x14 = merge(x3)
    x15 = cover(I, x14)
    O = paint(x15, x13)
    return O


def solve_e9b4f6fc(I):
    """Recolour the big figure by the colour pairs beside it."""
    x1 = objects(I, F, F, T)
    x2 = argmax(x1, size)
    x3 = subgrid(x2, I)
    x4 = remove(x2, x1)
    x5 = rbind(argmin, leftmost)
    x6 = rbind(argmax, leftmost)
    x7 = lbind(apply, initset)
    x8 = compose(x5, x7)
    x9 = compose(x6, x7)
    x10 = compose(color, x8)
    x11 = compose(color, x9)
    x12 = lbind(ofcolor, x3)
    x13 = compose(x12, x11)
    x14 = fork(recolor, x10, x13)
    x15 = mapply(x14, x4)
    O = paint(x3, x15)
    return O


def solve_e9c9d9a1(I):
    """Inner rooms orange, each corner room its own colour."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = mfilter(x2, x4)
    x6 = asindices(I)
    x7 = ulcorner(x6)
    x8 = urcorner(x6)
    x9 = llcorner(x6)
    x10 = lrcorner(x6)
    x11 = lbind(contained, x7)
    x12 = lbind(contained, x8)
    x13 = lbind(contained, x9)
    x14 = lbind(contained, x10)
    x15 = apply(toindices, x2)
    x16 = extract(x15, x11)
    x17 = extract(x15, x12)
    x18 = extract(x15, x13)
    x19 = extract(x15, x14)
    x20 = fill(I, SEVEN, x5)
    x21 = fill(x20, TWO, x16)
    x22 = fill(x21, FOUR, x17)
    x23 = fill(x22, ONE, x18)
    O = fill(x23, EIGHT, x19)
    return O


def solve_ea9794b1(I):
    """Stack the four quarters: green, maroon, light blue, yellow."""
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = lefthalf(x1)
    x4 = righthalf(x1)
    x5 = lefthalf(x2)
    x6 = righthalf(x2)
    x7 = ofcolor(x6, EIGHT)
    x8 = ofcolor(x5, NINE)
    x9 = ofcolor(x4, THREE)
    x10 = fill(x3, EIGHT, x7)
    x11 = fill(x10, NINE, x8)
    O = fill(x11, THREE, x9)
    return O


def solve_ed98d772(I):
    """The grid and its three rotations, counter-clockwise."""
    x1 = rot270(I)
    x2 = rot180(I)
    x3 = rot90(I)
    x4 = hconcat(I, x1)
    x5 = hconcat(x2, x3)
    O = vconcat(x4, x5)
    return O


def solve_ef26cbf6(I):
    """The blue cells take the colour of the key in the neighbouring room."""
    x1 = objects(I, T, T, T)
    x2 = ofcolor(I, ONE)
    x3 = colorfilter(x1, ONE)
    x4 = colorfilter(x1, FOUR)
    x5 = difference(x1, x3)
    x6 = difference(x5, x4)
    x7 = portrait(I)
    x8 = branch(x7, hfrontier, vfrontier)
    x9 = lbind(mapply, x8)
    x10 = chain(x9, neighbors, ulcorner)
    x11 = lbind(intersection, x2)
    x12 = compose(x11, x10)
    x13 = fork(recolor, color, x12)
    x14 = mapply(x13, x6)
    O = paint(I, x14)
    return O


def solve_f0afb749(I):
    """Enlarge twofold and draw the diagonals through the enlarged cells."""
    x1 = upscale(I, TWO)
    x2 = asindices(I)
    x3 = ofcolor(I, ZERO)
    x4 = difference(x2, x3)
    x5 = apply(double, x4)
    x6 = rbind(shoot, UNITY)
    x7 = rbind(shoot, NEG_UNITY)
    x8 = fork(combine, x6, x7)
    x9 = mapply(x8, x5)
    O = underfill(x1, ONE, x9)
    return O


def solve_f0df5ff0(I):
    """Empty cells round the blue ones become blue."""
    x1 = ofcolor(I, ONE)
    x2 = mapply(neighbors, x1)
    O = underfill(I, ONE, x2)
    return O


def solve_f3cdc58f(I):
    """A bar chart of the colour counts, standing on the floor."""
    x1 = asindices(I)
    x2 = llcorner(x1)
    x3 = interval(ONE, FIVE, ONE)
    x4 = lbind(colorcount, I)
    x5 = compose(decrement, x4)
    x6 = compose(toivec, x5)
    x7 = lbind(subtract, x2)
    x8 = compose(x7, x6)
    x9 = compose(tojvec, decrement)
    x10 = fork(add, x8, x9)
    x11 = lbind(add, x2)
    x12 = compose(x11, x9)
    x13 = fork(connect, x10, x12)
    x14 = apply(x13, x3)
    x15 = mpapply(recolor, x3, x14)
    x16 = shape(I)
    x17 = canvas(ZERO, x16)
    O = paint(x17, x15)
    return O


def solve_f3e62deb(I):
    """Push the ring to the side its colour names."""
    x1 = objects(I, T, F, T)
    x2 = first(x1)
    x3 = color(x2)
    x4 = shape(I)
    x5 = hfrontier(UP)
    x6 = hfrontier(x4)
    x7 = vfrontier(LEFT)
    x8 = vfrontier(x4)
    x9 = equality(x3, SIX)
    x10 = equality(x3, FOUR)
    x11 = equality(x3, THREE)
    x12 = branch(x11, x7, x8)
    x13 = branch(x10, x6, x12)
    x14 = branch(x9, x5, x13)
    x15 = gravitate(x2, x14)
    O = move(I, x2, x15)
    return O


def solve_f45f5ca7(I):
    """Each colour has its own column."""
    x1 = ofcolor(I, TWO)
    x2 = ofcolor(I, THREE)
    x3 = ofcolor(I, FOUR)
    x4 = ofcolor(I, EIGHT)
    x5 = tojvec(TWO)
    x6 = tojvec(FOUR)
    x7 = tojvec(THREE)
    x8 = recolor(TWO, x1)
    x9 = recolor(THREE, x2)
    x10 = recolor(FOUR, x3)
    x11 = recolor(EIGHT, x4)
    x12 = move(I, x8, x5)
    x13 = move(x12, x9, x6)
    x14 = move(x13, x10, x7)
    O = move(x14, x11, RIGHT)
    return O


def solve_f5aa3634(I):
    """The figure that occurs twice."""
    x1 = objects(I, F, T, T)
    x2 = totuple(x1)
    x3 = rbind(subgrid, I)
    x4 = apply(x3, x2)
    O = mostcommon(x4)
    return O


def solve_f83cb3f6(I):
    """The scattered cells fall to the light blue wall, or are lost in gaps."""
    x1 = ofcolor(I, EIGHT)
    x2 = fgpartition(I)
    x3 = colorfilter(x2, EIGHT)
    x4 = difference(x2, x3)
    x5 = merge(x4)
    x6 = color(x5)
    x7 = toindices(x5)
    x8 = apply(initset, x7)
    x9 = rbind(gravitate, x1)
    x10 = fork(shift, identity, x9)
    x11 = mapply(x10, x8)
    x12 = cover(I, x5)
    x13 = fill(x12, x6, x11)
    x14 = delta(x1)
    O = fill(x13, ZERO, x14)
    return O


def solve_fb791726(I):
    """The grid twice along the diagonal, green lines in the gaps between cells."""
    x1 = shape(I)
    x2 = double(x1)
    x3 = canvas(ZERO, x2)
    x4 = fgpartition(I)
    x5 = merge(x4)
    x6 = shift(x5, x1)
    x7 = paint(x3, x5)
    x8 = paint(x7, x6)
    x9 = backdrop(x5)
    x10 = backdrop(x6)
    x11 = combine(x9, x10)
    x12 = frontiers(x8)
    x13 = colorfilter(x12, ZERO)
    x14 = rbind(hmatching, x11)
    x15 = fork(both, hline, x14)
    x16 = mfilter(x13, x15)
    O = fill(x8, THREE, x16)
    return O


def solve_fc754716(I):
    """Frame the grid in the colour of its single cell."""
    x1 = leastcolor(I)
    x2 = asindices(I)
    x3 = box(x2)
    x4 = cover(I, x2)
    O = fill(x4, x1, x3)
    return O
