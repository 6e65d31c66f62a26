"""Layers: outputs put together of images that a vocabulary makes of the input.

expressions   calls of primitives within one another, as text and as programs
plan          expressions as the calls of one program, equal ones once
gallery       the images of a problem, by number
sizes         the size of the output, from the demonstrations
pieces        images as bits: where each shows something, where it is right
stacks        layers that together are right in all cells, greedily
easel         layers written as programs
strategy      all of it as a strategy of a search
"""
