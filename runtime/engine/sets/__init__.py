"""Order within lanes: sorting, distinct elements, sets made and merged.

ordering   the language's order on columns: ordinals, sorting, building sets
distinct   distinct codes, marked in tables or sorted; runs: the same for runs of codes
"""
