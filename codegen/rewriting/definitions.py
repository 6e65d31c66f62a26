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
    "slice of a cycle": """
def cycled(iterable, start, stop, step=1):
    if (start or 0) < 0 or stop < 0 or (step is not None and step < 1):
        raise ValueError
    values = list(iterable)
    for place in range(start or 0, stop if values else 0, step or 1):
        yield values[place % len(values)]
""",
    "zip with a cycle": """
def zipped(iterable, cycled):
    values = list(cycled)
    for place, one in enumerate(iterable if values else []):
        yield one, values[place % len(values)]
""",
    "zip of a cycle": """
def zipped(cycled, iterable):
    values = list(cycled)
    for place, one in enumerate(iterable if values else []):
        yield values[place % len(values)], one
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
for _name, _made in _OPERATIONS.items():
    _taken = "a, b" if "b" in _made else "a"
    DEFINITIONS[f"operator.{_name}"] = f"def operation({_taken}):\n    return {_made}\n"
ITERATORS = {f" {name}" for name, text in DEFINITIONS.items() if "yield" in text}
"""The names that the definitions of iterators have in a source."""
