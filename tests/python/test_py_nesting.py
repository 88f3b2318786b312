"""Models that say how their arguments and results are nested are called so, also from an artifact."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao

X, Y = np.arange(3, dtype="float32"), np.ones(3, "float32")
NESTING = {
    "positional": [["pair", ["list", 0, ["constant", None]]]],
    "named": [["extra", ["dict", ["y", 1], ["scale", ["constant", 2]]]]],
    "results": ["dict", ["sum", 0], ["none", ["constant", None]], ["rest", ["namedtuple", "a.b", ["first", 1]]]],
}


def module(nesting: object) -> Any:
    return sunmao.parse_module(f"""
from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), y: R.Tensor((3,), "float32"), state: R.Tensor((3,), "float32")):
        R.func_attr({{"num_input": 3, "sunmao.nesting": {json.dumps(nesting)!r}}})
        total = R.add(x, y)
        less = R.subtract(x, y)
        after = R.add(state, y)
        return (total, less, after)
""")


@pytest.fixture(params=["compiled", "loaded"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> sunmao.Model:
    compiled: sunmao.Model = sunmao.compile(module(NESTING))
    if request.param == "compiled":
        return compiled
    compiled.save(tmp_path / "m.sunmao")
    return sunmao.load(tmp_path / "m.sunmao")


def test_nested_arguments_and_results(model: sunmao.Model) -> None:
    nested, after = model([X, None], Y, extra={"y": Y, "scale": 2})
    assert list(nested) == ["sum", "none", "rest"]
    np.testing.assert_array_equal(nested["sum"], X + Y)
    np.testing.assert_array_equal(nested["rest"].first, X - Y)
    assert nested["none"] is None
    np.testing.assert_array_equal(after, Y + Y)
    by_name, _ = model([X, None], Y, extra={"scale": 2, "y": Y})
    np.testing.assert_array_equal(by_name["sum"], X + Y)
    flat = model.flat(X, Y, state=Y)
    assert [list(f) for f in flat] == [list(X + Y), list(X - Y), list(Y + Y)]


EXTRA = {"y": Y, "scale": 2}


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((X,), {"extra": EXTRA}, r"`pair` is a ndarray, expected a list of 2"),
        (([X],), {"extra": EXTRA}, r"`pair` is a list of 1, expected 2 parts"),
        (([X, Y],), {"extra": EXTRA}, r"`pair\[1\]` is .* expected None, for which the program was exported"),
        (([X, None],), {"extra": {"y": Y, "scale": True}}, r"`extra\['scale'\]` is True, expected 2"),
        (([X, None],), {"extra": {"y": Y}}, r"expected a dictionary with the keys \['y', 'scale'\]"),
        (([X, None],), {}, "there is no value for `extra`"),
        (([X, None],), {"extra": EXTRA, "other": Y}, "no argument is called `other`"),
        (([X, None],), {"extra": EXTRA, "pair": [X, None]}, "`pair` is given twice"),
    ],
)
def test_arguments_nested_otherwise_are_refused(args: Any, kwargs: Any, message: str) -> None:
    with pytest.raises(sunmao.Error, match=message) as raised:
        sunmao.compile(module(NESTING))(*args, **kwargs)
    assert raised.value.code == "E0034"


@pytest.mark.parametrize("nesting", [{}, 3, {**NESTING, "results": ["tuple", 0, 0]}, {**NESTING, "named": [["x"]]}])
def test_a_nesting_that_cannot_be_read_is_refused(nesting: object) -> None:
    with pytest.raises(sunmao.Error, match="attribute `nesting`"):
        sunmao.compile(module(nesting))
