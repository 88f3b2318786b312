"""Kernels on tensors whose last dimensions have one element equal the evaluator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import sunmao
from one_function import module_of


def check(params: dict[str, Sequence[int | str]], body: Sequence[str], sizes: dict[str, int], threads: int) -> None:
    random = np.random.default_rng(7)
    shapes = {name: [sizes.get(str(s), s) for s in shape] for name, shape in params.items()}
    arrays = [random.standard_normal(s).astype("f4") for s in shapes.values()]
    written = [f'{n}: R.Tensor({tuple(s)!r}, "float32")' for n, s in params.items()]
    module = module_of(written, list(body))
    model = sunmao.compile(module, threads=threads)
    want = np.asarray(sunmao.evaluate(module, *arrays))
    np.testing.assert_allclose(np.asarray(model(*arrays)), want, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("steps", [1, 3, 15, 16, 17, 64, 100])
@pytest.mark.parametrize("rows", [1, 2, 33, 700])
def test_products_with_a_vector(rows: int, steps: int, threads: int) -> None:
    check({"x": (2, rows, steps), "v": (2, steps, 1)}, ["y = R.matmul(x, v)"], {}, threads)
    check({"x": (rows, steps), "v": (steps, 1), "b": (1,)}, ["y = R.nn.relu(R.add(R.matmul(x, v), b))"], {}, threads)
    check({"x": ("n", steps), "v": (steps, 1)}, ["y = R.matmul(x, v)"], {"n": rows}, threads)
    check({"x": (rows, "k"), "v": ("k", 1)}, ["y = R.matmul(x, v)"], {"k": steps}, threads)


@pytest.mark.parametrize("rows", [1, 17, 600])
def test_a_number_for_each_row(rows: int) -> None:
    body = [
        "s = R.mean(R.multiply(x, x), axis=[-1], keepdims=True)",
        "r = R.multiply(R.rsqrt(R.add(s, b)), b)",
        "y = R.multiply(x, r)",
    ]
    check({"x": (3, rows, 40), "b": (1, rows, 1)}, body, {}, 1)
    check({"x": (3, "n", 40), "b": (1, "n", 1)}, body, {"n": rows}, 2)


@pytest.mark.parametrize("shape", [(1, 1), (5, 1, 1), (1, 1, 1), (4, 1)])
def test_elements_alone(shape: tuple[int, ...]) -> None:
    check({"x": shape, "z": shape}, ["y = R.subtract(R.exp(x), z)"], {}, 1)
    check({"x": shape}, ["y = R.sum(x, axis=[0], keepdims=True)"], {}, 1)
    check({"x": shape, "z": shape}, ["y = R.concat((x, z), axis=-1)"], {}, 1)


def test_images_of_one_channel() -> None:
    call = 'R.nn.conv2d(x, w, padding=1, data_layout="NHWC", kernel_layout="HWIO")'
    check({"x": (2, 30, 37, 1), "w": (3, 3, 1, 1)}, [f"y = R.nn.relu({call})"], {}, 2)
    check({"x": (2, 30, 37, 5), "w": (3, 3, 5, 1)}, [f"y = {call}"], {}, 1)
