"""Operation lists for ARC-AGI-1 training tasks.

Each function is one program: one primitive call an operation, names only,
the finished grid in O.  Written for this project by looking at the tasks.
"""

# ruff: noqa: F405
from megabatt.runtime.arc import *  # noqa: F403


def solve_05f2a901(I):
    """The red figure slides until it touches the 8 square."""
    x1 = ofcolor(I, TWO)
    x2 = toobject(x1, I)
    x3 = ofcolor(I, EIGHT)
    x4 = gravitate(x2, x3)
    O = move(I, x2, x4)
    return O


def solve_08ed6ac7(I):
    """Number the bars by height: tallest 1 to shortest 4."""
    x1 = objects(I, T, F, T)
    x2 = order(x1, size)
    x3 = interval(FOUR, ZERO, NEG_ONE)
    x4 = mpapply(recolor, x3, x2)
    O = paint(I, x4)
    return O


def solve_0962bcdd(I):
    """Plus signs grow by one cell, in both colours."""
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = replace(I, x1, ZERO)
    x4 = leastcolor(x3)
    x5 = rbind(subtract, TWO_BY_ZERO)
    x6 = rbind(add, TWO_BY_ZERO)
    x7 = fork(connect, x5, x6)
    x8 = rbind(subtract, ZERO_BY_TWO)
    x9 = rbind(add, ZERO_BY_TWO)
    x10 = fork(connect, x8, x9)
    x11 = rbind(subtract, TWO)
    x12 = rbind(add, TWO)
    x13 = fork(connect, x11, x12)
    x14 = double(UP_RIGHT)
    x15 = rbind(subtract, x14)
    x16 = rbind(add, x14)
    x17 = fork(connect, x15, x16)
    x18 = fork(combine, x7, x10)
    x19 = mapply(x18, x2)
    x20 = fill(I, x4, x19)
    x21 = fork(combine, x13, x17)
    x22 = mapply(x21, x2)
    O = fill(x20, x1, x22)
    return O


def solve_0ca9ddb6(I):
    """Red dots get yellow diagonals, blue dots orange sides."""
    x1 = ofcolor(I, TWO)
    x2 = mapply(ineighbors, x1)
    x3 = fill(I, FOUR, x2)
    x4 = ofcolor(I, ONE)
    x5 = mapply(dneighbors, x4)
    O = fill(x3, SEVEN, x5)
    return O


def solve_0dfd9992(I):
    """Mend the holes in the wallpaper from its two periods."""
    x1 = width(I)
    x2 = astuple(ONE, x1)
    x3 = crop(I, ORIGIN, x2)
    x4 = decrement(x1)
    x5 = tojvec(x4)
    x6 = height(I)
    x7 = astuple(x6, ONE)
    x8 = crop(I, x5, x7)
    x9 = asobject(x8)
    x10 = vperiod(x9)
    x11 = asobject(x3)
    x12 = hperiod(x11)
    x13 = interval(ZERO, x6, x10)
    x14 = interval(ZERO, x1, x12)
    x15 = apply(invert, x13)
    x16 = combine(x13, x15)
    x17 = apply(invert, x14)
    x18 = combine(x14, x17)
    x19 = asindices(I)
    x20 = ofcolor(I, ZERO)
    x21 = difference(x19, x20)
    x22 = toobject(x21, I)
    x23 = lbind(shift, x22)
    x24 = product(x16, x18)
    x25 = mapply(x23, x24)
    O = paint(I, x25)
    return O


def solve_11852cab(I):
    """Complete the figure to full symmetry."""
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = fork(combine, identity, vmirror)
    x4 = fork(combine, x3, cmirror)
    x5 = power(x4, THREE)
    x6 = initset(x2)
    x7 = mapply(x5, x6)
    O = paint(I, x7)
    return O


def solve_1190e5a7(I):
    """One cell for every field between the grid lines."""
    x1 = frontiers(I)
    x2 = sfilter(x1, hline)
    x3 = size(x2)
    x4 = sfilter(x1, vline)
    x5 = size(x4)
    x6 = astuple(x3, x5)
    x7 = mostcolor(I)
    x8 = increment(x6)
    O = canvas(x7, x8)
    return O


def solve_178fcbfb(I):
    """Red dots give columns, the other dots rows on top."""
    x1 = compose(hfrontier, center)
    x2 = fork(recolor, color, x1)
    x3 = ofcolor(I, TWO)
    x4 = mapply(vfrontier, x3)
    x5 = fill(I, TWO, x4)
    x6 = replace(I, TWO, ZERO)
    x7 = objects(x6, T, F, T)
    x8 = mapply(x2, x7)
    O = paint(x5, x8)
    return O


def solve_1bfc4729(I):
    """Each half is dressed in a fixed frame of its dot's colour."""
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = hmirror(x2)
    x4 = hfrontier(ORIGIN)
    x5 = hfrontier(TWO_BY_TWO)
    x6 = combine(x4, x5)
    x7 = vfrontier(ORIGIN)
    x8 = tojvec(NINE)
    x9 = vfrontier(x8)
    x10 = combine(x7, x9)
    x11 = combine(x6, x10)
    x12 = leastcolor(x1)
    x13 = fill(x1, x12, x11)
    x14 = leastcolor(x3)
    x15 = fill(x3, x14, x11)
    x16 = hmirror(x15)
    O = vconcat(x13, x16)
    return O


def solve_1c786137(I):
    """What the rectangular frame encloses."""
    x1 = objects(I, T, F, F)
    x2 = fork(equality, box, toindices)
    x3 = sfilter(x1, x2)
    x4 = argmax(x3, size)
    x5 = subgrid(x4, I)
    O = trim(x5)
    return O


def solve_1caeab9d(I):
    """All figures slide vertically onto the floor of the blue one."""
    x1 = ofcolor(I, ONE)
    x2 = lowermost(x1)
    x3 = objects(I, T, T, T)
    x4 = lbind(subtract, x2)
    x5 = chain(toivec, x4, lowermost)
    x6 = shape(I)
    x7 = canvas(ZERO, x6)
    x8 = fork(shift, identity, x5)
    x9 = mapply(x8, x3)
    O = paint(x7, x9)
    return O


def solve_1e0a9b12(I):
    """Coloured cells fall to the floor of their column."""
    x1 = rbind(order, sign)
    x2 = dmirror(I)
    x3 = apply(x1, x2)
    O = dmirror(x3)
    return O


def solve_1f876c06(I):
    """Join the two ends of each colour."""
    x1 = compose(first, toindices)
    x2 = compose(last, toindices)
    x3 = fork(connect, x1, x2)
    x4 = fork(recolor, color, x3)
    x5 = fgpartition(I)
    x6 = mapply(x4, x5)
    O = paint(I, x6)
    return O


def solve_1fad071e(I):
    """Count the blue 2x2 squares as a bar in a row of five."""
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, ONE)
    x3 = sizefilter(x2, FOUR)
    x4 = size(x3)
    x5 = decrement(x4)
    x6 = tojvec(x5)
    x7 = connect(ORIGIN, x6)
    x8 = astuple(ONE, FIVE)
    x9 = canvas(ZERO, x8)
    O = fill(x9, ONE, x7)
    return O


