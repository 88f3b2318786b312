"""Float literals beyond the range of a float, as Python reads them."""

import pytest
import sunmao

TEXT = """
from tvm.script import relax as R
@R.function
def main() -> R.Tensor((), "float64"):
    return R.const({}, "float64")
"""


@pytest.mark.parametrize(
    "literal",
    [
        "1e-500",
        "1e500",
        pytest.param(
            "0." + "0" * 400 + "1",
            marks=pytest.mark.xfail(strict=True, reason="a literal without exponent is taken for too large"),
        ),
    ],
    ids=["too small", "too large", "too small without exponent"],
)
def test_literals_out_of_range(literal: str) -> None:
    module = sunmao.parse_module(TEXT.format(literal))
    assert float(sunmao.evaluate(module)) == float(literal)
