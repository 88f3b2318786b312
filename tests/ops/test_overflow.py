"""What overflows is infinite for what follows, though compiled code computes a product and a sum in one step."""

import numpy as np
import pytest
import sunmao
from one_function import module_of


@pytest.mark.parametrize("target", ["x86-64-v3", "host"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", ["exp", "exp2", "cosh"])
def test_exponentials_of_infinity(op: str, dtype: str, target: str) -> None:
    types = [f'x: R.Tensor((67,), "{dtype}")', f'z: R.Tensor((67,), "{dtype}")']
    module = module_of(types, [f"y = R.subtract(R.{op}(x), R.multiply(z, x))"])
    x, z = np.full(67, np.inf, dtype), np.full(67, 2.5, dtype)
    assert np.isnan(sunmao.evaluate(module, x, z)).all()
    assert np.isnan(sunmao.compile(module, target=target, threads=1)(x, z)).all()