def solve_2013d3e2(I):
    """Upper left quarter of the figure."""
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = subgrid(x2, I)
    x4 = tophalf(x3)
    O = lefthalf(x4)
    return O


def solve_22168020(I):
    """Fill the open vessels of each colour row by row."""
    x1 = lbind(prapply, connect)
    x2 = fork(x1, toindices, toindices)
    x3 = compose(merge, x2)
    x4 = fork(recolor, color, x3)
    x5 = fgpartition(I)
    x6 = mapply(x4, x5)
    O = paint(I, x6)
    return O


def solve_2281f1f4(I):
    """Red at the crossings of marked columns and marked rows."""
    x1 = ofcolor(I, FIVE)
    x2 = matcher(first, ZERO)
    x3 = sfilter(x1, x2)
    x4 = matcher(last, NINE)
    x5 = sfilter(x1, x4)
    x6 = apply(first, x5)
    x7 = apply(last, x3)
    x8 = product(x6, x7)
    O = underfill(I, TWO, x8)
    return O


def solve_23581191(I):
    """Cross hairs through both dots, red where they cross."""
    x1 = fgpartition(I)
    x2 = totuple(x1)
    x3 = compose(vfrontier, center)
    x4 = compose(hfrontier, center)
    x5 = fork(combine, x3, x4)
    x6 = apply(x5, x2)
    x7 = apply(color, x2)
    x8 = mpapply(recolor, x7, x6)
    x9 = paint(I, x8)
    x10 = first(x6)
    x11 = last(x6)
    x12 = intersection(x10, x11)
    O = fill(x9, TWO, x12)
    return O


def solve_239be575(I):
    """8 if a chain of 8s links the two blocks of 2s, else 0."""
    x1 = replace(I, TWO, EIGHT)
    x2 = ofcolor(I, TWO)
    x3 = objects(x1, T, T, F)
    x4 = colorfilter(x3, EIGHT)
    x5 = rbind(intersection, x2)
    x6 = chain(size, x5, toindices)
    x7 = compose(positive, x6)
    x8 = sfilter(x4, x7)
    x9 = size(x8)
    x10 = equality(x9, ONE)
    x11 = branch(x10, EIGHT, ZERO)
    O = canvas(x11, UNITY)
    return O


def solve_253bf280(I):
    """Straight green wires between 8s in one row or column."""
    x1 = ofcolor(I, EIGHT)
    x2 = fork(either, hline, vline)
    x3 = prapply(connect, x1, x1)
    x4 = mfilter(x3, x2)
    O = underfill(I, THREE, x4)
    return O


def solve_25d487eb(I):
    """The tip's colour shoots out of the far side of the figure."""
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = objects(I, F, F, T)
    x4 = first(x3)
    x5 = toindices(x4)
    x6 = difference(x5, x2)
    x7 = toobject(x6, I)
    x8 = center(x2)
    x9 = position(x2, x7)
    x10 = shoot(x8, x9)
    O = underfill(I, x1, x10)
    return O


def solve_25d8a9c8(I):
    """Mark one-colour rows with 5, all else 0."""
    x1 = frontiers(I)
    x2 = mfilter(x1, hline)
    x3 = shape(I)
    x4 = canvas(ZERO, x3)
    O = fill(x4, FIVE, x2)
    return O


def solve_25ff71a9(I):
    """Move the figure down one row."""
    x1 = fgpartition(I)
    x2 = merge(x1)
    O = move(I, x2, DOWN)
    return O


def solve_29c11459(I):
    """Paired dots run towards each other and meet in a grey cell."""
    x1 = compose(hfrontier, center)
    x2 = fork(recolor, color, x1)
    x3 = lefthalf(I)
    x4 = righthalf(I)
    x5 = objects(x3, T, F, T)
    x6 = mapply(x2, x5)
    x7 = paint(x3, x6)
    x8 = objects(x4, T, F, T)
    x9 = mapply(x2, x8)
    x10 = paint(x4, x9)
    x11 = height(I)
    x12 = astuple(x11, ONE)
    x13 = canvas(ZERO, x12)
    x14 = mapply(x1, x5)
    x15 = fill(x13, FIVE, x14)
    x16 = hconcat(x7, x15)
    O = hconcat(x16, x10)
    return O


def solve_2bcee788(I):
    """Reflect the figure over the side that carries the marker."""
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = toobject(x2, I)
    x4 = fgpartition(I)
    x5 = other(x4, x3)
    x6 = vmatching(x5, x3)
    x7 = position(x5, x3)
    x8 = first(x7)
    x9 = toivec(x8)
    x10 = last(x7)
    x11 = tojvec(x10)
    x12 = branch(x6, x9, x11)
    x13 = hmirror(x5)
    x14 = vmirror(x5)
    x15 = branch(x6, x13, x14)
    x16 = shape(x5)
    x17 = multiply(x12, x16)
    x18 = shift(x15, x17)
    x19 = paint(I, x18)
    O = replace(x19, ZERO, THREE)
    return O


def solve_2dee498d(I):
    """First third of the grid."""
    x1 = hsplit(I, THREE)
    O = first(x1)
    return O


def solve_31aa019c(I):
    """Ring the one cell whose colour is unique, drop the rest."""
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = shape(I)
    x4 = canvas(ZERO, x3)
    x5 = outbox(x2)
    x6 = fill(x4, TWO, x5)
    O = fill(x6, x1, x2)
    return O


def solve_321b1fc6(I):
    """Copies of the two-coloured pattern replace the 8 blanks."""
    x1 = objects(I, F, F, T)
    x2 = argmax(x1, numcolors)
    x3 = normalize(x2)
    x4 = recolor(EIGHT, x3)
    x5 = occurrences(I, x4)
    x6 = shape(I)
    x7 = canvas(ZERO, x6)
    x8 = lbind(shift, x3)
    x9 = mapply(x8, x5)
    O = paint(x7, x9)
    return O


def solve_3428a4f5(I):
    """Exclusive or of the two halves, in 3."""
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = cellwise(x1, x2, THREE)
    O = replace(x3, TWO, ZERO)
    return O


def solve_3618c87e(I):
    """The 1s fall through their stalks to the bottom row."""
    x1 = ofcolor(I, ONE)
    x2 = replace(I, ONE, ZERO)
    x3 = shift(x1, TWO_BY_ZERO)
    O = fill(x2, ONE, x3)
    return O


def solve_3906de3d(I):
    """The red sticks rise into the notches above them."""
    x1 = compose(invert, sign)
    x2 = rbind(order, x1)
    x3 = dmirror(I)
    x4 = apply(x2, x3)
    O = dmirror(x4)
    return O


def solve_39a8645d(I):
    """The figure that appears most often."""
    x1 = objects(I, T, T, T)
    x2 = totuple(x1)
    x3 = apply(normalize, x2)
    x4 = mostcommon(x3)
    x5 = shape(x4)
    x6 = canvas(ZERO, x5)
    O = paint(x6, x4)
    return O


