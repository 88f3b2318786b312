"""Modules of many ops equal the evaluator: what joins many tensors, and chains whose values are each read twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import sunmao
from one_function import module_of


def check(params: dict[str, Sequence[int | str]], body: Sequence[str], sizes: dict[str, int]) -> int:
    """Compares a compiled function with the evaluator, and returns how many kernels it calls."""
    random = np.random.default_rng(7)
    shapes = {name: [sizes.get(str(s), s) for s in shape] for name, shape in params.items()}
    arrays = [random.uniform(-0.5, 0.5, s).astype("f4") for s in shapes.values()]
    module = module_of([f'{n}: R.Tensor({tuple(s)!r}, "float32")' for n, s in params.items()], list(body))
    model = sunmao.compile(module, threads=2)
    want = np.asarray(sunmao.evaluate(module, *arrays))
    np.testing.assert_allclose(np.asarray(model(*arrays)), want, rtol=2e-5, atol=2e-6)
    return len(model.profile(*arrays, repeat=1).kernels)


@pytest.mark.parametrize("count", [64, 65, 200])
@pytest.mark.parametrize("op", ["concat", "stack"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_many_tensors_are_put_together(op: str, count: int, axis: int) -> None:
    params: dict[str, Sequence[int | str]] = {"a": (3, "n"), "b": (3, "n")}
    values = ["a" if i % 3 else "b" for i in range(count)]
    check(params, [f"y = R.{op}(({', '.join(values)}), axis={axis})"], {"n": 5})
    made = [f"v{i} = R.multiply({v}, R.const({i / count}, 'float32'))" for i, v in enumerate(values)]
    names = ", ".join(f"v{i}" for i in range(count))
    check({"a": (3, 4), "b": (3, 4)}, [*made, f"y = R.negative(R.{op}(({names}), axis={axis}))"], {})
    check({"a": (3, 4), "b": (3, 4)}, [*made, f"y = R.{op}(({names}), axis={axis})"], {})


def test_fields_of_a_tuple_are_put_together() -> None:
    for op in ["concat", "stack"]:
        check({"a": (130, 4)}, ["t = R.split(a, 130, axis=0)", f"y = R.{op}(t, axis=1)"], {})


@pytest.mark.parametrize("shape", [(37,), (5, "n")])
def test_a_chain_of_values_that_are_read_twice(shape: tuple[int | str, ...]) -> None:
    steps = ["y0 = R.add(x, x)"]
    for i in range(60):
        steps += [f"s{i} = R.multiply(y{i}, y{i})", f"y{i + 1} = R.subtract(s{i}, R.const(0.25, 'float32'))"]
    assert check({"x": shape}, [*steps, "y = R.negative(y60)"], {"n": 9}) == 1
