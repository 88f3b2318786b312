"""Temporaries of kernels lie in memory of the thread that runs them, which is not its stack."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import sunmao
from one_function import module_of

ROWS = 64
SIZE = 6000  # elements of each temporary: 24 KB

SOURCE = f"""
from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def rows(x: T.Buffer(({ROWS}, {SIZE}), "float32"), y: T.Buffer(({ROWS}, {SIZE}), "float32")):
        with T.sblock("root"):
            whole = T.sblock_alloc_buffer(({SIZE},), "float32")
            for k in range({SIZE}):
                with T.sblock("whole"):
                    vk = T.axis.spatial({SIZE}, k)
                    whole[vk] = T.exp(x[0, vk])
            for i in T.parallel({ROWS}):
                with T.sblock("row"):
                    vi = T.axis.spatial({ROWS}, i)
                    own = T.sblock_alloc_buffer(({SIZE},), "float32")
                    more = T.sblock_alloc_buffer(({SIZE},), "float32")
                    for k in range({SIZE}):
                        with T.sblock("own"):
                            vk = T.axis.spatial({SIZE}, k)
                            own[vk] = x[vi, vk] * x[vi, {SIZE - 1} - vk]
                    for k in range({SIZE}):
                        with T.sblock("more"):
                            vk = T.axis.spatial({SIZE}, k)
                            more[vk] = own[{SIZE - 1} - vk] - x[vi, vk]
                    for k in range({SIZE}):
                        with T.sblock("out"):
                            vk = T.axis.spatial({SIZE}, k)
                            y[vi, vk] = whole[vk] + own[vk] * more[{SIZE - 1} - vk]

    @R.function
    def main(x: R.Tensor(({ROWS}, {SIZE}), "float32")) -> R.Tensor(({ROWS}, {SIZE}), "float32"):
        with R.dataflow():
            y = R.call_tir(Module.rows, (x,), out_sinfo=R.Tensor(({ROWS}, {SIZE}), "float32"))
            R.output(y)
        return y
"""


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_temporaries_of_kernels_and_of_their_tasks_are_apart(threads: int) -> None:
    x = np.random.default_rng(0).standard_normal((ROWS, SIZE)).astype("f4")
    got = sunmao.compile(sunmao.script.from_source(SOURCE), threads=threads)(x)
    own = x * x[:, ::-1]
    more = own[:, ::-1] - x
    np.testing.assert_allclose(np.asarray(got), np.exp(x[0]) + own * more[:, ::-1], rtol=1e-5, atol=1e-5)


def on_small_stack(function: Any) -> Any:
    """Returns what the function gives on a thread with a stack of 128 KiB."""
    out: list[Any] = []
    before = threading.stack_size(128 << 10)
    try:
        thread = threading.Thread(target=lambda: out.append(function()))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    return out[0]


@pytest.mark.parametrize("call", ["R.matmul(x, x)", "R.nn.conv2d(R.reshape(x, [1, 1024, 32, 32]), w, padding=1)"])
def test_callers_need_no_large_stack(call: str) -> None:
    params = ['x: R.Tensor((1024, 1024), "float32")', 'w: R.Tensor((64, 1024, 3, 3), "float32")']
    model = sunmao.compile(module_of(params, [f"y = {call}"]), threads=1)
    x = np.random.default_rng(1).standard_normal((1024, 1024)).astype("f4")
    w = np.random.default_rng(2).standard_normal((64, 1024, 3, 3)).astype("f4")
    np.testing.assert_array_equal(on_small_stack(lambda: np.asarray(model(x, w))), np.asarray(model(x, w)))
