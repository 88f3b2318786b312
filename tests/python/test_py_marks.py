"""Marks on parts of a printed text, given by path: underlines, comments, and the output of comparisons."""

import re

import pytest
from sunmao import compat as tvm
from sunmao.compat.ffi.access_path import AccessPath
from sunmao.compat.runtime.script_printer import PrinterConfig, _script
from sunmao.compat.script import ir as I
from sunmao.compat.script import tirx as T

ROOT = AccessPath.root()


@T.prim_func
def three(A: T.Buffer((4,), "float32")):
    T.evaluate(1)
    for i in range(4):
        A[i] = T.float32(2)
    T.evaluate(3)


def test_comments_stand_behind_statements() -> None:
    second = ROOT.attr("body").attr("seq").array_item(1).attr("body")
    text = three.script(path_to_annotate={second: "inner"}, obj_to_annotate={three.body[2]: "last"})
    assert "        A[i] = T.float32(2.0)  # inner\n" in text and text.endswith("    T.evaluate(3)  # last")


def test_underlines_and_what_they_say_of_the_path() -> None:
    exact = three.script(path_to_underline=[ROOT.attr("body").attr("seq").array_item(0)])
    assert exact.startswith("Access path: <root>.body.seq[0]\n\n#")
    assert "    T.evaluate(1)\n    ^^^^^^^^^^^^^\n" in exact
    hidden = three.script(path_to_underline=[ROOT.attr("body").attr("seq").array_item(2).attr("value").attr("value")])
    assert "nearest visible parent" in hidden and hidden.endswith("    T.evaluate(3)\n    ^^^^^^^^^^^^^")
    param = three.script(path_to_underline=[ROOT.attr("params").array_item(0).attr("ty")])
    assert 'def three(A: T.Buffer((4,), "float32")):\n^^^' in param
    nowhere = three.script(path_to_underline=[ROOT.attr("missing")])
    assert "No visible object" in nowhere and "^" not in nowhere
    quiet = _script(three, PrinterConfig(obj_to_underline=[three.body[0]], render_invisible_path_info=False))
    assert quiet.startswith("# from") and quiet.count("^") == len("T.evaluate(1)")
    shape = _script(tvm.runtime.ShapeTuple([1, 2]), PrinterConfig(path_to_underline=[ROOT.attr("x")]))
    assert shape.endswith("\n\nShape(1, 2)") and "No visible object" in shape


def _message(a: object, b: object) -> str:
    with pytest.raises(tvm.ir.compare.UsageError) as caught:
        tvm.ir.assert_structural_equal(a, b)
    assert caught.value.code == "E0038"
    return str(caught.value)


def test_differences_are_underlined_on_both_sides() -> None:
    @T.prim_func
    def other(A: T.Buffer((4,), "float32")):
        T.evaluate(1)
        for i in range(4):
            A[i] = T.float32(7)
        T.evaluate(3)

    message = _message(three.with_attr("global_symbol", "f"), other.with_attr("global_symbol", "f"))
    assert message.startswith("StructuralEqual check failed, caused by lhs at <root>.body.seq[1].body.value.value:\n")
    assert "A[i] = T.float32(2.0)\n        ^^^" in message and "A[i] = T.float32(7.0)\n        ^^^" in message
    types = _message(tvm.ir.PrimType("int32"), tvm.ir.PrimType("int8"))
    assert "lhs at <root>.dtype:" in types and types.endswith("T.int8\n^^^^^^")


def test_differences_inside_modules_name_the_function() -> None:
    @I.ir_module
    class One:
        @T.prim_func
        def f():
            T.evaluate(1)

    @I.ir_module
    class Two:
        @T.prim_func
        def f():
            T.evaluate(2)

    path = ROOT.attr("functions").map_item(One.get_global_var("f")).attr("body").attr("value").attr("value")
    assert f"caused by lhs at {path}:" in _message(One, Two)


def test_addresses_tell_equal_names_apart() -> None:
    text = three.script(show_object_address=True)
    names = set(re.findall(r"\b[Ai]_0x[0-9a-f]+", text))
    assert len(names) == 2 and re.sub(r"_0x[0-9a-f]+", "", text) == three.script()
