"""Rewrites functions that use NumPy as functions on lists.

programs     functions: their statements, and the kinds of their names
plain        functions that get no arrays; grids: which programs take their grid as an array
expressions  expressions, and their kinds; kinds: the kinds of values
calls        calls of NumPy's functions; functions: what each of these functions is on lists
families     such functions that differ in a word; images: those of scipy.ndimage
special      calls with functions, slices and blocks; views: parts of arrays with names of their own
chosen       functions that are values, as in `{"turned": np.rot90}`
forms        expressions of plain Python with names in place of arguments
"""
