"""Transposed convolutions with weights equal the evaluator, whatever becomes of them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import sunmao
from one_function import module_of


def drawn(seed: int) -> dict[str, Any]:
    """Draws sizes and attributes of a transposed convolution whose result has elements."""
    draw = random.Random(seed)
    spatial = draw.choice([1, 2, 2, 2, 3])

    def each(values: list[int]) -> list[int]:
        return [draw.choice(values) for _ in range(spatial)]

    groups = draw.choice([1, 1, 2, 3])
    strides = each([1, 2, 2, 3])
    return {
        "spatial": spatial,
        "groups": groups,
        "channels": groups * draw.choice([1, 3, 16]),
        "outputs": draw.choice([1, 3, 8, 20]),
        "sizes": each([3, 4, 7]),
        "kernel": each([1, 2, 3, 4, 5]),
        "strides": strides,
        "dilation": each([1, 1, 2]),
        "padding": each([0, 1, 2]) + each([0, 1, 2]),
        "more": [draw.randrange(s) for s in strides],
    }


def check(d: dict[str, Any], target: str | None = None, threads: int = 1, symbolic: bool = False) -> None:
    x_shape = [2, d["channels"], *d["sizes"]]
    w_shape = [d["channels"], d["outputs"], *d["kernel"]]
    reach = [
        (n - 1) * s - low - high + e * (k - 1) + m + 1
        for n, s, low, high, e, k, m in zip(
            d["sizes"],
            d["strides"],
            d["padding"],
            d["padding"][d["spatial"] :],
            d["dilation"],
            d["kernel"],
            d["more"],
            strict=False,
        )
    ]
    if min(reach) < 1:
        return
    values = np.random.default_rng(0)
    x = values.standard_normal(x_shape).astype("f4")
    w = values.standard_normal(w_shape).astype("f4")
    b = values.standard_normal([d["outputs"] * d["groups"]] + [1] * d["spatial"]).astype("f4")
    names = ["n", "c", "h", "w", "d"]
    written = ", ".join(
        f'"{n}"' if symbolic and i != 1 else str(s) for i, (s, n) in enumerate(zip(x_shape, names, strict=False))
    )
    call = (
        f"R.nn.conv{d['spatial']}d_transpose(x, w, strides={d['strides']}, padding={d['padding']}, "
        f"output_padding={d['more']}, dilation={d['dilation']}, groups={d['groups']})"
    )
    params = [f'x: R.Tensor(({written}), "float32")']
    params += [f'{n}: R.Tensor({tuple(a.shape)}, "float32")' for n, a in (("w", w), ("b", b))]
    module = module_of(params, [f"y = R.nn.relu(R.add({call}, b))"], inputs=1)
    options = {} if target is None else {"target": target}
    model = sunmao.compile(module, weights={"w": w, "b": b}, threads=threads, **options)
    want = np.asarray(sunmao.evaluate(module, x, w, b))
    np.testing.assert_allclose(np.asarray(model(x)), want, rtol=2e-4, atol=2e-4)


@pytest.mark.part(3)
@pytest.mark.parametrize("seed", range(120))
def test_drawn_ones(seed: int) -> None:
    check(drawn(seed))


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v3"])
@pytest.mark.parametrize("seed", range(1000, 1010))
def test_targets_and_threads(seed: int, target: str) -> None:
    check(drawn(seed), target, threads=2)


@pytest.mark.parametrize("seed", range(2000, 2030))
def test_sizes_that_a_run_says(seed: int) -> None:
    check(drawn(seed), symbolic=True)


@pytest.mark.part(2)
@pytest.mark.parametrize("columns", [1, 3, 8, 31, 33])
@pytest.mark.parametrize(("kernel", "padding", "more"), [(4, 1, 0), (3, 1, 1), (2, 0, 0), (5, 2, 1), (4, 0, 0)])
def test_decoders(kernel: int, padding: int, more: int, columns: int) -> None:
    check(
        {
            "spatial": 2,
            "groups": 1,
            "channels": 40,
            "outputs": columns,
            "sizes": [9, 17],
            "kernel": [kernel, kernel],
            "strides": [2, 2],
            "dilation": [1, 1],
            "padding": [padding] * 4,
            "more": [more, more],
        },
        threads=2,
    )
