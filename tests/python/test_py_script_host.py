"""What scripts take from the Python around them: functions on their variables, and devices."""

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
