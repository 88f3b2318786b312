"""Quantised graphs that nearly have the form of an integer product or of a table equal the evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS
from one_function import module_of

RANDOM = np.random.default_rng(0)


def u8(*shape: int) -> Any:
    return RANDOM.integers(0, 256, shape).astype("uint8")


def i8(*shape: int) -> Any:
    return RANDOM.integers(-128, 128, shape).astype("int8")


def f4(*shape: int) -> Any:
    return RANDOM.standard_normal(shape).astype("float32")


def tensor(name: str, x: Any) -> str:
    return f'{name}: R.Tensor({x.shape}, "{x.dtype}")'


def number(value: float, dtype: str = "float32") -> str:
    return f'R.const({value}, "{dtype}")'


def dequantized(x: str, scale: str, zero: str, **attrs: str) -> str:
    return f"R.dequantize({x}, {scale}, {zero}{''.join(f', {k}={v}' for k, v in attrs.items())})"


WEIGHT = i8(16, 8)
D = f"d = {dequantized('w', number(0.5), number(0, 'int8'))}"
ROWS = ["a = R.astype(v, 'int32')", "b = R.astype(z, 'int32')", "c = R.subtract(a, b)", "e = R.astype(c, 'float32')"]
SPLIT = "p = R.reshape(g, R.shape([2, 2, 16]))"
FILTERS = i8(8, 4, 3, 3)
DK = f"d = {dequantized('k', number(0.5), number(0, 'int8'))}"
BIASED = [
    f"n = {dequantized('v', number(0.02), number(3, 'uint8'))}",
    f"d = {dequantized('w', 's', number(0, 'int8'), axis='1')}",
    "p = R.matmul(n, d)",
    "y = R.add(p, b)",
]


def zero_of_pad(point: int) -> tuple[dict[str, Any], list[str]]:
    x = {"v": u8(1, 4, 5, 5), "k": FILTERS}
    return x, [f"n = {dequantized('v', number(0.5), number(point, 'int32'))}", DK, "y = R.nn.conv2d(n, d, padding=1)"]


def gelu_of_bytes(number_of_table: int) -> list[str]:
    i, values = number_of_table, u8(2048).tolist()
    x = f"R.const({values}, 'uint8')"
    return [
        f"d{i} = {dequantized(x, number(0.05), number(128, 'uint8'))}",
        f"g{i} = R.nn.gelu(d{i})",
        f"q{i} = R.quantize(g{i}, {number(0.05)}, {number(3, 'uint8')}, out_dtype='uint8')",
    ]


def scales(odd: float) -> Any:
    out = np.full(8, 0.01, "float32")
    out[3] = odd
    return out


# Each has its inputs, of which those named w, k, s and b behind the first are weights where they are last.
CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "rows_permuted": (
        {"v": u8(16, 16), "z": u8(16, 1), "w": WEIGHT},
        [*ROWS, f"g = R.multiply(e, {number(0.5)})", "p = R.permute_dims(g)", D, "y = R.matmul(p, d)"],
    ),
    "one_zero_of_rows": (
        {"v": u8(4, 16), "z": u8(1, 1), "s": np.abs(f4(4, 1)), "w": WEIGHT},
        [*ROWS, "g = R.multiply(e, s)", SPLIT, D, "y = R.matmul(p, d)"],
    ),
    "scales_that_repeat": (
        {"v": u8(2, 4, 16), "s": np.abs(f4(1, 4, 1)), "w": WEIGHT},
        [
            "e = R.astype(v, 'float32')",
            "g = R.multiply(e, s)",
            "p = R.reshape(g, R.shape([8, 16]))",
            D,
            "y = R.matmul(p, d)",
        ],
    ),
    "values_that_repeat": (
        {"v": u8(1, 16), "s": np.abs(f4(4, 1)), "w": WEIGHT},
        ["e = R.astype(v, 'float32')", "g = R.multiply(e, s)", SPLIT, D, "y = R.matmul(p, d)"],
    ),
    "difference_of_bytes": (
        {"v": u8(4, 16), "z": u8(4, 1), "s": np.abs(f4(4, 1)), "w": WEIGHT},
        [
            "c = R.subtract(v, z)",
            "e = R.astype(c, 'float32')",
            "g = R.multiply(e, s)",
            D,
            "y = R.matmul(g, d)",
        ],
    ),
    "zeros_that_repeat": (
        {"v": u8(1, 16), "w": WEIGHT},
        [
            "a = R.astype(v, 'int32')",
            "c = R.subtract(a, R.const([[3], [3], [3], [3]], 'int32'))",
            "e = R.astype(c, 'float32')",
            "g = R.multiply(e, R.const([[0.5]], 'float32'))",
            D,
            "y = R.matmul(g, d)",
        ],
    ),
    "zero_that_is_cut": (
        {
            "v": u8(4, 16),
            "z": np.array([[70000], [3], [4], [5]], "int32"),
            "s": np.abs(f4(4, 1)),
            "w": WEIGHT,
        },
        [line.replace("'int32'", "'int16'") for line in ROWS] + ["g = R.multiply(e, s)", D, "y = R.matmul(g, d)"],
    ),
    "zero_of_300_in_a_pad": zero_of_pad(300),
    "zero_below_0_in_a_pad": zero_of_pad(-5),
    "zero_of_300": (
        {"v": u8(4, 16), "w": WEIGHT},
        [
            f"n = {dequantized('v', number(0.5), number(128, 'uint8'))}",
            D,
            "p = R.matmul(n, d)",
            f"y = R.quantize(p, {number(20.0)}, {number(300, 'int32')}, out_dtype='uint8')",
        ],
    ),
    "zero_of_200_of_int8": (
        {"x": f4(4, 16), "w": WEIGHT},
        [
            f"q = R.quantize(x, {number(0.01)}, {number(200, 'int32')}, out_dtype='int8')",
            f"n = {dequantized('q', number(0.01), number(200, 'int32'))}",
            D,
            "y = R.matmul(n, d)",
        ],
    ),
    "zero_between_bytes": (
        {"x": f4(4, 16)},
        [
            f"q = R.quantize(x, {number(0.1)}, {number(0.5)}, out_dtype='int8')",
            f"y = {dequantized('q', number(1.0), number(0, 'int8'))}",
        ],
    ),
    "pool_of_padding": (
        {"v": u8(1, 16, 1, 1), "k": i8(8, 16, 1, 1)},
        [
            f"n = {dequantized('v', number(0.5), number(3, 'uint8'))}",
            "p = R.nn.max_pool2d(n, pool_size=(2, 2), strides=(1, 1), dilation=(2, 2), padding=(1, 1, 1, 1))",
            DK,
            "y = R.nn.conv2d(p, d)",
        ],
    ),
    "zeros_along_another_axis": (
        {"v": u8(16, 16), "z": u8(16)},
        [
            f"n = {dequantized('v', number(0.5), 'z', axis='0')}",
            f"y = R.quantize(n, {number(0.5)}, z, axis=1, out_dtype='uint8')",
        ],
    ),
    "tiny_scale_and_bias": (
        {"v": u8(4, 16), "w": WEIGHT * (np.arange(8) != 3), "s": scales(1e-38), "b": f4(8)},
        BIASED,
    ),
    "no_scale_and_large_bias": (
        {"v": u8(4, 16), "w": WEIGHT * (np.arange(8) != 3), "s": scales(0), "b": np.full(8, -1e9, "float32")},
        BIASED,
    ),
    "blocks_of_channels": (
        {"v": u8(1, 4, 6, 6, 4), "k": i8(8, 16, 3, 3)},
        [
            f"n = {dequantized('v', number(0.5), number(3, 'uint8'))}",
            DK,
            "y = R.nn.conv2d(n, d, padding=1, data_layout='NCHW4c', kernel_layout='OIHW', out_layout='NCHW')",
        ],
    ),
    "zero_of_a_narrow_weight": (
        {"x": f4(4, 64), "w": u8(64, 128)},
        [f"d = {dequantized('w', number(0.1), number(100.7))}", "y = R.matmul(x, d)"],
    ),
    "tables_of_constants": ({"x": f4(3)}, [*gelu_of_bytes(0), *gelu_of_bytes(1), "y = (q0, q1, x)"]),
}
WEIGHTS = {"w", "k", "s", "b"}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES)
def test_equals_the_evaluator(case: str, target: str) -> None:
    arrays, lines = CASES[case]
    names = list(arrays)
    inputs = next((i for i, name in enumerate(names) if set(names[i:]) <= WEIGHTS), len(names))
    module = module_of([tensor(name, x) for name, x in arrays.items()], lines, inputs=inputs)
    weights = {name: arrays[name] for name in names[inputs:]}
    got = sunmao.compile(module, target=target, weights=weights or None)(*(arrays[name] for name in names[:inputs]))
    want = sunmao.evaluate(module, *arrays.values())
    for g, w in zip(*(v if isinstance(v, tuple | list) else [v] for v in (got, want)), strict=True):
        g, w = np.asarray(g), np.asarray(w)
        if g.dtype.kind in "iu":
            np.testing.assert_array_equal(g, w)
        else:
            np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-5 * np.abs(w[np.isfinite(w)]).max(initial=0))


# Groups, channels into and out of each, the size of a window, and the zero points of weights with which floats that are
# no whole numbers are added.
GROUPS: list[tuple[int, int, int, int, tuple[int, ...]]] = [
    *((3, 2, 4, 3, ()), (2, 6, 8, 3, ()), (4, 19, 5, 3, ()), (5, 1, 3, 3, ()), (4, 4, 8, 3, ())),
    *((2, 8, 9, 3, (90,)), (2, 6, 12, 3, (128, 90)), (2, 8, 4, 7, (90,))),
]


@pytest.mark.parametrize(("groups", "into", "out", "size", "rounded"), GROUPS)
def test_groups_of_bytes(groups: int, into: int, out: int, size: int, rounded: tuple[int, ...]) -> None:
    """All instruction sets give the same bytes unless sums round, and those of the evaluator but for a few steps."""
    random = np.random.default_rng(groups * into * out)
    for point in (128, 90):
        lines = [
            f"n = {dequantized('v', number(0.02), number(3, 'uint8'))}",
            f"d = {dequantized('k', number(0.005), number(point, 'uint8'))}",
            f"p = R.nn.conv2d(n, d, padding={size // 2}, groups={groups})",
            f"y = R.quantize(p, {number(0.11)}, {number(120, 'uint8')}, out_dtype='uint8')",
        ]
        v = random.integers(0, 256, (2, groups * into, 9, 8)).astype("uint8")
        k = random.integers(0, 256, (groups * out, into, size, size)).astype("uint8")
        module = module_of([tensor("v", v), tensor("k", k)], lines, inputs=1)
        given = [np.asarray(sunmao.compile(module, target=target, weights={"k": k})(v)) for target in TARGETS]
        want = np.asarray(sunmao.evaluate(module, v, k))
        for of_target in given:
            if point not in rounded:
                np.testing.assert_array_equal(of_target, given[0])
            steps = np.abs(of_target.astype(int) - want)
            assert steps.max() <= 1
            assert np.count_nonzero(steps) <= max(1, steps.size // 1000)


POOL = "pool_size=(3, 3), padding=(1, 1, 1, 1)"
BETWEEN_BYTES = {
    "mean": "R.mean(n, axis=[2, 3], keepdims=True)",
    "mean_of_all": "R.mean(n)",
    "mean_of_rows": "R.mean(n, axis=[-1])",
    "global_pool": "R.nn.adaptive_avg_pool2d(n, output_size=[1, 1])",
    "pool": "R.nn.avg_pool2d(n, pool_size=(2, 3), strides=(2, 1))",
    "pool_with_padding": f"R.nn.avg_pool2d(n, {POOL}, count_include_pad=True)",
    "pool_beside_padding": f"R.nn.avg_pool2d(n, {POOL}, count_include_pad=False)",
    "pool_of_part_windows": "R.nn.avg_pool2d(n, pool_size=(3, 3), strides=(2, 2), ceil_mode=True)",
    "pool_with_holes": "R.nn.avg_pool2d(n, pool_size=(3, 3), dilation=(2, 2))",
    "highest": f"R.nn.max_pool2d(n, {POOL})",
    "zeros_around": "R.nn.pad(n, pad_width=[0, 0, 0, 0, 1, 2, 3, 0])",
    "others_around": "R.nn.pad(n, pad_width=[0, 0, 0, 0, 1, 2, 3, 0], pad_value=0.7)",
    "mirrored": "R.nn.pad(n, pad_width=[0, 0, 0, 0, 1, 2, 3, 0], pad_mode='reflect')",
}


@pytest.mark.parametrize("values", [u8, i8])
@pytest.mark.parametrize("name", BETWEEN_BYTES)
def test_between_bytes(name: str, values: Any) -> None:
    """All instruction sets give the bytes of the evaluator but for a few steps: groups that fill no step add floats."""
    v = values(2, 12, 9, 10)
    of_means = "mean" in BETWEEN_BYTES[name] or "avg" in BETWEEN_BYTES[name]
    for before, after in ((0.02, 0.0237 if of_means else 0.02), (0.02, 0.0137), (-0.02, 0.0237)):  # means have ties
        lines = [
            f"n = {dequantized('v', number(before), number(3, v.dtype))}",
            f"p = {BETWEEN_BYTES[name]}",
            f"y = R.quantize(p, {number(after)}, {number(3, v.dtype)}, out_dtype='{v.dtype}')",
        ]
        module = module_of([tensor("v", v)], lines, inputs=1)
        given = [np.asarray(sunmao.compile(module, target=target)(v)) for target in TARGETS]
        for other in given[1:]:
            np.testing.assert_array_equal(other, given[0])
        steps = np.abs(given[0].astype(int) - np.asarray(sunmao.evaluate(module, v)))
        assert steps.max() <= 1
        assert np.count_nonzero(steps) <= max(1, steps.size // 1000)


@pytest.mark.parametrize("target", TARGETS)
def test_attention_of_any_length(target: str) -> None:
    """Bytes are those of the evaluator, whatever the length, and whether it is known."""
    lines = [
        f"a = {dequantized('p', number(0.004), number(5, 'uint8'))}",
        f"c = {dequantized('v', number(0.02), number(130, 'uint8'))}",
        "m = R.matmul(a, c)",
        f"y = R.quantize(m, {number(0.7)}, {number(120, 'uint8')}, out_dtype='uint8')",
    ]
    params = ['p: R.Tensor((1, 3, "n", "n"), "uint8")', 'v: R.Tensor((1, 3, "n", 24), "uint8")']
    model = sunmao.compile(module_of(params, lines), target=target)
    for n in (0, 1, 3, 16, 17, 30, 63):
        p, v = u8(1, 3, n, n), u8(1, 3, n, 24)
        module = module_of([tensor("p", p), tensor("v", v)], lines)
        got = np.asarray(model(p, v))
        np.testing.assert_array_equal(got, np.asarray(sunmao.compile(module, target=target)(p, v)))
        steps = np.abs(got.astype(int) - np.asarray(sunmao.evaluate(module, p, v)))
        assert steps.max(initial=0) <= 1
        assert np.count_nonzero(steps) <= max(1, steps.size // 1000)


def test_what_is_read_as_floats_too_is_quantised_alike() -> None:
    first = dequantized("a", number(0.11), number(3, "uint8"))
    second = dequantized("b", number(0.07), number(9, "uint8"))
    lines = [f"m = {first}", f"n = {second}", "s = R.add(m, n)"]
    lines += [f"q = R.quantize(s, {number(0.2)}, {number(0, 'uint8')}, out_dtype='uint8')", "y = (q, s)"]
    a, b = u8(512, 512), u8(512, 512)
    module = module_of([tensor("a", a), tensor("b", b)], lines)
    results = [np.asarray(sunmao.compile(module, target=target)(a, b)[0]) for target in TARGETS]
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


def test_joined_parts_do_not_double() -> None:
    lines = [f"n0 = {dequantized('v', number(0.5), number(3, 'uint8'))}"]
    for i in range(30):
        lines += [
            f"a{i} = R.strided_slice(n{i}, axes=(1,), begin=(4,), end=(16,))",
            f"b{i} = R.strided_slice(n{i}, axes=(1,), begin=(0,), end=(4,))",
            f"n{i + 1} = R.concat((a{i}, b{i}), axis=1)",
        ]
    module = module_of([tensor("v", u8(4, 16)), tensor("w", WEIGHT)], [*lines, D, "y = R.matmul(n30, d)"], inputs=1)
    passed = str(sunmao.run_pass(sunmao.run_pass(module, "normalize"), "compute-in-integers"))
    assert passed.count("R.concat(") == 30
