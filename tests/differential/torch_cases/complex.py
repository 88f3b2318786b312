"""Complex numbers and Fourier transforms: callers and results have both parts in a last dimension."""

from __future__ import annotations

from collections.abc import Callable

import torch
from aten_calls import Cases, add
from torch_case import Case, T

CASES: Cases = {}

C64, C128, HALF, INT = torch.complex64, torch.complex128, torch.float16, torch.int64
ROPE = {0: {1: (2, 9)}}


def case(target: str, fn: Callable[..., object], *args: T, **options: object) -> None:
    CASES.setdefault(target, []).append(Case(fn, *args, **options))  # type: ignore[arg-type]


add(CASES, "aten.complex.default", [T(2, 3), T(2, 3)])
add(CASES, "aten.complex.default", [T(2, 3), T(3)])
add(CASES, "aten.complex.default", [T(2, 3, dtype=torch.float64), T(1, dtype=torch.float64)])
add(CASES, "aten.polar.default", [T(2, 3, positive=True), T(2, 3)])
for op in ("view_as_real", "view_as_real_copy"):
    add(CASES, f"aten.{op}.default", [T(2, 3, dtype=C64)])
    add(CASES, f"aten.{op}.default", [T(dtype=C128)])
for op in ("view_as_complex", "view_as_complex_copy"):
    add(CASES, f"aten.{op}.default", [T(2, 3, 2)])
    add(CASES, f"aten.{op}.default", [T(2)])
add(CASES, "aten.imag.default", [T(2, 3, dtype=C64)])
case("aten._conj.default", lambda z: torch.conj(z) * z, T(2, 3, dtype=C64))
case("aten._conj_physical.default", lambda z: torch.conj_physical(z) * 2, T(2, 3, dtype=C64))
case("aten.conj_physical_.default", lambda z: (z * 1).conj_physical_(), T(2, 3, dtype=C64))
case("aten.conj_physical_.default", lambda x: (x * 1).conj_physical_(), T(2, 3))
case("aten._neg_view.default", lambda z: z.conj().imag * 2, T(2, 3, dtype=C64))
case("aten.matrix_H.default", lambda z: z.H * 2, T(2, 3, dtype=C64))
case("aten.vdot.default", lambda z: torch.vdot(z[0], z[1]), T(2, 3, dtype=C64))
case("aten._conj_physical.default", lambda z: torch.vdot(z[0], z[1]), T(2, 3, dtype=C64))

# What is read of real numbers too, and differently of complex ones.
for op in ("add", "sub", "mul", "div"):
    add(CASES, f"aten.{op}.Tensor", [T(2, 3, dtype=C64), T(3, dtype=C64)])
    add(CASES, f"aten.{op}.Tensor", [T(3, dtype=C64), T(2, 3)])
    add(CASES, f"aten.{op}.Tensor", [T(2, 3, positive=True), T(2, 1, dtype=C64)])
    add(CASES, f"aten.{op}.Tensor", [T(2, 3, dtype=C64), T(3, dtype=C128)])
    case(f"aten.{op}.Tensor", lambda z, op=op: getattr(torch, op)(z, 2.5), T(3, dtype=C64))
    case(f"aten.{op}.Tensor", lambda x, op=op: getattr(torch, op)(x, 0.5 - 2j), T(3))
    case(f"aten.{op}_.Tensor", lambda z, w, op=op: getattr(z * 1, f"{op}_")(w), T(2, 3, dtype=C64), T(3, dtype=C64))
for op in ("add", "sub"):
    add(CASES, f"aten.{op}.Tensor", [T(2, 3, dtype=C64), T(3)], alpha=2)
add(CASES, "aten.mul.Tensor", [T(2, 3, dtype=C64), T(3, dtype=INT)])
case("aten.mul.Tensor", lambda z: z * z, T(3, dtype=C64))
for op in ("abs", "angle", "reciprocal", "square", "sgn", "exp", "log", "conj_physical", "real", "neg"):
    add(CASES, f"aten.{op}.default", [T(2, 3, dtype=C64)])
