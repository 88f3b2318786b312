"""Kernels with temporaries too large for the stack, also of symbolic sizes, compile and run."""

import numpy as np
import pytest
import sunmao
from one_function import module_of


def check(call: str, shape: str, x: np.ndarray) -> None:
    module = module_of([f'x: R.Tensor({shape}, "float32")'], [f"y = {call}"])
    got, expected = sunmao.compile(module)(x), sunmao.evaluate(module, x)
    for one, other in zip(*(r if isinstance(r, list | tuple) else [r] for r in (got, expected)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", ['("n", "m")', "(300, 500)"])
@pytest.mark.parametrize("consumer", ["R.nn.relu", "R.nn.softplus"])
def test_what_follows_a_scan_reads_a_tensor(consumer: str, shape: str) -> None:
    check(f"{consumer}(R.cumsum(x, axis=1))", shape, np.random.default_rng(0).normal(size=(300, 500)).astype("float32"))


@pytest.mark.parametrize(
    "call",
    [
        "R.sort(x, axis=1)",
        "R.argsort(x, axis=0)",
        "R.topk(x, k=2, axis=1, ret_type='both')",
        "R.median(x, axis=[1])",
        "R.nn.relu(R.sort(R.exp(x), axis=-1))",
    ],
)
def test_orders_of_as_many_as_the_run_says(call: str) -> None:
    for rows, columns in [(3, 7), (1, 1), (4, 1000)]:
        x = np.random.default_rng(rows).permutation(rows * columns).reshape(rows, columns).astype("float32") / 1000
        check(call, '("n", "m")', x)


@pytest.mark.parametrize("call", ["R.matmul(x, x)", "R.nn.conv2d(R.reshape(x, [1, 3, 20, 20]), w, padding=1)"])
def test_products_of_half_precision_take_what_follows(call: str) -> None:
    params = ['x: R.Tensor((1200, 1200), "float16")', 'w: R.Tensor((8, 3, 3, 3), "float16")']
    if "conv2d" in call:
        params[0] = 'x: R.Tensor((3, 400), "float16")'
    module = module_of(params, [f"z = {call}", "y = R.nn.relu(z)"])
    for name in ("legalize-ops", "fuse-kernels", "lift-temporaries", "eliminate-dead-code"):
        module = sunmao.run_pass(module, name)
    assert str(module).count("R.call_tir(") == 1


@pytest.mark.parametrize("call", ["R.linalg.det(x)", "R.linalg.inverse(x)", "R.linalg.solve(x, x)"])
def test_matrices_as_large_as_the_run_says(call: str) -> None:
    x = np.random.default_rng(1).normal(size=(3, 5, 5)).astype("float32") + 4 * np.eye(5, dtype="float32")
    check(call, '("n", "m", "m")', x)
