"""The page of kernels says what the tool and the profiler say, and the zoo's arithmetic lies within families."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import kernel_shares  # noqa: E402
from kernel_shares import FAMILIES, Kernel, expected_shares, page, shares_of  # noqa: E402


def kernel(family: str, flops: float, of_expected: float | None) -> Kernel:
    return Kernel("a model", f"{family}_kernel", family, flops, 1e-6, of_expected)


def test_arithmetic_falls_on_families() -> None:
    kernels = [kernel("contraction", 96, 0.9), kernel("row", 3, 0.4), kernel("other", 1, None)]
    shares = shares_of([("a model", kernels), ("another", None)])
    assert (shares.models, shares.kernels, shares.refused) == (2, 3, ["another"])
    assert shares.by_family["contraction"] == pytest.approx(0.96)
    assert shares.outside == pytest.approx(0.01)
    assert shares.behind == pytest.approx(0.04)
    assert [k.family for k in shares.worst] == ["row", "other"]
    assert "| a model | `row_kernel` | row | 0.00 | 1.0 us | 40% |" in page(shares)


def test_the_profiler_knows_every_family() -> None:
    assert set(expected_shares()) == set(FAMILIES)


def test_the_page_has_all_families_and_little_outside_of_them() -> None:
    text = kernel_shares.PAGE.read_text()
    for family, (arithmetic, moving) in expected_shares().items():
        assert re.search(rf"^\| `{family}` \| .* \| {arithmetic} \| {moving} \| ", text, re.MULTILINE), family
    outside = re.search(r"^Arithmetic outside of families: ([0-9.]+)%\.$", text, re.MULTILINE)
    behind = re.search(r"below half of its family's share: ([0-9.]+)%\.$", text, re.MULTILINE)
    assert outside and float(outside[1]) < 1
    assert behind and len(re.findall(r"^\| .* \| `.*` \| ", text, re.MULTILINE)) <= kernel_shares.LISTED
