"""Building functions in Python: BlockBuilder, calls of tensor expressions, frames of IRBuilder."""

from typing import Any

import numpy as np
import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat import relax, te, tirx, topi
from sunmao.compat.contrib import cblas
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T
from sunmao.compat.script.ir_builder import IRBuilder
from sunmao.compat.script.ir_builder import relax as B


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 4), "float32") = R.add(x, x)
            gv: R.Tensor((n, 4), "float32") = R.nn.relu(lv)
            R.output(gv)
        return gv


@pytest.fixture
def x() -> relax.Var:
    return relax.Var("x", R.Tensor((tirx.Var("n", "int64"), 4), "float32"))


def test_a_function_with_a_dataflow_block(x: relax.Var) -> None:
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow():
            lv = bb.emit(relax.op.add(x, x))
            gv = bb.emit_output(relax.op.nn.relu(lv))
        bb.emit_func_output(gv)
    tvm.ir.assert_structural_equal(bb.get(), Expected)
    assert (lv.name, gv.name) == ("lv", "gv")
    assert bb.lookup_binding(lv).op.name == "relax.add"


def test_operands_become_bindings(x: relax.Var) -> None:
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        bb.emit_func_output(relax.op.nn.relu(relax.op.add(x, x)))
    body = bb.get()["main"].body
    assert [b.value.op.name for b in body.blocks[0].bindings] == ["relax.add", "relax.nn.relu"]
    assert relax.analysis.well_formed(bb.get())


def test_names_do_not_repeat(x: relax.Var) -> None:
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        names = [bb.emit(relax.op.add(x, x)).name for _ in range(3)]
        bb.emit_func_output(x)
    assert len(set(names)) == 3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda bb, x: bb.emit(x), "E0039"),
        (lambda bb, x: bb._end_block(), "E0039"),
        (lambda bb, x: bb.emit_func_output(x), "not in a function"),
        (lambda bb, x: bb.function("f", ["x"]), "must be of type"),
    ],
)
def test_misuse_says_what_to_do(x: relax.Var, wrong: object, message: str) -> None:
    with pytest.raises((sunmao.Error, RuntimeError, TypeError), match=message):
        wrong(relax.BlockBuilder(), x)


@pytest.mark.parametrize("params_with_output", [False, True])
def test_an_output_that_failed_may_be_given_again(x: relax.Var, params_with_output: bool) -> None:
    bb = relax.BlockBuilder()
    first, then = ([x], None) if not params_with_output else (None, [x])
    with bb.function("main", first):
        with bb.dataflow():
            lv = bb.emit(relax.op.add(x, x))
            with pytest.raises(sunmao.Error, match="E0039.*still open"):
                bb.emit_func_output(lv, then)
            gv = bb.emit_output(relax.op.nn.relu(lv))
        bb.emit_func_output(gv, then)
        with pytest.raises(RuntimeError, match="exactly once"):
            bb.emit_func_output(gv)
    tvm.ir.assert_structural_equal(bb.get(), Expected)


def test_an_output_that_failed_is_none(x: relax.Var) -> None:
    bb = relax.BlockBuilder()
    left = pytest.raises(RuntimeError, match="emit_func_output must be called")
    with left, bb.function("main", [x]), bb.dataflow(), pytest.raises(sunmao.Error, match="E0039"):
        bb.emit_func_output(x)


def test_a_function_without_an_output_is_an_error(x: relax.Var) -> None:
    bb = relax.BlockBuilder()
    with pytest.raises(RuntimeError, match="emit_func_output"), bb.function("main", [x]):
        pass
    assert relax.BlockBuilder.current() is None


def test_emit_te_makes_a_kernel_that_computes(x: relax.Var) -> None:
    y = relax.Var("y", R.Tensor((4, 3), "float32"))
    bb = relax.BlockBuilder()
    with bb.function("main", [x, y]):
        product = bb.emit_te(topi.matmul, x, y)
        doubled = bb.emit_te(lambda t: te.compute(t.shape, lambda i, j: t[i, j] * 2, name="twice"), product)
        bb.emit_func_output(bb.emit_te(topi.sum, doubled, axis=1))
    vm = relax.VirtualMachine(relax.build(bb.get(), "llvm"), tvm.cpu())
    a, b = np.arange(8, dtype="float32").reshape(2, 4), np.ones((4, 3), "float32")
    np.testing.assert_allclose(vm["main"](a, b).numpy(), (a @ b * 2).sum(axis=1))


