"""Special functions."""

from __future__ import annotations

import torch
from aten_calls import Cases, add, add_pair
from torch_case import Case, T

CASES: Cases = {}

F64, INT = torch.float64, torch.int64
WIDE = T(value=torch.cat([torch.linspace(-30, 30, 121) + 0.013, torch.tensor([0.0, 100.0, -100.0])]))
SHARES = T(value=torch.cat([torch.linspace(0, 1, 41), torch.tensor([1e-10, 1e-30, -0.5, 1.5])]))

add_pair(CASES, "aten.digamma.default", [WIDE])
add_pair(CASES, "aten.digamma.default", [T(value=torch.tensor([0.0, -0.0, -1.0, -7.0, 1e-3, 1.4616321, 1e10]))])
add_pair(CASES, "aten.i0.default", [T(20, low=-12, high=12)])
add(CASES, "aten.i0.default", [T(4, dtype=INT, low=-3, high=9)])
for name in ("digamma", "psi", "i0", "i1", "modified_bessel_i0", "modified_bessel_i1"):
    add(CASES, f"aten.special_{name}.default", [T(20, low=-12, high=12)])
    add(CASES, f"aten.special_{name}.default", [T(20, low=-12, high=12, dtype=F64)])
for name in ("i0e", "i1e", "log_ndtr", "ndtr", "erfcx"):
    bounded = T(30, low=-9, high=30) if name == "erfcx" else WIDE
    add(CASES, f"aten.special_{name}.default", [bounded])
    add(CASES, f"aten.special_{name}.default", [T(30, low=-9, high=9, dtype=F64)])
    add(CASES, f"aten.special_{name}.default", [T(4, dtype=INT, low=-3, high=9)])
for name in ("i0e", "i1e", "log_ndtr", "ndtr"):
    add(CASES, f"aten.special_{name}.default", [T(value=torch.tensor([0.0, float("nan")]))])
add(CASES, "aten.special_ndtri.default", [SHARES])
add(CASES, "aten.special_ndtri.default", [T(value=SHARES.value.double())])  # type: ignore[union-attr]
add(CASES, "aten.special_entr.default", [T(value=torch.tensor([0.0, 0.3, 1.0, 7.0, -1.0, float("inf"), float("nan")]))])
for order in (0, 1, 2, 5, 25):
    CASES.setdefault("aten.polygamma.default", []).append(
        Case(lambda x, n=order: torch.polygamma(n, x), T(20, low=0.3, high=9))
    )
    CASES.setdefault("aten.special_polygamma.default", []).append(
        Case(lambda x, n=order: torch.special.polygamma(n, x), T(20, low=0.3, high=9, dtype=F64))
    )
CASES["aten.polygamma_.default"] = [Case(lambda x: (x * 1).polygamma_(2), T(9, low=0.3, high=9))]
for p in (1, 3):
    CASES.setdefault("aten.mvlgamma.default", []).append(Case(lambda x, p=p: torch.mvlgamma(x, p), T(9, low=2, high=9)))
    CASES.setdefault("aten.special_multigammaln.default", []).append(
        Case(lambda x, p=p: torch.special.multigammaln(x, p), T(9, low=2, high=9))
    )
CASES["aten.mvlgamma_.default"] = [Case(lambda x: (x * 1).mvlgamma_(2), T(9, low=2, high=9))]
for name in ("igamma", "igammac"):
    add_pair(CASES, f"aten.{name}.default", [T(40, low=0.1, high=30), T(40, low=0, high=40)])
    add(CASES, f"aten.{name}.default", [T(40, 1, low=0.1, high=9, dtype=F64), T(7, low=0, high=40, dtype=F64)])
    add(CASES, f"aten.{name}.default", [T(value=torch.tensor([0.0, 0.0, 1.0, 1.0, -1.0])),
                                        T(value=torch.tensor([0.0, 2.0, 0.0, float("inf"), 1.0]))])  # fmt: skip
for name in ("gammainc", "gammaincc"):
    add(CASES, f"aten.special_{name}.default", [T(40, low=0.1, high=30), T(40, low=0, high=40)])
add(CASES, "aten.special_zeta.default", [T(40, low=1.1, high=9), T(40, low=0.1, high=30)])
add(CASES, "aten.special_zeta.default", [T(value=torch.tensor([1.0, 0.5, 3.0, 2.5, 2.0])),
                                         T(value=torch.tensor([2.0, 2.0, -3.5, -3.5, -2.0]))])  # fmt: skip
for overload, args in (("self_scalar", lambda x: torch.special.zeta(2.5, x)),
                       ("other_scalar", lambda x: torch.special.zeta(x, 1.5))):  # fmt: skip
    CASES[f"aten.special_zeta.{overload}"] = [Case(args, T(9, low=1.1, high=9))]

XLOG = (T(value=torch.tensor([0.0, 0.0, 2.0, -1.5, 3.0])), T(value=torch.tensor([0.5, float("nan"), 0.0, 7.0, -0.5])))
add(CASES, "aten.special_xlog1py.default", XLOG)
CASES["aten.special_xlog1py.self_scalar"] = [Case(lambda x: torch.special.xlog1py(2.5, x), T(4, positive=True))]
CASES["aten.special_xlog1py.other_scalar"] = [Case(lambda x: torch.special.xlog1py(x, 2.5), T(4))]
add(
    CASES,
    "aten.special_spherical_bessel_j0.default",
    [T(value=torch.tensor([0.0, 1e-4, 0.3, -2.0, 30.0, float("inf")]))],
)
