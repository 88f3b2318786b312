"""Rotary embeddings of positions."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

from sunmao import _sunmao
from sunmao.compat import te, tirx
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn.op.calls import tensor_expr_op
from sunmao.compat.relax.frontend.nn.tensor import Tensor
from sunmao.errors import fail

_F32 = "float32"


def _frequency(i: Any, d_range: int, theta: float) -> Any:
    """Returns theta ^ (-i / d_range)."""
    return tirx.const(1.0, _F32) / tirx.power(tirx.const(theta, _F32), i.astype(_F32) / tirx.const(d_range, _F32))


def _turned(angle: Any, dtype: str) -> tuple[Any, Any, dict[Any, Any]]:
    """Returns cosine and sine of a variable for the angle, and what that variable is."""
    variable = tirx.Var("angle", _F32)
    return tirx.cos(variable).astype(dtype), tirx.sin(variable).astype(dtype), {variable: angle}


def rope_freq_default(s: Any, d: Any, d_range: int, theta: float, dtype: str) -> tuple[Any, Any, dict[Any, Any]]:
    """Returns cosine and sine for the position `s` and the channel `d` of `d_range`, and variables in them. The
    channels of a pair are half of the range apart."""
    return _turned(s.astype(_F32) * _frequency(d * 2 % d_range, d_range, theta), dtype)


def rope_freq_gptj(s: Any, d: Any, d_range: int, theta: float, dtype: str) -> tuple[Any, Any, dict[Any, Any]]:
    """Like `rope_freq_default`; the channels of a pair are neighbours."""
    return _turned(s.astype(_F32) * _frequency(tirx.floordiv(d, 2) * 2, d_range, theta), dtype)


def rope_freq_llama3(
    s: Any,
    d: Any,
    d_range: int,
    theta: float,
    dtype: str,
    factor: float,
    low_freq_factor: float,
    high_freq_factor: float,
    original_max_position_embeddings: float,
) -> tuple[Any, Any, dict[Any, Any]]:
    """Like `rope_freq_default`; low frequencies are divided by `factor`, those between are blended."""
    frequency = tirx.Var("frequency", _F32)
    width = high_freq_factor - low_freq_factor
    turns = tirx.const(original_max_position_embeddings / (2 * math.pi), _F32) * frequency
    blend = (turns - tirx.const(low_freq_factor, _F32)) * tirx.const(1 / width, _F32)
    high = tirx.max(tirx.const(0.0, _F32), tirx.min(tirx.const(1.0, _F32), blend))
    low = (tirx.const(1.0, _F32) - high) * tirx.const(1 / factor, _F32)
    cos, sin, variables = _turned(s.astype(_F32) * frequency * (low + high), dtype)
    return cos, sin, {**variables, frequency: _frequency(d * 2 % d_range, d_range, theta)}


@checked
def switch_rope_freq_func(rope_scaling: Mapping[str, Any]) -> Callable[..., Any]:
    """Returns the function for a scaling as configurations of models state it."""
    kind = rope_scaling.get("rope_type", "default")
    if kind == "default":
        return rope_freq_default
    if kind == "gptj":
        return rope_freq_gptj
    if kind != "llama3":
        raise fail(
            "E0032", f"the scaling {kind!r} of rotary embeddings is not supported", "there are default, gptj, llama3"
        )
    names = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
    missing = [name for name in names if name not in rope_scaling]
    if missing:
        raise fail("E0034", f"the scaling {kind!r} of rotary embeddings lacks `{missing[0]}`")
    return functools.partial(rope_freq_llama3, **{name: rope_scaling[name] for name in names})


@checked
def llama_rope(
    qkv: Tensor,
    total_seq_len: int | _sunmao.Scalar,
    theta: float,
    scale: float,
    num_q_heads: int,
    num_kv_heads: int,
    rope_scaling: Mapping[str, Any],
    rotary_dim: int | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns queries, keys and values of a product of shape (batch, positions, heads, channels), in this order of
    heads. Queries and keys are rotated: the last position is number `total_seq_len` - 1, positions are multiplied by
    `scale`, and the first `rotary_dim` channels of a head take part (without it all)."""
    heads = num_q_heads + 2 * num_kv_heads
    if qkv.ndim != 4 or qkv.shape[2] != heads:
        raise fail("E0034", f"llama_rope: {heads} heads are needed in axis 2 of 4, got {qkv!r}")
    channels = qkv.shape[3]
    turned = channels if rotary_dim is None else rotary_dim
    if not isinstance(channels, int) or turned % 2 or not 0 < turned <= channels:
        raise fail(
            "E0034", f"llama_rope: {turned} channels of {qkv!r} are to be rotated", "an even number, which is known"
        )
    rotation = _Rotation(turned, theta, scale, qkv.dtype, rope_scaling)

    def parts(x: Any, total: Any) -> list[Any]:
        batch, length = x.shape[:2]
        first = total - length

        def rotated(b: Any, s: Any, h: Any, d: Any) -> Any:
            return rotation.at(lambda channel: x[b, s, h, channel], first + s, d)

        q = te.compute((batch, length, num_q_heads, channels), rotated, name="q")
        keys = (batch, length, num_kv_heads, channels)
        k = te.compute(keys, lambda b, s, h, d: rotated(b, s, h + num_q_heads, d), name="k")
        v = te.compute(keys, lambda b, s, h, d: x[b, s, h + num_q_heads + num_kv_heads, d], name="v")
        return [q, k, v]

    found: tuple[Tensor, Tensor, Tensor] = tensor_expr_op(parts, "llama_rope", [qkv, total_seq_len])
    return found


class _Rotation:
    """The rotation of the channels of a head."""

    def __init__(self, dim: int, theta: float, scale: float, dtype: str, scaling: Mapping[str, Any]) -> None:
        self._dim, self._theta, self._scale, self._dtype = dim, theta, scale, dtype
        self._frequency = switch_rope_freq_func(scaling)
        self._in_pairs = scaling.get("rope_type") == "gptj"

    def at(self, channel: Callable[[Any], Any], position: Any, d: Any) -> Any:
        """Returns channel `d` of the rotated head, given the channels of the head."""
        scaled = position.astype(_F32) * tirx.const(self._scale, _F32)
        cos, sin, variables = self._frequency(scaled, d, self._dim, self._theta, self._dtype)
        half = self._dim // 2
        if self._in_pairs:
            other = tirx.if_then_else(tirx.floormod(d, 2) == 0, -channel(d + 1), channel(d - 1))
        else:
            other = tirx.if_then_else(d < half, -channel(d + half), channel(d - half))
        turned = cos * channel(d) + sin * other
        for variable, value in variables.items():
            turned = tirx.Let(variable, value, turned)
        return tirx.if_then_else(d < self._dim, turned, channel(d))


__getattr__ = attribute_of(__name__)
