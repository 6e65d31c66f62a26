"""Rules: the color of a cell by the values of some images there, learnt from the demonstrations.

views      images of the output's size, with the kinds of cells that each tells apart
agreeing   sets of views that together tell apart all cells of different expected colors
tables     tables from kinds of cells to colors, and the doubts about a table
strategy   rules as a strategy of a search
"""
