"""Modules that models are made of, and the effects."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn.module import Module
from sunmao.compat.relax.frontend.nn.modules.activations import GELU, Identity, ReLU, SiLU
from sunmao.compat.relax.frontend.nn.modules.attention import Attention
from sunmao.compat.relax.frontend.nn.modules.convolutions import Conv1D, Conv2D, Conv3D, ConvTranspose1D
from sunmao.compat.relax.frontend.nn.modules.effects import IOEffect, KVCache
from sunmao.compat.relax.frontend.nn.modules.embeddings import Embedding, TimestepEmbedding, Timesteps
from sunmao.compat.relax.frontend.nn.modules.linear import Linear
from sunmao.compat.relax.frontend.nn.modules.norms import GroupNorm, LayerNorm, RMSNorm

__all__ = [
    "Attention", "Conv1D", "Conv2D", "Conv3D", "ConvTranspose1D", "Embedding", "GELU", "GroupNorm", "IOEffect",
    "Identity", "KVCache", "LayerNorm", "Linear", "Module", "RMSNorm", "ReLU", "SiLU", "TimestepEmbedding", "Timesteps",
]  # fmt: skip

__getattr__ = attribute_of(__name__)
