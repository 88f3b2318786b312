"""Embeddings of tokens and of the time steps of diffusion models."""

from __future__ import annotations

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn import op
from sunmao.compat.relax.frontend.nn.module import Module
from sunmao.compat.relax.frontend.nn.modules.activations import SiLU
from sunmao.compat.relax.frontend.nn.modules.linear import Linear
from sunmao.compat.relax.frontend.nn.parameter import Parameter
from sunmao.compat.relax.frontend.nn.tensor import Tensor
from sunmao.errors import fail


class Embedding(Module):
    """A row of the weight for each index."""

    @checked
    def __init__(
        self, num: int | str | _sunmao.Scalar, dim: int | str | _sunmao.Scalar, dtype: str | None = None
    ) -> None:
        self.num, self.dim = num, dim
        self.weight = Parameter((num, dim), dtype)

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim == 1:
            return op.take(self.weight, x, axis=0)
        rows = op.take(self.weight, op.reshape(x, [-1]), axis=0)
        return op.reshape(rows, [*x.shape, self.weight.shape[1]])


def _activation(name: str | None) -> SiLU | None:
    if name not in (None, "silu"):
        raise fail("E0032", f"TimestepEmbedding: the activation {name!r} is not supported", 'there is "silu"')
    return None if name is None else SiLU()


class TimestepEmbedding(Module):
    """Two linear layers with an activation between them. With `cond_proj_dim` the projection of a condition is added
    first."""

    @checked
    def __init__(
        self,
        in_channels: int,
        time_embed_dim: int,
        act_fn: str = "silu",
        out_dim: int | None = None,
        post_act_fn: str | None = None,
        cond_proj_dim: int | None = None,
    ) -> None:
        self.linear_1 = Linear(in_channels, time_embed_dim)
        self.cond_proj = None if cond_proj_dim is None else Linear(cond_proj_dim, in_channels, bias=False)
        self.act = _activation(act_fn)
        self.linear_2 = Linear(time_embed_dim, time_embed_dim if out_dim is None else out_dim)
        self.post_act = _activation(post_act_fn)

    def forward(self, sample: Tensor, condition: Tensor | None = None) -> Tensor:
        if condition is not None:
            if self.cond_proj is None:
                raise fail("E0034", "TimestepEmbedding has no projection of conditions", "pass `cond_proj_dim`")
            sample = sample + self.cond_proj(condition)
        sample = self.linear_1(sample)
        sample = self.linear_2(self.act(sample) if self.act else sample)
        return self.post_act(sample) if self.post_act else sample


class Timesteps(Module):
    """Sines and cosines of time steps."""

    @checked
    def __init__(self, num_channels: int, flip_sin_to_cos: bool = False, downscale_freq_shift: float = 1) -> None:
        self.num_channels = num_channels
        self.flip_sin_to_cos = flip_sin_to_cos
        self.downscale_freq_shift = downscale_freq_shift

    def forward(self, x: Tensor) -> Tensor:
        return op.get_timestep_embedding(x, self.num_channels, self.flip_sin_to_cos, self.downscale_freq_shift)


__getattr__ = attribute_of(__name__)