def solve_3aa6fb7a(I):
    """Blue in the notch of every corner piece."""
    x1 = objects(I, T, F, T)
    x2 = mapply(delta, x1)
    O = fill(I, ONE, x2)
    return O


def solve_3ac3eb23(I):
    """Seeds in the top row grow a zigzag down the page."""
    x1 = compose(ineighbors, center)
    x2 = fork(recolor, color, x1)
    x3 = objects(I, T, F, T)
    x4 = mapply(x2, x3)
    x5 = paint(I, x4)
    x6 = width(I)
    x7 = astuple(TWO, x6)
    x8 = crop(x5, ORIGIN, x7)
    x9 = vconcat(x8, x8)
    O = vconcat(x8, x9)
    return O


def solve_3bd67248(I):
    """From the foot of the wall a red diagonal and a yellow floor run off."""
    x1 = index(I, ORIGIN)
    x2 = ofcolor(I, x1)
    x3 = llcorner(x2)
    x4 = add(x3, UP_RIGHT)
    x5 = shoot(x4, UP_RIGHT)
    x6 = fill(I, TWO, x5)
    x7 = add(x3, RIGHT)
    x8 = shoot(x7, RIGHT)
    O = fill(x6, FOUR, x8)
    return O


def solve_3bdb4ada(I):
    """Punch every other cell out of the middle row of each slab."""
    x1 = objects(I, T, F, T)
    x2 = compose(even, leftmost)
    x3 = sfilter(x1, x2)
    x4 = mapply(inbox, x3)
    x5 = chain(flip, even, last)
    x6 = sfilter(x4, x5)
    x7 = difference(x1, x3)
    x8 = mapply(inbox, x7)
    x9 = compose(even, last)
    x10 = sfilter(x8, x9)
    x11 = combine(x6, x10)
    O = fill(I, ZERO, x11)
    return O


def solve_3c9b0459(I):
    """Half turn."""
    O = rot180(I)
    return O


def solve_40853293(I):
    """Join pairs of one colour; upright lines pass over level ones."""
    x1 = fork(recolor, color, backdrop)
    x2 = fgpartition(I)
    x3 = apply(x1, x2)
    x4 = mfilter(x3, vline)
    x5 = paint(I, x4)
    x6 = mfilter(x3, hline)
    O = underpaint(x5, x6)
    return O


def solve_41e4d17e(I):
    """Cross hairs through the heart of each frame, behind everything."""
    x1 = compose(vfrontier, center)
    x2 = compose(hfrontier, center)
    x3 = fork(combine, x1, x2)
    x4 = objects(I, T, F, T)
    x5 = mapply(x3, x4)
    O = underfill(I, SIX, x5)
    return O


def solve_444801d8(I):
    """The seed's colour fills its jar and the lid above it."""
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, ONE)
    x3 = rbind(toobject, I)
    x4 = compose(x3, backdrop)
    x5 = chain(maximum, palette, x4)
    x6 = rbind(shift, UP)
    x7 = fork(connect, ulcorner, urcorner)
    x8 = compose(x6, x7)
    x9 = fork(combine, delta, x8)
    x10 = fork(recolor, x5, x9)
    x11 = mapply(x10, x2)
    O = paint(I, x11)
    return O


def solve_445eab21(I):
    """2x2 in the colour of the frame that spans the larger area."""
    x1 = objects(I, T, F, T)
    x2 = compose(size, backdrop)
    x3 = argmax(x1, x2)
    x4 = color(x3)
    O = canvas(x4, TWO_BY_TWO)
    return O


def solve_44d8ac46(I):
    """Fill the square holes with red."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = mfilter(x2, square)
    O = fill(I, TWO, x3)
    return O


def solve_44f52bb0(I):
    """1 for a left right symmetric picture, else 7."""
    x1 = vmirror(I)
    x2 = equality(I, x1)
    x3 = branch(x2, ONE, SEVEN)
    O = canvas(x3, UNITY)
    return O


def solve_46442a0e(I):
    """Pinwheel of the four rotations."""
    x1 = rot90(I)
    x2 = hconcat(I, x1)
    x3 = rot270(I)
    x4 = rot180(I)
    x5 = hconcat(x3, x4)
    O = vconcat(x2, x5)
    return O


def solve_496994bd(I):
    """Mirror the upper half into the lower half."""
    x1 = tophalf(I)
    x2 = hmirror(x1)
    O = vconcat(x1, x2)
    return O


def solve_49d1d64f(I):
    """Grow the grid by a rim that repeats its edge cells."""
    x1 = asobject(I)
    x2 = shift(x1, UNITY)
    x3 = lbind(shift, x2)
    x4 = dneighbors(ORIGIN)
    x5 = mapply(x3, x4)
    x6 = shape(I)
    x7 = add(x6, TWO)
    x8 = canvas(ZERO, x7)
    x9 = paint(x8, x5)
    O = paint(x9, x2)
    return O


def solve_4c4377d9(I):
    """Upside down on top of the original."""
    x1 = hmirror(I)
    O = vconcat(x1, I)
    return O


def solve_4c5c2cf0(I):
    """Complete the picture by symmetry about the X."""
    x1 = fgpartition(I)
    x2 = fork(equality, hmirror, identity)
    x3 = extract(x1, x2)
    x4 = other(x1, x3)
    x5 = center(x3)
    x6 = double(x5)
    x7 = ulcorner(x4)
    x8 = lrcorner(x4)
    x9 = add(x7, x8)
    x10 = subtract(x6, x9)
    x11 = hmirror(x4)
    x12 = first(x10)
    x13 = toivec(x12)
    x14 = shift(x11, x13)
    x15 = combine(x4, x14)
    x16 = vmirror(x4)
    x17 = last(x10)
    x18 = tojvec(x17)
    x19 = shift(x16, x18)
    x20 = hmirror(x16)
    x21 = shift(x20, x10)
    x22 = combine(x19, x21)
    x23 = combine(x15, x22)
    O = paint(I, x23)
    return O


def solve_5168d44c(I):
    """The red ring moves two cells along the string of dots."""
    x1 = ofcolor(I, TWO)
    x2 = ofcolor(I, THREE)
    x3 = portrait(x2)
    x4 = branch(x3, DOWN, RIGHT)
    x5 = fill(I, ZERO, x1)
    x6 = crement(x4)
    x7 = shift(x1, x6)
    O = fill(x5, TWO, x7)
    return O


def solve_54d82841(I):
    """A yellow dot on the floor below the middle of each figure."""
    x1 = compose(vfrontier, center)
    x2 = objects(I, T, F, T)
    x3 = mapply(x1, x2)
    x4 = height(I)
    x5 = decrement(x4)
    x6 = toivec(x5)
    x7 = hfrontier(x6)
    x8 = intersection(x3, x7)
    O = fill(I, FOUR, x8)
    return O


def solve_5521c0d9(I):
    """Every block jumps up by its own height."""
    x1 = chain(invert, toivec, height)
    x2 = objects(I, T, F, T)
    x3 = shape(I)
    x4 = canvas(ZERO, x3)
    x5 = fork(shift, identity, x1)
    x6 = mapply(x5, x2)
    O = paint(x4, x6)
    return O


def solve_5582e5ca(I):
    """Everything takes the commonest colour."""
    x1 = mostcolor(I)
    O = canvas(x1, THREE_BY_THREE)
    return O


def solve_5614dbcf(I):
    """Clean the grey noise and shrink each block to one cell."""
    x1 = replace(I, FIVE, ZERO)
    O = downscale(x1, THREE)
    return O


def solve_56ff96f3(I):
    """Each pair of dots spans a filled rectangle."""
    x1 = fork(recolor, color, backdrop)
    x2 = fgpartition(I)
    x3 = mapply(x1, x2)
    O = paint(I, x3)
    return O


def solve_5bd6f4ac(I):
    """Top right 3x3 corner."""
    x1 = tojvec(SIX)
    O = crop(I, x1, THREE_BY_THREE)
    return O


def solve_5c0a986e(I):
    """The blue square shoots up left, the red one down right."""
    x1 = ofcolor(I, ONE)
    x2 = ulcorner(x1)
    x3 = shoot(x2, NEG_UNITY)
    x4 = fill(I, ONE, x3)
    x5 = ofcolor(I, TWO)
    x6 = lrcorner(x5)
    x7 = shoot(x6, UNITY)
    O = fill(x4, TWO, x7)
    return O


def solve_63613498(I):
    """The figure shaped like the one in the corner turns grey."""
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FIVE)
    x3 = difference(x1, x2)
    x4 = initset(ORIGIN)
    x5 = rbind(manhattan, x4)
    x6 = argmin(x3, x5)
    x7 = compose(normalize, toindices)
    x8 = toindices(x6)
    x9 = normalize(x8)
    x10 = matcher(x7, x9)
    x11 = remove(x6, x3)
    x12 = extract(x11, x10)
    O = fill(I, FIVE, x12)
    return O


def solve_6430c8c4(I):
    """3 where both halves are empty."""
    x1 = tophalf(I)
    x2 = ofcolor(x1, ZERO)
    x3 = bottomhalf(I)
    x4 = ofcolor(x3, ZERO)
    x5 = intersection(x2, x4)
    x6 = shape(x1)
    x7 = canvas(ZERO, x6)
    O = fill(x7, THREE, x5)
    return O


def solve_662c240a(I):
    """Of three stacked tiles give the one that is not symmetric across its diagonal."""
    x1 = fork(equality, dmirror, identity)
    x2 = vsplit(I, THREE)
    x3 = compose(flip, x1)
    O = extract(x2, x3)
    return O


def solve_67385a82(I):
    """Green pieces of at least three cells turn to 8."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, THREE)
    x3 = rbind(greater, TWO)
    x4 = compose(x3, size)
    x5 = mfilter(x2, x4)
    O = fill(I, EIGHT, x5)
    return O


