"""Calls of ops that have a counterpart in ONNX: drawn samples, and modules where samples rarely have the form."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from one_function import module_of
from op_samples import sample
from sunmao import _sunmao

ROWS: dict[str, str] = dict(_sunmao.onnx_writer_rows())
DTYPES = ("float32", "float16", "bfloat16", "float64", "int8", "int32", "int64", "uint8", "uint32", "bool")
TRIES = 40  # samples of an op that are drawn


@dataclass
class Written:
    """A module and its ONNX file."""

    label: str
    module: _sunmao.Module
    inputs: list[Any]
    data: bytes


def floats(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(5).standard_normal(shape).astype("float32")


# By op: lines of a function of x: (n, 6) or of the shape of the array, whose result is y.
FORMS: dict[str, list[tuple[list[str], np.ndarray[Any, Any]]]] = {
    "shape_of": [
        (["s = R.shape_of(x)", "y = R.shape_to_tensor(s)"], floats(3, 6)),
        (["z = R.permute_dims(x)", "s = R.shape_of(z)", "y = R.reshape(x, s)"], floats(3, 6)),
    ],
    "shape_to_tensor": [(["y = R.shape_to_tensor(R.shape([n, 6, n + 2]))"], floats(3, 6))],
    "reshape": [
        (["y = R.reshape(x, R.shape([2, n, 3]))"], floats(3, 6)),
        (["y = R.reshape(x, R.shape([n * 6]))"], floats(0, 6)),
        (["y = R.reshape(x, R.shape([6 * n + 1 - 1]))"], floats(3, 6)),
    ],
    "broadcast_to": [(["y = R.broadcast_to(x, R.shape([4, n, 6]))"], floats(3, 6))],
    "zeros": [(['z = R.zeros(R.shape([n, 6]), "float32")', "y = R.add(x, z)"], floats(2, 6))],
    "arange": [(["y = R.arange(R.prim_value(0), R.prim_value(n), R.prim_value(1))"], floats(4, 6))],
    "split": [
        (["a = R.split(x, 3, axis=1)", "b = a[0]", "c = a[2]", "y = R.add(b, c)"], floats(4, 6)),
        (["y = R.split(x, [1, 5], axis=-1)"], floats(4, 6)),
    ],
    "nn.batch_norm": [
        (
            [
                'c = R.const([1, 2, 3, 0.5, 1.5, 2.5], "float32")',
                "y = R.nn.batch_norm(x, c, c, c, c, axis=1, epsilon=0.01, training=False)",
            ],
            floats(4, 6),
        )
    ],
    "nn.layer_norm": [
        (
            [
                'g = R.const([1, 2, 3, 0.5, 1.5, 2.5], "float32")',
                "y = R.nn.layer_norm(x, g, g, axes=[-1], epsilon=0.01)",
            ],
            floats(4, 6),
        ),
        (
            [
                'g = R.const([1, 2, 3, 0.5, 1.5, 2.5], "float32")',
                "y = R.nn.layer_norm(x, g, g, axes=[-1], center=False)",
            ],
            floats(4, 6),
        ),
    ],
    "nn.rms_norm": [
        (
            ['g = R.const([1, 2, 3, 0.5, 1.5, 2.5], "float32")', "y = R.nn.rms_norm(x, g, axes=[-1], epsilon=0.01)"],
            floats(4, 6),
        )
    ],
    "nn.group_norm": [
        (
            [
                'g = R.const([1, 2, 3, 0.5, 1.5, 2.5], "float32")',
                "z = R.expand_dims(x, axis=[2])",
                "y = R.nn.group_norm(z, g, g, num_groups=3, channel_axis=1, axes=[2])",
            ],
            floats(4, 6),
        )
    ],
    "nn.instance_norm": [
        (
            [
                "z = R.reshape(x, R.shape([2, 3, n]))",
                'g = R.const([1, 2, 3], "float32")',
                "y = R.nn.instance_norm(z, g, g, channel_axis=1, axes=[2])",
            ],
            floats(6, 6),
        )
    ],
    "nn.adaptive_avg_pool1d": [
        (["z = R.expand_dims(x, axis=[0])", "y = R.nn.adaptive_avg_pool1d(z, output_size=[3])"], floats(4, 6)),
        (["z = R.expand_dims(x, axis=[0])", "y = R.nn.adaptive_avg_pool1d(z, output_size=[1])"], floats(4, 6)),
    ],
    "nn.adaptive_avg_pool3d": [
        (
            [
                "z = R.reshape(x, R.shape([1, 1, 4, 2, 3]))",
                f"y = R.nn.adaptive_avg_pool3d(z, output_size=[{sizes}])",
            ],
            floats(4, 6),
        )
        for sizes in ("2, 1, 3", "1, 1, 1")
    ],
    "dynamic_strided_slice": [
        (
            [
                'b = R.const([0, -4], "int64")',
                'e = R.const([9, 9], "int64")',
                'y = R.dynamic_strided_slice(x, b, e, R.const([1, 2], "int64"))',
            ],
            floats(4, 6),
        )
    ],
    "nn.max_pool3d": [
        (
            ["z = R.reshape(x, R.shape([1, 1, 2, 2, 6]))", "y = R.nn.max_pool3d(z, pool_size=[1, 2, 2], strides=2)"],
            floats(4, 6),
        )
    ],
    "nn.softplus": [(["y = R.nn.softplus(x)"], floats(4, 6))],
    "take": [(['y = R.take(x, R.const([2, -1, 0], "int64"), axis=1)'], floats(4, 6))],
    "reverse_sequence": [
        (['y = R.reverse_sequence(x, R.const([3, 1, 2, 0], "int64"), seq_axis=1, batch_axis=0)'], floats(4, 6))
    ],
}


def formed(op: str) -> Iterator[tuple[str, _sunmao.Module, list[Any]]]:
    for lines, x in FORMS.get(op, []):
        symbolic = any(word in line for line in lines for word in ("n]", "n,", "n *", "* n", "(n)"))
        first = '"n"' if symbolic else str(x.shape[0])
        module = module_of([f'x: R.Tensor(({first}, 6), "float32")'], lines, ["n"] if symbolic else [])
        yield "; ".join(lines), module, [x]


def drawn(op: str, seeds: int, dtypes: tuple[str, ...]) -> Iterator[tuple[str, _sunmao.Module, list[Any]]]:
    if op not in _sunmao.sampled_ops():
        return
    for dtype in dtypes:
        for seed in range(seeds):
            try:
                s = sample(op, seed, dtype, every_kind=True)
            except Exception as error:  # inference may reject the call in this dtype
                if "error[E" not in str(error):
                    raise
                continue
            yield f"seed {seed} in {dtype}: {s.call}", s.module, s.inputs


def written(op: str, seeds: int, dtypes: tuple[str, ...] = DTYPES) -> tuple[list[Written], set[str]]:
    """Returns what has a form in ONNX, and why the rest has none."""
    out, obstacles = [], set()
    for label, module, inputs in [*formed(op), *drawn(op, seeds, dtypes)]:
        data, obstacle = _sunmao.write_onnx(module, {})
        if obstacle:
            obstacles.add(obstacle)
        else:
            out.append(Written(label, module, inputs, data))
    return out, obstacles
