"""Loop-level statements, buffers and functions constructed in Python."""

import pytest
from sunmao import compat as tvm
from sunmao.compat import ir, tirx
from sunmao.compat.ir import Range
from sunmao.compat.script import from_source
from sunmao.compat.script import tirx as T
from sunmao.compat.tirx.stmt_functor import post_order_visit, substitute


@T.prim_func(private=True)
def fill(A: T.Buffer((4, 8), "float32")):
    for i in range(4):
        for j in T.vectorized(8):
            A[i, j] = T.float32(2)


def test_a_function_made_by_hand_equals_the_script() -> None:
    a = tirx.decl_buffer((4, 8), "float32", name="A")
    i, j = tirx.Var("i", "int32"), tirx.Var("j", "int32")
    store = tirx.BufferStore(a, 2, [i, j])
    inner = tirx.For(j, 0, 8, tirx.ForKind.VECTORIZED, store)
    made = tirx.PrimFunc([a], tirx.For(i, 0, 4, tirx.ForKind.SERIAL, inner))
    tvm.ir.assert_structural_equal(made, fill)
    assert made.params[0] is a and made.body.body.kind == tirx.ForKind.VECTORIZED
    assert made.body.thread_binding is None


def test_definitions_stand_beside_what_they_hold_for() -> None:
    a, x = tirx.decl_buffer((4,), "int32", name="A"), tirx.Var("x", "int32")
    body = tirx.SeqStmt([tirx.AllocBuffer(a), tirx.Bind(x, 3), tirx.BufferStore(a, x, [0])])
    function = tirx.PrimFunc([], body)
    assert [type(s).__name__ for s in function.body] == ["AllocBuffer", "Bind", "BufferStore"]
    assert function.body[0].body is None and function.body.seq[1].value == 3
    tvm.ir.assert_structural_equal(function.body, body, map_free_vars=True)
    assert 'A = T.alloc_buffer((4,), "int32")\n    x: T.let[T.int32] = 3\n    A[0] = x' in function.script()
    same = function.with_body(function.body)
    tvm.ir.assert_structural_equal(same, function)


def test_nested_sequences_are_flat() -> None:
    nested = tirx.SeqStmt([tirx.SeqStmt([tirx.Evaluate(0), tirx.Evaluate(1)]), tirx.Evaluate(2)])
    assert len(nested) == 3 and nested[2].value == 2


def test_blocks_and_regions() -> None:
    a, b = tirx.decl_buffer((16, 16), name="A"), tirx.decl_buffer((4, 4), name="B")
    vi = tirx.Var("vi", "int32")
    view = tirx.MatchBufferRegion(b, a[0:4, 4:8])
    axis = tirx.IterVar((0, 16), vi, tirx.IterVar.CommReduce)
    block = tirx.SBlock([axis], [a[vi, 0:16]], [a[vi, 3]], "b", tirx.Evaluate(0), match_buffers=[view])
    realize = tirx.SBlockRealize([tirx.IntImm("int32", 3)], True, block)
    assert block.iter_vars[0].iter_type == tirx.IterVar.CommReduce and block.iter_vars[0].dom == Range(0, 16)
    assert [str(r) for r in block.reads] == ["A[vi, 0:16]"] and block.writes[0].region[1].extent == 1
    assert block.match_buffers[0].script(verbose_expr=True).endswith("B = T.match_buffer(A[0:4, 4:8], (4, 4))")
    assert realize.block is block and realize.predicate.value is True
    tvm.ir.assert_structural_equal(block.reads, [tirx.BufferRegion(a, [Range.from_min_extent(vi, 1), Range(0, 16)])])
    assert not tvm.ir.structural_equal(block.reads, [a[vi, 0:15]])
    with pytest.raises(ValueError, match="each of its axes|zip"):
        tirx.SBlockRealize([], True, block)


def test_threads_are_loops_that_read_as_remarks() -> None:
    thread = tirx.IterVar((0, 8), "tx", tirx.IterVar.ThreadIndex, "threadIdx.x")
    launched = tirx.AttrStmt(thread, "thread_extent", 8, tirx.Evaluate(0))
    assert isinstance(launched, tirx.For) and launched.kind == tirx.ForKind.THREAD_BINDING
    assert launched.thread_binding.thread_tag == "threadIdx.x" and launched.node.dom == Range(0, 8)
    assert (launched.attr_key, launched.value.value) == ("thread_extent", 8)


