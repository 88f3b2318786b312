"""Tables of 256 bytes: looked up by vectors of bytes of all sizes, and made of activations between bytes."""

from __future__ import annotations

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS
from one_function import module_of

SCALE, OTHER = 'R.const(0.05, "float32"), R.const(131, "uint8")', 'R.const(0.03, "float32"), R.const(-7, "int8")'
# Each takes `d`, numbers that stand for bytes, and gives `z`.
ACTIVATIONS = {
    "silu": ["z = R.nn.silu(d)"],
    "gelu": ["z = R.nn.gelu(d)"],
    "hardswish": [
        "a = R.multiply(d, R.const(0.16666667, 'float32'))",
        "b = R.add(a, R.const(0.5, 'float32'))",
        "c = R.clip(b, 0, 1)",
        "z = R.multiply(d, c)",
    ],
    "quantised_gate": [
        "a = R.sigmoid(d)",
        'b = R.quantize(a, R.const(0.004, "float32"), R.const(0, "uint8"), axis=0, out_dtype="uint8")',
        'c = R.dequantize(b, R.const(0.004, "float32"), R.const(0, "uint8"), axis=0)',
        "z = R.multiply(d, c)",
    ],
    "with_nan": ["z = R.sqrt(d)"],
}


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize("target", TARGETS)
def test_places_of_all_bytes(target: str, dtype: str) -> None:
    random = np.random.default_rng(0)
    table = random.integers(0, 256, 256).astype("uint8").view(dtype)
    for size in (1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 100, 256, 1000):
        places = random.permutation(np.arange(size) % 256).astype("uint8")
        module = module_of(
            [f'x: R.Tensor(({size},), "uint8")', f't: R.Tensor((256,), "{dtype}")'], ["y = R.take(t, x, axis=0)"]
        )
        got = np.asarray(sunmao.compile(module, target=target)(places, table))
        np.testing.assert_array_equal(got, table[places], err_msg=str(size))


@pytest.mark.parametrize("shape", [(4, 1024), (2, 3, 7, 100), ("n", 5, 11)])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations_are_those_of_the_graph(activation: str, shape: tuple[int | str, ...]) -> None:
    sizes = [100 if isinstance(s, str) else s for s in shape]
    x = np.random.default_rng(1).integers(0, 256, sizes).astype("uint8")
    text = ", ".join(f'"{s}"' if isinstance(s, str) else str(s) for s in shape)
    module = module_of(
        [f'x: R.Tensor(({text},), "uint8")'],
        [
            f"d = R.dequantize(x, {SCALE}, axis=0)",
            *ACTIVATIONS[activation],
            f'y = R.quantize(z, {OTHER}, axis=0, out_dtype="int8")',
        ],
    )
    passed = str(sunmao.run_pass(sunmao.run_pass(module, "normalize"), "compute-by-table"))
    assert "R.take(" in passed
    want = np.asarray(sunmao.evaluate(module, x))
    for target in TARGETS:
        np.testing.assert_array_equal(np.asarray(sunmao.compile(module, target=target)(x)), want, err_msg=target)
