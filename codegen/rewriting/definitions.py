"""The definitions in Python of functions of its library, see `library`."""

_OPERATIONS = {
    "add": "a + b", "and_": "a & b", "contains": "b in a", "eq": "a == b", "floordiv": "a // b",
    "ge": "a >= b", "getitem": "a[b]", "gt": "a > b", "le": "a <= b", "lt": "a < b",
    "mod": "a % b", "mul": "a * b", "ne": "a != b", "neg": "-a", "not_": "not a", "or_": "a | b",
    "sub": "a - b", "truediv": "a / b", "xor": "a ^ b",
}  # fmt: skip
"""What the functions of `operator` do."""
DEFINITIONS = {
    "dict.popitem": """
def popitem(items):
    key = list(items)[-1]
    return key, items.pop(key)
""",
    "functools.partial": """
def partial(func, *args):
    return lambda *more: func(*args, *more)
""",
    "heapq.heapify": """
def heapify(heap):
    for place in range(len(heap) // 2 - 1, -1, -1):
        to_leaf(heap, place)
""",
    "heapq.heappop": """
def heappop(heap):
    if len(heap) < 2:
        return heap.pop()
    least = heap[0]
    heap[0] = heap.pop()
    to_leaf(heap, 0)
    return least
""",
    "heapq.heappush": """
def heappush(heap, item):
    heap.append(item)
    to_root(heap, 0, len(heap) - 1)
""",
    "heapq.heapreplace": """
def heapreplace(heap, item):
    least, heap[0] = heap[0], item
    to_leaf(heap, 0)
    return least
""",
    "heapq.nlargest": """
def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:max(n, 0)]
""",
    "heapq.nsmallest": """
def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:max(n, 0)]
""",
    "int.bit_count": """
def bit_count(number):
    count, left = 0, abs(number)
    while left:
        count += left & 1
        left >>= 1
    return count
""",
    "int.bit_length": """
def bit_length(number):
    count, left = 0, abs(number)
    while left:
        count += 1
        left >>= 1
    return count
""",
    "itertools.accumulate": """
def accumulate(iterable, func=lambda a, b: a + b, *, initial=None):
    values, total = list(iterable), None
    if initial is not None:
        values = [initial, *values]
    for place, one in enumerate(values):
        total = func(total, one) if place else one
        yield total
""",
    "itertools.combinations_with_replacement": """
def combinations_with_replacement(iterable, r):
    if r < 0:
        raise ValueError
    values, made = list(iterable), [(0, ())]
    for _ in range(r):
        made = [
            (place, (*row, values[place]))
            for begin, row in made
            for place in range(begin, len(values))
        ]
    for _, row in made:
        yield row
""",
    "itertools.compress": """
def compress(data, selectors):
    for one, is_chosen in zip(data, selectors):
        if is_chosen:
            yield one
""",
    "itertools.dropwhile": """
def dropwhile(predicate, iterable):
    is_behind = False
    for one in iterable:
        if not is_behind:
            is_behind = not predicate(one)
        if is_behind:
            yield one
""",
    "itertools.filterfalse": """
def filterfalse(predicate, iterable):
    for one in iterable:
        if not predicate(one):
            yield one
""",
    "itertools.groupby": """
def groupby(iterable, key=lambda one: one):
    made, first = [], None
    for one in iterable:
        this = key(one)
        if made and not first == this:
            yield first, made
            made = []
        if not made:
            first = this
        made.append(one)
    if made:
        yield first, made
""",
    "itertools.islice": """
def islice(iterable, start, stop, step=1):
    if (start or 0) < 0 or (stop or 0) < 0 or (step is not None and step < 1):
        raise ValueError
    yield from list(iterable)[start:stop:step]
""",
    "itertools.pairwise": """
def pairwise(iterable):
    values = list(iterable)
    yield from zip(values, values[1:])
""",
    "itertools.repeat": """
def repeat(object, times):
    for _ in range(times):
        yield object
""",
    "itertools.starmap": """
def starmap(function, iterable):
    for one in iterable:
        yield function(*one)
""",
    "itertools.takewhile": """
def takewhile(predicate, iterable):
    for one in iterable:
        if not predicate(one):
            break
        yield one
""",
    "itertools.zip_longest": """
def zip_longest(*iterables, fillvalue=None):
    rows = [list(one) for one in iterables]
    for place in range(max(map(len, rows), default=0)):
        yield tuple([row[place] if place < len(row) else fillvalue for row in rows])
""",
    "math.comb": """
def comb(n, k):
    if n < 0 or k < 0:
        raise ValueError
    made = 1
    for place in range(k):
        made = made * (n - place) // (place + 1)
    return made
""",
    "math.dist": """
def dist(p, q):
    if len(p) != len(q):
        raise ValueError
    return length([a - b for a, b in zip(p, q)])
""",
    "math.fabs": """
def fabs(x):
    return float(abs(x))
""",
    "math.factorial": """
def factorial(n):
    if n < 0:
        raise ValueError
    made = 1
    for factor in range(2, n + 1):
        made *= factor
    return made
""",
    "math.hypot": """
def hypot(x, y):
    return length([x, y])
""",
    "math.isclose": """
def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    if a == b:
        return True
    most = max(abs(a), abs(b))
    return most < float("inf") and abs(a - b) <= max(rel_tol * most, abs_tol)
""",
    "math.isinf": """
def isinf(x):
    return abs(x) == float("inf")
""",
    "math.lcm": """
def lcm(a, b):
    one, other = abs(a), abs(b)
    while other:
        one, other = other, one % other
    return abs(a * b) // one if one else 0
""",
    "math.perm": """
def perm(n, k):
    if n < 0 or k < 0:
        raise ValueError
    made = 1
    for place in range(k):
        made *= n - place
    return made
""",
    "math.pow": """
def pow(x, y):
    return float(x) ** float(y)
""",
    "math.prod": """
def prod(iterable, *, start=1):
    made = start
    for factor in iterable:
        made *= factor
    return made
""",
    "statistics.mean": """
def mean(data):
    values = list(data)
    total = sum(values)
    if any(value % 1 for value in values):
        raise ValueError
    return total / len(values) if total % len(values) else total // len(values)
""",
    "statistics.median": """
def median(data):
    values = sorted(data)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2
""",
    "statistics.mode": """
def mode(data):
    counts = {}
    for one in data:
        counts[one] = counts.get(one, 0) + 1
    return max(counts, key=lambda one: counts[one])
""",
    "statistics.multimode": """
def multimode(data):
    counts = {}
    for one in data:
        counts[one] = counts.get(one, 0) + 1
    most = max(counts.values(), default=0)
    return [one for one, count in counts.items() if count == most]
""",
    "slice of a cycle": """
def cycled(iterable, start, stop, step=1):
    if (start or 0) < 0 or stop < 0 or (step is not None and step < 1):
        raise ValueError
    values = list(iterable)
    for place in range(start or 0, stop if values else 0, step or 1):
        yield values[place % len(values)]
""",
    "zip of a cycle": """
def zipped(cycled, iterable):
    values = list(cycled)
    for place, one in enumerate(iterable if values else []):
        yield values[place % len(values)], one
""",
    "zip with a cycle": """
def zipped(iterable, cycled):
    values = list(cycled)
    for place, one in enumerate(iterable if values else []):
        yield one, values[place % len(values)]
""",
    "bisect_left": """
def bisect_left(a, x, lo=0, hi=None, *, key=lambda one: one):
    if lo < 0:
        raise ValueError
    begin, end = lo, len(a) if hi is None or hi == -1 else hi
    while begin < end:
        middle = (begin + end) // 2
        if key(a[middle]) < x:
            begin = middle + 1
        else:
            end = middle
    return begin
""",
    "bisect_right": """
def bisect_right(a, x, lo=0, hi=None, *, key=lambda one: one):
    if lo < 0:
        raise ValueError
    begin, end = lo, len(a) if hi is None or hi == -1 else hi
    while begin < end:
        middle = (begin + end) // 2
        if x < key(a[middle]):
            end = middle
        else:
            begin = middle + 1
    return begin
""",
    "insort_left": """
def insort_left(a, x):
    a.insert(bisect_left(a, x), x)
""",
    "insort_right": """
def insort_right(a, x):
    a.insert(bisect_right(a, x), x)
""",
    "exact_square": """
def exact_square(x):
    shifted = x * 134217729.0
    high = shifted - (shifted - x)
    low = x - high
    square = x * x
    return square, ((high * high - square) + 2 * high * low) + low * low
""",
    "length": """
def length(parts):
    import math
    total, rest = 0.0, 0.0
    for part in sorted([abs(part) for part in parts], reverse=True):
        square, error = exact_square(part)
        grown = total + square
        rest += ((total - grown) + square) + error
        total = grown
    if not total:
        return 0.0
    root = math.sqrt(total)
    square, error = exact_square(root)
    return root + (((total - square) - error) + rest) / (2 * root)
""",
    "to_leaf": """
def to_leaf(heap, begin):
    place = begin
    while 2 * place + 1 < len(heap):
        child = 2 * place + 1
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child += 1
        heap[place], heap[child] = heap[child], heap[place]
        place = child
    to_root(heap, begin, place)
""",
    "to_root": """
def to_root(heap, begin, place):
    while place > begin and heap[place] < heap[(place - 1) // 2]:
        parent = (place - 1) // 2
        heap[place], heap[parent] = heap[parent], heap[place]
        place = parent
""",
}
"""The definitions by qualified name; those that have no module are for others of them alone."""
for _name in ("bisect_left", "bisect_right", "insort_left", "insort_right"):
    DEFINITIONS[f"bisect.{_name}"] = DEFINITIONS[f"bisect.{_name.removesuffix('_right')}"] = (
        DEFINITIONS[_name]
    )
for _name, _made in _OPERATIONS.items():
    _taken = "a, b" if "b" in _made else "a"
    DEFINITIONS[f"operator.{_name}"] = f"def operation({_taken}):\n    return {_made}\n"
ITERATORS = {f" {name}" for name, text in DEFINITIONS.items() if "yield" in text}
"""The names that the definitions of iterators have in a source."""
