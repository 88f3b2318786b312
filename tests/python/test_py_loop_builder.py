"""Loop-level functions built with the builder API."""

import pytest
from sunmao import compat as tvm
from sunmao.compat import tirx
from sunmao.compat.ir import SourceName, Span
from sunmao.compat.script import tirx as T
from sunmao.compat.script.ir_builder import IRBuilder
from sunmao.compat.script.ir_builder import ir as I
from sunmao.compat.script.ir_builder import tirx as B


@T.prim_func(s_tir=True)
def matmul(a: T.Buffer((8, 8), "float32"), b: T.Buffer((8, 8), "float32")):
    for i, j, k in T.grid(8, 8, 8):
        with T.sblock("update"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                b[vi, vj] = T.float32(0)
            b[vi, vj] = b[vi, vj] + a[vi, vk]


def test_a_kernel_with_blocks_equals_the_script() -> None:
    with IRBuilder() as ib, B.prim_func(s_tir=True):
        B.func_name("matmul")
        a = B.arg("a", B.Buffer((8, 8), "float32"))
        b = B.arg("b", B.Buffer((8, 8), "float32"))
        with B.grid(8, 8, 8) as (i, j, k):
            ib.name_many(["i", "j", "k"], [i, j, k])
            with B.sblock("update"):
                vi, vj, vk = B.axis.remap("SSR", [i, j, k])
                ib.name_many(["vi", "vj", "vk"], [vi, vj, vk])
                with B.init():
                    B.buffer_store(b, 0, [vi, vj])
                B.buffer_store(b, b[vi, vj] + a[vi, vk], [vi, vj])
    built = ib.get()
    tvm.ir.assert_structural_equal(built, matmul)
    assert built.script() == matmul.script()


def test_statements_of_every_kind() -> None:
    with IRBuilder() as ib, B.prim_func(private=True):
        n = B.arg("n", B.int32())
        A = B.arg("A", B.handle())
        a = IRBuilder.name("a", B.match_buffer(A, (16,), "float32"))
        temp = IRBuilder.name("temp", B.alloc_buffer((16,), "float32", scope="shared"))
        again = IRBuilder.name("again", B.decl_buffer((4, 4), "float32", data=temp.data))
        x = IRBuilder.name("x", B.bind(n + 1))
        with B.Assert(n > 0, "n counts"), B.attr("note", "key", 1):
            with B.While(x < 4):
                B.evaluate(x)
            with B.If(n == 2):
                with B.Then():
                    B.buffer_store(a, 1, [0])
                with B.Else():
                    B.buffer_store(again, 2, [0, 0])
        with B.launch_thread("threadIdx.x", 8):
            B.evaluate(0)
    text = ib.get().script()
    for line in (
        'def main(n: T.int32, a: T.Buffer((16,), "float32")):',
        "temp = T.alloc_shared((16,))",
        "again = T.decl_buffer((4, 4), data=temp.data",
        "x: T.let[T.int32] = n + 1",
        'assert n > 0, ("RuntimeError", ["n counts"])',
        'with T.attr("note", "key", 1):',
        "while x < 4:",
        "again[0, 0] = T.float32(2.0)",
        'for threadIdx_x in T.thread_binding(8, thread="threadIdx.x"):',
    ):
        assert line in text, text


def test_parts_alone() -> None:
    with IRBuilder() as ib, B.serial(4, 8, annotations={"k": 1}) as i:
        ib.name("i", i)
        B.evaluate(i)
    assert ib.get().script() == 'for i in T.serial(4, 8, annotations={"k": 1}):\n    T.evaluate(i)\n'
    with IRBuilder() as ib:
        v = B.bind(tirx.IntImm("int32", 2))
    assert isinstance(ib.get(), tirx.Bind) and ib.get().body is None and isinstance(v, tirx.Var)
    with IRBuilder() as ib, B.sblock("b", no_realize=True):
        B.axis.spatial(8)
        B.reads()
        B.writes()
        B.evaluate(0)
    assert isinstance(ib.get(), tirx.SBlock)


def test_open_regions_are_found_where_the_function_ends() -> None:
    a = B.Buffer((8,), "float32")
    with IRBuilder() as ib, B.sblock("b"):
        B.buffer_store(a, 1, [0])
    assert ib.get().block.annotations == {"tirx.script_parsing_detect_access": 3} and not ib.get().block.writes
    with IRBuilder() as ib, B.prim_func():
        B.arg("a", a)
        with B.serial(2), B.sblock("b"):
            B.buffer_store(a, 1, [0])
    block = ib.get().body.block.body.body.block
    assert [str(r) for r in block.writes] == ["a[0]"] and not block.annotations


def test_functions_stand_in_modules_and_statements_have_places() -> None:
    span = Span(SourceName("made.py"), 3, 3, 1, 9)
    with IRBuilder() as ib, I.ir_module(), B.prim_func():
        B.func_name("foo")
        B.func_attr({"note": "kept"})
        B.func_ret("int32")
        with ib.with_source_span(span):
            B.evaluate(B.meta_var([1, 2]).value[1])
    foo = ib.get()["foo"]
    assert foo.attrs["note"] == "kept" and foo.attrs["global_symbol"] == "foo" == foo.__name__
    assert foo.body.span == span and foo.ret_type == "int32"


def test_what_stands_in_the_wrong_place_says_so() -> None:
    with IRBuilder():
        with pytest.raises(ValueError, match="stands in a block"):
            B.where(B.int32() > 1)
        with pytest.raises(ValueError, match="stands in a function"):
            B.func_name("f")
        with pytest.raises(ValueError, match="needs a thread"):
            B.thread_binding(4)
        with pytest.raises(ValueError, match="has a case"), B.If(B.int32() > 1):
            pass
        with pytest.raises(ValueError, match="letters S and R"), B.sblock("b"):
            B.axis.remap("S", [B.int32()])
        with pytest.raises(ValueError, match="needs a value"), B.sblock("b"):
            B.axis.spatial(4)
        with pytest.raises(ValueError, match="is no parameter"), B.prim_func():
            B.match_buffer(B.handle(), (4,))
