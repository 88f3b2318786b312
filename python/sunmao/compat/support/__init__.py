"""Tools beside the compiler: temporary directories, and what the host's C compiler links."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.support import cc, folders, popen_pool

utils = folders

__all__ = ["cc", "folders", "popen_pool", "utils"]

__getattr__ = attribute_of(__name__)
