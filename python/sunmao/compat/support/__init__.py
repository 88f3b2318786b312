"""Tools beside the compiler: temporary directories."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.support import folders

utils = folders

__all__ = ["folders", "utils"]

__getattr__ = attribute_of(__name__)
