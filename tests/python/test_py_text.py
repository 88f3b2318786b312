"""Nodes as text and as JSON, with constants beside them, and parsed again."""

import numpy as np
import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat import relax, tirx
from sunmao.compat.relax.testing import dump_ast
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T

DATA = np.arange(100, dtype="float32")


@I.ir_module
class Module:
    I.module_attrs({"note": "kept"})

    @T.prim_func
    def twice(a: T.Buffer((100,), "float32"), b: T.Buffer((100,), "float32")):
        for i in range(100):
            with T.sblock("b"):
                vi = T.axis.spatial(100, i)
                b[vi] = a[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor((100,), "float32")) -> R.Tensor((100,), "float32"):
        cls = Module
        y = R.call_tir(cls.twice, (x,), R.Tensor((100,), "float32"))
        z = R.add(y, R.const(DATA))
        return z


def test_large_constants_stand_beside_the_text() -> None:
    text = Module.script(show_meta=True)
    assert text.startswith("metadata = ")
    tvm.ir.assert_structural_equal(tvm.script.from_source(text), Module)
    assert "metadata = " not in Module.script()


def test_text_without_its_data_is_an_error() -> None:
    with pytest.raises(sunmao.Error):
        tvm.script.from_source(Module.script())


def test_types_need_not_be_shown() -> None:
    assert "z: R.Tensor" in Module.script()
    assert "z: R.Tensor" not in Module.script(show_all_ty=False)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (R.Tensor((1, 2), "float32"), 'R.Tensor((1, 2), dtype="float32")'),
        (R.Shape([1, 2]), "R.Shape([1, 2])"),
        (relax.AnyType(), "R.Any"),
        (tirx.Var("n", "int64") + 1, "n + 1"),
    ],
)
def test_parts_print_alone(node: object, text: str) -> None:
    assert node.script() == text


def test_free_names_are_declared_on_request() -> None:
    text = R.Shape([tirx.Var("a", "int64"), 3]).script(verbose_expr=True)
    assert text == "a = T.int64()\nR.Shape([a, 3])"


@pytest.mark.parametrize(
    "node",
    [
        Module,
        Module["main"],
        Module["twice"],
        R.Tensor((tirx.Var("n", "int64"), 4), "float16"),
        R.Callable((R.Any,), R.Shape(ndim=2)),
        relax.const(np.ones((2, 2), "float64")),
        tirx.Var("n", "int64") * 2 + 1,
        tirx.const(float("inf"), "float32"),
        [1, 2.5, True, "x", None],
        {"a": [1, 2]},
        tvm.ir.make_node("ir.DictAttrs", x=1, y=[1, 2]),
    ],
    ids=lambda node: type(node).__name__,
)
def test_nodes_are_saved_and_loaded(node: object) -> None:
    loaded = tvm.ir.load_json(tvm.ir.save_json(node))
    tvm.ir.assert_structural_equal(loaded, node, map_free_vars=True)


def test_what_is_shared_stays_shared() -> None:
    n = tirx.Var("n", "int64")
    a, b = tvm.ir.load_json(tvm.ir.save_json([n, n + 1]))
    assert b.a is a


@pytest.mark.parametrize("text", ["", "{}", '{"nodes": [], "root_index": 0}', '{"nodes": [{"type": "x"}]}'])
def test_what_is_no_saved_node_is_a_coded_error(text: str) -> None:
    with pytest.raises(sunmao.Error, match="E0042"):
        tvm.ir.load_json(text)


def test_what_cannot_be_saved_says_so() -> None:
    with pytest.raises(sunmao.Error, match="E0032"):
        tvm.ir.save_json(object())


def test_the_tree_of_an_expression() -> None:
    x = relax.Var("x", R.Tensor((2,), "float32"))
    tree = dump_ast(relax.op.add(x, x), include_ty_annotations=False)
    assert tree == 'Call(op=Op(name="relax.add"), args=[Var(name="x"), Var(name="x")])'


def test_the_place_of_a_difference() -> None:
    changed = Module.clone()
    changed["main"] = AddOne["main"]
    with pytest.raises(ValueError, match=r"<root>\.functions\[.*main.*\]\.body\.blocks\[0\]"):
        tvm.ir.assert_structural_equal(Module, changed)


@I.ir_module
class AddOne:
    @R.function
    def main(x: R.Tensor((100,), "float32")) -> R.Tensor((100,), "float32"):
        z = R.add(x, R.const(1, "float32"))
        return z


def test_the_parts_of_a_loop_level_function() -> None:
    twice = Module["twice"]
    a, b = (twice.buffer_map[p] for p in twice.params)
    assert (a.name, a.dtype, list(a.shape)) == ("a", "float32", [100])
    loop = twice.body.block.body
    assert isinstance(loop, tirx.For) and loop.kind == tirx.ForKind.SERIAL and loop.extent == 100
    realize = loop.body
    assert isinstance(realize, tirx.SBlockRealize) and realize.iter_values[0] is loop.loop_var
    store = realize.block.body
    assert isinstance(store, tirx.BufferStore) and store.buffer is b
    assert isinstance(store.value, tirx.Mul) and store.value.a.buffer is a
    with pytest.raises(AttributeError):
        loop.extent = 3


def test_functions_may_have_names_that_python_has_not() -> None:
    @I.ir_module
    class Named:
        outside = R.ExternFunc("outside", attrs={"device": "cuda"})

        @R.function(global_name="class")
        def class_(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            return x

        @T.prim_func(global_name="my-kernel", private=True)
        def my_kernel(x: T.Buffer((4,), "float32")):
            x[0] = T.float32(0)

    assert {g.name for g in Named.get_global_vars()} == {"outside", "class", "my-kernel"}
    assert Named["class"].attrs["global_symbol"] == "class"
    assert Named["outside"].attrs["device"] == "cuda"
    tvm.ir.assert_structural_equal(tvm.script.from_source(Named.script()), Named)
    renamed = tvm.IRModule({"def": Named["class"], "def_": Named["class"]})
    tvm.ir.assert_structural_equal(tvm.script.from_source(renamed.script(), check_well_formed=False), renamed)