add(CASES, "aten.sgn.default", [T(value=torch.tensor([0j, 3 - 4j, -2j], dtype=C64))])
add(CASES, "aten.pow.Tensor_Scalar", [T(2, 3, dtype=C64)], 2)
add(CASES, "aten.mm.default", [T(2, 3, dtype=C64), T(3, 4, dtype=C64)])
add(CASES, "aten.bmm.default", [T(2, 2, 3, dtype=C64), T(2, 3, 4, dtype=C64)])
case("aten.matmul.default", lambda a, b: a @ b, T(2, 5, 3, dtype=C64), T(3, 4, dtype=C64))
case(
    "aten.einsum.default", lambda x, w: torch.einsum("bix,iox->box", x, w), T(2, 3, 5, dtype=C64), T(3, 4, 5, dtype=C64)
)
case("aten.einsum.default", lambda x, w: torch.einsum("bi,io->bo", x, w.to(C64)), T(2, 3, dtype=C64), T(3, 4))
case("aten.to.dtype", lambda x: x.to(C64) + 1j, T(2, 3))
case("aten.to.dtype", lambda x: x.to(C64) * 1j, T(3, dtype=INT))
case("aten.to.dtype", lambda z: z.to(C128), T(2, 3, dtype=C64))
case("aten.ones.default", lambda z: torch.ones(2, 3, dtype=C64) * z, T(3, dtype=C64))
case("aten.full.default", lambda z: torch.full((2, 3), 1 - 2j, dtype=C64) + z, T(3, dtype=C64))
case("aten.full_like.default", lambda z: torch.full_like(z, 3), T(3, dtype=C64))
case("aten.zeros.default", lambda z: torch.zeros(2, 3, dtype=C64) + z, T(3, dtype=C64))

# Functions, in all quadrants and on both axes.
QUADRANTS = T(
    value=torch.cat(
        [
            torch.randn(40, generator=torch.Generator().manual_seed(5), dtype=C64) * 2,
            torch.tensor([0j, 1j, -2j, 0.5, -0.5, 3, -3, -1 + 1e-3j, 1 - 1e-3j], dtype=C64),
        ]
    )
)
OFF_AXES = T(value=QUADRANTS.value[:40])  # type: ignore[index]
for op in (
    "sqrt",
    "exp2",
    "expm1",
    "sigmoid",
    "sinh",
    "cosh",
    "tanh",
    "sin",
    "cos",
    "tan",
    "isfinite",
    "isnan",
    "isinf",
    "logical_not",
    "absolute",
):
    add(CASES, f"aten.{op}.default", [QUADRANTS])
for op in ("rsqrt", "log2", "log10", "log1p", "asin", "acos", "atan", "asinh", "acosh", "atanh"):
    add(CASES, f"aten.{op}.default", [OFF_AXES])
for exponent in (3, 0.5, -0.5, -1, 1.7, 2 - 1j, 0, 1):
    case("aten.pow.Tensor_Scalar", lambda z, e=exponent: z**e, OFF_AXES)
case("aten.pow.Tensor_Tensor", lambda z, w: z**w, OFF_AXES, T(1, dtype=C64))
case("aten.pow.Scalar", lambda z: 2**z, OFF_AXES)
case("aten.eq.Tensor", lambda z: z == z.real, QUADRANTS)
case("aten.ne.Tensor", lambda z: z != z.conj(), QUADRANTS)
case("aten.eq.Scalar", lambda z: z == 1j, QUADRANTS)
case("aten.ne.Scalar", lambda z: z != 3, QUADRANTS)
case(
    "aten.addmm.default",
    lambda a, b, c: torch.addmm(a, b, c, beta=2, alpha=1j),
    T(2, 4, dtype=C64),
    T(2, 3, dtype=C64),
    T(3, 4, dtype=C64),
)
case("aten.addmv.default", torch.addmv, T(2, dtype=C64), T(2, 3, dtype=C64), T(3, dtype=C64))
case("aten.baddbmm.default", torch.baddbmm, T(2, 2, 4, dtype=C64), T(2, 2, 3, dtype=C64), T(2, 3, 4, dtype=C64))
case("aten.addcmul.default", lambda a, b, c: torch.addcmul(a, b, c, value=2), *[T(3, dtype=C64)] * 3)
case("aten.addcdiv.default", lambda a, b, c: torch.addcdiv(a, b, c, value=1 - 1j), *[T(3, dtype=C64)] * 3)
for order in (2, 1, 0, float("inf"), -float("inf"), 3.5):
    case("aten.linalg_vector_norm.default", lambda z, o=order: torch.linalg.vector_norm(z, o, 1), T(2, 5, dtype=C64))
