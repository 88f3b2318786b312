"""Tensors of vectors and of handles can be declared, but computing with them is an error."""

import numpy as np
import pytest
import sunmao

X = np.zeros(4, "float32")
BODIES = {
    "parameter": 'x: R.Tensor((4,), "{0}")|return x',
    "sum": 'x: R.Tensor((4,), "{0}")|y = R.add(x, x)|return y',
    "zeros": 'x: R.Tensor((4,), "float32")|y = R.zeros((4,), "{0}")|return y',
    "cast": 'x: R.Tensor((4,), "float32")|y = R.astype(x, "{0}")|return y',
    "tuple": 'x: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "{0}"))|return x',
}


def module_of(body: str, dtype: str) -> sunmao.Module:
    params, *lines = BODIES[body].format(dtype).split("|")
    return sunmao.parse_module(f"@R.function\ndef main({params}):\n    " + "\n    ".join(lines) + "\n")


@pytest.mark.parametrize("dtype", ["float32x4", "int8x16", "bfloat16x2", "float32xvscalex4", "handle"])
@pytest.mark.parametrize("body", BODIES)
def test_compiling_names_the_tensor_and_its_elements(body: str, dtype: str) -> None:
    with pytest.raises(sunmao.Error, match=f"E0319.*`[xy]` is a tensor of {dtype}"):
        sunmao.compile(module_of(body, dtype))


@pytest.mark.parametrize("dtype", ["float32x4", "int8x16", "handle"])
@pytest.mark.parametrize("body", ["zeros", "cast"])
def test_evaluating_names_them_too(body: str, dtype: str) -> None:
    with pytest.raises(sunmao.Error, match=f"E0319.*is a tensor of {dtype}"):
        sunmao.evaluate(module_of(body, dtype), X)


def test_no_array_is_such_a_tensor() -> None:
    with pytest.raises(sunmao.Error, match='E0505.*Tensor..4,., "float32x4".*the dtype differs'):
        sunmao.evaluate(module_of("sum", "float32x4"), X)