def solve_6773b310(I):
    """1 for each of the nine panels that holds two pink cells."""
    x1 = rbind(hsplit, THREE)
    x2 = vsplit(I, THREE)
    x3 = apply(x1, x2)
    x4 = rbind(colorcount, SIX)
    x5 = lbind(apply, x4)
    x6 = apply(x5, x3)
    x7 = replace(x6, ONE, ZERO)
    O = replace(x7, TWO, ONE)
    return O


def solve_67a3c6ac(I):
    """Left and right swapped."""
    O = vmirror(I)
    return O


def solve_68b16354(I):
    """Upside down."""
    O = hmirror(I)
    return O


def solve_694f12f3(I):
    """Fill the larger rectangle with 2 inside, the smaller with 1."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, FOUR)
    x3 = argmax(x2, size)
    x4 = inbox(x3)
    x5 = backdrop(x4)
    x6 = fill(I, TWO, x5)
    x7 = argmin(x2, size)
    x8 = inbox(x7)
    x9 = backdrop(x8)
    O = fill(x6, ONE, x9)
    return O


def solve_6cdd2623(I):
    """Only the rare colour stays, its opposite border cells joined by lines."""
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = width(I)
    x4 = matcher(width, x3)
    x5 = fork(both, hline, x4)
    x6 = height(I)
    x7 = matcher(height, x6)
    x8 = fork(both, vline, x7)
    x9 = prapply(connect, x2, x2)
    x10 = fork(either, x5, x8)
    x11 = mfilter(x9, x10)
    x12 = shape(I)
    x13 = canvas(ZERO, x12)
    O = fill(x13, x1, x11)
    return O


def solve_6cf79266(I):
    """Empty 3x3 windows turn blue; of two overlapping ones only the upper left."""
    x1 = canvas(ZERO, THREE_BY_THREE)
    x2 = asobject(x1)
    x3 = occurrences(I, x2)
    x4 = lbind(shift, x2)
    x5 = shift(x3, UNITY)
    x6 = difference(x3, x5)
    x7 = mapply(x4, x6)
    O = fill(I, ONE, x7)
    return O


def solve_6e19193c(I):
    """Each corner piece shoots a diagonal out of its notch."""
    x1 = compose(first, delta)
    x2 = compose(double, x1)
    x3 = fork(add, ulcorner, lrcorner)
    x4 = fork(subtract, x2, x3)
    x5 = fork(add, x1, x4)
    x6 = fork(shoot, x5, x4)
    x7 = objects(I, T, F, T)
    x8 = first(x7)
    x9 = color(x8)
    x10 = mapply(x6, x7)
    O = fill(I, x9, x10)
    return O


def solve_6e82a1ae(I):
    """Colour the pieces by their size."""
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, TWO)
    x3 = merge(x2)
    x4 = fill(I, THREE, x3)
    x5 = sizefilter(x1, THREE)
    x6 = merge(x5)
    x7 = fill(x4, TWO, x6)
    x8 = sizefilter(x1, FOUR)
    x9 = merge(x8)
    O = fill(x7, ONE, x9)
    return O


def solve_72ca375d(I):
    """Cut out the one left right symmetric figure."""
    x1 = objects(I, T, T, T)
    x2 = fork(equality, vmirror, identity)
    x3 = extract(x1, x2)
    O = subgrid(x3, I)
    return O


def solve_746b3537(I):
    """Each stripe shrinks to a single cell."""
    x1 = objects(I, T, F, F)
    x2 = fork(add, uppermost, leftmost)
    x3 = order(x1, x2)
    x4 = apply(color, x3)
    x5 = repeat(x4, ONE)
    x6 = dedupe(I)
    x7 = size(x6)
    x8 = equality(x7, ONE)
    x9 = dmirror(x5)
    O = branch(x8, x5, x9)
    return O


def solve_74dd1130(I):
    """Rows become columns."""
    O = dmirror(I)
    return O


def solve_75b8110e(I):
    """Stack four quadrants: 5 on top, then 6, then 9, then 4."""
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = lefthalf(x1)
    x4 = righthalf(x2)
    x5 = ofcolor(x4, NINE)
    x6 = fill(x3, NINE, x5)
    x7 = lefthalf(x2)
    x8 = ofcolor(x7, SIX)
    x9 = fill(x6, SIX, x8)
    x10 = righthalf(x1)
    x11 = ofcolor(x10, FIVE)
    O = fill(x9, FIVE, x11)
    return O


def solve_77fdfe62(I):
    """The inner picture takes the corner colours by quarters."""
    x1 = trim(I)
    x2 = trim(x1)
    x3 = replace(I, ONE, ZERO)
    x4 = replace(x3, EIGHT, ZERO)
    x5 = compress(x4)
    x6 = width(x2)
    x7 = halve(x6)
    x8 = upscale(x5, x7)
    x9 = ofcolor(x2, ZERO)
    O = fill(x8, ZERO, x9)
    return O


def solve_7b7f7511(I):
    """Half of a doubled picture, cut across its longer side."""
    x1 = portrait(I)
    x2 = tophalf(I)
    x3 = lefthalf(I)
    O = branch(x1, x2, x3)
    return O


def solve_7c008303(I):
    """Colour the green picture by quarters after the small colour key."""
    x1 = compress(I)
    x2 = replace(x1, THREE, ZERO)
    x3 = fgpartition(x2)
    x4 = merge(x3)
    x5 = subgrid(x4, x2)
    x6 = ofcolor(I, THREE)
    x7 = subgrid(x6, I)
    x8 = upscale(x5, THREE)
    x9 = ofcolor(x7, ZERO)
    O = fill(x8, ZERO, x9)
    return O


def solve_7ddcd7ec(I):
    """The loose corner cells of the square run on diagonally."""
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = lbind(position, x2)
    x4 = fork(shoot, center, x3)
    x5 = color(x2)
    x6 = remove(x2, x1)
    x7 = mapply(x4, x6)
    O = fill(I, x5, x7)
    return O


def solve_7fe24cdd(I):
    """Pinwheel: the picture and its three turns clockwise."""
    x1 = repeat(rot270, ONE)
    x2 = repeat(rot180, ONE)
    x3 = combine(x1, x2)
    x4 = rapply(x3, I)
    x5 = rot90(I)
    x6 = hconcat(I, x5)
    x7 = first(x4)
    x8 = last(x4)
    x9 = hconcat(x7, x8)
    O = vconcat(x6, x9)
    return O


def solve_810b9b61(I):
    """Closed loops turn green."""
    x1 = fork(equality, box, toindices)
    x2 = chain(positive, size, delta)
    x3 = objects(I, T, T, T)
    x4 = fork(both, x1, x2)
    x5 = mfilter(x3, x4)
    O = fill(I, THREE, x5)
    return O


def solve_868de0fa(I):
    """Square rooms: even width filled red, odd width orange."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = sfilter(x2, square)
    x4 = compose(even, width)
    x5 = sfilter(x3, x4)
    x6 = merge(x5)
    x7 = fill(I, TWO, x6)
    x8 = difference(x3, x5)
    x9 = merge(x8)
    O = fill(x7, SEVEN, x9)
    return O


