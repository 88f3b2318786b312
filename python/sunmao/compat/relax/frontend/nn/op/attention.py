"""Attention."""

from __future__ import annotations

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.frontend.nn.tensor import Tensor, wrap_nested


@checked
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    name: str = "scaled_dot_product_attention",
) -> Tensor:
    """Attention on tensors of shape (batch, positions, heads, channels). Causal attention aligns the first query with
    the first key. Scores are divided by the root of the channels, or multiplied by `scale`."""
    refuse("scaled_dot_product_attention", attn_mask=attn_mask)
    causal_mask = "TopLeft" if is_causal else None
    found = relax_op.nn.attention(query._expr, key._expr, value._expr, causal_mask=causal_mask, scale=scale)
    return wrap_nested(found, name)


__getattr__ = attribute_of(__name__)
