"""Ops that the virtual machine runs as they are: assertions, and what only a run knows of a tensor."""

import numpy as np
import pytest
import sunmao
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


@I.ir_module
class Descriptors:
    @R.function
    def main(x: R.Tensor):
        code = R.inspect.tensor_dtype_code(x)
        bits = R.inspect.tensor_dtype_bits(x)
        lanes = R.inspect.tensor_dtype_lanes(x)
        return (code, bits, lanes)

    @R.function
    def offsets(x: R.Tensor((2, 2), "float32")):
        half = R.memory.view(x, R.shape([2]), R.dtype("float32"), R.prim_value(8))
        a = R.inspect.tensor_byte_offset(x)
        b = R.inspect.tensor_elem_offset(x)
        c = R.inspect.tensor_byte_offset(half)
        return (a, b, c)


@pytest.mark.parametrize(
    ("name", "expected"), [("bfloat", [4, 16, 1]), ("float32x4", [2, 32, 4]), ("float8_e4m3fn", [10, 8, 1])]
)
def test_elements_of_every_dtype_say_what_they_are(name: str, expected: list[int]) -> None:
    assert list(machine(Descriptors)["main"](tvm.runtime.empty([3], name))) == expected
    dtype = tvm.runtime.DataType(name)
    assert [dtype.type_code, dtype.bits, dtype.lanes] == expected


def test_a_view_begins_where_it_says() -> None:
    whole = tvm.runtime.empty([4, 4], "float32")
    view = whole._create_view([2, 2], "float32", relative_byte_offset=16)
    assert list(machine(Descriptors)["offsets"](whole._create_view([2, 2]))) == [0, 0, 8]
    assert list(machine(Descriptors)["offsets"](view)) == [16, 4, 24]
    view.copyfrom(np.full((2, 2), 5, "float32"))
    np.testing.assert_array_equal(whole.numpy()[1], [5] * 4)
    inner = whole._create_view([8], "int32", 16)._create_view([2, 2], "float32", 8)
    assert machine(Descriptors)["offsets"](inner)[0] == 24
    for shape, offset in (((5, 4), 0), ((4, 4), 4), ((1,), -4), ((2**62, 2**62), 0)):
        with pytest.raises(sunmao.Error, match="E0034.*does not lie within 64 bytes"):
            whole._create_view(shape, "float32", offset)


def test_there_is_no_tensor_of_a_negative_size() -> None:
    with pytest.raises(sunmao.Error, match="E0034.*no tensor of shape"):
        tvm.runtime.empty([2, -1])


def test_arrays_of_others_are_taken_as_they_are_asked_for() -> None:
    turned = X.T
    assert tvm.runtime.from_dlpack(turned, require_alignment=4).shape == (3, 2)
    with pytest.raises(sunmao.Error, match="E0034.*not contiguous"):
        tvm.runtime.from_dlpack(turned, require_contiguous=True)
    with pytest.raises(sunmao.Error, match="E0034.*no multiple of"):
        tvm.runtime.from_dlpack(X, require_alignment=2**40)


@I.ir_module
class CallsPython:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        y = R.call_py_func(R.str("test.halved"), (x,), out_ty=R.Tensor((2, 3), "float32"))
        return y


def test_a_function_of_python_is_called_while_it_is_registered() -> None:
    register, clear, get = (
        tvm.get_global_func(f"vm.builtin.{name}")
        for name in ("register_py_func", "clear_py_func_registry", "get_py_func")
    )
    register("test.halved", lambda x: tvm.runtime.tensor(x.numpy()))
    register("test.halved", lambda x: tvm.runtime.tensor(x.numpy() / 2))
    assert get("test.halved") is tvm.get_global_func("test.halved")
    np.testing.assert_array_equal(machine(CallsPython)["main"](tvm.runtime.tensor(X)).numpy(), X / 2)
    with pytest.raises(sunmao.Error, match="E0032.*a second function"):
        register("vm.builtin.register_py_func", lambda: None)
    clear()
    with pytest.raises(sunmao.Error, match="E0509.*test.halved"):
        machine(CallsPython)["main"](tvm.runtime.tensor(X))
    with pytest.raises(sunmao.Error, match="E0034.*no Python function"):
        get("test.halved")
