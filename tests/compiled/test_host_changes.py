"""Functions of the program that runs a model which change what they get, or say where views begin."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
import sunmao_binary
from sunmao import compat
from sunmao.compat import register_global_func, relax, runtime
from sunmao.compat.script import from_source

IN_PLACE = """
@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n",), "float32"), y: R.Tensor((2,), "float32")
    ) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor((2,), "float32"), R.Tensor(("n",), "float32")):
        z = R.call_inplace_packed(
            "count_up", x, y, inplace_indices=[0, -1],
            ty_args=[R.Tensor(("n",), "float32"), R.Tensor((2,), "float32")],
        )
        return (z[0], z[1], x)
    @R.function
    def weight(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        c = R.const([1.0, 2.0], "float32")
        z = R.call_inplace_packed("replace", c, x, inplace_indices=[0], ty_args=[R.Tensor((2,), "float32")])
        return R.add(z, c)
    @R.function
    def parts(x: R.Tensor((2, 3), "float32")) -> R.Tensor((1, 3), "float32"):
        c = R.split(x, 2, axis=0)
        z = R.call_inplace_packed("double_all", c, inplace_indices=[0], ty_args=[R.Tensor((1, 3), "float32")])
        w = R.add(z, c[1])
        return w
    @R.function
    def counted(x: R.Tensor((4,), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        p = R.call_pure_packed("positive", x, ty_args=[R.Tensor(ndim=1, dtype="float32")])
        z = R.call_inplace_packed("count", p, inplace_indices=[0], ty_args=[R.Tensor(ndim=1, dtype="float32")])
        return z
"""


def test_functions_change_copies_of_their_own(tmp_path: Path) -> None:
    def count_up(a: Any, b: Any) -> Any:
        a += 1
        return a, b * 2

    def replace(c: Any, x: Any) -> Any:
        c[...] = x
        return c

    def double_all(parts: Any) -> Any:
        for part in parts:
            part *= 2
        return parts[1]

    def count(a: Any) -> Any:
        a += 1
        return a

    sunmao.compile(sunmao.parse_module(IN_PLACE)).save(tmp_path / "in_place.sunmao")
    model = sunmao.load(tmp_path / "in_place.sunmao")
    for function in (count_up, replace, double_all, count):
        model.register_function(function.__name__, function)
    model.register_function("positive", lambda x: x[x > 0])
    x, y = np.arange(3, dtype="float32"), np.ones(2, "float32")
    for _ in range(2):
        r, s, same = model["main"](x, y)
        np.testing.assert_array_equal(r, [1, 2, 3])
        np.testing.assert_array_equal(s, [2, 2])
        np.testing.assert_array_equal(same, [0, 1, 2])
        np.testing.assert_array_equal(x, [0, 1, 2])
        np.testing.assert_array_equal(model["weight"](y * 5), [6, 7])
    whole = np.array([3, -1, 4, -2], "float32")
    both = np.arange(6, dtype="float32").reshape(2, 3)
    np.testing.assert_array_equal(model["parts"](both), [[9, 12, 15]])
    np.testing.assert_array_equal(both, np.arange(6).reshape(2, 3))
    np.testing.assert_array_equal(model["counted"](whole), [4, 5])
    np.testing.assert_array_equal(whole, [3, -1, 4, -2])


def test_the_form_says_what_a_function_may_change(tmp_path: Path) -> None:
    path = tmp_path / "in_place.sunmao"
    sunmao.compile(sunmao.parse_module(IN_PLACE)).save(path)
    listing = sunmao_binary.sunmao("inspect", path, "--bytecode").stdout
    assert "count_up(inout float32[1], float32[1]) -> (float32[1], float32[1])" in listing
    assert "double_all((inout float32[2], inout float32[2])) -> float32[2]" in listing


BEGIN = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((2,), "float32"):
        with R.dataflow():
            k = R.call_pure_packed("begin", x, ty_args=[R.Prim("int64")])
            y = R.memory.view(x, R.shape([2]), R.dtype("float32"), k)
            z = R.add(y, y)
            R.output(z)
        return z
"""


def test_a_view_begins_where_a_function_says() -> None:
    model = sunmao.compile(sunmao.parse_module(BEGIN))
    x = np.arange(8, dtype="float32")
    for element in (0, 3, 6):
        model.register_function("begin", lambda _, element=element: element * 4)
        np.testing.assert_array_equal(model(x), 2 * x[element : element + 2])
    for begin in (28, 10**9):
        model.register_function("begin", lambda _, begin=begin: begin)
        with pytest.raises(sunmao.Error, match=r"E0905.*must be `4 \* 8`, got"):
            model(x)


def test_built_programs_change_what_callers_gave() -> None:
    def count_up(a: runtime.Tensor) -> runtime.Tensor:
        a.copyfrom(a.numpy() + 1)
        return a

    register_global_func("test.host_changes.count_up", count_up, override=True)
    module = from_source("""
from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        z = R.call_inplace_packed(
            "test.host_changes.count_up", x, inplace_indices=[0], ty_args=[R.Tensor((3,), "float32")]
        )
        return z
""")
    machine = relax.VirtualMachine(relax.build(module), runtime.cpu())
    given = runtime.tensor(np.array([1, 2, 3], "float32"))
    assert machine["main"](given).numpy().tolist() == [2, 3, 4]
    assert given.numpy().tolist() == [2, 3, 4]


def test_a_program_that_changes_its_arguments_is_not_compiled_as_a_whole() -> None:
    module = from_source("from tvm.script import ir as I, relax as R\n" + IN_PLACE)
    for compile in (relax.build, compat.compile):
        with pytest.raises(sunmao.Error, match=r"E1020.*\"count_up\" changes `x`, and bytecode would pass a copy"):
            compile(module, exec_mode="compiled")
