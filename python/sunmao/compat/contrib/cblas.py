"""BLAS libraries: kernels of the compiler stand in their place, so there is nothing to call."""

from sunmao.compat.missing import attribute_of

__getattr__ = attribute_of(__name__)
