"""Transposes, stacks, concatenations, paddings and slices at the edges of tiles and ranges equal NumPy."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from pathlib import Path

import numpy as np
import pytest
import sunmao
from one_function import module_of
from sunmao_binary import sunmao as run_tool

HOST = sunmao.compile(module_of(['x: R.Tensor((1,), "float32")'], ["y = R.negative(x)"])).isa
TARGETS = [t for t in ("x86-64-v2", "x86-64-v3", "x86-64-v4") if t <= HOST]
DTYPES = ["float32", "float64", "float16", "int8", "int64", "bool"]
SIZES = [1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 65]


def draw(shape: tuple[int, ...], dtype: str = "float32", seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).standard_normal(shape) * 3).astype(dtype)


def tensor(name: str, shape: tuple[int, ...] | str, dtype: str = "float32") -> str:
    return f'{name}: R.Tensor({shape}, "{dtype}")'


def run(call: str, given: dict[str, np.ndarray], target: str = "host", threads: int = 1) -> np.ndarray:
    params = [tensor(name, x.shape, str(x.dtype)) for name, x in given.items()]
    model = sunmao.compile(module_of(params, [f"y = {call}"]), target=target, threads=threads)
    return np.asarray(model(*given.values()))


def named(arrays: list[np.ndarray]) -> tuple[dict[str, np.ndarray], str]:
    """Returns arrays with names, and the names as a tuple of a script."""
    given = {f"x{i}": x for i, x in enumerate(arrays)}
    return given, f"({', '.join(given)})"


@pytest.mark.part(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows", SIZES)
def test_transposes_at_the_edges_of_tiles(rows: int, dtype: str, target: str) -> None:
    given, _ = named([draw((2, rows, columns), dtype) for columns in SIZES])
    turned = [f"t{i} = R.permute_dims({name}, [0, 2, 1])" for i, name in enumerate(given)]
    fields = ", ".join(f"t{i}" for i in range(len(given)))
    params = [tensor(name, x.shape, dtype) for name, x in given.items()]
    model = sunmao.compile(module_of(params, [*turned, f"y = ({fields})"]), target=target)
    for x, y in zip(given.values(), model(*given.values()), strict=True):
        np.testing.assert_array_equal(y, x.transpose(0, 2, 1))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("axes", [(0, 2, 3, 1), (0, 3, 1, 2), (0, 2, 1, 3), (3, 2, 1, 0), (1, 0, 3, 2), (2, 3, 0, 1)])
@pytest.mark.parametrize("shape", [(1, 64, 20, 56), (3, 5, 7, 9), (2, 33, 1, 65), (9, 40, 41, 42), (2, 1024, 2, 256)])
def test_permutations(shape: tuple[int, ...], axes: tuple[int, ...], threads: int) -> None:
    x = draw(shape)
    np.testing.assert_array_equal(run(f"R.permute_dims(x, {list(axes)})", {"x": x}, threads=threads), x.transpose(axes))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", [(2, 16, 32), (3, 19, 37), (1, 70, 6), (2, 5, 300)])
def test_arithmetic_on_what_is_transposed(shape: tuple[int, ...], target: str) -> None:
    given = {"x": draw(shape), "z": draw((shape[0], shape[2], shape[1]), seed=1), "b": draw(shape[1:2], seed=2)}
    turned = given["x"].transpose(0, 2, 1)
    call = "R.nn.relu(R.add(R.add(R.permute_dims(x, [0, 2, 1]), z), b))"
    np.testing.assert_array_equal(run(call, given, target), np.maximum(turned + given["z"] + given["b"], 0))
    call = "R.astype(R.multiply(R.permute_dims(x, [0, 2, 1]), z), 'float64')"
    got = run(call, {"x": given["x"], "z": given["z"]}, target)
    np.testing.assert_array_equal(got, (turned * given["z"]).astype("float64"))


@pytest.mark.parametrize("threads", [1, 2])
def test_transposes_of_sizes_that_a_run_says(threads: int) -> None:
    body = ["y = R.permute_dims(x, [0, 2, 1])"]
    both = sunmao.compile(module_of([tensor("x", '("b", "n", "m")')], body), threads=threads)
    one = sunmao.compile(module_of([tensor("x", '(2, "n", 24)')], body), threads=threads)
    for shape in [(1, 1, 1), (2, 3, 24), (2, 16, 24), (3, 17, 65), (1, 300, 530), (2, 0, 24)]:
        x = draw(shape)
        np.testing.assert_array_equal(both(x), x.transpose(0, 2, 1))
        if shape[::2] == (2, 24):
            np.testing.assert_array_equal(one(x), x.transpose(0, 2, 1))


@pytest.mark.part(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 15, 16, 17, 33])
def test_stacks(count: int, dtype: str, target: str) -> None:
    for shape in [(3, 1), (2, 15), (1, 16), (3, 65)]:
        given, names = named([draw(shape, dtype, i) for i in range(count)])
        for axis in range(3):
            got = run(f"R.stack({names}, axis={axis})", given, target)
            np.testing.assert_array_equal(got, np.stack(list(given.values()), axis))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("widths", [(1, 1), (64, 64, 64), (65, 31, 2), (0, 3), (16, 1, 15), (200, 300)])
def test_concatenations(widths: tuple[int, ...], axis: int, threads: int) -> None:
    shapes = [tuple(width if d == axis else 70 - d for d in range(3)) for width in widths]
    given, names = named([draw(shape, "float32", i) for i, shape in enumerate(shapes)])
    got = run(f"R.concat({names}, axis={axis})", given, threads=threads)
    np.testing.assert_array_equal(got, np.concatenate(list(given.values()), axis))


@pytest.mark.parametrize(("count", "axis"), [(256, 1), (1100, 0)])
def test_many_parts(count: int, axis: int) -> None:
    given, names = named([draw((2, 16), "float32", i) for i in range(count)])
    got = run(f"R.stack({names}, axis={axis})", given)
    np.testing.assert_array_equal(got, np.stack(list(given.values()), axis))


def test_concatenations_of_sizes_that_a_run_says() -> None:
    params = [tensor("x", '("a", "n")'), tensor("z", '("a", "m")'), tensor("w", '("a", "n")')]
    model = sunmao.compile(module_of(params, ["y = R.concat((x, z, w), axis=1)"]))
    first = sunmao.compile(module_of([tensor("x", '("n", 5)'), tensor("z", '("m", 5)')], ["y = R.concat((x, z))"]))
    for rows, n, m in [(1, 1, 1), (3, 16, 5), (5, 0, 9), (70, 33, 64), (300, 257, 300)]:
        x, z = draw((rows, n)), draw((rows, m), seed=1)
        np.testing.assert_array_equal(model(x, z, x), np.concatenate((x, z, x), 1))
        x, z = draw((n, 5)), draw((m, 5), seed=1)
        np.testing.assert_array_equal(first(x, z), np.concatenate((x, z), 0))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
@pytest.mark.parametrize("shape", [(1, 56, 9, 16), (2, 5, 17, 33), (2, 3, 4, 5)])
def test_paddings(shape: tuple[int, ...], mode: str, target: str) -> None:
    x = draw(shape)
    kind = {"replicate": "edge", "circular": "wrap"}.get(mode, mode)
    for width in [(0, 0, 1, 1, 1, 1, 0, 0), (0, 0, 0, 0, 1, 2, 3, 0)]:
        pairs = list(zip(width[::2], width[1::2], strict=True))
        got = run(f"R.nn.pad(x, {list(width)}, pad_mode='{mode}')", {"x": x}, target)
        np.testing.assert_array_equal(got, np.pad(x, pairs, mode=kind))  # type: ignore[call-overload]


@pytest.mark.parametrize("threads", [1, 2])
def test_choices_by_an_index_within_other_work(threads: int) -> None:
    given = {"x": draw((40, 50)), "z": draw((40, 30), seed=1), "b": draw((80,), seed=2)}
    joined = np.concatenate((given["x"], given["z"]), 1)
    got = run("R.nn.relu(R.add(R.concat((x, z), axis=1), b))", given, threads=threads)
    np.testing.assert_array_equal(got, np.maximum(joined + given["b"], 0))
    given.pop("b")
    call = "R.permute_dims(R.concat((x, z), axis=1), [1, 0])"
    np.testing.assert_array_equal(run(call, given, threads=threads), joined.T)
    call = "R.strided_slice(R.concat((x, z), axis=1), [1], [7], [77], strides=[3])"
    np.testing.assert_array_equal(run(call, given, threads=threads), joined[:, 7:77:3])


SCRIPT = """
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 19, 33), "float32"), z: R.Tensor(("n", 33, 19), "float32"), h: R.Tensor((40, 9), "bool")
    ):
        with R.dataflow():
            t = R.nn.relu(R.add(R.permute_dims(x, [0, 2, 1]), z))
            s = R.stack((z, t, z, t, t), axis=3)
            p = R.nn.pad(R.concat((t, z, t), axis=1), [0, 0, 1, 2, 0, 0], pad_mode="reflect")
            u = R.permute_dims(h, [1, 0])
            R.output(s, p, u)
        return (s, p, u)
