"""Caches of weights; what is for web pages alone is not here."""

from sunmao.compat.contrib.tensor_cache import dump_tensor_cache
from sunmao.compat.contrib.tensor_cache import from_bf16 as _convert_bf16_to_f32
from sunmao.compat.contrib.tensor_cache import to_bf16 as _convert_f32_to_bf16
from sunmao.compat.missing import attribute_of

__all__ = ["_convert_bf16_to_f32", "_convert_f32_to_bf16", "dump_tensor_cache"]

__getattr__ = attribute_of(__name__)
