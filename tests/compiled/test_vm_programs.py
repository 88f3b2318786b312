"""Programs of everything that the graph level can say, in a virtual machine."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao import _sunmao
from sunmao.compat import relax, runtime
from sunmao.compat.runtime import ShapeTuple, Tensor, registry
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


BRANCH = """
@I.ir_module
class Module:
    @R.function(private=True)
    def twice(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        y = R.add(x, x)
        return y

    @R.function
    def main(x: R.Tensor(("n",), "float32"), c: R.Tensor((), "bool")):
        cls = Module
        if c:
            y = cls.twice(x)
        else:
            y = R.negative(x)
        return y

    @R.function
    def straight(x: R.Tensor((3,), "float32")):
        y = R.multiply(x, x)
        return y
"""


def test_branches_and_calls_stand_beside_bytecode() -> None:
    vm = machine(BRANCH)
    x = tensor(1, 2, 3)
    np.testing.assert_array_equal(vm["main"](x, np.array(True)), [2, 4, 6])
    np.testing.assert_array_equal(vm["main"](x, np.array(False)), [-1, -2, -3])
    np.testing.assert_array_equal(vm["straight"](x), [1, 4, 9])
    result = vm["main"](x, np.array(True))
    result.copyfrom(np.zeros(3, "float32"))
    np.testing.assert_array_equal(result, [0, 0, 0])


LOOP = """
@I.ir_module
class Module:
    @R.function
    def main(
        i: R.Tensor((), "int64"), end: R.Tensor((), "int64"), x: R.Tensor(("n",), "float32")
    ) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Module
        go = R.less(i, end)
        if go:
            one = R.const(1, "int64")
            j = R.add(i, one)
            even = R.equal(R.bitwise_and(i, one), R.const(0, "int64"))
            if even:
                y: R.Tensor((n,), "float32") = R.add(x, R.ones(R.shape([n]), "float32"))
            else:
                y: R.Tensor((n,), "float32") = R.negative(x)
            r: R.Tensor((n,), "float32") = cls.main(j, end, y)
        else:
            r: R.Tensor((n,), "float32") = x
        return r
"""


def test_a_loop_of_branches() -> None:
    vm = machine(LOOP)
    x = np.array([1, -2, 3], "float32")
    for end in range(5):
        expected = x
        for i in range(end):
            expected = expected + 1 if i % 2 == 0 else -expected
        np.testing.assert_array_equal(vm["main"](np.array(0), np.array(end), tensor(*x)), expected)


def test_a_loop_of_many_iterations() -> None:
    np.testing.assert_array_equal(machine(LOOP)["main"](np.array(0), np.array(900), tensor(5)), [5])


SHAPES = """
@I.ir_module
class Module:
    @R.function
    def main(
        s: R.Shape(["m", "n"]), k: R.Prim("int64"), t: R.Tuple(R.Tensor((2,), "float32"), R.Tuple(R.Shape(["m"])))
    ):
        m = T.int64()
        n = T.int64()
        a = R.full(R.shape([m, n]), R.const(2, "float32"))
        return (R.shape([2 * m, 3 * n]), k, a, t[0])
"""


def test_shapes_numbers_and_nested_tuples() -> None:
    vm = machine(SHAPES)
    x = tensor(5, 6)
    shape, k, a, back = vm["main"]((2, 3), 4, [x, [ShapeTuple([2])]])
    assert shape == (4, 9) and isinstance(shape, ShapeTuple)
    assert k == 4
    np.testing.assert_array_equal(a, np.full((2, 3), 2, "float32"))
    np.testing.assert_array_equal(back, x)


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (((2, 3, 4), 4, [tensor(5, 6), [(2,)]]), "E0904", "`s` holds 3 sizes, expected 2"),
        (((2, 3), tensor(1, 2), [tensor(5, 6), [(2,)]]), "E0903", "`k` is float32, expected int64"),
        (((2, 3), 4, [tensor(5, 6), [(3,)]]), "E0905", "expected `m` = 2"),
        (((2, 3), 4, [tensor(5, 6, dtype="int32"), [(2,)]]), "E0903", "`t.0` is int32, expected float32"),
        (((2, 3), 4.5, [tensor(5, 6), [(2,)]]), "E0037", "is a float, expected integers"),
        (((2, 3), 4, [tensor(5, 6)]), "E0037", "1 fields, expected 2"),
        ((7, 4, [tensor(5, 6), [(2,)]]), "E0037", "a shape"),
        (((2, 3), object(), [tensor(5, 6), [(2,)]]), "E0037", "object"),
        (((2, 3),), "E0037", "1 arguments given, expected 3"),
    ],
)
def test_arguments_that_do_not_fit(args: tuple[Any, ...], code: str, words: str) -> None:
    with pytest.raises(sunmao.Error, match=code) as caught:
        machine(SHAPES)["main"](*args)
    assert caught.value.code == code
    assert words in str(caught.value)


def test_a_tensor_begins_where_its_data_does() -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        y = R.memory.ensure_zero_offset(x)
        z = R.add(y, y)
        return z
"""
    np.testing.assert_array_equal(machine(text)["main"](tensor(1, 2)), [2, 4])


CALLBACK = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(
        x: R.Tensor((3,), "float32"),
        see: R.Callable((R.Tensor((3,), "float32"),), R.Tuple([]), False),
        get: R.Callable((), R.Tensor((3,), "float32"), False),
    ):
        y = R.add(x, x)
        _ = see(y)
        z = get()
        w = R.add(y, z)
        return w
"""


def test_callbacks_see_and_give_tensors() -> None:
    seen: list[Tensor] = []
    result = machine(CALLBACK)["main"](tensor(1, 2, 3), seen.append, lambda: tensor(10, 20, 30))
    np.testing.assert_array_equal(seen[0], [2, 4, 6])
    np.testing.assert_array_equal(result, [12, 24, 36])


def test_what_a_callback_raises_reaches_the_caller() -> None:
    class Stop(Exception):
        pass

    stop = Stop("here")

    def get() -> Tensor:
        raise stop

    with pytest.raises(Stop) as caught:
        machine(CALLBACK)["main"](tensor(1, 2, 3), lambda y: None, get)
    assert caught.value is stop
    assert caught.traceback[-1].name == "get"


def test_what_a_callback_gives_must_fit() -> None:
    with pytest.raises(sunmao.Error, match=r"result 0 .*invoke_closure` is int32, expected float32") as caught:
        machine(CALLBACK)["main"](tensor(1, 2, 3), lambda y: None, lambda: tensor(1, 2, 3, dtype="int32"))
    assert caught.value.code == "E0923"
    with pytest.raises(sunmao.Error, match=r"param_see: expected a function, got") as caught:
        machine(CALLBACK)["main"](tensor(1, 2, 3), 5, lambda: tensor(1, 2, 3))
    assert caught.value.code == "E0037"


PACKED = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        y = R.call_packed("test_vm.same", x, R.prim_value(3), R.str("name"), ty_args=(R.Tensor((2,), "float32"),))
        z = R.call_dps_packed("test_vm.fill", (y,), out_ty=R.Tensor((2, 2), "float32"))
        p = R.call_pure_packed("test_vm.pair", y, ty_args=(R.Tuple(R.Shape(ndim=1), R.Prim("float32")),))
        return (y, z, p)
"""


def test_functions_by_name(registered: Any) -> None:
    got: list[Any] = []

    def same(*args: Any) -> Any:
        got.extend(args)
        return args[0]

    def fill(y: Tensor, out: Tensor) -> None:
        out[:] = np.stack([y.numpy(), 2 * y.numpy()])

    registered("test_vm.same", same)
    registered("test_vm.fill", fill)
    registered("test_vm.pair", lambda y: ((7,), 1))
    x = tensor(1, 2)
    y, z, pair = machine(PACKED)["main"](x)
    assert got[0] is x, "an argument of the run reaches functions as it is"
    assert got[1:] == [3, "name"]
    np.testing.assert_array_equal(y, [1, 2])
    np.testing.assert_array_equal(z, [[1, 2], [2, 4]])
    assert pair == [(7,), 1.0] and isinstance(pair[0], ShapeTuple)


def test_a_function_that_is_not_registered_is_named() -> None:
    with pytest.raises(sunmao.Error, match=r"`test_vm\.same`[\s\S]*register_global_func") as caught:
        machine(PACKED)["main"](tensor(1, 2))
    assert caught.value.code == "E0509"


CLOSURE = """
@I.ir_module
class Module:
    @R.function
    def add(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        z = R.add(x, y)
        return z

    @R.function
    def made(x: R.Tensor((2,), "float32")):
        cls = Module
        f = R.make_closure(cls.add, (x,))
        return f

    @R.function
    def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")):
        cls = Module
        f = R.make_closure(cls.add, (x,))
        z = R.invoke_pure_closure(f, (y,), ty_args=(R.Tensor((2,), "float32"),))
        u = R.unique(z)
        return u
"""


def test_closures_and_results_as_large_as_the_data_says() -> None:
    vm = machine(CLOSURE)
    np.testing.assert_array_equal(vm["main"](tensor(1, 2), tensor(4, 3)), [5])
    made = vm["made"](tensor(1, 2))
    np.testing.assert_array_equal(vm.invoke_closure(made, tensor(10, 20)), [11, 22])


def test_inputs_and_outputs_are_kept() -> None:
    vm = machine(BRANCH)
    with pytest.raises(sunmao.Error, match="no inputs are set") as caught:
        vm.invoke_stateful("straight")
    assert caught.value.code == "E0918"
    vm.set_input("straight", x=tensor(1, 2, 3))
    with pytest.raises(sunmao.Error, match="has not run yet"):
        vm.get_outputs("straight")
    with pytest.raises(sunmao.Error, match="its inputs are set"):
        vm["straight"]()
    vm.invoke_stateful("straight")
    np.testing.assert_array_equal(vm.get_outputs("straight"), [1, 4, 9])
    vm.save_function("main", "noted", tensor(1, 2), c=np.array(True))
    np.testing.assert_array_equal(vm["noted"](), [2, 4])
    with pytest.raises(sunmao.Error, match="`noted` has its arguments, got 1 more"):
        vm["noted"](tensor(1, 2))
    with pytest.raises(sunmao.Error, match="no parameter can take `y`"):
        vm.set_input("straight", y=tensor(1, 2, 3))


def test_an_iterator_is_a_tuple() -> None:
    vm = machine(
        """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(params: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32"))):
        a = params[0]
        _ = R.call_packed("vm.builtin.tuple_reset_item", params, R.prim_value(0), ty_args=(R.Tuple([]),))
        ta = R.negative(a)
        b = params[1]
        tb = R.negative(b)
        return (ta, tb)
"""
    )
    a, b = vm["main"](tensor(i, i + 1) for i in range(2))
    np.testing.assert_array_equal(a, [0, -1])
    np.testing.assert_array_equal(b, [-1, -2])
    kept = [tensor(1, 2), tensor(3, 4)]
    vm["main"](kept)
    assert isinstance(kept[0], Tensor), "a caller's list stays as it is"


def test_a_callback_may_call_the_machine_and_threads_may_share_it() -> None:
    vm = machine(CALLBACK)
    x = tensor(1, 2, 3)

    def get() -> Tensor:
        inner: Tensor = vm["main"](x, lambda y: None, lambda: x)
        return inner

    def call(_: int) -> list[float]:
        return vm["main"](x, lambda y: None, get).numpy().tolist()  # type: ignore[no-any-return]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(call, range(16))) == [[5, 10, 15]] * 16


def test_a_function_of_the_host_is_called_where_nothing_uses_its_result(registered: Any) -> None:
    seen = []
    registered("test.note", lambda x: seen.append(x.numpy().tolist()))  # returns nothing
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        with R.dataflow():
            y = R.add(x, x)
            _ = R.call_pure_packed("test.note", y, ty_args=(R.Tensor((2,), "float32")))
            z = R.multiply(y, x)
            R.output(z)
        return z
"""
    assert machine(text)["main"](tensor(1, 2)).numpy().tolist() == [2, 8]
    assert seen == [[2, 4]]


def test_calls_of_the_host_whose_results_are_used_stay_as_they_are() -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        y = R.call_pure_packed("test.note", x, ty_args=(R.Tensor((2,), "float32")))
        return y
"""
    module = from_source(HEAD + text).__sunmao_module__()
    assert _sunmao.open_unused_host_calls(module).same_as(module)


def test_a_callback_is_called_where_nothing_uses_its_result() -> None:
    seen = []
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32"), note: R.Callable([R.Tensor((2,), "float32")], R.Tuple([]))):
        y = R.add(x, x)
        _ = note(y)
        return R.tuple()
"""
    assert machine(text)["main"](tensor(1, 2), lambda y: seen.append(y.numpy().tolist())) == []
    assert seen == [[2, 4]]
