"""Support for backends that compile parts of a module."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.backend import cpu_generic, gpu_generic
from sunmao.compat.relax.backend import pattern_registry as pattern_registry
from sunmao.compat.relax.backend.dispatch import DispatchSampling, DispatchSortScan
from sunmao.compat.relax.backend.pattern_registry import get_pattern, get_patterns_with_prefix, register_patterns

__all__ = [
    "DispatchSampling", "DispatchSortScan", "cpu_generic", "get_pattern", "get_patterns_with_prefix", "gpu_generic",
    "pattern_registry", "register_patterns",
]  # fmt: skip

__getattr__ = attribute_of(__name__)
