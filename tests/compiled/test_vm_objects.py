"""Programs on values that only Python understands, in a virtual machine: objects, texts, functions that are values."""

import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao.compat import relax, runtime
from sunmao.compat.runtime import Tensor, registry
from sunmao.compat.script import from_source

HEAD = "from tvm.script import ir as I, relax as R, tirx as T\n"


def machine(text: str) -> relax.VirtualMachine:
    return relax.VirtualMachine(relax.build(from_source(HEAD + text)), runtime.cpu())


def tensor(*values: float, dtype: str = "float32") -> Tensor:
    return runtime.tensor(np.array(values, dtype))


@pytest.fixture
def registered() -> Iterator[Any]:
    """Registers functions for one test."""
    names = []

    def register(name: str, f: Any) -> Any:
        names.append(name)
        return registry.register_global_func(name, f, override=True)

    yield register
    for name in names:
        registry.remove_global_func(name)


GIVEN = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(get: R.Callable((R.Prim("int64"),), R.Any, False)):
        a = get(R.prim_value(0))
        b = R.match_cast(a, R.Tensor((2,), "float32"))
        c = R.negative(b)
        d = get(R.prim_value(1))
        e = R.match_cast(d, R.Tensor((2,), "float32"))
        f = R.negative(e)
        return (c, f)
"""


def test_an_object_goes_with_the_cast_that_alone_reads_it() -> None:
    alive: weakref.WeakSet[Tensor] = weakref.WeakSet()
    seen = []

    def get(i: int) -> Tensor:
        seen.append(len(alive))
        weight = tensor(i, i + 1)
        alive.add(weight)
        return weight

    c, f = machine(GIVEN)["main"](get)
    np.testing.assert_array_equal(c, [0, -1])
    np.testing.assert_array_equal(f, [-1, -2])
    assert seen == [0, 0]
    assert len(alive) == 0


OBJECTS = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def loop(i: R.Tensor((), "int64"), held: R.Any) -> R.Any:
        cls = Module
        go = R.less(i, R.const(3, "int64"))
        if go:
            j = R.add(i, R.const(1, "int64"))
            more = R.call_packed("test_vm.more", held, i, ty_args=(R.Any,))
            r: R.Any = cls.loop(j, more)
        else:
            r: R.Any = held
        return r

    @R.function(pure=False)
    def main(held: R.Any, open: R.Tensor):
        cls = Module
        last = cls.loop(R.const(0, "int64"), held)
        n = R.call_packed("test_vm.count", last, ty_args=(R.Prim("int64"),))
        x = R.match_cast(open, R.Tensor(("n",), "float32"))
        y = R.add(x, x)
        return (last, R.str("text"), n, open, y, (held, R.prim_value(0.5)))
"""


def test_objects_go_through_loops_and_calls(registered: Any) -> None:
    registered("test_vm.more", lambda held, i: [*held, int(i.numpy())])
    registered("test_vm.count", len)
    open = tensor(1, 2, 3)
    last, text, n, again, y, (held, half) = machine(OBJECTS)["main"](["first"], open)
    assert (last, text, n, held, half) == (["first", 0, 1, 2], "text", 4, ["first"], 0.5)
    assert again is open
    np.testing.assert_array_equal(y, [2, 4, 6])
    with pytest.raises(sunmao.Error, match="param_open: expected a tensor, got") as caught:
        machine(OBJECTS)["main"](["first"], "no tensor")
    assert caught.value.code == "E0037"
    with pytest.raises(sunmao.Error, match="match_cast_x: expected a tensor whose dtype is float32, got int8"):
        machine(OBJECTS)["main"](["first"], tensor(1, dtype="int8"))


VALUES = """
@I.ir_module
class Module:
    @R.function(private=True)
    def twice(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.add(x, x)
        return y

    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32"), c: R.Tensor((), "bool")):
        cls = Module
        if c:
            f: R.Any = cls.twice
        else:
            f: R.Any = R.ExternFunc("test_vm.thrice")
        y = R.invoke_closure(f, (x,), ty_args=(R.Tensor((2,), "float32"),))
        return (y, f)
"""


def test_functions_are_values(registered: Any) -> None:
    registered("test_vm.thrice", lambda x: runtime.tensor(3 * x.numpy()))
    vm = machine(VALUES)
    y, f = vm["main"](tensor(1, 2), np.array(True))
    np.testing.assert_array_equal(y, [2, 4])
    np.testing.assert_array_equal(vm.invoke_closure(f, tensor(5, 6)), [10, 12])
    y, f = vm["main"](tensor(1, 2), np.array(False))
    np.testing.assert_array_equal(y, [3, 6])
    np.testing.assert_array_equal(vm.invoke_closure(f, tensor(5, 6)), [15, 18])
    with pytest.raises(sunmao.Error, match="a int is no function"):
        vm.invoke_closure(5, tensor(5, 6))


def test_E0037_a_program_calls_what_is_no_function() -> None:
    vm = machine(
        """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(f: R.Any, x: R.Tensor((2,), "float32")):
        y = R.invoke_closure(f, (x,), ty_args=(R.Tensor((2,), "float32"),))
        return y
"""
    )
    with pytest.raises(sunmao.Error, match="a program calls a value that is no function: a int") as caught:
        vm["main"](5, tensor(1, 2))
    assert caught.value.code == "E0037"
