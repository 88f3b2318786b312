"""The library Thrust, which sorts on CUDA devices: no program here contains it."""

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.runtime.registry import get_global_func
from sunmao.compat.target import Target


@checked
def can_use_thrust(target: Target, func_name: str) -> bool:
    """Returns whether the target names the library and the program has noted the function of this name."""
    is_named = "thrust" in str(target)
    return is_named and get_global_func(func_name, allow_missing=True) is not None


__getattr__ = attribute_of(__name__)
