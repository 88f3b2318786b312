"""Weights in files for web pages; none of its functions is here. `Model.save_weights` writes safetensors."""

from sunmao.compat.missing import attribute_of

__getattr__ = attribute_of(__name__)
