"""Regressions from comparing the engines on random calls (tests/random): both give the same result or the same error
code."""

from typing import Any

import numpy as np
import pytest
import sunmao
from one_function import module_of


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).standard_normal(shape).astype("float32")


def ints(*shape: int, below: int = 3) -> np.ndarray:
    return np.random.default_rng(4).integers(0, below, shape)


# A case: the lines of a function body, and each argument with its symbolic shape as text.
Case = tuple[list[str], list[tuple[np.ndarray, str]]]
COMPUTED: dict[str, Case] = {
    "a result between two loops over flat views": (["a = R.abs(x)", "y = R.expm1(a)"], [(floats(3, 4), "3, 4")]),
    "a size that no tensor of a fused kernel has": (
        ["a = R.shape_to_tensor(R.shape([n, n]))", "y = R.abs(a)"],
        [(floats(3), "n")],
    ),
    "a result seen as another dtype": (
        ["a = R.abs(x)", 'y = R.memory.view(a, R.shape([1, 9]), R.dtype("int32"))'],
        [(floats(3, 3), "n, m")],
    ),
    "a division of sizes under a condition, in a loop that LLVM may vectorise": (
        ["y = R.nn.conv1d_transpose(x0, x1, groups=2)"],
        [(ints(2, 4, 4), "a, b, c"), (ints(4, 2, 3), "d, e, f")],
    ),
    "a place in the middle of two pixels": (
        [
            'y = R.image.resize2d(x, R.shape([3, 6]), method="nearest_neighbor",'
            ' coordinate_transformation_mode="tf_half_pixel_for_nn", rounding_method="round_prefer_floor")'
        ],
        [(floats(1, 1, 2, 2), "a, 1, b, c")],
    ),
    "a part of a result": (
        ["a = R.abs(x)", "y = R.memory.view(a, R.shape([2]))"],
        [(floats(3, 3), "n, m")],
    ),
}
REFUSED: dict[str, tuple[str, Case]] = {
    "rows without a sample": (
        "E0905",
        (
            ["y = R.multinomial_from_uniform(x0, x1, x2)"],
            [(np.full((3, 4), 0.25, "float32"), "3, 4"), (floats(2, 0), "2, k"), (ints(2, 1), "a, b")],
        ),
    ),
    "targets of another shape": (
        "E0905",
        (
            ['y = R.grad.nll_loss_backward(x0, x1, x2, reduction="none")'],
            [(floats(3, 1), "a, b"), (floats(3, 4, 1), "c, d, e"), (ints(3, 0), "f, g")],
        ),
    ),
    "a window larger than the data": (
        "E0911",
        (["y = R.nn.max_pool1d(x, pool_size=3)"], [(floats(1, 2, 1), "a, b, c")]),
    ),
}


def drawn(case: Case) -> sunmao.Module:
    lines, args = case
    params = []
    for i, (array, dims) in enumerate(args):
        shape = ", ".join(d if d.isdigit() else f'"{d}"' for d in dims.split(", "))
        params.append(f'{"x" if len(args) == 1 else f"x{i}"}: R.Tensor(({shape},), "{array.dtype}")')
    symbols = sorted({d for _, dims in args for d in dims.split(", ") if not d.isdigit()})
    return module_of(params, lines, symbols)


def engines(module: sunmao.Module) -> list[Any]:
    return [sunmao.compile(module), lambda *args: sunmao.evaluate(module, *args)]


@pytest.mark.parametrize("name", COMPUTED)
def test_both_compute_the_same(name: str) -> None:
    module = drawn(COMPUTED[name])
    compiled, evaluated = (run(*[array for array, _ in COMPUTED[name][1]]) for run in engines(module))
    assert compiled.dtype == evaluated.dtype
    np.testing.assert_allclose(compiled, evaluated, rtol=1e-6)


@pytest.mark.parametrize("name", REFUSED)
def test_both_refuse_with_the_same_code(name: str) -> None:
    code, case = REFUSED[name]
    for run in engines(drawn(case)):
        with pytest.raises(sunmao.Error) as caught:
            run(*[array for array, _ in case[1]])
        assert caught.value.code == code