@pytest.mark.parametrize("transa", [False, True])
@pytest.mark.parametrize("transb", [False, True])
@pytest.mark.parametrize("batches", [(), (3, 3), (1, 3), (3, 1)])
def test_products_in_the_place_of_blas_compute(transa: bool, transb: bool, batches: tuple[int, ...]) -> None:
    shapes = [(4, 2) if transa else (2, 4), (5, 4) if transb else (4, 5)]
    arrays = [
        np.arange(np.prod(shape) * (n or 1), dtype="float32").reshape(*([n] if n else []), *shape)
        for shape, n in zip(shapes, batches or (0, 0), strict=True)
    ]
    names = [relax.Var(name, R.Tensor(array.shape, "float32")) for name, array in zip("xy", arrays, strict=True)]
    bb = relax.BlockBuilder()
    product = cblas.batch_matmul if batches else cblas.matmul
    with bb.function("main", names):
        bb.emit_func_output(bb.emit_te(product, *names, transa=transa, transb=transb))
    vm = relax.VirtualMachine(relax.build(bb.get(), "llvm"), tvm.cpu())
    left, right = (np.swapaxes(a, -1, -2) if t else a for a, t in zip(arrays, (transa, transb), strict=True))
    np.testing.assert_array_equal(vm["main"](*arrays).numpy(), left @ right)


@pytest.mark.parametrize(
    "function, left, right, options, code",
    [
        (topi.matmul, (2, 4), (5, 3), {}, "E0311"),
        (cblas.matmul, (2, 4), (4, 3), {"transb": True}, "E0311"),
        (cblas.matmul, (2, 4), (1, 4, 3), {}, "E0307"),
        (cblas.batch_matmul, (2, 2, 4), (3, 4, 3), {}, "E0303"),
        (cblas.batch_matmul, (2, 2, 4), (2, 3, 3), {}, "E0311"),
        (cblas.batch_matmul, (2, 2, 4), (2, 4, 3), {"iterative": True}, "E0032"),
    ],
)
def test_products_whose_operands_do_not_fit_are_refused(
    function: Any, left: tuple[int, ...], right: tuple[int, ...], options: dict[str, bool], code: str
) -> None:
    with pytest.raises(sunmao.Error, match=code):
        function(te.placeholder(left), te.placeholder(right), **options)


def test_emit_te_needs_shapes() -> None:
    x = relax.Var("x", R.Tensor("float32", ndim=2))
    bb = relax.BlockBuilder()
    with pytest.raises(ValueError, match="known shapes"), bb.function("main", [x]):
        bb.emit_te(topi.exp, x)


def test_functions_by_frames() -> None:
    with IRBuilder() as builder, B.function():
        B.func_name("main")
        x = B.arg("x", R.Tensor((tirx.Var("n", "int64"), 4), "float32"))
        with B.dataflow() as block:
            lv = B.emit(B.add(x, x))
            gv = B.emit(B.nn.relu(lv))
            B.output(gv)
        (gv,) = block.output_vars
        B.func_ret_value(gv)
        IRBuilder.name("result", gv)
    function = builder.get()
    tvm.ir.assert_structural_equal(function, Expected["main"])
    assert function.body.body.name == "result"
    with pytest.raises(ValueError, match="No IRBuilder"):
        IRBuilder.current()


def test_a_sequence_that_is_emitted_becomes_part_of_the_block(x: relax.Var) -> None:
    inner = relax.Var("inner", x.ty)
    plain = relax.BindingBlock([relax.VarBinding(inner, relax.op.add(x, x))])
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit(relax.SeqExpr([plain], relax.op.nn.relu(inner))))
    (block,) = bb.get()["main"].body.blocks
    assert [b.value.op.name for b in block.bindings] == ["relax.add", "relax.nn.relu"]


