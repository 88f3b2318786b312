"""The analyzer of the mirrored API."""

from __future__ import annotations

import pytest
import sunmao
from sunmao import tirx
from sunmao.compat import arith
from sunmao.compat.ir import Range

n, m = tirx.Var("n", "int64"), tirx.Var("m", "int64")


def test_sums_have_one_form() -> None:
    analyzer = arith.Analyzer()
    assert analyzer.can_prove_equal(n * 2 + n, 3 * n) and not analyzer.can_prove_equal(n, m)
    assert sunmao.structural_equal(analyzer.simplify((n + 1) * 2 - 2 - n), n)
    assert sunmao.structural_equal(analyzer.rewrite_simplify(n + 0), analyzer.canonical_simplify(n))


def test_ranges_bound_what_is_computed() -> None:
    analyzer = arith.Analyzer()
    analyzer.bind(n, Range(0, 8))
    bound = analyzer.const_int_bound(n * 2 + 1)
    assert (bound.min_value, bound.max_value) == (1, 15)
    assert analyzer.can_prove(tirx.floordiv(n, 8).equal(0)) and analyzer.can_prove_less(n, 8)
    assert not analyzer.can_prove_less(n, 7) and analyzer.can_prove_greater_equal(n, 0)
    free = analyzer.const_int_bound(m)
    assert (free.min_value, free.max_value) == (arith.ConstIntBound.NEG_INF, arith.ConstIntBound.POS_INF)


def test_values_take_the_place_of_variables() -> None:
    analyzer = arith.Analyzer()
    analyzer.bind(n, m + 1)
    assert analyzer.can_prove_equal(n - m, 1)
    with pytest.raises(sunmao.Error, match="E0034.*`n` is bound already"):
        analyzer.bind(n, 3)
    analyzer.bind(n, 3, allow_override=True)
    assert analyzer.can_prove_equal(n, 3)


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(sunmao.Error, match="E0030"):
        _ = arith.no_such_class
