"""Graph-level scalar variables: each is a symbol that dimensions and arithmetic can use."""

import pytest
import sunmao.compat as tvm
from sunmao.compat import relax, tirx
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T
from sunmao.errors import ShapeError


def test_a_scalar_variable_is_a_dimension() -> None:
    n = relax.Var("n", tvm.ir.PrimType("int64"))
    x = relax.Var("x", R.Tensor([n, n + 1], "float32"))
    assert x.ty.shape[0].same_as(n)
    assert n.same_as(x.ty.shape[0])
    assert x.ty.shape[1].a.same_as(n)
    assert x.ty.shape[0] == n
    assert not n.same_as(relax.Var("n", tvm.ir.PrimType("int64")))
    assert n.ty == tvm.ir.PrimType("int64")


def test_arithmetic_on_scalar_variables_is_arithmetic_on_scalars() -> None:
    n = relax.Var("n", R.Prim("int64"))
    assert isinstance(n + 1, tirx.Add)
    assert isinstance(2 * n, tirx.Mul)
    assert isinstance(n < 4, tirx.LT)
    x = relax.Var("x", R.Tensor((4,), "float32"))
    assert isinstance(x + x, relax.Call)


def test_a_signature_reads_as_it_is_built() -> None:
    n = relax.Var("n", R.Prim("int64"))
    x = relax.Var("x", R.Tensor([n], "float32"))
    bb = relax.BlockBuilder()
    with bb.function("main", [n, x]):
        y = bb.emit(relax.op.add(x, x))
        bb.emit_func_output(y)

    @R.function
    def main(n: T.int64, x: R.Tensor(["n"], "float32")):
        y = R.add(x, x)
        return y

    tvm.ir.assert_structural_equal(bb.get()["main"], main)
    relax.analysis.well_formed(bb.get())
    assert "n: T.int64" in main.script()


def test_a_result_keeps_its_stated_dtype() -> None:
    @R.function
    def f(n: R.Prim("int64")) -> R.Prim("int64"):
        plus_one = n + 1
        return plus_one

    assert f.ret_ty == tvm.ir.PrimType("int64")
    for shown in (False, True):
        text = f.script(show_all_ty=shown)
        assert "plus_one: T.int64 = n + 1" in text
        tvm.ir.assert_structural_equal(tvm.script.from_source(text), f)


def test_a_dimension_is_an_int64() -> None:
    m = tirx.Var("m", "int32")
    with pytest.raises(ShapeError, match="dtype of int64") as caught:
        relax.ShapeExpr([m, 3])
    assert caught.value.code == "E0302"
    with pytest.raises(RuntimeError):
        relax.TensorType([tirx.Var("f", "float32")], "float32")


def test_shapes_are_given_once() -> None:
    with pytest.raises(ValueError, match="not both"):
        relax.ShapeType([1, 2], ndim=2)
    with pytest.raises(ValueError, match="not both"):
        relax.TensorType([1, 2], ndim=2)


def test_a_scalar_variable_may_be_bound() -> None:
    n = relax.Var("n", R.Prim("int64"))
    m = relax.Var("m", R.Prim("int64"))
    body = relax.SeqExpr([relax.BindingBlock([relax.VarBinding(m, n)])], m)
    function = relax.Function([n], body, R.Prim("int64"))
    assert relax.analysis.check_well_formed(function)
    tvm.ir.assert_structural_equal(tvm.script.from_source(function.script()), function)
    loose = relax.Function([relax.Var("x", R.Tensor([n + 1], "float32"))], relax.Tuple([]), relax.TupleType([]))
    assert not relax.analysis.check_well_formed(loose)
