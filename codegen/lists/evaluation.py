"""Operation lists for evaluation tasks of ARC-AGI-1.

Each function solves one task: it takes the input grid and gives the output
grid, one primitive a line, with names for all arguments.  They were written
by looking at the tasks.
"""
# ruff: noqa: F405
from runtime.arc import *  # noqa: F403


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


def solve_be03b35f(I):
    """Continue the rotation series: the last quarter is the third one turned."""
    x1 = bottomhalf(I)
    x2 = lefthalf(x1)
    O = rot90(x2)
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


def solve_66e6c45b(I):
    """Send the four inner cells out to the four corners."""
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = vmirror(x1)
    x4 = vmirror(x2)
    x5 = hconcat(x3, x4)
    x6 = tophalf(x5)
    x7 = bottomhalf(x5)
    x8 = hmirror(x6)
    x9 = hmirror(x7)
    O = vconcat(x8, x9)
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


def solve_00576224(I):
    """Tile three by three, the middle band mirrored."""
    x1 = hconcat(I, I)
    x2 = hconcat(x1, I)
    x3 = vmirror(x2)
    x4 = vconcat(x2, x3)
    O = vconcat(x4, x2)
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


def solve_59341089(I):
    """A strip of the mirrored and the plain grid, twice."""
    x1 = vmirror(I)
    x2 = hconcat(x1, I)
    O = hconcat(x2, x2)
    return O


def solve_68b67ca3(I):
    """Keep every second row and column."""
    O = downscale(I, TWO)
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


def solve_0c786b71(I):
    """Mirror to the left and upwards."""
    x1 = vmirror(I)
    x2 = hconcat(x1, I)
    x3 = hmirror(x2)
    O = vconcat(x3, x2)
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


def solve_506d28a5(I):
    """Union of top and bottom, in green."""
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = ofcolor(x2, ONE)
    x4 = replace(x1, TWO, THREE)
    O = fill(x4, THREE, x3)
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


def solve_5d2a5c43(I):
    """Union of left and right, in light blue."""
    x1 = lefthalf(I)
    x2 = righthalf(I)
    x3 = ofcolor(x2, FOUR)
    x4 = fill(x1, FOUR, x3)
    O = replace(x4, FOUR, EIGHT)
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


def solve_7953d61e(I):
    """A pinwheel of the four rotations."""
    x1 = rot270(I)
    x2 = hconcat(I, x1)
    x3 = rot180(I)
    x4 = rot90(I)
    x5 = hconcat(x3, x4)
    O = vconcat(x2, x5)
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


def solve_60c09cac(I):
    """Twofold enlargement."""
    x1 = hupscale(I, TWO)
    O = vupscale(x1, TWO)
    return O


def solve_fc754716(I):
    """Frame the grid in the colour of its single cell."""
    x1 = leastcolor(I)
    x2 = asindices(I)
    x3 = box(x2)
    x4 = cover(I, x2)
    O = fill(x4, x1, x3)
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


def solve_1a2e2828(I):
    """The colour of the one line that is nowhere crossed."""
    x1 = frontiers(I)
    x2 = apply(color, x1)
    x3 = maximum(x2)
    O = canvas(x3, UNITY)
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


def solve_73182012(I):
    """The upper left quarter of the symmetric figure."""
    x1 = objects(I, F, T, T)
    x2 = first(x1)
    x3 = subgrid(x2, I)
    x4 = tophalf(x3)
    O = lefthalf(x4)
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


def solve_3d31c5b3(I):
    """Stack four layers, grey over yellow over light blue over red."""
    x1 = vsplit(I, FOUR)
    x3 = first(x1)
    x4 = last(x1)
    x5 = remove(x3, x1)
    x6 = first(x5)
    x7 = remove(x6, x5)
    x8 = first(x7)
    x9 = ofcolor(x4, EIGHT)
    x10 = ofcolor(x6, FOUR)
    x11 = ofcolor(x3, FIVE)
    x12 = fill(x8, EIGHT, x9)
    x13 = fill(x12, FOUR, x10)
    O = fill(x13, FIVE, x11)
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


def solve_6a11f6da(I):
    """Stack three layers: pink over blue over light blue."""
    x1 = vsplit(I, THREE)
    x2 = first(x1)
    x3 = last(x1)
    x4 = remove(x3, x1)
    x5 = last(x4)
    x11 = ofcolor(x2, ONE)
    x12 = fill(x5, ONE, x11)
    x13 = ofcolor(x3, SIX)
    O = fill(x12, SIX, x13)
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


def solve_aa18de87(I):
    """Fill each row in red between its marks."""
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = prapply(connect, x2, x2)
    x4 = mfilter(x3, hline)
    x5 = fill(I, TWO, x4)
    O = fill(x5, x1, x2)
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


def solve_bc4146bd(I):
    """A strip of five, every second one mirrored."""
    x1 = vmirror(I)
    x2 = hconcat(I, x1)
    x3 = hconcat(x2, x2)
    O = hconcat(x3, I)
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
    x15 = width(x11)
    x17 = subtract(x12, TWO)
    x18 = astuple(x17, x15)
    x19 = crop(x11, DOWN, x18)
    O = dmirror(x19)
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


def solve_32e9702f(I):
    """Move the figures one step left and set the ground to grey."""
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = shape(I)
    x4 = canvas(FIVE, x3)
    x5 = shift(x2, LEFT)
    O = paint(x4, x5)
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


