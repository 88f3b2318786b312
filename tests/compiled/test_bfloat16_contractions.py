"""Products of bfloat16 add in float32, on every instruction set and wherever tiles, panels and pairs of steps end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from contraction_checks import PAIR_TARGETS
from one_function import module_of


def some(shape: tuple[int, ...], seed: int = 0) -> Any:
    """Returns integers that bfloat16 holds, of which sums of products are exact in float32."""
    return np.random.default_rng(seed).integers(-16, 17, shape).astype("float32")


def check(
    x: Any, w: Any, call: str, prepared: bool = True, result: str = "y", symbols: tuple[str, ...] = (), **options: Any
) -> None:
    """Compares a call on `x` and `w` in bfloat16, called `a` and `b`, with the evaluator."""
    sizes = "(" + ", ".join(symbols or map(str, x.shape)) + ")"
    params = [f'x: R.Tensor({sizes}, "float32")', f'w: R.Tensor({w.shape}, "float32")']
    lines = ['a = R.astype(x, "bfloat16")', 'b = R.astype(w, "bfloat16")', f"y = {call}"]
    names = [s for s in symbols if not s.isdigit()]
    module = module_of(params, lines, symbols=names, inputs=1 if prepared else 2)
    given = {"weights": {"w": w}} if prepared else {}
    model = sunmao.compile(module, **given, **options)
    got = np.asarray(model(x) if prepared else model(x, w))
    np.testing.assert_array_equal(got, np.asarray(sunmao.evaluate(module, x, w)), err_msg=f"{x.shape} {w.shape}")


PRODUCT = "R.matmul(a, b, out_dtype='float32')"


@pytest.mark.parametrize("target", PAIR_TARGETS)
@pytest.mark.parametrize("prepared", [True, False])
def test_sizes_around_those_of_tiles(target: str, prepared: bool) -> None:
    for rows, steps, columns in (
        *((rows, 16, 32) for rows in (1, 2, 4, 5, 8, 9, 29)),
        *((15, steps, 33) for steps in (1, 2, 3, 4, 6, 7, 22, 23)),
        *((14, 12, columns) for columns in (1, 3, 4, 8, 15, 16, 17, 31, 32, 33, 48, 65)),
    ):
        check(some((rows, steps)), some((steps, columns), 1), PRODUCT, prepared, target=target)


@pytest.mark.parametrize("target", PAIR_TARGETS)
def test_columns_that_are_packed(target: str) -> None:
    """Of many rows the columns of a computed operand are copied; of others pairs of its rows are read in place."""
    for rows in (7, 40, 130):
        check(some((rows, 64)), some((64, 50), 1), PRODUCT, False, target=target)
        check(some((rows, 64)), some((50, 64), 1), "R.matmul(a, R.permute_dims(b), out_dtype='float32')", False,
              target=target)  # fmt: skip


@pytest.mark.parametrize("threads", [1, 2])
def test_large_products_on_threads(threads: int) -> None:
    for rows, steps, columns in ((130, 1000, 250), (40, 2050, 330)):
        check(some((rows, steps)), some((steps, columns), 1), PRODUCT, threads=threads)


@pytest.mark.parametrize("target", PAIR_TARGETS)
def test_unknown_rows(target: str) -> None:
    for rows in (1, 3, 17):
        check(some((rows, 24)), some((24, 40), 1), PRODUCT, symbols=("n", "24"), target=target)


@pytest.mark.parametrize("target", PAIR_TARGETS)
@pytest.mark.parametrize(
    ("channels", "filters", "more"),
    [
        (8, 40, "padding=1"),
        (3, 16, "strides=2, padding=1"),
        (6, 33, "dilation=2"),
        (8, 16, "groups=2"),
        (64, 64, "groups=2, padding=1"),
        (8, 8, "groups=8"),
        (2, 4, "padding=[0, 1, 2, 0]"),
    ],
)
def test_convolutions(target: str, channels: int, filters: int, more: str) -> None:
    groups = int(more.split("groups=")[1][0]) if "groups" in more else 1
    x, w = some((1, channels, 9, 11)), some((filters, channels // groups, 3, 3), 1)
    check(x, w, f"R.nn.conv2d(a, b, {more}, out_dtype='float32')", target=target)


def test_products_of_batches() -> None:
    x, w = some((3, 5, 10)), some((3, 10, 20), 1)
    check(x, w, PRODUCT)
    check(x, w, PRODUCT, prepared=False)


def test_results_in_bfloat16() -> None:
    """Sums are rounded once, when they are stored."""
    check(some((9, 30)), some((30, 40), 1), "R.astype(R.matmul(a, b), 'float32')")


def test_weights_take_two_bytes(tmp_path: Path) -> None:
    w = np.random.default_rng(0).standard_normal((256, 512)).astype("float32")
    module = module_of(['x: R.Tensor((4, 256), "float32")', 'w: R.Tensor((256, 512), "float32")'],
                       ["y = R.nn.relu(R.matmul(x, w))"], inputs=1)  # fmt: skip
    wide, narrow = (sunmao.compile(module, weights={"w": w}, precision=p) for p in ("float32", "bfloat16"))
    x = np.random.default_rng(1).standard_normal((4, 256)).astype("float32")
    for model, name in ((wide, "wide"), (narrow, "narrow")):
        model.save(tmp_path / name)
    saved = (tmp_path / "wide").stat().st_size - (tmp_path / "narrow").stat().st_size
    assert abs(saved - w.nbytes // 2) < 4096
    want, got = np.asarray(wide(x)), np.asarray(narrow(x))
    assert got.dtype == np.float32 and 0 < np.abs(got - want).max() < 0.02 * np.abs(want).max()


@pytest.mark.parametrize("target", PAIR_TARGETS)
@pytest.mark.parametrize(
    ("data", "weight", "call"),
    [
        ((2, 3, 9, 10), (33, 3, 3, 3), "R.nn.conv2d(x, w, padding=1, strides=2)"),
        ((1, 5, 12), (32, 5, 3), "R.nn.conv1d(x, w, padding=1)"),
        ((3, 7), (7, 40), "R.matmul(R.nn.relu(x), w)"),
        ((7,), (7, 40), "R.matmul(x, w)"),
        ((2, 40, 9), (9, 50), "R.matmul(x, w)"),
        ((2, 40, 9), (9, 7), "R.matmul(x, w)"),
    ],
)
@pytest.mark.parametrize("prepared", [True, False])
def test_odd_steps_of_float32(
    target: str, data: tuple[int, ...], weight: tuple[int, ...], call: str, prepared: bool
) -> None:
    """The precision fills odd numbers of steps up, or leaves products in float32."""
    x, w = some(data), some(weight, 1)
    params = [f'x: R.Tensor({data}, "float32")', f'w: R.Tensor({weight}, "float32")']
    module = module_of(params, [f"y = {call}"], inputs=1 if prepared else 2)
    given = {"weights": {"w": w}} if prepared else {}
    model = sunmao.compile(module, precision="bfloat16", target=target, **given)
    got = np.asarray(model(x) if prepared else model(x, w))
    np.testing.assert_array_equal(got, np.asarray(sunmao.evaluate(module, x, w)))


def test_other_precisions_are_refused() -> None:
    module = module_of(['x: R.Tensor((2,), "float32")'], ["y = R.negative(x)"])
    with pytest.raises(sunmao.Error, match=r"E0034.*float32.*bfloat16.*float8"):
        sunmao.compile(module, precision="float8")