def test_masks_and_scalable_vectors() -> None:
    a = tirx.decl_buffer((32,), name="A")
    lanes = tirx.vscale() * 4
    ramp = tirx.Ramp(0, 1, lanes)
    assert ramp.dtype == "int32xvscalex4" and str(ramp.lanes) == "T.vscale() * 4"
    load = tirx.BufferLoad(a, [ramp], tirx.Broadcast(tirx.IntImm("bool", 1), lanes))
    assert load.dtype == "float32xvscalex4" and load.predicate is not None
    store = tirx.BufferStore(a, load, [ramp], tirx.Broadcast(tirx.IntImm("bool", 0), lanes))
    assert str(store).startswith("A.vstore([T.Ramp(0, 1, T.vscale() * 4)], A.vload([")
    assert tvm.ir.structural_equal(store, tirx.BufferStore(a, load, [ramp], store.predicate))
    assert not tvm.ir.structural_equal(store, tirx.BufferStore(a, load, [ramp]))
    assert a.vload([0], "float32x4").dtype == "float32x4"
    with pytest.raises(ValueError, match="the mask of `A`"):
        tirx.BufferLoad(a, [ramp], tirx.Broadcast(tirx.IntImm("bool", 1), 4))
    with pytest.raises(ValueError, match="2 lanes or more"):
        tirx.Ramp(0, 1, 1)


def test_equal_functions_hash_the_same() -> None:
    made = tirx.PrimFunc([tirx.decl_buffer((4,), "float32", name="A")], tirx.Evaluate(0))

    @T.prim_func(private=True)
    def written(A: T.Buffer((4,), "float32")):
        T.evaluate(0)

    assert tvm.ir.structural_equal(made, written)
    assert tvm.ir.structural_hash(made) == tvm.ir.structural_hash(written)


def test_scalable_elements_stay_scalable() -> None:
    a = tirx.decl_buffer((4,), "float32xvscalex4", name="A")
    assert a[0].dtype == "float32xvscalex4"


def test_a_cast_keeps_lanes() -> None:
    with pytest.raises(ValueError, match="E0034.*keeps the number of lanes"):
        tirx.Cast("float32x4", tirx.Var("i", "int32"))


def test_definitions_do_not_nest_without_end() -> None:
    body = [tirx.Bind(tirx.Var(f"x{i}", "int32"), tirx.IntImm("int32", i)) for i in range(5000)]
    with pytest.raises(ValueError, match="E0104.*nested more than 4000 levels"):
        tirx.PrimFunc([], tirx.SeqStmt([*body, tirx.Evaluate(0)]))


def test_a_function_of_a_docstring_does_nothing() -> None:
    read = from_source('@T.prim_func\ndef f(A: T.Buffer((4,), "float32")):\n    """text"""\n')
    assert isinstance(read.body, tirx.Evaluate)


def test_pointers() -> None:
    void = ir.PointerType(ir.PrimType("void"), "shared")
    p = tirx.Var("p", ir.PointerType(ir.PrimType("int8"), "local"))
    assert p.ty == ir.PointerType(ir.PrimType("int8"), "local") and p.ty != void
    assert p.script(verbose_expr=True) == 'p = T.handle("int8", "local")\np'
    assert void.script() == 'T.handle(storage_scope="shared")' and void.storage_scope == "shared"
    handle = T.handle("float32", "shared")
    assert handle.ty.element_type == "float32" and handle.ty.storage_scope == "shared"


def test_buffers_and_their_types() -> None:
    a = tirx.decl_buffer((4, 8), "int8", scope="local")
    assert tirx.is_buffer_var(a) and not tirx.is_buffer_var(a.data)
    assert list(a.ty.shape) == [4, 8] and a.ty.dtype == ir.PrimType("int8") == a.dtype
    assert a.scope == a.scope() == "local" and a.data.ty.storage_scope == "local"
    assert isinstance(a[0, 1], tirx.BufferLoad) and isinstance(a[0:2, 1], tirx.BufferRegion)
    with pytest.raises(IndexError, match="has 2 dimensions"):
        a[0, 0, 0]


def test_reducers_and_ranges_as_text() -> None:
    reducer = T.comm_reducer(lambda x, y: x + y, [T.float32(0)])
    assert reducer.script() == "T.comm_reducer(lambda x, y: x + y, [T.float32(0.0)])"
    assert Range(2, 10).script() == "I.Range(2, 10)" and Range(8).extent == 8
    with pytest.raises(ValueError, match="the function has 3 parameters"):
        T.comm_reducer(lambda x, y, z: x, [0])