def solve_84db8fc4(I):
    """Empty regions: red where they touch the edge, grey where enclosed."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = mfilter(x2, x3)
    x5 = fill(I, TWO, x4)
    O = replace(x5, ZERO, FIVE)
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
    x17 = shape(I)
    x18 = canvas(ZERO, x17)
    O = paint(x18, x15)
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


def solve_9a4bb226(I):
    """The figure with the most colours."""
    x1 = objects(I, F, T, T)
    x2 = argmax(x1, numcolors)
    O = subgrid(x2, I)
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


def solve_62ab2642(I):
    """The largest room light blue, the smallest orange."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = argmax(x2, size)
    x4 = argmin(x2, size)
    x5 = fill(I, EIGHT, x3)
    O = fill(x5, SEVEN, x4)
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


def solve_e1baa8a4(I):
    """One cell for each block of the mosaic."""
    x1 = dedupe(I)
    x2 = dmirror(x1)
    x3 = dedupe(x2)
    O = dmirror(x3)
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


def solve_c35c1b4c(I):
    """Make the big figure symmetric about the middle of the grid."""
    x1 = vmirror(I)
    x2 = objects(x1, T, F, F)
    x3 = colorfilter(x2, ZERO)
    x4 = difference(x2, x3)
    x5 = argmax(x4, size)
    O = paint(I, x5)
    return O


import re
s=open('/tmp/ref/dsl.py').read()
s=s.replace('from arc_types import *','''import sys; sys.path.insert(0,'/tmp/ref')
from arc_types import *
import builtins
def _key(e):
    if isinstance(e,bool): return int(e)
    if isinstance(e,int): return e
    if isinstance(e,tuple): return tuple(_key(x) for x in e)
    return tuple(sorted(_key(x) for x in e))
class frozenset(builtins.frozenset):
    def __iter__(self):
        l=list(builtins.frozenset.__iter__(self))
        if not self._hom(l): return iter(l)
        return iter(sorted(l,key=_key))
    @staticmethod
    def _hom(l): return all(not callable(x) for x in l)
    def __or__(a,b): return frozenset(builtins.frozenset(a)|builtins.frozenset(b))
    def __and__(a,b): return frozenset(builtins.frozenset(a)&builtins.frozenset(b))
    def __sub__(a,b): return frozenset(builtins.frozenset.__sub__(a,builtins.frozenset(b)))
    def union(a,b): return a|b
def _ss(x): return sorted(set(x),key=_key)
''')
s=s.replace('max(set(container)','max(_ss(container)').replace('min(set(container)','min(_ss(container)').replace('max(set(values)','max(_ss(values)').replace('min(set(values)','min(_ss(values)')
s+='''

import inspect as _i
PRIMS=[n for n,f in list(globals().items()) if _i.isfunction(f) and not n.startswith('_')]
USED=set()
def _isint(x): return isinstance(x,int) and not isinstance(x,bool)
def _isvec(x): return isinstance(x,tuple) and len(x)==2 and all(map(_isint,x))
def _isgrid(x): return isinstance(x,tuple) and len(x)>0 and all(isinstance(r,tuple) and len(r)>0 and all(map(_isint,r)) for r in x) and len({len(r) for r in x})==1
def _isidx(x): return len(x)==0 or (isinstance(x,(tuple,builtins.frozenset)) and all(map(_isvec,x)))
def _isobj(x): return len(x)==0 or (isinstance(x,(tuple,builtins.frozenset)) and all(isinstance(c,tuple) and len(c)==2 and _isint(c[0]) and _isvec(c[1]) for c in x))
def _ispatch(x): return _isidx(x) or _isobj(x)
_T={'Boolean':lambda x:isinstance(x,bool),'Integer':_isint,'IntegerTuple':_isvec,'Numerical':lambda x:_isint(x) or _isvec(x),'Grid':_isgrid,'Object':_isobj,'Indices':_isidx,'Patch':_ispatch,
'Objects':lambda x:isinstance(x,(tuple,builtins.frozenset)) and all(map(_isobj,x)),'Tuple':lambda x:isinstance(x,tuple),'FrozenSet':lambda x:isinstance(x,builtins.frozenset),
'Container':lambda x:isinstance(x,(tuple,builtins.frozenset)),'ContainerContainer':lambda x:isinstance(x,(tuple,builtins.frozenset)) and all(isinstance(y,(tuple,builtins.frozenset)) for y in x),
'Piece':lambda x:_isgrid(x) or _ispatch(x),'Element':lambda x:_isgrid(x) or _isobj(x),'IntegerSet':lambda x: all(map(_isint,x)),'Callable':callable}
def _check(name,ann,args):
    for a,v in zip(ann,args):
        if a in _T and not _T[a](v): raise TypeError('%s: %s expected got %r'%(name,a,v))
def _wrap(name,f):
    import re as _re
    src=_i.getsource(f)
    ps=list(_i.signature(f).parameters)
    ann=[]
    for p in ps:
        m=_re.search(r'\\b%s: (\\w+)'%p,src.split('"""')[0]); ann.append(m.group(1) if m else None)
    d={'_f_':f,'ann':ann,'name':name,'_check':_check,'USED':USED}
    exec('def %s(%s):\\n USED.add(name)\\n _check(name,ann,(%s,))\\n return _f_(%s)'%(name,','.join(ps),','.join(ps),','.join(ps)),d)
    return d[name]
_PUB={n:_wrap(n,globals()[n]) for n in PRIMS}
'''
open('dsl_sorted.py','w').write(s)
