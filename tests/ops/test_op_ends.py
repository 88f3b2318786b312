"""Functions far from sampled values: towards the ends of their range other formulas are used."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sunmao

SIZES = [2.0**k for k in range(-1000, 1001, 50)]
GAMMAS = [s * v for s in (1e-200, 1e-9, 0.3, 7.0, 55.5, 1e6, 1e200) for v in (1.1, 3.0)]
TO_ONE = [2.0**-k for k in range(1, 54)]


def values_of(op: str, *args: list[float]) -> list[Any]:
    """Returns the op's results for float64 arguments, evaluated and compiled."""
    names = "xy"[: len(args)]
    params = ", ".join(f'{name}: R.Tensor(({len(args[0])},), "float64")' for name in names)
    call = f"R.{op}({', '.join(names)})"
    text = f"@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n        return {call}\n"
    module, tensors = sunmao.parse_module(text), [np.array(a) for a in args]
    return [sunmao.evaluate(module, *tensors), sunmao.compile(module)(*tensors)]


@pytest.mark.parametrize(
    ("op", "args", "meaning"),
    [
        ("hypot", [[3 * s for s in SIZES], [4 * s for s in SIZES]], math.hypot),
        ("hypot", [SIZES, SIZES[::-1]], math.hypot),
        ("hypot", [[math.inf, math.nan, -math.inf], [math.nan, math.inf, 0.0]], math.hypot),
        ("exp2", [[float(k) for k in range(-1074, 1024, 7)]], lambda x: 2.0**x),
        ("xlogy", [SIZES, SIZES[::-1]], lambda x, y: x * math.log(y)),
        ("lgamma", [[*GAMMAS, *(-g for g in GAMMAS if g < 1e6 and g % 1)]], math.lgamma),
    ],
)
def test_values(op: str, args: list[list[float]], meaning: Callable[..., float]) -> None:
    wanted = [meaning(*row) for row in zip(*args, strict=True)]
    for got in values_of(op, *args):
        np.testing.assert_allclose(got, wanted, rtol=1e-14, atol=1e-14 if op == "lgamma" else 0)


def test_erfinv_up_to_the_last_number_below_one() -> None:
    for got in values_of("erfinv", [1 - d for d in TO_ONE]):
        np.testing.assert_allclose([math.erfc(y) for y in got], TO_ONE, rtol=2e-14)
    for got in values_of("erfinv", [-d for d in TO_ONE]):
        np.testing.assert_allclose([math.erf(y) for y in got], [-d for d in TO_ONE], rtol=1e-15)


@pytest.mark.parametrize("shape", [(1, 2, 0, 3), (1, 2, 3, 0)])
def test_regions_of_an_image_without_pixels_are_zero(shape: tuple[int, ...]) -> None:
    module = sunmao.parse_module(
        """@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, "h", "w"), "float32"), rois: R.Tensor((1, 5), "float32")):
        return R.vision.roi_align(x, rois, pooled_size=(2, 2), spatial_scale=1.0)
"""
    )
    inputs = np.zeros(shape, np.float32), np.array([[0, 0, 0, 2, 2]], np.float32)
    for got in (sunmao.evaluate(module, *inputs), sunmao.compile(module)(*inputs)):
        np.testing.assert_array_equal(got, np.zeros((1, 2, 2, 2)))
