"""Small programs of one kind of op each: indexing, padding, reductions, signals, sampling, losses, creation."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from models import Built, model
from models_hand import BATCH, Function, batched


@model("hand")
def indexing() -> Built:
    def run(x: torch.Tensor, i: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x.clone()
        y[:, 1:3] = 0.5
        y[:, 0].add_(1.0)
        y[:, i] *= 2.0
        return (
            y,
            x[:, i],
            x[..., ::2],
            x[:, -1],
            torch.gather(x, 1, i.expand(x.shape[0], x.shape[2], 3).transpose(1, 2)),
            x.index_select(2, i),
            torch.where(x > 0, x, -x),
            x.roll(1, -1).flip(1),
            torch.take_along_dim(x, i[None, :, None].expand(x.shape[0], 3, 1), 1),
            x.masked_fill(x > 0, -1.0),
        )

    built = (torch.randn(2, 4, 5), torch.tensor([0, 2, 3]))
    return Built(Function(run), built, {}, (BATCH, None), [(torch.randn(3, 4, 5), torch.tensor([1, 1, 0]))])


@model("hand")
def scatter_reductions() -> Built:
    def run(x: torch.Tensor, i: torch.Tensor, s: torch.Tensor) -> tuple[torch.Tensor, ...]:
        kinds = ("sum", "prod", "mean", "amax", "amin")
        reduced = [x.scatter_reduce(1, i, s, kind, include_self=kind != "mean") for kind in kinds]
        j = i[0]
        rest = (
            x.scatter(1, i, s),
            x.scatter_add(1, i, s),
            x.index_add(1, j, s),
            x.index_copy(1, torch.arange(3), s),
            x.index_put((torch.arange(2)[:, None], i), s, accumulate=True),
            torch.bincount(j, minlength=6),
        )
        return (*reduced, *rest)

    args = (torch.randn(2, 5), torch.randint(0, 5, (2, 3)), torch.randn(2, 3))
    return Built(Function(run), args, not_in={"onnx": "the exporter writes the mean as a plain scatter"})


@model("hand")
def stft_mel() -> Built:
    def run(x: torch.Tensor, mel: torch.Tensor) -> torch.Tensor:
        spectrum = torch.stft(x, 16, 4, window=torch.hann_window(16), return_complex=True).abs() ** 2
        return torch.log(mel @ spectrum + 1e-3)

    return batched(Function(run, torch.rand(5, 9)), 64)


@model("hand")
def fft_filter() -> Built:
    def run(x: torch.Tensor, gain: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        filtered = torch.fft.irfft(torch.fft.rfft(x) * gain, n=16)
        return filtered, torch.fft.fft2(x.reshape(-1, 4, 4)).real

    return batched(Function(run, torch.rand(9)), 16)


@model("hand")
def grid_sample() -> Built:
    def run(x: torch.Tensor, theta: torch.Tensor) -> tuple[torch.Tensor, ...]:
        grid = F.affine_grid(theta, [x.shape[0], 3, 6, 7], align_corners=False)
        modes = (("bilinear", "zeros"), ("nearest", "border"), ("bicubic", "reflection"))
        return tuple(F.grid_sample(x, grid, mode, padding, align_corners=False) for mode, padding in modes)

    return Built(Function(run), (torch.randn(2, 3, 8, 9), torch.randn(2, 2, 3)))


@model("hand")
def interpolations() -> Built:
    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            F.interpolate(x, size=(11, 5), mode="nearest"),
            F.interpolate(x, size=(11, 5), mode="nearest-exact"),
            F.interpolate(x, scale_factor=1.5, mode="bilinear"),
            F.interpolate(x, size=(11, 13), mode="bilinear", align_corners=True),
            F.interpolate(x, size=(4, 3), mode="bilinear", antialias=True),
            F.interpolate(x, scale_factor=2.0, mode="bicubic"),
            F.interpolate(x, size=(5, 4), mode="area"),
            F.interpolate(x[:, :, 0], scale_factor=2.0, mode="linear"),
            F.interpolate(x.unsqueeze(2), scale_factor=2.0, mode="trilinear"),
        )

    return batched(Function(run), 2, 6, 7)


@model("hand")
def pads() -> Built:
    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            F.pad(x, (1, 2, 0, 1)),
            F.pad(x, (1, -1), value=3.0),
            F.pad(x, (2, 1, 1, 2), mode="reflect"),
            F.pad(x, (2, 1, 1, 2), mode="replicate"),
            F.pad(x, (2, 1, 1, 2), mode="circular"),
        )

    return batched(Function(run), 2, 5, 6)


@model("hand")
def reductions() -> Built:
    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        hole = torch.where(x > 1, torch.nan, x)
        variance, mean = torch.var_mean(x, dim=(1, 2), correction=0)
        greatest, place = x.max(-1)
        return (
            x.sum(),
            x.mean((0, 2), keepdim=True),
            x.prod(1),
            x.std(-1),
            variance,
            mean,
            greatest,
            place,
            x.amin((1, 2)),
            x.argmin(),
            torch.logsumexp(x, (1, 2)),
            torch.linalg.vector_norm(x, 3.0, -1),
            hole.amax(-1),
            torch.nansum(hole, 1),
            x.cumsum(1),
            x.cumprod(-1),
            torch.cummax(x, 1)[0],
            (x > 0).any(-1),
            (x > -1).all(1),
            x.median(-1).values,
            x.sort(-1, descending=True).values,
            x.topk(2, 1).indices,
            torch.aminmax(x).max,
            torch.count_nonzero(x > 0, 1),
        )

    return batched(Function(run), 3, 4)


@model("hand")
def int_bit_ops() -> Built:
    def run(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            a & b,
            a | b,
            a ^ b,
            ~a,
            a << (b % 4),
            a >> 1,
            a // 3,
            a % 3,
            torch.fmod(a, 3),
            torch.div(a, 4, rounding_mode="trunc"),
            a / 7,
            torch.gcd(a, b),
            a.clamp(-3, 5).to(torch.int8),
            (a > b).int() * 3,
            torch.bitwise_and(a, 6) == 2,
            a.float().sign().to(torch.int32),
            torch.abs(a) ** 2,
        )

    args = (torch.randint(-20, 20, (2, 6)), torch.randint(1, 20, (2, 6)))
    return Built(Function(run), args)


@model("hand")
def activations() -> Built:
    names = (
        "relu relu6 elu selu celu gelu silu mish softplus softsign tanhshrink hardtanh hardswish hardsigmoid logsigmoid"
    )
    functions = [getattr(F, name) for name in names.split()]
    extra = [lambda x: F.gelu(x, approximate="tanh"), lambda x: F.glu(x, -1), torch.erf, torch.expm1, torch.log1p]
    extra += [lambda x: F.softmin(x, -1), lambda x: F.log_softmax(x, 0), F.softshrink, F.hardshrink]

    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (*(f(x) for f in functions), *(f(x.abs()) for f in extra))

    return batched(Function(run), 8)


@model("hand")
def losses() -> Built:
    def run(x: torch.Tensor, y: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            F.cross_entropy(x, c, label_smoothing=0.1),
            F.nll_loss(F.log_softmax(x, -1), c, reduction="none"),
            F.mse_loss(x, y),
            F.smooth_l1_loss(x, y, beta=0.5),
            F.huber_loss(x, y, reduction="sum"),
            F.binary_cross_entropy_with_logits(x, y.sigmoid()),
            F.kl_div(F.log_softmax(x, -1), F.softmax(y, -1), reduction="batchmean"),
            F.cosine_similarity(x, y),
            F.cosine_embedding_loss(x, y, torch.ones(4)),
        )

    args = (torch.randn(4, 5), torch.randn(4, 5), torch.randint(0, 5, (4,)))
    return Built(Function(run), args, not_in={"onnx": "the exporter drops the smoothing of labels"})


@model("hand")
def ctc_loss() -> Built:
    def run(x: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return F.ctc_loss(x.log_softmax(-1), targets, torch.full((2,), 8), torch.full((2,), 3), reduction="none")

    return Built(Function(run), (torch.randn(8, 2, 6), torch.randint(1, 6, (2, 3))))


@model("hand")
def creation() -> Built:
    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        n = x.shape[0]
        return (
            x + torch.arange(4),
            torch.zeros(n, 3) + 1,
            torch.full((2, n), 2.5),
            torch.ones_like(x, dtype=torch.int32),
            torch.eye(4) @ x.mT,
            torch.linspace(0, 1, 5) * x.sum(),
            x.tril(),
            x.triu(1),
            torch.arange(n).unsqueeze(0) < 2,
            F.one_hot(torch.arange(4) % 3, 3),
            x.new_tensor([1.0, 2.0]),
            torch.meshgrid(torch.arange(3), torch.arange(2), indexing="ij")[0],
        )

    return batched(Function(run), 4)


@model("hand")
def shape_gymnastics() -> Built:
    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        a, b = x.chunk(2, -1)
        parts = x.split([1, 3], 1)
        return (
            torch.stack([a, b], 1),
            torch.cat(parts[::-1], 1),
            x.unfold(2, 3, 2),
            x.movedim(0, -1).contiguous().view(4, -1),
            x.repeat(1, 2, 1),
            x.repeat_interleave(2, 1),
            x.expand(3, *x.shape),
            x.flatten(1).unflatten(1, (4, 6)),
            torch.tensordot(x, x, dims=([1, 2], [1, 2])),
            F.pixel_unshuffle(x.reshape(-1, 1, 4, 6), 2),
            F.fold(F.unfold(x.unsqueeze(1), (2, 3)), (4, 6), (2, 3)),
            x.diagonal(0, 1, 2),
            x.unbind(1)[2],
        )

    return batched(Function(run), 4, 6)


@model("hand")
def einsums() -> Built:
    def run(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            torch.einsum("bij,bjk->bik", x, y.mT),
            torch.einsum("bij,bij->b", x, y),
            torch.einsum("bii->bi", x @ y.mT),
            torch.einsum("bij,ckj->bcik", x, y),
            torch.outer(x[0, 0], y[0, 0]),
            torch.baddbmm(x @ y.mT, x, y.mT, beta=0.5, alpha=2.0),
            torch.kron(x[0], y[0]),
        )

    return batched(Function(run), 3, 4, count=2)


@model("hand")
def linear_algebra() -> Built:
    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        a = x @ x.mT + torch.eye(3)
        lower = torch.linalg.cholesky(a)
        return lower, torch.linalg.inv(a), torch.linalg.det(a), torch.linalg.solve_triangular(lower, x, upper=False)

    return batched(Function(run), 3, 4, dynamic=False)


@model("hand")
def rotary_complex() -> Built:
    def run(x: torch.Tensor) -> torch.Tensor:
        angles = torch.outer(torch.arange(5.0), torch.arange(4.0) * 0.3)
        turned = torch.view_as_complex(x.reshape(-1, 5, 4, 2)) * torch.polar(torch.ones_like(angles), angles)
        return torch.view_as_real(turned).flatten(2)

    return batched(Function(run), 5, 8)


@model("hand")
def random_ops() -> Built:
    """Only shapes and ranges can be promised of draws, which is what the results say."""

    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        draw = torch.rand_like(x)
        return (draw >= 0) & (draw < 1), torch.randn(3, 4).isfinite(), F.dropout(x, 0.0, training=True)

    return batched(Function(run), 6)


@model("hand")
def scalars() -> Built:
    def run(x: torch.Tensor, k: torch.Tensor) -> tuple[Any, ...]:
        return (
            x * k,
            x + 1,
            2 - x,
            x**2.5,
            torch.atan2(x, k),
            torch.remainder(x, 0.7),
            x.floor() + x.round() + x.trunc(),
        )

    return Built(Function(run), (torch.rand(2, 3) + 0.1, torch.tensor(1.5)), {}, (BATCH, None), [])
