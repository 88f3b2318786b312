"""Compilation terminates quickly for programs that once kept the code generator busy endlessly."""

import sunmao
from sunmao import _sunmao

ARGMAX = """
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((3, 5, 4, "n"), "uint4")):
        n = T.int64()
        y = R.argmax(x)
        return y
"""


def test_masks_of_wide_vectors() -> None:
    module = sunmao.parse_module(ARGMAX)
    for _ in range(2):  # linking resets options of the code generator
        # Not loaded: the machine of the test may lack what the target has.
        assert _sunmao.compile(module, {}, ["x86-64-v4"], {}, True, 3) is not None
