"""Rules: the color of a cell, by what some images show there, learnt from the demonstrations.

views      images on the output's size, as the kinds of cells that each tells apart
agreeing   the views that together tell apart all cells that are to be of different colors
tables     what each kind of cell becomes, and what speaks against that
strategy   all of it as a strategy of a search
"""
