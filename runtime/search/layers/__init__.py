"""Layers: outputs put together of images that a vocabulary makes of the input.

expressions   nested calls of primitives, as text and as programs
plan          expressions as the calls of one program, each distinct call once
tables        calls one program with many outputs on very many tables, and keeps new tables
gallery       the images of a problem, by number
sizes         the size of the output, from the demonstrations
pieces        images as masks: the cells that each shows, the cells where it is right
stacks        layers that together are right in all cells, chosen greedily
easel         stacks of layers written as programs
strategy      layers as a strategy of a search
"""