def solve_88a62173(I):
    """Of four little tiles give the odd one out."""
    x1 = tophalf(I)
    x2 = hsplit(x1, TWO)
    x3 = bottomhalf(I)
    x4 = hsplit(x3, TWO)
    x5 = combine(x2, x4)
    O = leastcommon(x5)
    return O


def solve_8d5021e8(I):
    """Mirror to the left, then stack three copies alternately flipped."""
    x1 = vmirror(I)
    x2 = hconcat(x1, I)
    x3 = hmirror(x2)
    x4 = vconcat(x3, x2)
    O = vconcat(x4, x3)
    return O


def solve_8efcae92(I):
    """Cut out the blue plate with the most red specks."""
    x1 = ofcolor(I, TWO)
    x2 = replace(I, TWO, ONE)
    x3 = objects(x2, T, F, F)
    x4 = colorfilter(x3, ONE)
    x5 = rbind(intersection, x1)
    x6 = chain(size, x5, toindices)
    x7 = argmax(x4, x6)
    O = subgrid(x7, I)
    return O


def solve_90c28cc7(I):
    """One cell for every field of the patchwork."""
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = subgrid(x2, I)
    x4 = dedupe(x3)
    x5 = dmirror(x4)
    x6 = dedupe(x5)
    O = dmirror(x6)
    return O


def solve_913fb3ed(I):
    """Dots get rings: 2 in 1, 3 in 6, 8 in 4."""
    x1 = ofcolor(I, TWO)
    x2 = mapply(neighbors, x1)
    x3 = fill(I, ONE, x2)
    x4 = ofcolor(I, THREE)
    x5 = mapply(neighbors, x4)
    x6 = fill(x3, SIX, x5)
    x7 = ofcolor(I, EIGHT)
    x8 = mapply(neighbors, x7)
    O = fill(x6, FOUR, x8)
    return O


def solve_93b581b8(I):
    """Each of four centre cells throws a 2x2 block into the opposite corner."""
    x1 = objects(I, F, F, T)
    x2 = first(x1)
    x3 = hmirror(x2)
    x4 = vmirror(x3)
    x5 = upscale(x4, THREE)
    x6 = invert(TWO_BY_TWO)
    x7 = shift(x5, x6)
    x8 = paint(I, x7)
    x9 = toindices(x2)
    x10 = mapply(hfrontier, x9)
    x11 = mapply(vfrontier, x9)
    x12 = combine(x10, x11)
    x13 = fill(x8, ZERO, x12)
    O = paint(x13, x2)
    return O


def solve_9565186b(I):
    """Keep the commonest colour, the rest turns grey."""
    x1 = mostcolor(I)
    x2 = shape(I)
    x3 = canvas(FIVE, x2)
    x4 = ofcolor(I, x1)
    O = fill(x3, x1, x4)
    return O


def solve_963e52fc(I):
    """Continue the ribbon to twice its width."""
    x1 = asobject(I)
    x2 = shape(I)
    x3 = astuple(ONE, TWO)
    x4 = multiply(x2, x3)
    x5 = last(x4)
    x6 = hperiod(x1)
    x7 = interval(ZERO, x5, x6)
    x8 = canvas(ZERO, x4)
    x9 = lbind(shift, x1)
    x10 = apply(tojvec, x7)
    x11 = mapply(x9, x10)
    O = paint(x8, x11)
    return O


def solve_99b1bc43(I):
    """3 where exactly one of the halves is coloured."""
    x1 = tophalf(I)
    x2 = ofcolor(x1, ONE)
    x3 = bottomhalf(I)
    x4 = ofcolor(x3, TWO)
    x5 = combine(x2, x4)
    x6 = intersection(x2, x4)
    x7 = difference(x5, x6)
    x8 = shape(x1)
    x9 = canvas(ZERO, x8)
    O = fill(x9, THREE, x7)
    return O


