"""Kernels that copy an input first, as padded convolutions do, compute what made it while they copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sunmao
from one_function import module_of

CASES: dict[str, tuple[dict[str, tuple[Any, ...]], list[str], int]] = {
    # name: (inputs, calls, kernels)
    "joined": (
        {"a": (1, 8, 9, 16), "b": (1, 8, 9, 24)},
        ["c = R.concat([a, b], axis=3)", "y = R.nn.conv2d(c, w, padding=1, data_layout='NHWC', kernel_layout='HWIO')"],
        1,
    ),
    "normalised before": (
        {"a": (1, 8, 9, 40), "s": (40,)},
        [
            "c = R.nn.relu(R.add(R.multiply(a, s), s))",
            "y = R.nn.relu(R.nn.conv2d(c, w, padding=1, data_layout='NHWC', kernel_layout='HWIO'))",
        ],
        1,
    ),
    "read twice": (
        {"a": (1, 8, 9, 40)},
        [
            "c = R.exp(a)",
            "d = R.nn.conv2d(c, w, padding=1, data_layout='NHWC', kernel_layout='HWIO')",
            "y = R.add(d, R.sum(c, axis=[3], keepdims=True))",
        ],
        3,
    ),
    "depthwise": (
        {"a": (1, 40, 8, 9)},
        [
            "c = R.permute_dims(a, [0, 2, 3, 1])",
            "y = R.nn.conv2d(c, w, padding=1, groups=40, data_layout='NHWC', kernel_layout='HWIO')",
        ],
        2,
    ),
    "not copied": (
        {"a": (1, 8, 9, 16), "b": (1, 8, 9, 24)},
        ["c = R.concat([a, b], axis=3)", "y = R.nn.max_pool2d(c, [3, 3], padding=[1, 1], layout='NHWC')"],
        2,
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("target", ["x86-64-v3", "host"])
def test_equals_the_evaluator(name: str, target: str) -> None:
    shapes, calls, kernels = CASES[name]
    rng = np.random.default_rng(len(name))
    inputs = {n: rng.standard_normal(s).astype("float32") for n, s in shapes.items()}
    weights = (
        {"w": rng.standard_normal((3, 3, 1, 40) if "groups" in calls[-1] else (3, 3, 40, 20)).astype("float32")}
        if "w," in calls[-1] + calls[-2]
        else {}
    )
    params = [f'{n}: R.Tensor({a.shape}, "float32")' for n, a in {**inputs, **weights}.items()]
    module = module_of(params, calls, inputs=len(inputs))
    model = sunmao.compile(module, weights=weights, target=target, threads=1)
    given = list(inputs.values())
    expected = np.asarray(sunmao.evaluate(module, *given, *weights.values()))
    np.testing.assert_allclose(np.asarray(model(*given)), expected, rtol=2e-5, atol=2e-4)
    assert len(model.profile(*given, repeat=1).kernels) == kernels


PART = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def sums(A: T.Buffer((64,), "float32"), C: T.Buffer((62,), "float32")):
        P = T.sblock_alloc_buffer((64,), "float32")
        for i in range(64):
            with T.sblock("copy"):
                v = T.axis.remap("S", [i])
                P[v] = A[v]
        for i, j in T.grid(62, 3):
            with T.sblock("sum"):
                v, r = T.axis.remap("SR", [i, j])
                with T.init():
                    C[v] = T.float32(0)
                C[v] = C[v] + T.if_then_else(v < 8, P[v + r], T.float32(0))

    @R.function
    def main(x: R.Tensor((64,), "float32"), i: R.Tensor((64,), "int64")):
        cls = Module
        with R.dataflow():
            a = R.take(x, i)
            y = R.call_tir(cls.sums, (a,), out_ty=R.Tensor((62,), "float32"))
            R.output(y)
        return y
"""


def test_an_index_is_refused_where_its_element_is_not_needed() -> None:
    model = sunmao.compile(sunmao.parse_module(PART))
    i = np.arange(64)
    i[50] = 99
    with pytest.raises(sunmao.Error, match="E0919"):
        model(np.ones(64, "float32"), i)


def test_an_index_along_a_dimension_of_one_element_is_checked() -> None:
    module = module_of(
        ['t: R.Tensor((96, 1), "float32")', 'i: R.Tensor((3,), "int64")'], ["y = R.take(t, i, axis=1)"], inputs=2
    )
    model = sunmao.compile(module)
    t = np.ones((96, 1), "float32")
    assert np.asarray(model(t, np.array([0, -1, 0]))).shape == (96, 3)
    with pytest.raises(sunmao.Error, match="E0919"):
        model(t, np.array([0, 1, 0]))
