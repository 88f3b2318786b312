"""Tensors, parameters, effects, modules and their containers, under upstream's module name."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn.containers import ModuleDict, ModuleList, ParameterDict, ParameterList
from sunmao.compat.relax.frontend.nn.effect import Effect, Object
from sunmao.compat.relax.frontend.nn.module import Module
from sunmao.compat.relax.frontend.nn.parameter import Parameter, get_default_dtype, set_default_dtype
from sunmao.compat.relax.frontend.nn.tensor import Tensor, wrap_nested

__all__ = [
    "Effect", "Module", "ModuleDict", "ModuleList", "Object", "Parameter", "ParameterDict", "ParameterList", "Tensor",
    "get_default_dtype", "set_default_dtype", "wrap_nested",
]  # fmt: skip

__getattr__ = attribute_of(__name__)