case("aten.linalg_vector_norm.default", torch.linalg.vector_norm, T(2, 5, dtype=C128))
case("aten.linalg_norm.default", torch.linalg.norm, T(2, 5, dtype=C64))
case("aten.linalg_matrix_norm.str_ord", torch.linalg.matrix_norm, T(2, 5, 3, dtype=C64))
case("aten.norm.Scalar", lambda z: torch.ops.aten.norm.Scalar(z), T(2, 5, dtype=C64))
for spread in ("var", "std"):
    case(f"aten.{spread}.correction", lambda z, s=spread: getattr(torch, s)(z, 1, correction=0), T(2, 5, dtype=C64))

# What takes the parts each by itself.
Z = T(2, 3, 4, dtype=C64)
case("aten.view.default", lambda z: z.view(6, 4), Z)
case("aten.permute.default", lambda z: z.permute(2, 0, 1), Z)
case("aten.transpose.int", lambda z: z.transpose(0, 2), Z)
case("aten.unsqueeze.default", lambda z: z.unsqueeze(-1), Z)
case("aten.squeeze.dim", lambda z: z.squeeze(0), T(1, 3, dtype=C64))
case("aten.flatten.using_ints", lambda z: z.flatten(1), Z)
case("aten.expand.default", lambda z: z.expand(5, 3), T(1, 3, dtype=C64))
case("aten.slice.Tensor", lambda z: z[:, 1:, ::2], Z)
case("aten.select.int", lambda z: z[:, 1], Z)
case("aten.index.Tensor", lambda z, i: z[:, i], Z, T(5, dtype=INT, high=3))
case("aten.index_select.default", lambda z, i: z.index_select(1, i), Z, T(5, dtype=INT, high=3))
case("aten.gather.default", lambda z, i: z.gather(0, i), T(3, 4, dtype=C64), T(2, 4, dtype=INT, high=3))
case("aten.cat.default", lambda z, w: torch.cat([z, w], 1), Z, T(2, 1, 4, dtype=C64))
case("aten.cat.default", lambda z, x: torch.cat([z, x]), T(2, 3, dtype=C64), T(1, 3))
case("aten.stack.default", lambda z, w: torch.stack([z, w]), Z, Z)
case("aten.flip.default", lambda z: z.flip(1), Z)
case("aten.roll.default", lambda z: z.roll(1, 2), Z)
case("aten.sum.dim_IntList", lambda z: z.sum(1), Z)
case("aten.mean.dim", lambda z: z.mean((0, 2)), Z)
case("aten.cumsum.default", lambda z: z.cumsum(1), Z)
case("aten.where.self", lambda z, x: torch.where(x > 0, z, -z), T(3, 4, dtype=C64), T(3, 4))
case("aten.where.self", lambda z, x: torch.where(x > 0, z, x), T(3, 4, dtype=C64), T(3, 4))
case("aten.split.Tensor", lambda z: z.split(2, 2), Z)
case("aten.unbind.int", lambda z: z.unbind(1), Z)
case("aten.constant_pad_nd.default", lambda z: torch.nn.functional.pad(z, (1, 2)), Z)
case("aten.clone.default", lambda z: z.clone(), Z)

