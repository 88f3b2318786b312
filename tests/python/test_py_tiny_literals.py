"""Float literals beyond the range of a float, as Python reads them."""

import pytest
import sunmao

TEXT = """
from tvm.script import relax as R
@R.function
def main() -> R.Tensor((), "{dtype}"):
    return R.const({literal}, "{dtype}")
"""


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "literal",
    [
        "1e-500",
        "1e500",
        "0." + "0" * 400 + "1",
        "1" + "0" * 400 + ".0",
        "0." + "0" * 800 + "1e+400",
        "1" + "0" * 800 + "e-400",
    ],
    ids=[
        "too small",
        "too large",
        "too small without exponent",
        "too large without exponent",
        "too small with a positive exponent",
        "too large with a negative exponent",
    ],
)
def test_literals_out_of_range(literal: str, dtype: str) -> None:
    module = sunmao.parse_module(TEXT.format(literal=literal, dtype=dtype))
    assert float(sunmao.evaluate(module)) == float(literal)
