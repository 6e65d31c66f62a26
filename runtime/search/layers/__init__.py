"""Layers: outputs put together of images that a vocabulary makes of the input."""
