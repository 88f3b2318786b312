"""Programs of instructions on registers: what ExecBuilder makes, what a machine runs, and what is refused."""

from typing import Any

import numpy as np
import pytest
import sunmao
import sunmao.compat.relax.testing.vm  # registers test.vm.…
from sunmao.compat import relax, runtime
from sunmao.compat.runtime import ShapeTuple
from sunmao.compat.script import from_source

HEAD = "from tvm.script import ir as I, relax as R, tirx as T\n"


def tensor(*values: float) -> runtime.Tensor:
    return runtime.tensor(np.array(values, "float32"))


def machine(builder: relax.ExecBuilder) -> relax.VirtualMachine:
    return relax.VirtualMachine(builder.get(), runtime.cpu())


def lowered(text: str) -> relax.VMExecutable:
    builder = relax.ExecBuilder()
    rest = relax.vm_build._vmcodegen(builder, from_source(HEAD + text))
    return relax.vm_build._vmlink(builder, "llvm", rest)


def test_calls_read_and_define_registers() -> None:
    b = relax.ExecBuilder()
    with b.function("main", num_inputs=2):
        b.emit_call("test.vm.add", args=[b.r(0), b.r(1)], dst=b.r(7))
        b.emit_call("test.vm.mul", args=[b.r(7), b.r(7)], dst=b.r(3))
        b.emit_ret(b.r(3))
    vm = machine(b)
    assert vm["main"](tensor(1, 2), tensor(3, 4)).numpy().tolist() == [16, 36]
    with pytest.raises(sunmao.Error, match=r"E0037.*1 arguments given, expected 2"):
        vm["main"](tensor(1))


def test_a_copy_is_another_name() -> None:
    b = relax.ExecBuilder()
    with b.function("main", num_inputs=1):
        b.emit_call("vm.builtin.copy", args=[b.r(0)], dst=b.r(1))
        b.emit_ret(b.r(1))
    x = tensor(1, 2)
    assert machine(b)["main"](x) is x


def test_registers_are_numbered_in_the_order_of_their_definition() -> None:
    texts = []
    for first, second in ((50, 9), (1, 2)):
        b = relax.ExecBuilder()
        with b.function("main", num_inputs=1):
            b.emit_call("f", args=[b.r(0), b.imm(-3)], dst=b.r(first))
            b.emit_call("g", args=[b.r(first)], dst=b.r(second))
            b.emit_ret(b.r(second))
        texts.append(b.get().as_text())
    assert texts[0] == texts[1]
    assert texts[0].splitlines()[0] == "@main(x0):"
    assert "%0, i-3" in texts[0]
    assert b.get().as_python().count("emit_call") == 2
    assert "3 names: [main, f, g]" in b.get().stats()


def test_a_loop_jumps_back_while_its_condition_holds() -> None:
    b = relax.ExecBuilder()
    with b.function("main", num_inputs=1):
        b.emit_call("test.vm.add_scalar", args=[b.r(0), b.imm(0)], dst=b.r(1))
        b.emit_call("test.vm.add_scalar", args=[b.imm(0), b.imm(0)], dst=b.r(2))
        b.emit_if(b.r(1), 4)
        b.emit_call("test.vm.add_scalar", args=[b.r(2), b.r(1)], dst=b.r(2))
        b.emit_call("test.vm.add_scalar", args=[b.r(1), b.imm(-1)], dst=b.r(1))
        b.emit_goto(-3)
        b.emit_ret(b.r(2))
    assert machine(b)["main"](4) == 10


def test_closures_take_bound_arguments_last() -> None:
    b = relax.ExecBuilder()
    with b.function("minus", num_inputs=2):
        b.emit_call("test.vm.add_scalar", args=[b.r(0), b.r(1)], dst=b.r(2))
        b.emit_call("vm.builtin.make_tuple", args=[b.r(0), b.r(2)], dst=b.r(3))
        b.emit_ret(b.r(3))
    with b.function("main", num_inputs=1):
        b.emit_call("vm.builtin.make_closure", args=[b.f("minus"), b.r(0)], dst=b.r(1))
        b.emit_ret(b.r(1))
    vm = machine(b)
    assert vm.invoke_closure(vm["main"](10), 1) == [1, 11]
    other = machine(b)
    with pytest.raises(sunmao.Error, match=r"E0507.*another virtual machine"):
        other.invoke_closure(vm["main"](10), 1)


def test_equal_constants_are_one() -> None:
    b = relax.ExecBuilder()
    with b.function("main"):
        assert b.convert_constant("a") == b.convert_constant("a") != b.convert_constant("b")
        assert b.convert_constant(ShapeTuple((1, 2))) == b.convert_constant(ShapeTuple((1, 2)))
        assert b.convert_constant(tensor(1, 2)) == b.convert_constant(tensor(1, 2)) != b.convert_constant(tensor(1, 3))
        b.emit_call("vm.builtin.shape_of", args=[tensor(1, 2)], dst=b.r(0))
        b.emit_ret(b.r(0))
    assert machine(b)["main"]() == (2,)


