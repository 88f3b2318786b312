"""Nodes as JSON with upstream's kinds and fields, graphs of earlier versions, and nodes constructed by kind."""

import json

import pytest
import sunmao
import sunmao.compat as tvm
from sunmao import _sunmao
from sunmao.compat import relax, tirx
from sunmao.compat.ir import Range
from sunmao.compat.ir import kinds as node_kinds
from sunmao.compat.ir.json_compact import upgrade_json
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), p: R.Prim("float32"), f: R.Callable) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        with R.dataflow():
            a = R.add(x, R.const(1.0))
            b = R.match_cast(a, R.Tensor((n, 4), "float32"))
            R.output(b)
        c: R.Tensor((n, 4), "float32") = Module.soft(b)
        return c

    @R.function(private=True)
    def soft(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        return R.nn.softmax(x, axis=1)


def loaded(node: object) -> object:
    return tvm.ir.load_json(tvm.ir.save_json(node))


def kinds(node: object) -> set[str]:
    return {saved["type"] for saved in json.loads(tvm.ir.save_json(node))["nodes"]}


def test_a_module_is_the_same_module_with_its_places() -> None:
    found = loaded(Module)
    tvm.ir.assert_structural_equal(found, Module)
    binding, before = found["main"].body.blocks[0].bindings[0], Module["main"].body.blocks[0].bindings[0]
    assert binding.span == before.span and binding.span.line > 0
    assert isinstance(binding.var, relax.DataflowVar)
    assert found["main"].body.blocks[1].bindings[0].value.op is found.get_global_var("soft")


def test_kinds_have_upstreams_names() -> None:
    words = ("ir.IRModule", "ir.Var", "relax.expr.DataflowVar", "ir.Call", "ir.Op", "relax.expr.MatchCast", "ir.Span")
    assert kinds(Module).issuperset(words)
    x = relax.Var("x", R.Tensor((2,), "float32"))
    saved = json.loads(tvm.ir.save_json(x))
    assert saved["nodes"][saved["root_index"]] == {"type": "ir.Var", "data": {"name": 0, "ty": saved["root_index"] - 1}}


@pytest.mark.parametrize(
    "node",
    [
        relax.Var("x", R.Prim("float32")),
        relax.Var("x"),
        relax.DataflowVar("x", R.Prim("int64")),
        tirx.Var("p", tvm.ir.PointerType(tvm.ir.PrimType("float32"), "shared")),
        tirx.Select(tirx.Var("i", "int32") < 3, tirx.Cast("float32", tirx.Var("i", "int32")), T.float32(2)),
        relax.ExternFunc("f", R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"))),
        R.Tensor(ndim=2, vdevice=I.vdevice("llvm", 1)),
        relax.TupleGetItem(relax.Tuple([relax.const(1.0), R.shape([2, 3])]), 1),
    ],
    ids=lambda node: type(node).__name__,
)
def test_each_kind_comes_back(node: object) -> None:
    found = loaded(node)
    assert type(found) is type(node) and repr(found) == repr(node)
    tvm.ir.assert_structural_equal(found, node, map_free_vars=True)
    assert isinstance(found, relax.DataflowVar) == isinstance(node, relax.DataflowVar)
    assert getattr(found, "ty", None) == getattr(node, "ty", None)


def test_a_map_of_indices_comes_back() -> None:
    found = loaded(tirx.IndexMap.from_func(lambda i, j: (j // 4, i, j % 4)))
    assert [index.value for index in found.map_indices([1, 7])] == [1, 1, 3]


def earlier(kind: str, field: str) -> str:
    """Returns a tuple of a variable twice, in the JSON of earlier versions."""
    place = {"source_name": 0, "line": 3, "column": 3, "end_line": 5, "end_column": 11}
    nodes = [
        {"type": "ir.SourceName", "data": "model.py"},
        {"type": "ir.Span", "data": place},
        {"type": "None"},
        {"type": "ir.PrimType", "data": {"span": 2, "dtype": "float32"}},
        {"type": "relax.TensorType", "data": {"span": 2, "shape": 2, "dtype": 3, "vdevice": 2, "ndim": 2}},
        {"type": "ffi.String", "data": "x"},
        {"type": kind, "data": {"span": 1, "ty": 4, field: 5}},
        {"type": "ffi.Array", "data": [6, 6]},
        {"type": "relax.expr.Tuple", "data": {"span": 1, "fields": 7}},
    ]
    return json.dumps({"root_index": 8, "nodes": nodes, "metadata": {"tvm_version": "0.26.dev0"}})


@pytest.mark.parametrize("kind", ["relax.expr.Var", "ir.Var", "relax.expr.DataflowVar"])
@pytest.mark.parametrize("upgrade", [upgrade_json, str], ids=["upgraded", "as saved"])
def test_graphs_of_earlier_versions_are_read(kind: str, upgrade: object) -> None:
    found = tvm.ir.load_json(upgrade(earlier(kind, "name_hint")))
    x = found[0]
    assert (x.name, x.ty) == ("x", R.Tensor(dtype="float32", ndim=2))
    assert isinstance(x, relax.DataflowVar) == ("Dataflow" in kind)
    assert found[1].same_as(x)
    assert (x.span.source_name.name, x.span.line, x.span.column) == ("model.py", 3, 3)
    assert kinds(found).isdisjoint({"relax.expr.Var"})


def test_scalars_of_earlier_versions_are_read() -> None:
    nodes = [
        {"type": "ir.PrimType", "data": {"dtype": "int64"}},
        {"type": "ffi.String", "data": "n"},
        {"type": "tirx.Var", "data": {"ty": 0, "name": 1}},
        {"type": "tirx.Add", "data": {"ty": 0, "a": 2, "b": 2}},
    ]
    found = tvm.ir.load_json(json.dumps({"root_index": 3, "nodes": nodes}))
    assert isinstance(found, tirx.Add) and found.a.same_as(found.b) and found.a.name == "n"
    nodes[0]["data"]["dtype"] = "int32"
    assert tvm.ir.load_json(json.dumps({"root_index": 3, "nodes": nodes})).dtype == "int32"


def test_upgrading_changes_nothing_else() -> None:
    old = {"root_index": 1, "nodes": [{"type": "None"}, {"type": "relax.expr.Var", "data": {"name_hint": 0, "ty": 0}}]}
    assert json.loads(upgrade_json(json.dumps(old))) == {
        "root_index": 1, "nodes": [{"type": "None"}, {"type": "ir.Var", "data": {"name": 0, "ty": 0}}],
    }  # fmt: skip
    text = tvm.ir.save_json(Module)
    assert json.loads(upgrade_json(text)) == json.loads(text)
    with pytest.raises(ValueError, match="E0042"):
        upgrade_json("[]")


@pytest.mark.parametrize(
    "nodes, code",
    [
        ([{"type": "ffi.Array", "data": [0]}], "E0042"),
        ([{"type": "ffi.Array", "data": [-1]}], "E0042"),
        ([{"type": "ffi.Map", "data": ["x"]}], "E0042"),
        ([{"type": "relax.attrs.MatmulAttrs", "data": {}}], "E0042"),
        ([{"type": "int", "data": "1"}], "E0042"),
        ([{"type": "ir.IntImm", "data": {"value": 1}}], "E0034"),
        ([{"type": "None"}, {"type": "ir.IntImm", "data": {"worth": 0}}], "E0034"),
        ([{"type": "ffi.String", "data": "int32"}, {"type": "ir.Op", "data": "relax.unheard_of"}], "E0204"),
        ([{"type": "ir.PrimType", "data": {"dtype": 3}}], "E0034"),
    ],
)
def test_what_is_wrong_in_a_saved_graph_has_a_code(nodes: list[object], code: str) -> None:
    with pytest.raises(sunmao.Error) as caught:
        tvm.ir.load_json(json.dumps({"root_index": len(nodes) - 1, "nodes": nodes}))
    assert caught.value.code == code


def test_a_stated_type_must_fit() -> None:
    nodes = [
        {"type": "ffi.Array", "data": []},
        {"type": "ir.TupleType", "data": {"fields": 0}},
        {"type": "relax.expr.ShapeExpr", "data": {"values": 0, "ty": 1}},
    ]
    with pytest.raises(sunmao.Error, match="E0034.*is stated to be"):
        tvm.ir.load_json(json.dumps({"root_index": 2, "nodes": nodes}))


def test_nodes_are_made_by_the_names_of_their_kinds() -> None:
    x = tvm.ir.make_node("ir.Var", name="x", ty=R.Tensor((2,), "float32"))
    pair = tvm.ir.make_node("relax.expr.Tuple", fields=[x, x], span=None)
    assert isinstance(pair, relax.Tuple) and pair[0].same_as(x)
    second = tvm.ir.make_node("relax.expr.TupleGetItem", tuple_value=pair, index=1)
    assert second.ty == x.ty
    ten = tvm.ir.make_node("ir.IntImm", ty=tvm.ir.PrimType("int32"), value=10, span=None)
    total = tvm.ir.make_node("tirx.Add", a=ten, b=tirx.Var("i", "int32"))
    assert isinstance(total, tirx.Add) and total.a.value == 10
    extent = tvm.ir.make_node("ir.Range", min=ten, extent=ten)
    assert extent == Range.from_min_extent(10, 10)
    assert tvm.ir.make_node("ir.DictAttrs", span=1, y=(1, 2)) == {"span": 1, "y": [1, 2]}


@pytest.mark.parametrize(
    "key, fields, code",
    [
        ("te.Tensor", {}, "E0032"),
        ("relax.expr.Tuple", {"parts": []}, "E0034"),
        ("relax.expr.Tuple", {}, "E0034"),
        ("relax.expr.TupleGetItem", {"tuple_value": 1}, "E0034"),
        ("ir.IntImm", {"ty": "int32", "value": "ten"}, "E0034"),
    ],
)
def test_a_node_that_cannot_be_made_by_its_kind_says_why(key: str, fields: dict[str, object], code: str) -> None:
    with pytest.raises(sunmao.Error) as caught:
        tvm.ir.make_node(key, **fields)
    assert caught.value.code == code


def leaf_classes(base: type) -> list[type]:
    """The classes of the extension below this one that have none below them."""
    below = base.__subclasses__()
    return [leaf for kind in below for leaf in leaf_classes(kind)] if below else [base]


@pytest.mark.parametrize("base", [_sunmao.Expr, _sunmao.Scalar, _sunmao.Type, _sunmao.GlobalInfo])
def test_each_class_of_nodes_that_the_extension_has_can_be_saved(base: type) -> None:
    by_field = {_sunmao.Var, _sunmao.Binary}  # of which several kinds are told apart
    of_statements = {_sunmao.BufferLoad}  # stands in functions of the loop level, which are saved as scripts
    known = {*node_kinds._KINDS, *by_field, *of_statements}
    assert [kind for kind in leaf_classes(base) if kind not in known] == []
