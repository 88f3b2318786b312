"""What scripts take from the Python around them: functions on their variables, and devices."""

from typing import Any

import numpy as np
import pytest
import sunmao.compat as tvm
from sunmao.compat import relax
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.errors import ScriptError


def scaled(x: relax.Expr, factor: float) -> relax.Expr:
    return relax.op.multiply(x, relax.const(factor))


def test_a_function_of_python_receives_variables() -> None:
    @R.function(private=True)
    def func(x: R.Tensor((4,), "float32")):
        y = R.add(x, x)
        z = scaled(y, 0.5)
        return z

    @R.function(private=True)
    def expected(x: R.Tensor((4,), "float32")):
        y = R.add(x, x)
        z = R.multiply(y, R.const(0.5, "float32"))
        return z

    tvm.ir.assert_structural_equal(func, expected)


def test_a_function_of_python_that_fails_says_where() -> None:
    with pytest.raises(ScriptError, match="E0036.*scaled"):

        @R.function
        def func(x: R.Tensor((4,), "float32")):
            y = scaled(x)
            return y


ROWS = np.arange(6).reshape(2, 3) / 3


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (ROWS, "float32"),
        (ROWS.astype("float16"), "float64"),
        (ROWS, "bfloat16"),
        (np.arange(3), "int32"),
        (np.arange(3, dtype="uint8"), "float16"),
        (np.array([True, False]), "float32"),
        (np.zeros((0, 2)), "float32"),
    ],
)
def test_an_array_of_python_becomes_a_constant_of_the_dtype(array: Any, dtype: str) -> None:
    @R.function
    def func(x: R.Tensor((2,), "float32")):
        y = R.const(array, dtype)
        return y

    constant = relax.const(array, dtype)
    tvm.ir.assert_structural_equal(func.body.blocks[0].bindings[0].value, constant)


@pytest.mark.parametrize(
    ("array", "dtype"),
    [(ROWS, "int32"), (np.array([300]), "int8"), (np.array([2**63], "uint64"), "int64"), (ROWS, "bool")],
)
def test_an_array_without_values_of_the_dtype_is_refused(array: Any, dtype: str) -> None:
    with pytest.raises(ScriptError, match="E0110.*`array` is of type"):

        @R.function
        def func(x: R.Tensor((2,), "float32")):
            y = R.const(array, dtype)
            return y


def test_a_device_has_a_name() -> None:
    @I.ir_module
    class Module:
        I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0)]})

        @R.function
        def main(x: R.Tensor((4,), "float32")):
            there = tvm.ir.VDevice("cuda", 0, "global")
            y = R.to_vdevice(x, there)
            return y

    assert Module["main"].ret_ty.vdevice.target == "cuda"
