"""PyTorch's prims, which are what its decompositions end in."""

from __future__ import annotations

from collections.abc import Callable

import torch
from aten_calls import Cases, add
from torch_case import Case, T

CASES: Cases = {}

prims = torch.ops.prims
F64, INT, C64 = torch.float64, torch.int64, torch.complex64
CPU = torch.device("cpu")
X, INTS = T(2, 3, 4), T(3, 4, dtype=INT, high=60)


def case(name: str, fn: Callable[..., object], *args: T, **options: object) -> None:
    CASES.setdefault(f"prims.{name}.default", []).append(Case(fn, *args, **options))  # type: ignore[arg-type]


for name in ("abs", "asinh", "atan", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "cbrt", "ceil", "cos",
             "cosh", "digamma", "erf", "erfc", "erfcx", "exp", "exp2", "expm1", "floor", "frexp", "isfinite", "lgamma",
             "neg", "reciprocal", "round", "sign", "sin", "sinh", "spherical_bessel_j0", "tan", "tanh",
             "trunc"):  # fmt: skip
    add(CASES, f"prims.{name}.default", [X])
for name in ("acos", "asin", "atanh", "erf_inv"):
    add(CASES, f"prims.{name}.default", [T(3, 4, low=-0.9, high=0.9)])
for name in ("log", "log10", "log1p", "log2", "rsqrt", "sqrt"):
    add(CASES, f"prims.{name}.default", [T(3, 4, positive=True)])
add(CASES, "prims.acosh.default", [T(3, 4, low=1, high=9)])
add(CASES, "prims.ndtri.default", [T(3, 4, low=0.01, high=0.99)])
add(CASES, "prims.bitwise_not.default", [INTS])
for name in ("add", "atan2", "div", "eq", "fmax", "fmin", "ge", "gt", "hypot", "le", "lt", "maximum", "minimum", "mul",
             "ne", "nextafter", "sub"):  # fmt: skip
    add(CASES, f"prims.{name}.default", [X, X])
for name in ("fmod", "remainder", "pow", "igamma", "igammac"):
    add(CASES, f"prims.{name}.default", [T(3, 4, positive=True), T(3, 4, positive=True)])
add(CASES, "prims.zeta.default", [T(3, 4, low=1.1, high=9), T(3, 4, positive=True)])
for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "gcd"):
    add(CASES, f"prims.{name}.default", [INTS, INTS])
for name in ("shift_left", "shift_right_arithmetic"):
    add(CASES, f"prims.{name}.default", [INTS, T(3, 4, dtype=INT, high=5)])
case("imag", lambda z: prims.imag(z) * 2, T(3, dtype=C64))
case("real", lambda z: prims.real(z) * 2, T(3, dtype=C64))
case("conj_physical", lambda z: prims.conj_physical(z), T(3, dtype=C64))
case("add", lambda z, w: prims.add(z, w), T(3, dtype=C64), T(3, dtype=C64))
case("mul", lambda z, w: prims.mul(z, w), T(3, dtype=C64), T(3, dtype=C64))

case("convert_element_type", lambda x: prims.convert_element_type(x, F64), X)
case("convert_element_type", lambda x: prims.convert_element_type(x, C64) * 1j, X)
case("device_put", lambda x: prims.device_put(x, CPU), X)
case("copy_strided", lambda x: prims.copy_strided(x, [12, 4, 1]), X)
case("clone", lambda x: prims.clone(x), X)
case("view_of", lambda x: prims.view_of(x) + 1, X)
case("collapse_view", lambda x: prims.collapse_view(x, 0, 1), X)
case("collapse_view", lambda x: prims.collapse_view(x, 1, 2), X, dynamic={0: {0: (2, 5)}})
case("collapse", lambda x: prims.collapse(x, 1, 2), X)
case("reshape", lambda x: prims.reshape(x, [6, 4]), X)
case("split_dim", lambda x: prims.split_dim(x, 2, 2), X)
case("squeeze", lambda x: prims.squeeze(x, [0, 2]), T(1, 3, 1, 2))
case("transpose", lambda x: prims.transpose(x, [2, 0, 1]), X)
case("transpose", lambda z: prims.transpose(z, [1, 0]), T(2, 3, dtype=C64))
case("broadcast_in_dim", lambda x: prims.broadcast_in_dim(x, [2, 3, 5, 4], [0, 1, 3]), X)
case("broadcast_in_dim", lambda x: prims.broadcast_in_dim(x, [5, 3], [1]), T(1))
case("as_strided", lambda x: prims.as_strided(x, [2, 2], [1, 5], 3) * 1, X)
case("as_strided_scatter", lambda x, y: prims.as_strided_scatter(x, y, [2, 2], [1, 5], 3), X, T(2, 2))
case("rev", lambda x: prims.rev(x, [0, 2]), X)
case("cat", lambda x, y: prims.cat([x, y], 1), X, T(2, 1, 4))
case("where", lambda p, x, y: prims.where(p, x, y), T(2, 3, dtype=torch.bool), T(2, 3), T(2, 3))
case("where", lambda p, x: prims.where(p, x, 2.5), T(2, 3, dtype=torch.bool), T(2, 3))
case("where", lambda p, x: prims.where(p, 0, x), T(2, 3, dtype=torch.bool), T(2, 3))
for onesided in (False, True):
    case("fft_r2c", lambda x, o=onesided: prims.fft_r2c(x, dim=[1, 2], onesided=o), X)
for forward in (False, True):
    case("fft_c2c", lambda z, f=forward: prims.fft_c2c(z, dim=[1, 2], forward=f), T(2, 3, 4, dtype=C64))
case("fft_c2r", lambda z: prims.fft_c2r(z, dim=[1, 2], last_dim_size=6), T(2, 3, 4, dtype=C64))
case("fill", lambda x: prims.fill(x, 2.5), X)
NEW = {"dtype": F64, "device": CPU, "requires_grad": False}
case("full", lambda x: prims.full([2, 3], 2.5, **NEW) + x, T(3))
case("full_like", lambda x: prims.full_like(x, 2, **NEW), X)
case("scalar_tensor", lambda x: x * prims.scalar_tensor(2.5, dtype=torch.float32, device=CPU), X)
case("empty", lambda x: x + 0 * prims.empty([2, 3], **NEW).fill_(1), T(3))
case("empty_strided", lambda x: x + 0 * prims.empty_strided([2, 3], [3, 1], **NEW).fill_(1), T(3))
case("empty_permuted", lambda x: x + 0 * prims.empty_permuted([2, 3], [1, 0], **NEW).fill_(1), T(3))
case("iota", lambda x: x + prims.iota(4, start=3, step=2, dtype=INT, device=CPU, requires_grad=False), X)
for name in ("sum", "prod", "amax", "amin"):
    case(name, lambda x, op=name: getattr(prims, op)(x, [0, 2]), X)
for correction in (0.0, 1.0):
    case("var", lambda x, c=correction: prims.var(x, [0, 2], c), X)
    case("var", lambda x, c=correction: prims.var(x, [1], c), X, dynamic={0: {1: (2, 6)}})
case("svd", lambda x: (lambda u, s, vh: (u * s.unsqueeze(-2) @ vh, s))(*prims.svd(x, full_matrices=False)), X)
