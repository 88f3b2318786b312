"""Attention of diffusion models: to the states themselves, or to those of an encoder."""

from __future__ import annotations

from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.relax.frontend.nn import op
from sunmao.compat.relax.frontend.nn.containers import ModuleList
from sunmao.compat.relax.frontend.nn.module import Module
from sunmao.compat.relax.frontend.nn.modules.linear import Linear
from sunmao.compat.relax.frontend.nn.modules.norms import GroupNorm
from sunmao.compat.relax.frontend.nn.tensor import Tensor


class Attention(Module):
    """Attention of `heads` heads, of `dim_head` channels each. With `norm_num_groups` the states are normalised first;
    without `scale_qk` scores are not scaled."""

    @checked
    def __init__(
        self,
        query_dim: int,
        cross_attention_dim: int | None = None,
        heads: int = 8,
        dim_head: int = 64,
        bias: bool = False,
        norm_num_groups: int | None = None,
        out_bias: bool = True,
        scale_qk: bool = True,
    ) -> None:
        self.heads, self.dim_head = heads, dim_head
        self.inner_dim = heads * dim_head
        self.scale = None if scale_qk else 1.0
        encoded = query_dim if cross_attention_dim is None else cross_attention_dim
        self.to_q = Linear(query_dim, self.inner_dim, bias=bias)
        self.to_k = Linear(encoded, self.inner_dim, bias=bias)
        self.to_v = Linear(encoded, self.inner_dim, bias=bias)
        self.group_norm = None if norm_num_groups is None else GroupNorm(norm_num_groups, query_dim)
        self.to_out = ModuleList([Linear(self.inner_dim, query_dim, bias=out_bias)])

    def forward(
        self,
        hidden_states: Tensor,
        encoder_hidden_states: Tensor | None = None,
        attention_mask: Tensor | None = None,
        **cross_attention_kwargs: Any,
    ) -> Tensor:
        refuse("Attention", attention_mask=attention_mask, **cross_attention_kwargs)
        states = hidden_states
        if self.group_norm is not None:
            states = self.group_norm(states, channel_axis=2, axes=[1])
        encoded = states if encoder_hidden_states is None else encoder_hidden_states
        products = (self.to_q(states), self.to_k(encoded), self.to_v(encoded))
        query, key, value = (op.reshape(part, [0, -1, self.heads, self.dim_head]) for part in products)
        found = op.scaled_dot_product_attention(query, key, value, scale=self.scale)
        return self.to_out[0](op.reshape(found, [0, -1, self.inner_dim]))


__getattr__ = attribute_of(__name__)