def solve_9af7a82c(I):
    """Histogram of the colours, hanging from the top, longest first."""
    x1 = partition(I)
    x2 = compose(invert, size)
    x3 = order(x1, x2)
    x4 = size(x3)
    x5 = interval(ZERO, x4, ONE)
    x6 = apply(tojvec, x5)
    x7 = chain(toivec, decrement, size)
    x8 = apply(x7, x3)
    x9 = papply(add, x6, x8)
    x10 = papply(connect, x6, x9)
    x11 = valmax(x3, size)
    x12 = numcolors(I)
    x13 = astuple(x11, x12)
    x14 = canvas(ZERO, x13)
    x15 = apply(color, x3)
    x16 = mpapply(recolor, x15, x10)
    O = paint(x14, x16)
    return O


def solve_a1570a43(I):
    """Move the red figure inside its four green posts."""
    x1 = ofcolor(I, TWO)
    x2 = toobject(x1, I)
    x3 = ofcolor(I, THREE)
    x4 = ulcorner(x3)
    x5 = increment(x4)
    x6 = ulcorner(x2)
    x7 = subtract(x5, x6)
    O = move(I, x2, x7)
    return O


def solve_a2fd1cf0(I):
    """An angled 8 wire from the 2 to the 3."""
    x1 = ofcolor(I, TWO)
    x2 = first(x1)
    x3 = ofcolor(I, THREE)
    x4 = first(x3)
    x5 = first(x2)
    x6 = last(x4)
    x7 = astuple(x5, x6)
    x8 = connect(x2, x7)
    x9 = connect(x7, x4)
    x10 = combine(x8, x9)
    O = underfill(I, EIGHT, x10)
    return O


def solve_a3325580(I):
    """The largest figures, left to right, as columns of their colour."""
    x1 = objects(I, T, F, T)
    x2 = valmax(x1, size)
    x3 = sizefilter(x1, x2)
    x4 = order(x3, leftmost)
    x5 = apply(color, x4)
    O = repeat(x5, x2)
    return O


def solve_a416b8f3(I):
    """Twice side by side."""
    O = hconcat(I, I)
    return O


def solve_a48eeaf7(I):
    """Grey dots close up to the nearest cell around the red square."""
    x1 = ofcolor(I, FIVE)
    x2 = ofcolor(I, TWO)
    x3 = outbox(x2)
    x4 = lbind(argmin, x3)
    x5 = rbind(compose, initset)
    x6 = lbind(lbind, manhattan)
    x7 = chain(x4, x5, x6)
    x8 = compose(x7, initset)
    x9 = replace(I, FIVE, ZERO)
    x10 = apply(x8, x1)
    O = fill(x9, FIVE, x10)
    return O


def solve_a5f85a15(I):
    """Coloured cells in odd columns turn yellow."""
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = chain(flip, even, last)
    x4 = toindices(x2)
    x5 = sfilter(x4, x3)
    O = fill(I, FOUR, x5)
    return O


def solve_a61f2674(I):
    """Keep only the tallest bar in 1 and the shortest in 2."""
    x1 = objects(I, T, F, T)
    x2 = replace(I, FIVE, ZERO)
    x3 = argmax(x1, size)
    x4 = fill(x2, ONE, x3)
    x5 = argmin(x1, size)
    O = fill(x4, TWO, x5)
    return O


def solve_a65b410d(I):
    """Steps: green grows above the red bar, blue shrinks below."""
    x1 = ofcolor(I, TWO)
    x2 = lrcorner(x1)
    x3 = rbind(shoot, LEFT)
    x4 = shoot(x2, UP_RIGHT)
    x5 = mapply(x3, x4)
    x6 = fill(I, THREE, x5)
    x7 = shoot(x2, DOWN_LEFT)
    x8 = mapply(x3, x7)
    x9 = fill(x6, ONE, x8)
    O = fill(x9, TWO, x1)
    return O


def solve_a79310a0(I):
    """The figure moves down one row and turns red."""
    x1 = objects(I, T, T, T)
    x2 = first(x1)
    x3 = move(I, x2, DOWN)
    O = replace(x3, EIGHT, TWO)
    return O


def solve_a85d4709(I):
    """The column of the grey cell picks the colour of its row."""
    x1 = ofcolor(I, FIVE)
    x2 = matcher(last, ZERO)
    x3 = sfilter(x1, x2)
    x4 = mapply(hfrontier, x3)
    x5 = fill(I, TWO, x4)
    x6 = matcher(last, ONE)
    x7 = sfilter(x1, x6)
    x8 = mapply(hfrontier, x7)
    x9 = fill(x5, FOUR, x8)
    x10 = matcher(last, TWO)
    x11 = sfilter(x1, x10)
    x12 = mapply(hfrontier, x11)
    O = fill(x9, THREE, x12)
    return O


def solve_a87f7484(I):
    """Of the row of tiles give the one whose shape is different."""
    x1 = portrait(I)
    x2 = dmirror(I)
    x3 = branch(x1, I, x2)
    x4 = height(x3)
    x5 = divide(x4, THREE)
    x6 = vsplit(x3, x5)
    x7 = rbind(ofcolor, ZERO)
    x8 = apply(x7, x6)
    x9 = leastcommon(x8)
    x10 = matcher(x7, x9)
    x11 = extract(x6, x10)
    x12 = dmirror(x11)
    O = branch(x1, x11, x12)
    return O


def solve_b60334d2(I):
    """Each grey dot blooms: grey diagonals, blue sides, empty heart."""
    x1 = ofcolor(I, FIVE)
    x2 = fill(I, ZERO, x1)
    x3 = mapply(ineighbors, x1)
    x4 = fill(x2, FIVE, x3)
    x5 = mapply(dneighbors, x1)
    O = fill(x4, ONE, x5)
    return O