def test_a_dataflow_block_of_a_sequence_stays_one(x: relax.Var) -> None:
    inner = relax.Var("inner", x.ty)
    dataflow = relax.DataflowBlock([relax.VarBinding(inner, relax.op.add(x, x))])
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit(relax.SeqExpr([dataflow], relax.op.nn.relu(inner))))
    assert [b.is_dataflow for b in bb.get()["main"].body.blocks] == [True, False]


def sequence() -> relax.SeqExpr:
    bb = relax.BlockBuilder()
    with bb.function("main", []):
        bb.emit_func_output(bb.emit(relax.op.add(relax.const(1, "int64"), relax.const(2, "int64"))))
    return bb.finalize()["main"].body


def test_a_sequence_divides_a_dataflow_block() -> None:
    bb = relax.BlockBuilder()
    with bb.function("main", []):
        with bb.dataflow():
            bb.emit(relax.const(3, "int64"), "unread")
            inner = bb.emit(sequence(), "inner")
            out = bb.emit_output(inner, "out")
        bb.emit_func_output(out)
    blocks = bb.finalize()["main"].body.blocks
    assert [isinstance(b, relax.DataflowBlock) for b in blocks] == [True, False, True]


@pytest.mark.parametrize("name", ["call_tir", "call_tir_with_grad", "dist.call_tir_local_view"])
def test_a_call_of_loops_passes_a_tuple_that_is_written_out(name: str) -> None:
    x = relax.Var("x", R.Tensor((2,), "float32"))
    bb = relax.BlockBuilder()
    a = te.placeholder((2,), name="a")
    kernel = bb.add_func(te.create_prim_func([a, topi.exp(a)]), "loops")
    op = tvm.ir.Op.get(f"relax.{name}")
    with bb.function("main", [x]):
        given = bb.emit(relax.Tuple([x]))
        bb.emit_func_output(bb.emit(relax.Call(op, [kernel, given], ty_args=[x.ty])))
    call = bb.get()["main"].body.blocks[0].bindings[1].value
    assert isinstance(call.args[1], relax.Tuple) and call.args[1][0].same_as(x)


def test_a_builder_leaves_it_to_the_check_where_a_divided_block_is_read() -> None:
    bb = relax.BlockBuilder()
    with bb.function("main", []):
        with bb.dataflow():
            local = bb.emit(relax.const(3, "int64"), "local")
            out = bb.emit_output(relax.op.add(local, bb.emit(sequence())), "out")
        bb.emit_func_output(out)
    assert not relax.analysis.check_well_formed(bb.finalize())


def test_a_dividing_sequence_reads_no_dataflow_variable() -> None:
    x = relax.Var("x", R.Tensor((), "int64"))
    inner = relax.BlockBuilder()
    with inner.function("main", [x]):
        inner.emit_func_output(inner.emit(relax.op.add(x, x)))
    twice = inner.finalize()["main"]
    bb = relax.BlockBuilder()
    with bb.function("main", []):
        with bb.dataflow():
            local = bb.emit(relax.const(3, "int64"), "local")
            out = bb.emit_output(bb.emit(twice.bind_params({x: local}).body))
        with pytest.raises(sunmao.Error, match="E0401.*`local` is read outside"):
            bb.emit_func_output(out)


def test_arguments_of_a_call_in_place_stand_side_by_side(x: relax.Var) -> None:
    """As scripts write it; those of other packed calls stand in a tuple."""

    @R.function
    def expected(x: R.Tensor(("n", 4), "float32"), held: R.Any) -> R.Any:
        after: R.Any = R.call_inplace_packed("f", held, x, inplace_indices=[0], ty_args=(R.Any,))
        return after

    bb, held = relax.BlockBuilder(), relax.Var("held", relax.AnyType())
    with bb.function("expected", [x, held]):
        call = relax.op.call_inplace_packed("f", held, x, inplace_indices=[0], ty_args=relax.AnyType())
        bb.emit_func_output(bb.emit(call))
    tvm.ir.assert_structural_equal(bb.get()["expected"], expected)