def test_devices_pass_through_programs() -> None:
    b = relax.ExecBuilder()
    with b.function("main", num_inputs=1):
        b.emit_call("test.vm.get_device_id", args=[b.r(0)], dst=b.r(1))
        b.emit_ret(b.r(1))
    assert machine(b)["main"](runtime.cpu(3)) == 3


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda b: b.emit_ret(b.r(2)), "register 2 is read, and no instruction defines it"),
        (lambda b: b.emit_call("f", args=[], dst=b.r(0)), "does not end with a return"),
        (lambda b: (b.emit_goto(5), b.emit_ret(b.r(0))), "jumps by 5, out of 2 instructions"),
        (lambda b: (b.emit_call("f", args=[b.c(3)]), b.emit_ret(b.r(0))), "there is no constant 3"),
        (lambda b: b.emit_call("f", args=[b.f("g")]), "there is no function `g`"),
        (lambda b: b.function("inner"), "begins inside another function"),
        (
            lambda b: (b.emit_call("f", args=[b.r(5)]), b.emit_call("f", args=[], dst=b.r(5)), b.emit_ret(b.r(0))),
            "register 1 is read before it is defined",
        ),
    ],
)
def test_programs_that_make_no_sense_are_refused(body: Any, message: str) -> None:
    b = relax.ExecBuilder()
    with pytest.raises(RuntimeError, match=rf"E0549.*{message}"):
        with b.function("main", num_inputs=1):
            body(b)
        b.get()


def test_arguments_of_other_kinds_are_refused() -> None:
    b = relax.ExecBuilder()
    with b.function("main", num_inputs=1):
        with pytest.raises(sunmao.Error, match=r"E0034.*no argument of an instruction"):
            b.emit_call("f", args=[3])
        with pytest.raises(sunmao.Error, match=r"E0034.*expected a register"):
            b.emit_ret(b.imm(3))
    with pytest.raises(RuntimeError, match=r"E0549.*outside of a function"):
        b.emit_ret(b.r(0))


def test_functions_that_nobody_knows_fail_when_they_are_called() -> None:
    b = relax.ExecBuilder()
    with b.function("main", num_inputs=1):
        b.emit_call("nowhere", args=[b.r(0)], dst=b.r(1))
        b.emit_ret(b.r(1))
    with pytest.raises(sunmao.Error, match=r"E0509.*`nowhere`"):
        machine(b)["main"](1)


def test_endless_recursion_is_an_error() -> None:
    b = relax.ExecBuilder()
    with b.function("main", num_inputs=1):
        b.emit_call("main", args=[b.r(0)], dst=b.r(1))
        b.emit_ret(b.r(1))
    with pytest.raises(sunmao.Error, match=r"E0506.*nested without end"):
        machine(b)["main"](1)


LOWERED = """
@I.ir_module
class Module:
    @T.prim_func
    def twice(x: T.Buffer((3,), "float32"), y: T.Buffer((3,), "float32")):
        for i in range(3):
            y[i] = x[i] * T.float32(2)

    @R.function(pure=False)
    def main(c: R.Tensor((), "bool"), x: R.Tensor((3,), "float32")):
        cls = Module
        storage = R.vm.alloc_storage(R.shape([12]), R.prim_value(0), R.dtype("uint8"))
        y: R.Tensor((3,), "float32") = R.vm.alloc_tensor(storage, R.prim_value(0), R.shape([3]), R.dtype("float32"))
        _ = cls.twice(x, y)
        if c:
            z = R.call_packed("test.vm.add", y, x, ty_args=(R.Tensor((3,), "float32")))
        else:
            z = R.call_packed("test.vm.mul", y, x, ty_args=(R.Tensor((3,), "float32")))
        return (z, y)
"""


def test_lowered_functions_become_instructions_that_call_compiled_kernels() -> None:
    ex = lowered(LOWERED)
    vm = relax.VirtualMachine(ex, runtime.cpu())
    for condition, expected in ((True, [3, 6, 9]), (False, [2, 8, 18])):
        z, y = vm["main"](runtime.tensor(np.array(condition)), tensor(1, 2, 3))
        assert z.numpy().tolist() == expected
        assert y.numpy().tolist() == [2, 4, 6]
    assert "call  twice" in ex.as_text()


def test_what_is_not_lowered_is_refused() -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        y = R.exp(x)
        return y
"""
    with pytest.raises(sunmao.Error, match=r"E0549.*no instruction on registers says `exp`"):
        lowered(text)


def test_the_loop_form_of_a_function_says_what_its_instructions_do() -> None:
    builder = relax.ExecBuilder()
    module = from_source(HEAD + LOWERED)
    rest = relax.vm_build._vmcodegen(builder, module, exec_mode="compiled")
    shown = rest["__vmtir__main"].script()
    for line in (
        "def __vmtir__main(ctx_ptr: T.handle, r: T.handle, c: T.handle, f: T.handle):",
        'T.anylist_setitem_call_packed(r, 3, "vm.builtin.alloc_storage", ctx_ptr, T.anylist_getitem(c, 0), ',
        'T.call_cpacked("twice", T.anylist_getitem(r, 1), T.anylist_getitem(r, 4))',
        'if T.call_packed("vm.builtin.read_if_cond", T.anylist_getitem(r, 0), dtype="bool"):',
        'T.anylist_setitem_call_packed(r, 2, "vm.builtin.copy", ',
    ):
        assert line in shown, shown
    vm = relax.VirtualMachine(relax.vm_build._vmlink(builder, "llvm", rest), runtime.cpu())
    z, _ = vm["main"](runtime.tensor(np.array(True)), tensor(1, 2, 3))
    assert z.numpy().tolist() == [3, 6, 9]
    with pytest.raises(sunmao.Error, match=r"E0032.*exec_mode='other'"):
        relax.vm_build._vmcodegen(builder, module, exec_mode="other")
