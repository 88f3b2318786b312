"""Weights whose blocks of steps have scales of their own stay as narrow as they are, and are dequantised in kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS
from one_function import module_of

RANDOM = np.random.default_rng(11)
CODE = 60_000  # bytes beside the weights, at most
DTYPES = {"int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4, "int8": np.int8, "uint8": np.uint8}


def codes(shape: tuple[int, ...], dtype: str) -> Any:
    limits = ml_dtypes.iinfo(DTYPES[dtype])
    return RANDOM.integers(limits.min, limits.max + 1, shape).astype(DTYPES[dtype])


def scales(shape: tuple[int, ...]) -> Any:
    return (0.002 + 0.01 * RANDOM.random(shape)).astype("float32")


def bytes_of(array: Any) -> int:
    return -(-array.size // 2) if str(array.dtype).endswith("int4") else array.nbytes


def run(x: Any, weights: dict[str, Any], lines: list[str], tmp_path: Path, *, target: str) -> tuple[Any, Any]:
    """Compiles, sees that the artifact holds no wide weights, and returns the result and that of the evaluator."""
    arrays = {"x": x, **weights}
    module = module_of([f'{n}: R.Tensor({a.shape}, "{a.dtype}")' for n, a in arrays.items()], lines, inputs=1)
    model = sunmao.compile(module, weights=weights, target=target)
    path = tmp_path / "model.sunmao"
    model.save(path)
    assert path.stat().st_size < 1.05 * sum(map(bytes_of, weights.values())) + CODE, "wide weights"
    return np.asarray(model(x)), np.asarray(sunmao.evaluate(module, *arrays.values()))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows", [1, 5, 33, 100])
def test_products(target: str, dtype: str, rows: int, tmp_path: Path) -> None:
    x = RANDOM.standard_normal((rows, 768)).astype("float32")
    for columns, block in ((65, 32), (256, 16), (7, 768 // 2)):
        blocks = (768 // block, columns)
        weights = {"w": codes((768, columns), dtype), "s": scales(blocks), "z": codes(blocks, dtype)}
        lines = [f"d = R.dequantize(w, s, z, axis=0, block_size={block})", "y = R.matmul(x, d)"]
        np.testing.assert_allclose(*run(x, weights, lines, tmp_path, target=target), rtol=1e-4, atol=1e-2)
        weights = {"w": codes((columns, 768), dtype), "s": scales(blocks[::-1])}
        zero = f'R.const(1, "{dtype}")'
        lines = [
            f"d = R.dequantize(w, s, {zero}, axis=1, block_size={block})",
            "y = R.nn.relu(R.matmul(x, R.permute_dims(d)))",
        ]
        np.testing.assert_allclose(*run(x, weights, lines, tmp_path, target=target), rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize("dtype", ["int4", "uint4"])
def test_one_scale_for_each_column(dtype: str, tmp_path: Path) -> None:
    x = RANDOM.standard_normal((3, 900)).astype("float32")
    for target in TARGETS:
        weights = {"w": codes((900, 129), dtype), "s": scales((129,)), "z": codes((129,), dtype)}
        lines = ["y = R.matmul(x, R.dequantize(w, s, z, axis=1))"]
        np.testing.assert_allclose(*run(x, weights, lines, tmp_path, target=target), rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize("axis", [1, -1])
def test_rows_of_a_table(axis: int, tmp_path: Path) -> None:
    at = RANDOM.integers(0, 3000, (2, 9))
    weights = {"w": codes((3000, 96), "uint4"), "s": scales((3000, 3)), "z": codes((3000, 3), "uint4")}
    lines = [f"d = R.dequantize(w, s, z, axis={axis}, block_size=32)", "y = R.take(d, x, axis=0)"]
    for target in TARGETS:
        np.testing.assert_array_equal(*run(at, weights, lines, tmp_path, target=target))


def test_one_number_with_one_scale() -> None:
    module = module_of(
        ['x: R.Tensor((), "int8")', 's: R.Tensor((1,), "float32")'],
        ['y = R.dequantize(x, s, R.const(1, "int8"), axis=0, block_size=2)'],
        inputs=2,
    )
    x, s = np.array(5, "int8"), np.array([0.5], "float32")
    assert float(np.asarray(sunmao.compile(module)(x, s))) == float(np.asarray(sunmao.evaluate(module, x, s))) == 2


def test_symbolic_rows() -> None:
    weights = {"w": codes((256, 96), "int4"), "s": scales((8, 96))}
    params = ['x: R.Tensor(("n", 256), "float32")', 'w: R.Tensor((256, 96), "int4")', 's: R.Tensor((8, 96), "float32")']
    lines = ['d = R.dequantize(w, s, R.const(0, "int4"), axis=0, block_size=32)', "y = R.matmul(x, d)"]
    module = module_of(params, lines, inputs=1)
    model = sunmao.compile(module, weights=weights)
    for rows in (1, 7, 64):
        x = RANDOM.standard_normal((rows, 256)).astype("float32")
        want = np.asarray(sunmao.evaluate(module, x, *weights.values()))
        np.testing.assert_allclose(np.asarray(model(x)), want, rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize(
    ("shape", "scale", "axis"), [((256, 96), (256, 3), 1), ((250, 96), (8, 96), 0), ((2, 256, 96), (2, 8, 96), 1)]
)
def test_other_blocks_are_widened(shape: tuple[int, ...], scale: tuple[int, ...], axis: int) -> None:
    """Blocks of columns, blocks that do not fill the steps, batches of matrices."""
    weights = {"w": codes(shape, "int8"), "s": scales(scale)}
    arrays = {"x": RANDOM.standard_normal((*shape[:-2], 4, shape[-2])).astype("float32"), **weights}
    lines = [f'd = R.dequantize(w, s, R.const(0, "int8"), axis={axis}, block_size=32)', "y = R.matmul(x, d)"]
    module = module_of([f'{n}: R.Tensor({a.shape}, "{a.dtype}")' for n, a in arrays.items()], lines, inputs=1)
    with pytest.warns(sunmao.CompileWarning, match="the weights grow"):
        model = sunmao.compile(module, weights=weights)
    want = np.asarray(sunmao.evaluate(module, *arrays.values()))
    np.testing.assert_allclose(np.asarray(model(arrays["x"])), want, rtol=1e-4, atol=1e-2)
