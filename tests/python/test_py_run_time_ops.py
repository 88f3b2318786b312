"""Ops that the virtual machine runs as they are: assertions, and what only a run knows of a tensor."""

import numpy as np
import pytest
import sunmao.compat as tvm
from sunmao.compat import relax
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T

X = np.array([[3, 1, 2], [6, 4, 5]], "float32")


def machine(module: tvm.IRModule) -> relax.VirtualMachine:
    return relax.VirtualMachine(tvm.compile(module), tvm.cpu())


@I.ir_module
class Asserts:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        _ = R.assert_op(R.prim_value(n % 2 == 0), R.prim_value(n), format="{} is odd")
        return x


def test_an_assertion_that_does_not_hold_is_an_assertion_error() -> None:
    assert machine(Asserts)["main"](tvm.runtime.tensor(X[0, :2])).shape == (2,)
    with pytest.raises(AssertionError, match=r"error\[E0545\]: Assertion Failed: 3 is odd"):
        machine(Asserts)["main"](tvm.runtime.tensor(X[0]))


@I.ir_module
class Shapes:
    @R.function
    def main(x: R.Tensor) -> R.Tensor(ndim=1, dtype="int64"):
        shape = R.shape_of(x)
        sizes = R.shape_to_tensor(shape)
        return sizes

    @R.function
    def size(x: R.Tensor, axis: R.Prim("int64")):
        found = R.inspect.tensor_shape_i(x, axis)
        return found


def test_shapes_that_only_a_run_knows_are_read() -> None:
    found = machine(Shapes)
    np.testing.assert_array_equal(found["main"](tvm.runtime.tensor(X)).numpy(), [2, 3])
    assert found["size"](tvm.runtime.tensor(X), 1) == 3