"""


def test_each_step_keeps_the_numbers(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(SCRIPT)
    steps = ("--verify=each", "--validate=each")
    done = run_tool("compile", tmp_path / "m.py", "--target", ",".join(TARGETS), *steps, "-o", tmp_path / "m.sunmao")
    assert done.returncode == 0, done.stderr
    assert "validated" in done.stderr
    assert "not validated" not in done.stderr
    assert "T.Shuffle" in run_tool("compile", tmp_path / "m.py", "--stop-after", "schedule").stdout


def nearest_pixels(size: int, scale: int, mode: str, rounding: str) -> list[int]:
    """Returns the pixel that each one of an axis is copied from when each is repeated, computed exactly."""
    out = []
    for i in range(size * scale):
        place = Fraction(i, scale)
        if mode != "asymmetric":
            place = Fraction(2 * i + 1, 2 * scale) - (0 if mode == "tf_half_pixel_for_nn" else Fraction(1, 2))
        rounded = {
            "floor": floor(place),
            "ceil": ceil(place),
            "round": floor(place + Fraction(1, 2)),
            "round_prefer_floor": ceil(place - Fraction(1, 2)),
        }[rounding]
        out.append(min(max(rounded, 0), size - 1))
    return out


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("scale", [(1, 2), (2, 2), (3, 1), (3, 4), (5, 8)])
def test_repeated_pixels(scale: tuple[int, int], layout: str, target: str) -> None:
    x = draw((2, 3, 5, 13)) if layout == "NCHW" else draw((2, 5, 13, 3))
    rows = layout.index("H")
    wanted, calls = [], []
    for mode in ("asymmetric", "half_pixel", "tf_half_pixel_for_nn"):
        for rounding in ("floor", "ceil", "round", "round_prefer_floor"):
            y, line = nearest_pixels(5, scale[0], mode, rounding), nearest_pixels(13, scale[1], mode, rounding)
            wanted.append(x.take(y, rows).take(line, rows + 1))
            calls.append(
                f't{len(calls)} = R.image.resize2d(x, R.shape([{5 * scale[0]}, {13 * scale[1]}]), layout="{layout}", '
                f'method="nearest_neighbor", coordinate_transformation_mode="{mode}", rounding_method="{rounding}")'
            )
    fields = ", ".join(f"t{i}" for i in range(len(calls)))
    model = sunmao.compile(module_of([tensor("x", x.shape)], [*calls, f"y = ({fields})"]), target=target)
    for got, want in zip(model(x), wanted, strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("scale", [2, 3])
def test_repeated_pixels_of_sizes_that_a_run_says(scale: int, layout: str) -> None:
    shape = '("n", 3, "h", "w")' if layout == "NCHW" else '("n", "h", "w", 3)'
    call = (
        f'y = R.image.resize2d(x, R.shape([h * {scale}, w * {scale}]), layout="{layout}", method="nearest_neighbor", '
        'coordinate_transformation_mode="asymmetric", rounding_method="floor")'
    )
    model = sunmao.compile(module_of([tensor("x", shape)], [call], symbols=["h", "w"]))
    rows = layout.index("H")
    for n, h, w in [(1, 1, 1), (2, 3, 4), (1, 7, 8), (3, 2, 19), (1, 64, 65)]:
        x = draw((n, 3, h, w) if layout == "NCHW" else (n, h, w, 3))
        np.testing.assert_array_equal(model(x), x.repeat(scale, rows).repeat(scale, rows + 1))


@pytest.mark.parametrize("size", [(7, 11), (3, 40), (20, 5)])
def test_nearest_pixels_of_other_scales_equal_the_evaluator(size: tuple[int, int]) -> None:
    x = draw((2, 3, 6, 17))
    body = [f'y = R.image.resize2d(x, R.shape([{size[0]}, {size[1]}]), method="nearest_neighbor")']
    module = module_of([tensor("x", x.shape)], body)
    np.testing.assert_array_equal(sunmao.compile(module)(x), sunmao.evaluate(module, x))


def test_permutations_of_few_channels_of_sizes_that_a_run_says() -> None:
    body = ["y = (R.permute_dims(x, [0, 2, 3, 1]), R.permute_dims(x, [0, 3, 1, 2]))"]
    model = sunmao.compile(module_of([tensor("x", '("n", "c", "h", "w")')], body))
    for shape in [(1, 3, 20, 21), (2, 1, 5, 300), (1, 9, 7, 3), (2, 17, 13, 9), (1, 70, 1, 2)]:
        x = draw(shape)
        for got, want in zip(model(x), (x.transpose(0, 2, 3, 1), x.transpose(0, 3, 1, 2)), strict=True):
            np.testing.assert_array_equal(got, want)


def test_sizes_computed_from_given_dims_are_numbers(tmp_path: Path) -> None:
    call = 'y = R.image.resize2d(x, R.shape([h * 2, w * 2]), method="nearest_neighbor")'
    module = module_of([tensor("x", '(1, 3, "h", "w")')], [call], symbols=["h", "w"])
    path = tmp_path / "model.py"
    path.write_text(module.script())
    out = run_tool("compile", str(path), "--dim", "h=5", "--dim", "w=7", "--stop-after", "normalize").stdout
    assert "R.shape([10, 14])" in out
    assert '(1, 3, 10, 14), dtype="float32")' in out
