"""Compilation ends for programs that once kept the code generator busy endlessly, or that it ended at."""

import numpy as np
import pytest
import sunmao
from one_function import module_of
from sunmao import _sunmao
from sunmao.arrays import numpy_dtype

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


@pytest.mark.parametrize("dtype", ["int4", "uint4", "int2"])
def test_sums_along_an_axis_of_one_packed_element(dtype: str) -> None:
    module = module_of(
        [f'x: R.Tensor((1,), "{dtype}")'], ["s = R.collapse_sum_to(x, R.shape([]))", "y = R.astype(s, 'int32')"]
    )
    x = np.ones(1, numpy_dtype(dtype))
    assert np.asarray(sunmao.compile(module)(x)).tolist() == 1
