"""Which engine runs a module that is built for a virtual machine, what says so, and why."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sunmao
import sunmao.compat.relax.testing.vm  # registers test.vm.…
from sunmao import compat
from sunmao.compat import register_global_func, relax, runtime
from sunmao.compat.script import from_source

HEAD = "from tvm.script import ir as I, relax as R, tirx as T\n"
PLAIN = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        y = R.add(x, x)
        z = R.call_pure_packed("test.vm.add", y, x, ty_args=(R.Tensor((n,), "float32")))
        return z
"""
CHANGES = """
@I.ir_module
class Module:
    @R.function
    def other(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        y = R.add(x, x)
        return y

    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        z = R.call_inplace_packed("test.engines.up", x, inplace_indices=[0], ty_args=[R.Tensor((3,), "float32")])
        return z
"""
# `b` takes the memory of `a`, which is read again.
SHARES = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("twice"):
                v = T.axis.spatial(4, i)
                B[v] = A[v] * T.float32(2)

    @R.function
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.add(x, x)
        return y

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        s = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), "global", "float32")
        a = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([4]), "float32")
        b = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([4]), "float32")
        c = R.builtin.alloc_tensor(R.shape([4]), "float32", 0)
        _ = cls.twice(x, a)
        _1 = cls.twice(x, b)
        _2 = cls.twice(a, c)
        return c
"""
# No register program says the shape `s`, which is a variable.
CHANGES_AND_CASTS = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor(ndim=1, dtype="float32"), y: R.Tensor) -> R.Tensor(ndim=1, dtype="float32"):
        s = R.shape_of(x)
        z = R.match_cast(y, R.Tensor(s, "float32"))
        w = R.call_inplace_packed("f", x, inplace_indices=[0], ty_args=[R.Tensor(ndim=1, dtype="float32")])
        return w
"""


def notices(act: Callable[[], Any]) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = act()
    return result, [str(w.message) for w in said if issubclass(w.category, sunmao.CompileWarning)]


def built(text: str, **options: Any) -> tuple[relax.VMExecutable, list[str]]:
    return notices(lambda: relax.build(from_source(HEAD + text), **options))


def tensor(*values: float) -> runtime.Tensor:
    return runtime.tensor(np.array(values, "float32"))


def test_what_bytecode_can_say_is_bytecode_without_a_notice() -> None:
    for mode in ("bytecode", "compiled"):
        ex, said = built(PLAIN, exec_mode=mode)
        assert (ex.kind, said) == ("bytecode", [])
        assert relax.VirtualMachine(ex)["main"](tensor(1, 2)).numpy().tolist() == [3, 6]
    assert sunmao.compile(from_source(HEAD + PLAIN)).kind == "bytecode"


def test_a_tensor_that_a_function_of_python_changes_needs_registers() -> None:
    def up(a: runtime.Tensor) -> runtime.Tensor:
        a.copyfrom(a.numpy() + 1)
        return a

    register_global_func("test.engines.up", up, override=True)
    ex, said = built(CHANGES)
    reason = 'in `main`, "test.engines.up" changes `x`, and bytecode would pass a copy'
    assert (ex.kind, said) == (
        "registers",
        [f"the module runs in the interpreter of register programs, not as bytecode: {reason}"],
    )
    x = tensor(1, 2, 3)
    relax.VirtualMachine(ex)["main"](x)
    assert x.numpy().tolist() == [2, 3, 4]
    with pytest.raises(sunmao.Error, match=r"E1020.*`main`, \"test.engines.up\" changes `x`"):
        built(CHANGES, exec_mode="compiled")


def test_memory_that_a_program_means_needs_registers() -> None:
    ex, said = built(SHARES)
    assert ex.kind == "registers"
    assert len(said) == 1
    for part in (
        "interpreter of register programs",
        "bytecode cannot express `main`",
        "reads `a` after `b`",
        "(E1020)",
    ):
        assert part in said[0]
    assert relax.VirtualMachine(ex)["main"](tensor(1, 2, 3, 4)).numpy().tolist() == [4, 8, 12, 16]
    with pytest.raises(sunmao.Error, match="E1020.*reads `a` after `b`"):
        built(SHARES, exec_mode="compiled")
    with pytest.raises(sunmao.Error, match="E1020.*reads `a` after `b`"):
        sunmao.compile(from_source(HEAD + SHARES))


def test_the_notice_points_at_the_line_of_the_program() -> None:
    module = from_source(HEAD + CHANGES)
    with pytest.warns(sunmao.CompileWarning, match="interpreter of register programs") as said:
        relax.build(module)
    assert [w.filename for w in said] == [__file__]


def test_what_no_engine_runs_is_refused_after_the_notice() -> None:
    module = from_source(HEAD + CHANGES_AND_CASTS)
    with (
        pytest.warns(sunmao.CompileWarning, match='"f" changes `x`'),
        pytest.raises(sunmao.Error, match=r"E0535.*Tensor\(s,"),
    ):
        relax.build(module)


def test_programs_made_of_instructions_are_registers_by_wish() -> None:
    builder = relax.ExecBuilder()
    with builder.function("main", num_inputs=1):
        builder.emit_call("test.vm.add", args=[builder.r(0), builder.r(0)], dst=builder.r(1))
        builder.emit_ret(builder.r(1))
    ex, said = notices(builder.get)
    assert (ex.kind, said) == ("registers", [])


def test_loop_level_functions_alone_are_kernels() -> None:
    text = """
@I.ir_module
class Module:
    @T.prim_func
    def twice(x: T.Buffer((3,), "float32"), y: T.Buffer((3,), "float32")):
        for i in range(3):
            y[i] = x[i] * T.float32(2)
"""
    ex, said = notices(lambda: compat.compile(from_source(HEAD + text)))
    assert (ex.kind, said) == ("kernels", [])


def test_an_instrument_is_told_by_the_interpreter_once() -> None:
    ex, said = built(PLAIN)
    vm = relax.VirtualMachine(ex)
    seen: list[str] = []
    vm.set_instrument(lambda _function, name, *_rest: seen.append(name))
    for expected in (["watched calls run in the interpreter of register programs, not as bytecode"], []):
        result, said = notices(lambda: vm["main"](tensor(1, 2)))
        assert said == expected
        assert result.numpy().tolist() == [3, 6]
    assert "test.vm.add" in seen
    assert ex.kind == "bytecode"
