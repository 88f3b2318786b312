"""Contractions with weights, and kernels of loops, compared with the evaluator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sunmao
from one_function import module_of

LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
HOST = sunmao.compile(module_of(['x: R.Tensor((1,), "float32")'], ["y = R.negative(x)"])).isa
TARGETS = [t for t in LEVELS if t <= HOST]
WITH_HALVES = [t for t in TARGETS if t > "x86-64-v2"]  # which lacks the instructions for float16
BF16 = "llvm -mcpu=x86-64-v4 -mattr=+avx512bf16"


def has_bf16() -> bool:
    with open("/proc/cpuinfo") as file:
        return "avx512_bf16" in file.read() and HOST == "x86-64-v4"


PAIR_TARGETS = [*TARGETS, BF16] if has_bf16() else TARGETS


def check(shapes: dict[str, Sequence[int]], call: str, dtype: str = "float32", **options: Any) -> None:
    """Compiles a call whose first tensor is the input and whose others are weights."""
    random = np.random.default_rng(sum(sum(s) for s in shapes.values()))
    arrays = {name: random.standard_normal(s).astype(dtype) for name, s in shapes.items()}
    params = [f'{name}: R.Tensor({tuple(s)}, "{dtype}")' for name, s in shapes.items()]
    module = module_of(params, [f"y = {call}"], inputs=1)
    names = list(arrays)
    model = sunmao.compile(module, weights={name: arrays[name] for name in names[1:]}, **options)
    want = np.asarray(sunmao.evaluate(module, *arrays.values()))
    np.testing.assert_allclose(np.asarray(model(arrays[names[0]])), want, rtol=2e-4, atol=2e-4)


KERNEL = """
from tvm.script import ir as I, relax as R, tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def kernel(A: T.Buffer({a}, "float32"), B: T.Buffer({b}, "float32"), C: T.Buffer({c}, "float32")):
        for {loops}:
            with T.sblock("sum"):
                {remap}
                with T.init():
                    C[{at}] = T.float32(0)
                C[{at}] = C[{at}] + {value}

    @R.function
    def main(x: R.Tensor({a}, "float32"), w: R.Tensor({b}, "float32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.kernel, (x, w), out_ty=R.Tensor({c}, "float32"))
            R.output(y)
        return y
"""


def check_kernel(target: str, **parts: Any) -> None:
    module, random = sunmao.parse_module(KERNEL.format(**parts)), np.random.default_rng(1)
    arrays = [random.standard_normal(parts[name]).astype("f4") for name in ("a", "b")]
    got = sunmao.compile(module, target=target)(*arrays)
    np.testing.assert_allclose(got, np.asarray(sunmao.evaluate(module, *arrays)), rtol=1e-4, atol=1e-4)