INTS, BITS = T(3, 4, dtype=INT), T(3, 4, dtype=torch.bool)
for other in (INTS, BITS):
    case("aten.cat.default", lambda z, i: torch.cat([z, i]), T(3, 4, dtype=C64), other)
    case("aten.where.self", lambda z, i, m: torch.where(m, z, i), T(3, 4, dtype=C64), other, BITS)
    case("aten.copy_.default", lambda z, i: (z * 1).copy_(i), T(3, 4, dtype=C64), other)
    case("aten.sum.default", lambda i: i.sum(dtype=C64), other)
case(
    "aten.index_put.default",
    lambda z, w, p: z.index_put((p,), w),
    T(3, 4, dtype=C64),
    T(3, 4, dtype=C64),
    T(value=[2, 0, 1]),
)
case("aten.to.dtype", lambda z: z.to(torch.bool), T(value=torch.tensor([0j, 1j, 2, -1 - 1j])))
case("aten.mH.default", lambda z: z.mH, Z)
case("aten.rsub.Scalar", lambda z: 2 - z, T(3, dtype=C64))
WIDE = [
    T(value=torch.tensor([3e30 + 1e30j, 2e-30 - 1e-30j, 1e25j, 2e20, 1 + 0j], dtype=C64) * turn)
    for turn in (1, 1j, 1 - 2j)
]
for turned_by in WIDE:
    case("aten.div.Tensor", lambda a, b: a / b, WIDE[0], turned_by)
    case("aten.reciprocal.default", lambda z: z.reciprocal().abs(), T(value=turned_by.value[2:]))  # type: ignore[index]


