"""Weights that a model widens to floats stay narrow in the artifact, and results are those of the widened ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS
from one_function import module_of

RANDOM = np.random.default_rng(7)
CODE = 60_000  # bytes beside the weights, at most


def tensor(name: str, array: Any) -> str:
    return f'{name}: R.Tensor({array.shape}, "{array.dtype}")'


def run(inputs: dict[str, Any], weights: dict[str, Any], lines: list[str], tmp_path: Path, **options: Any) -> Any:
    """Compiles, sees that the artifact holds no wide weights, and returns the result and that of the evaluator."""
    arrays = {**inputs, **weights}
    module = module_of([tensor(name, a) for name, a in arrays.items()], lines, inputs=len(inputs))
    model = sunmao.compile(module, weights=weights, **options)
    path = tmp_path / "model.sunmao"
    model.save(path)
    narrow = sum(w.nbytes for w in weights.values())
    assert path.stat().st_size < 1.1 * narrow + CODE, "wide weights"
    return np.asarray(model(*inputs.values())), np.asarray(sunmao.evaluate(module, *arrays.values()))


def bytes_of(shape: tuple[int, ...], dtype: str = "int8") -> Any:
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min, limits.max + 1, shape).astype(dtype)


def scales(n: int) -> Any:
    return (0.002 + 0.01 * RANDOM.random(n)).astype("float32")


def close(got: Any, want: Any, x: Any, steps: int) -> None:
    """Sums of products with bytes of a hundredth each."""
    np.testing.assert_allclose(got, want, rtol=2e-4, atol=1e-5 * steps * np.abs(x).max())


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("columns", [65, 256, 257])
@pytest.mark.parametrize("rows", [1, 5, 33])
def test_products_with_bytes(target: str, rows: int, columns: int, tmp_path: Path) -> None:
    x, w, s = RANDOM.standard_normal((rows, 900)).astype("float32"), bytes_of((900, columns)), scales(columns)
    zero, of_columns = 'R.const(0, "int8")', ["d = R.dequantize(w, s, {}, axis=1)", "y = R.matmul(x, d)"]
    lines = [line.format(zero) for line in of_columns]
    close(*run({"x": x}, {"w": w, "s": s}, lines, tmp_path, target=target), x, 900)
    lines = [f"d = R.dequantize(w, s, {zero}, axis=0)", "t = R.permute_dims(d)", "y = R.nn.relu(R.matmul(x, t))"]
    close(*run({"x": x}, {"w": bytes_of((columns, 900)), "s": s}, lines, tmp_path, target=target), x, 900)
    z = RANDOM.integers(100, 150, columns).astype("uint8")
    weights = {"w": bytes_of((900, columns), "uint8"), "s": s, "z": z}
    close(*run({"x": x}, weights, [line.format("z") for line in of_columns], tmp_path, target=target), x, 900)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("rows", [1, 5, 33])
def test_products_with_halves(target: str, rows: int, dtype: str, tmp_path: Path) -> None:
    x = RANDOM.standard_normal((rows, 500)).astype("float32")
    for columns in (70, 128, 129):
        w = sunmao.evaluate(
            module_of([f'w: R.Tensor((500, {columns}), "float32")'], [f'y = R.astype(w, "{dtype}")']),
            RANDOM.standard_normal((500, columns)).astype("float32"),
        )
        got, want = run(
            {"x": x}, {"w": np.asarray(w)}, ['y = R.matmul(x, R.astype(w, "float32"))'], tmp_path, target=target
        )
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("size", "options"), [(3, "padding=1"), (1, ""), (3, "strides=2, padding=1, dilation=2")])
def test_convolutions(target: str, size: int, options: str, tmp_path: Path) -> None:
    x = RANDOM.standard_normal((2, 160, 9, 11)).astype("float32")
    for out in (96, 170):
        w, s = bytes_of((out, 160, size, size)), scales(out)
        lines = ['d = R.dequantize(w, s, R.const(0, "int8"), axis=0)', f"y = R.nn.conv2d(x, d, {options})"]
        close(*run({"x": x}, {"w": w, "s": s}, lines, tmp_path, target=target), x, 160 * size * size)
        half = RANDOM.standard_normal(w.shape).astype("float16")
        lines = ['d = R.astype(w, "float32")', f"y = R.nn.conv2d(x, d, {options})"]
        got, want = run({"x": x}, {"w": half}, lines, tmp_path, target=target)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("scale_axis", [0, 1])
@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
def test_tables(shape: tuple[int, ...], scale_axis: int, axis: int, tmp_path: Path) -> None:
    table, i = bytes_of((200, 400)), RANDOM.integers(-200, 200, shape)
    n = table.shape[scale_axis]
    lines = [f"d = R.dequantize(t, s, z, axis={scale_axis})", f"y = R.take(d, i, axis={axis})"]
    weights = {"t": table, "s": scales(n), "z": bytes_of((n,))}
    got, want = run({"i": i}, weights, lines, tmp_path)
    np.testing.assert_array_equal(got, want)


def test_embedding_that_is_a_product_as_well(tmp_path: Path) -> None:
    """Rows are looked up in the bytes as they are, and the product reads panels of them."""
    table, i = bytes_of((900, 128)), RANDOM.integers(0, 900, (1, 4))
    lines = [
        'd = R.dequantize(t, s, R.const(0, "int8"), axis=0)',
        "e = R.take(d, i, axis=0)",
        "y = R.matmul(e, R.permute_dims(d))",
    ]
    weights = {"t": table, "s": scales(900)}
    module = module_of([tensor("i", i), tensor("t", table), tensor("s", weights["s"])], lines, inputs=1)
    model = sunmao.compile(module, weights=weights)
    model.save(tmp_path / "model.sunmao")
    assert (tmp_path / "model.sunmao").stat().st_size < 2.1 * table.nbytes + CODE
    close(np.asarray(model(i)), np.asarray(sunmao.evaluate(module, i, table, weights["s"])), np.ones(1), 128)