def solve_b6afb2da(I):
    """Grey blocks: blue corners, yellow rim, red inside."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, FIVE)
    x3 = replace(I, FIVE, TWO)
    x4 = mapply(box, x2)
    x5 = fill(x3, FOUR, x4)
    x6 = mapply(corners, x2)
    O = fill(x5, ONE, x6)
    return O


def solve_b8cdaf2b(I):
    """The colour inside the base flies off both shoulders diagonally."""
    x1 = height(I)
    x2 = decrement(x1)
    x3 = toivec(x2)
    x4 = index(I, x3)
    x5 = width(I)
    x6 = halve(x5)
    x7 = astuple(x2, x6)
    x8 = index(I, x7)
    x9 = astuple(x2, x5)
    x10 = crop(I, ORIGIN, x9)
    x11 = ofcolor(x10, x4)
    x12 = ulcorner(x11)
    x13 = shoot(x12, NEG_UNITY)
    x14 = urcorner(x11)
    x15 = shoot(x14, UP_RIGHT)
    x16 = combine(x13, x15)
    x17 = difference(x16, x11)
    O = fill(I, x8, x17)
    return O


def solve_ba26e723(I):
    """Yellow turns pink in every third column."""
    x1 = width(I)
    x2 = interval(ZERO, x1, THREE)
    x3 = ofcolor(I, FOUR)
    x4 = rbind(contained, x2)
    x5 = compose(x4, last)
    x6 = sfilter(x3, x5)
    O = fill(I, SIX, x6)
    return O


def solve_ba97ae07(I):
    """The bar that was below now passes on top."""
    x1 = fgpartition(I)
    x2 = chain(positive, size, delta)
    x3 = extract(x1, x2)
    x4 = color(x3)
    x5 = backdrop(x3)
    O = fill(I, x4, x5)
    return O


def solve_bbc9ae5d(I):
    """Repeat the row, its coloured part one cell longer each time."""
    x1 = index(I, ORIGIN)
    x2 = ofcolor(I, x1)
    x3 = lrcorner(x2)
    x4 = shoot(x3, UNITY)
    x5 = width(I)
    x6 = halve(x5)
    x7 = vupscale(I, x6)
    x8 = rbind(shoot, LEFT)
    x9 = mapply(x8, x4)
    O = fill(x7, x1, x9)
    return O


def solve_bd4472b8(I):
    """Below the grey line spell the top row out twice, one full row per colour."""
    x1 = first(I)
    x2 = width(I)
    x3 = repeat(x1, x2)
    x4 = dmirror(x3)
    x5 = astuple(TWO, x2)
    x6 = crop(I, ORIGIN, x5)
    x7 = vconcat(x4, x4)
    O = vconcat(x6, x7)
    return O


def solve_bda2d7a6(I):
    """Nested rings pass their colours round one step inwards."""
    x1 = index(I, ORIGIN)
    x2 = index(I, UNITY)
    x3 = index(I, TWO_BY_TWO)
    x4 = ofcolor(I, x1)
    x5 = fill(I, x3, x4)
    x6 = ofcolor(I, x2)
    x7 = fill(x5, x1, x6)
    x8 = ofcolor(I, x3)
    O = fill(x7, x2, x8)
    return O


def solve_bdad9b1f(I):
    """Lengthen both strokes to full lines, yellow where they cross."""
    x1 = ofcolor(I, TWO)
    x2 = center(x1)
    x3 = hfrontier(x2)
    x4 = ofcolor(I, EIGHT)
    x5 = center(x4)
    x6 = vfrontier(x5)
    x7 = fill(I, TWO, x3)
    x8 = fill(x7, EIGHT, x6)
    x9 = intersection(x3, x6)
    O = fill(x8, FOUR, x9)
    return O


def solve_beb8660c(I):
    """Stack the bars by length on the floor, flush right."""
    x1 = objects(I, T, F, T)
    x2 = order(x1, size)
    x3 = height(I)
    x4 = size(x2)
    x5 = subtract(x3, x4)
    x6 = interval(x5, x3, ONE)
    x7 = width(I)
    x8 = lbind(subtract, x7)
    x9 = compose(x8, width)
    x10 = apply(x9, x2)
    x11 = shape(I)
    x12 = canvas(ZERO, x11)
    x13 = apply(normalize, x2)
    x14 = pair(x6, x10)
    x15 = mpapply(shift, x13, x14)
    O = paint(x12, x15)
    return O


def solve_c59eb873(I):
    """Double the size of every cell."""
    x1 = vupscale(I, TWO)
    O = hupscale(x1, TWO)
    return O


def solve_ce22a75a(I):
    """Grey dots swell to blue 3x3 squares."""
    x1 = compose(backdrop, outbox)
    x2 = objects(I, T, F, T)
    x3 = colorfilter(x2, FIVE)
    x4 = mapply(x1, x3)
    O = fill(I, ONE, x4)
    return O


def solve_ce4f8723(I):
    """Union of the two halves, in 3."""
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = ofcolor(x1, ONE)
    x4 = ofcolor(x2, TWO)
    x5 = combine(x3, x4)
    x6 = shape(x1)
    x7 = canvas(ZERO, x6)
    O = fill(x7, THREE, x5)
    return O


def solve_cf98881b(I):
    """Lay three panels over each other: 4 above 9 above 1."""
    x1 = hsplit(I, THREE)
    x2 = first(x1)
    x3 = last(x1)
    x4 = remove(x3, x1)
    x5 = other(x4, x2)
    x6 = ofcolor(x5, NINE)
    x7 = fill(x3, NINE, x6)
    x8 = ofcolor(x2, FOUR)
    O = fill(x7, FOUR, x8)
    return O


def solve_d037b0a7(I):
    """Every cell drips its colour down."""
    x1 = rbind(shoot, DOWN)
    x2 = compose(x1, center)
    x3 = fork(recolor, color, x2)
    x4 = objects(I, T, F, T)
    x5 = mapply(x3, x4)
    O = paint(I, x5)
    return O


def solve_d13f3404(I):
    """Every cell shoots down right on a grid twice as large."""
    x1 = rbind(shoot, UNITY)
    x2 = compose(x1, center)
    x3 = fork(recolor, color, x2)
    x4 = shape(I)
    x5 = double(x4)
    x6 = canvas(ZERO, x5)
    x7 = objects(I, T, F, T)
    x8 = mapply(x3, x7)
    O = paint(x6, x8)
    return O


def solve_d2abd087(I):
    """Pieces of six cells turn red, all others blue."""
    x1 = objects(I, T, F, T)
    x2 = replace(I, FIVE, ONE)
    x3 = sizefilter(x1, SIX)
    x4 = merge(x3)
    O = fill(x2, TWO, x4)
    return O


def solve_d4a91cb9(I):
    """An angled yellow wire from the 8 to the 2."""
    x1 = ofcolor(I, EIGHT)
    x2 = first(x1)
    x3 = ofcolor(I, TWO)
    x4 = first(x3)
    x5 = first(x4)
    x6 = last(x2)
    x7 = astuple(x5, x6)
    x8 = connect(x2, x7)
    x9 = connect(x7, x4)
    x10 = combine(x8, x9)
    O = underfill(I, FOUR, x10)
    return O


def solve_d4f3cd78(I):
    """Fill the jar with 8 and let it run out through the mouth."""
    x1 = ofcolor(I, FIVE)
    x2 = box(x1)
    x3 = difference(x2, x1)
    x4 = position(x1, x3)
    x5 = delta(x1)
    x6 = fill(I, EIGHT, x5)
    x7 = first(x3)
    x8 = shoot(x7, x4)
    O = fill(x6, EIGHT, x8)
    return O


def solve_d5d6de2d(I):
    """Only the holes of the red frames remain, in green."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = mfilter(x2, x4)
    x6 = replace(I, TWO, ZERO)
    O = fill(x6, THREE, x5)
    return O


def solve_d631b094(I):
    """One row with as many cells as are coloured."""
    x1 = palette(I)
    x2 = other(x1, ZERO)
    x3 = colorcount(I, x2)
    x4 = astuple(ONE, x3)
    O = canvas(x2, x4)
    return O


