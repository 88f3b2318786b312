"""Rules that schedule kernels for GPUs: there are none here."""

from sunmao.compat.missing import attribute_of

__getattr__ = attribute_of(__name__)
