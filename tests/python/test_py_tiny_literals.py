"""Float literals beyond the range of a float, as Python reads them."""

import math

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
@pytest.mark.parametrize("sign", ["", "-"])
def test_literals_out_of_range(literal: str, dtype: str, sign: str) -> None:
    module = sunmao.parse_module(TEXT.format(literal=sign + literal, dtype=dtype))
    found = float(sunmao.evaluate(module))
    assert (found, math.copysign(1, found)) == (float(sign + literal), math.copysign(1, float(sign + literal)))


KERNEL = """
from tvm.script import ir as I, relax as R, tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fill(out: T.Buffer((), "float64")):
        out[()] = T.float64("{number}")

    @R.function
    def main() -> R.Tensor((), "float64"):
        return R.call_tir(Module.fill, (), R.Tensor((), "float64"))
"""


@pytest.mark.parametrize("number", ["1e600", "-1e600", "1e-600", "-1e-600"])
def test_quoted_numbers_out_of_range(number: str) -> None:
    found = float(sunmao.evaluate(sunmao.parse_module(KERNEL.format(number=number))))
    assert (found, math.copysign(1, found)) == (float(number), math.copysign(1, float(number)))