def modes(z: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """A spectrum of which some bins are mixed, as Fourier neural operators do."""
    out = torch.zeros(2, 4, 6, dtype=C64)
    out[:, :, :3] = torch.einsum("bix,iox->box", z[:, :, :3], w)
    return out


case("aten.copy_.default", modes, T(2, 3, 6, dtype=C64), T(3, 4, 3, dtype=C64))
case("aten.slice_scatter.default", modes, T(2, 3, 6, dtype=C64), T(3, 4, 3, dtype=C64))


def turned(x: torch.Tensor, turns: torch.Tensor) -> torch.Tensor:
    """Rotary positions, as the first Llama has them."""
    z = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(z * turns[: x.shape[1], None, :]).flatten(3).type_as(x)


CASES["aten.view_as_complex.default"] += [
    Case(turned, T(2, 5, 3, 8), weights=[T(9, 4, dtype=C64)]),
    Case(turned, T(2, 5, 3, 8), weights=[T(9, 4, dtype=C64)], dynamic={0: {1: (2, 9)}}),
]

# Transforms of each kind, of the sizes 2, 3, 5, 7 and products, with sizes that cut and fill.
NORMS = ("backward", "ortho", "forward")
for norm in NORMS:
    for op in ("fft", "ifft"):
        add(CASES, f"aten.fft_{op}.default", [T(2, 12, dtype=C64)], norm=norm)
        add(CASES, f"aten.fft_{op}.default", [T(3, 7)], norm=norm)
        add(CASES, f"aten.fft_{op}2.default", [T(2, 6, 5, dtype=C64)], norm=norm)
        add(CASES, f"aten.fft_{op}n.default", [T(3, 4, 5, dtype=C64)], norm=norm)
    for op, size in (("rfft", 12), ("rfft", 9)):
        add(CASES, f"aten.fft_{op}.default", [T(2, size)], norm=norm)
        add(CASES, f"aten.fft_{op}2.default", [T(2, 6, size)], norm=norm)
        add(CASES, f"aten.fft_{op}n.default", [T(2, 3, size)], norm=norm)
    for n in (12, 13):
        case("aten.fft_irfft.default", lambda z, n=n, norm=norm: torch.fft.irfft(z, n, norm=norm), T(2, 7, dtype=C64))
    case("aten.fft_irfft2.default", lambda z, norm=norm: torch.fft.irfft2(z, norm=norm), T(2, 6, 5, dtype=C64))
    case("aten.fft_irfftn.default", lambda z, norm=norm: torch.fft.irfftn(z, norm=norm), T(2, 3, 5, dtype=C64))
for n in (5, 12):
    for dim in (0, 1, -1):
        case("aten.fft_fft.default", lambda z, n=n, dim=dim: torch.fft.fft(z, n, dim), T(7, 8, 9, dtype=C64))
        case("aten.fft_rfft.default", lambda x, n=n, dim=dim: torch.fft.rfft(x, n, dim), T(7, 8, 9))
case("aten.fft_fft.default", lambda x: torch.fft.fft(x), T(6, dtype=INT))
for size in (131, 150, 256):  # a prime number, and sizes that are transformed in two steps
    case("aten.fft_fft.default", lambda z: torch.fft.fft(z, dim=1), T(2, size, 3, dtype=C64))
    case("aten.fft_ifft.default", lambda z: torch.fft.ifft(z), T(2, size, dtype=C64))
    case("aten.fft_rfft.default", lambda x: torch.fft.rfft(x), T(2, size, dtype=torch.float64))
    case("aten.fft_rfft.default", lambda x: torch.fft.rfft(x), T(3, size), dynamic={0: {0: (2, 5)}})
    case("aten.fft_irfft.default", lambda z, n=size: torch.fft.irfft(z, n), T(2, 66, dtype=C64))
case("aten.fft_rfft.default", lambda x: torch.fft.rfft(x), T(2, 8, dtype=torch.float64))
case("aten.fft_rfft2.default", lambda x: torch.fft.rfft2(x, s=(4, 9)), T(2, 6, 8))
case("aten.fft_rfftn.default", lambda x: torch.fft.rfftn(x, dim=(0, 1)), T(4, 6, 3))
case("aten.fft_irfft2.default", lambda z: torch.fft.irfft2(z, s=(6, 8), dim=(0, 1)), T(6, 5, 2, dtype=C64))
case("aten.fft_rfft.default", lambda x: torch.fft.rfft(x, dim=0), T(4, 3), dynamic={0: {0: (2, 9)}})
case("aten.fft_ifft.default", lambda z: torch.fft.ifft(z, dim=1), T(2, 5, dtype=C64), dynamic={0: {0: (2, 9)}})
case("aten._fft_r2c.default", lambda x: torch.fft.rfft(x, norm="ortho"), T(3, 10))
case("aten._fft_r2c.default", lambda x: torch.fft.rfftn(x), T(2, 4, 3))
case("aten._fft_c2c.default", lambda z: torch.fft.ifft2(z), T(2, 4, 6, dtype=C64))
case("aten._fft_c2r.default", lambda z: torch.fft.irfft(z, norm="forward"), T(3, 6, dtype=C64))
case("aten._fft_c2r.default", lambda z: torch.fft.irfftn(z), T(2, 4, 3, dtype=C64))
for op in ("fftshift", "ifftshift"):
    for size in (6, 7):
        add(CASES, f"aten.fft_{op}.default", [T(3, size)])
        add(CASES, f"aten.fft_{op}.default", [T(3, size, dtype=C64)], [1])

WINDOW = T(value=torch.hann_window(16))
for normalized in (False, True):
    for onesided in (False, True):
        options = {"normalized": normalized, "onesided": onesided, "return_complex": True}
        case("aten.stft.default", lambda x, w, o=options: torch.stft(x, 16, 4, window=w, **o), T(2, 64), WINDOW)
case("aten.stft.default", lambda x: torch.stft(x, 16, return_complex=True, center=False).abs(), T(40))
case("aten.stft.default", lambda x, w: torch.stft(x, 20, 5, 16, w, return_complex=True).abs(), T(2, 64), WINDOW)
for normalized in (False, True):
    case(
        "aten.istft.default",
        lambda z, w, normalized=normalized: torch.istft(z, 16, 4, window=w, normalized=normalized),
        T(2, 9, 17, dtype=C64),
        WINDOW,
    )
case("aten.istft.default", lambda z: torch.istft(z, 16, 4, 12, torch.hann_window(12), length=50), T(9, 17, dtype=C64))
