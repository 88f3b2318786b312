"""Modules in the manner of PyTorch, which become functions: `nn.Module`, layers, ops on tensors, effects."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn import core, llm, modules, op, spec
from sunmao.compat.relax.frontend.nn.core import (
    Effect,
    Module,
    ModuleDict,
    ModuleList,
    Object,
    Parameter,
    ParameterDict,
    ParameterList,
    Tensor,
)
from sunmao.compat.relax.frontend.nn.exporter import Exporter, add_extern
from sunmao.compat.relax.frontend.nn.extern import ExternModule
from sunmao.compat.relax.frontend.nn.modules import (
    GELU,
    Attention,
    Conv1D,
    Conv2D,
    Conv3D,
    ConvTranspose1D,
    Embedding,
    GroupNorm,
    Identity,
    IOEffect,
    KVCache,
    LayerNorm,
    Linear,
    ReLU,
    RMSNorm,
    SiLU,
    TimestepEmbedding,
    Timesteps,
)
from sunmao.compat.relax.frontend.nn.op import *  # noqa: F403
from sunmao.compat.relax.frontend.nn.subroutine import SubroutineMixin
from sunmao.compat.relax.frontend.nn.visitor import Mutator

__getattr__ = attribute_of(__name__)