def test_walks_and_substitution() -> None:
    seen: list[object] = []
    post_order_visit(fill.body, seen.append)
    assert isinstance(seen[-1], tirx.For) and any(isinstance(node, tirx.BufferStore) for node in seen)
    x = tirx.Var("x", "int32")
    replaced = substitute(tirx.Evaluate(x + 1), {x: 4})
    assert str(replaced) == "T.evaluate(T.Add(4, 1))\n"
    assert substitute(x * 2, {x: x}).a is x


def test_places_of_statements() -> None:
    read = tvm.script.from_source("@T.prim_func\ndef f():\n    T.evaluate(1)\n")
    span = read.body.span
    assert (span.line, span.column) == (3, 5)
    placed = tirx.Evaluate(1, ir.Span(ir.SourceName("f.py"), 7, 7, 5, 18))
    assert placed.span.source_name.name == "f.py" and placed.span.end_column == 18
    assert tvm.ir.structural_equal(placed, read.body) and tirx.Evaluate(1).span is None


def test_what_a_loop_cannot_be() -> None:
    i = tirx.Var("i", "int32")
    with pytest.raises(ValueError, match="a loop counts its rounds"):
        tirx.For(i, 0, 8, tirx.ForKind.SERIAL, tirx.Evaluate(i), step=2)
    with pytest.raises(TypeError, match="Var or Buffer"):
        tirx.PrimFunc([3], tirx.Evaluate(0))
    with pytest.raises(ValueError, match="THREAD_BINDING"):
        tirx.For(i, 0, 8, tirx.ForKind.THREAD_BINDING, tirx.Evaluate(i))
    with pytest.raises(ValueError, match="the extent is int64"):
        tirx.For(i, 0, tirx.IntImm("int64", 8), tirx.ForKind.SERIAL, tirx.Evaluate(i))
    with pytest.raises(ValueError, match="the value is float32"):
        tirx.Bind(i, 1.5)
    with pytest.raises(ValueError, match="has a statement"):
        tirx.SeqStmt([])
    with pytest.raises(ValueError, match="indexed with a float32"):
        tirx.decl_buffer((4,))[1.5]


def test_numbers_beside_vectors_stand_in_every_lane() -> None:
    ramp = tirx.Ramp(0, 1, 4)
    assert str(ramp + 2) == "T.Ramp(0, 1, 4) + T.Broadcast(2, 4)"
    assert (tirx.Var("x", "int64") * ramp).dtype == "int64x4"
    assert (ramp < tirx.Var("n", "int32")).dtype == "boolx4"
    with pytest.raises(ValueError, match="no dtype of one number of that kind"):
        tirx.IntImm("int32x4", 1)


def test_intrinsics_by_name() -> None:
    a = tirx.decl_buffer((4,), "int8", name="A")
    assert str(tirx.address_of(a)) == "T.address_of(A[0])" and tirx.address_of(a).dtype == "handle"
    assert tirx.ret(tirx.IntImm("int8", 1)).dtype == "int8"
    assert T.tvm_tuple(1, 2, dtype="handle").dtype == "handle"
    with pytest.raises(AttributeError, match="E0030"):
        tirx.no_such_intrinsic  # noqa: B018


def test_sums_do_not_nest_without_end() -> None:
    total = x = tirx.Var("x", "int32")
    with pytest.raises(ValueError, match="E0104.*nested more than 4000 levels"):
        for _ in range(5000):
            total = total + x
    assert tvm.ir.structural_hash(total) == tvm.ir.structural_hash(total)


def test_operands_that_do_not_fit_are_told_apart() -> None:
    with pytest.raises(TypeError, match="E0301.*operands differ in type: float32x4 and float32x2"):
        tirx.Var("x", "float32x4") + tirx.Var("y", "int32x2")
    with pytest.raises(TypeError, match="unsupported operand"):
        tirx.Var("x", "int32") + object()


def test_a_function_is_pure_when_nothing_outside_sees_what_it_does() -> None:
    @T.prim_func
    def nothing(A: T.Buffer((4,), "float32")):
        T.evaluate(0)

    @T.prim_func
    def own_memory(A: T.Buffer((4,), "float32")):
        B = T.alloc_buffer((4,), "float32")
        B[0] = A[0]

    @T.prim_func
    def evaluates(A: T.Buffer((4,), "float32")):
        T.evaluate(T.exp(A[0]))

    purity = [f.type.is_pure for f in (nothing, own_memory, evaluates, fill)]
    assert purity == [True, True, False, False]