def solve_d6ad076f(I):
    """An 8 bridge between the two blocks, one cell in from their overlap."""
    x1 = objects(I, T, F, T)
    x2 = first(x1)
    x3 = last(x1)
    x4 = hmatching(x2, x3)
    x5 = dmirror(I)
    x6 = branch(x4, I, x5)
    x7 = objects(x6, T, F, T)
    x8 = valmax(x7, uppermost)
    x9 = increment(x8)
    x10 = valmin(x7, lowermost)
    x11 = decrement(x10)
    x12 = apply(rightmost, x7)
    x13 = minimum(x12)
    x14 = increment(x13)
    x15 = apply(leftmost, x7)
    x16 = maximum(x15)
    x17 = decrement(x16)
    x18 = astuple(x9, x14)
    x19 = astuple(x11, x17)
    x20 = initset(x19)
    x21 = insert(x18, x20)
    x22 = backdrop(x21)
    x23 = fill(x6, EIGHT, x22)
    x24 = dmirror(x23)
    O = branch(x4, x23, x24)
    return O


def solve_d89b689b(I):
    """Each outer dot lands on the nearest cell of the 2x2 square."""
    x1 = ofcolor(I, EIGHT)
    x2 = objects(I, T, F, T)
    x3 = colorfilter(x2, EIGHT)
    x4 = difference(x2, x3)
    x5 = lbind(argmin, x1)
    x6 = rbind(compose, initset)
    x7 = lbind(lbind, manhattan)
    x8 = chain(x5, x6, x7)
    x9 = compose(initset, x8)
    x10 = fork(recolor, color, x9)
    x11 = shape(I)
    x12 = canvas(ZERO, x11)
    x13 = mapply(x10, x4)
    O = paint(x12, x13)
    return O


def solve_d8c310e9(I):
    """Continue the border ornament to the right."""
    x1 = fgpartition(I)
    x2 = merge(x1)
    x3 = width(I)
    x4 = hperiod(x2)
    x5 = interval(ZERO, x3, x4)
    x6 = lbind(shift, x2)
    x7 = apply(tojvec, x5)
    x8 = mapply(x6, x7)
    O = paint(I, x8)
    return O


def solve_d90796e8(I):
    """A touching pair of 3 and 2 merges into a single 8."""
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, THREE)
    x3 = colorfilter(x1, TWO)
    x4 = merge(x3)
    x5 = rbind(adjacent, x4)
    x6 = mfilter(x2, x5)
    x7 = merge(x2)
    x8 = rbind(adjacent, x7)
    x9 = mfilter(x3, x8)
    x10 = fill(I, ZERO, x9)
    O = fill(x10, EIGHT, x6)
    return O


def solve_d9fac9be(I):
    """The colour caught inside the ring."""
    x1 = objects(I, T, T, T)
    x2 = argmax(x1, size)
    x3 = palette(I)
    x4 = remove(ZERO, x3)
    x5 = color(x2)
    x6 = other(x4, x5)
    O = canvas(x6, UNITY)
    return O


def solve_dbc1a6ce(I):
    """Wires of 8 between blue cells in one row or column."""
    x1 = ofcolor(I, ONE)
    x2 = prapply(connect, x1, x1)
    x3 = fork(either, vline, hline)
    x4 = mfilter(x2, x3)
    O = underfill(I, EIGHT, x4)
    return O


def solve_ddf7fa4f(I):
    """Grey blocks take the colour of the dot above them."""
    x1 = objects(I, T, F, T)
    x2 = colorfilter(x1, FIVE)
    x3 = rbind(toobject, I)
    x4 = lbind(mapply, vfrontier)
    x5 = compose(x4, toindices)
    x6 = compose(x3, x5)
    x7 = lbind(remove, FIVE)
    x8 = compose(palette, x6)
    x9 = chain(maximum, x7, x8)
    x10 = fork(recolor, x9, identity)
    x11 = mapply(x10, x2)
    O = paint(I, x11)
    return O


def solve_ded97339(I):
    """Wire up 8s that share a row or a column."""
    x1 = ofcolor(I, EIGHT)
    x2 = prapply(connect, x1, x1)
    x3 = fork(either, vline, hline)
    x4 = mfilter(x2, x3)
    O = fill(I, EIGHT, x4)
    return O


def solve_e26a3af2(I):
    """Clean the noise off a striped picture."""
    x1 = apply(mostcommon, I)
    x2 = dmirror(I)
    x3 = apply(mostcommon, x2)
    x4 = dedupe(x3)
    x5 = size(x4)
    x6 = dedupe(x1)
    x7 = size(x6)
    x8 = greater(x5, x7)
    x9 = height(I)
    x10 = repeat(x3, x9)
    x11 = width(I)
    x12 = repeat(x1, x11)
    x13 = dmirror(x12)
    O = branch(x8, x10, x13)
    return O


def solve_e8593010(I):
    """Colour the holes by size: 1 green, 2 red, 3 blue."""
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = sizefilter(x2, ONE)
    x4 = merge(x3)
    x5 = fill(I, THREE, x4)
    x6 = sizefilter(x2, TWO)
    x7 = merge(x6)
    x8 = fill(x5, TWO, x7)
    x9 = sizefilter(x2, THREE)
    x10 = merge(x9)
    O = fill(x8, ONE, x10)
    return O


def solve_e9614598(I):
    """A green plus half way between the two dots."""
    x1 = ofcolor(I, ONE)
    x2 = centerofmass(x1)
    x3 = dneighbors(x2)
    x4 = insert(x2, x3)
    O = fill(I, THREE, x4)
    return O


def solve_e98196ab(I):
    """Lay the lower half over the upper half."""
    x1 = tophalf(I)
    x2 = bottomhalf(I)
    x3 = fgpartition(x2)
    x4 = merge(x3)
    O = paint(x1, x4)
    return O


def solve_e9afcf9a(I):
    """Two plain rows swap colours in every other column."""
    x1 = compose(last, last)
    x2 = chain(flip, even, x1)
    x3 = hmirror(I)
    x4 = asobject(x3)
    x5 = sfilter(x4, x2)
    O = paint(I, x5)
    return O


def solve_ea32f347(I):
    """Bars by length: longest 1, middle 4, shortest 2."""
    x1 = objects(I, T, F, T)
    x2 = replace(I, FIVE, FOUR)
    x3 = argmax(x1, size)
    x4 = fill(x2, ONE, x3)
    x5 = argmin(x1, size)
    O = fill(x4, TWO, x5)
    return O


def solve_ed36ccf7(I):
    """Quarter turn to the left."""
    O = rot270(I)
    return O


def solve_f76d97a5(I):
    """Grey takes over the colour of the rest, the rest is cleared."""
    x1 = palette(I)
    x2 = other(x1, FIVE)
    x3 = switch(I, FIVE, x2)
    O = replace(x3, FIVE, ZERO)
    return O


def solve_f8ff0b80(I):
    """The colours of the three figures, largest first, in a column."""
    x1 = objects(I, T, T, T)
    x2 = compose(invert, size)
    x3 = order(x1, x2)
    x4 = apply(color, x3)
    x5 = repeat(x4, ONE)
    O = dmirror(x5)
    return O
