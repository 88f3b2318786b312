"""Libraries beside the compiler."""

from sunmao.compat.missing import attribute_of

__getattr__ = attribute_of(__name__)
