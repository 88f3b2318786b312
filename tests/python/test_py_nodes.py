"""Nodes constructed in Python: variables, types, scalars, op calls, functions; all of them are immutable."""

import numpy as np
import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat import relax, tirx
from sunmao.compat.script import relax as R


@pytest.fixture
def n() -> object:
    return tirx.Var("n", "int64")


def test_a_variable_has_its_name_and_type(n: object) -> None:
    x = relax.Var("x", R.Tensor((n, 4), "float32"))
    assert x.name == "x"
    assert not hasattr(x, "name_hint")
    assert x.ty.shape[0] is n
    assert x.ty.dtype == "float32"
    assert relax.Var("y").ty.is_missing()
    with pytest.raises(AttributeError):
        x.name = "z"


def test_kinds_of_variables_are_told_apart() -> None:
    plain, inner = relax.Var("x", R.Any), relax.DataflowVar("lv", R.Any)
    assert isinstance(plain, relax.Var) and not isinstance(plain, relax.DataflowVar)
    assert isinstance(inner, relax.Var) and isinstance(inner, relax.DataflowVar)


def test_types_are_equal_by_structure(n: object) -> None:
    assert R.Tensor((n, 2), "float32") == relax.TensorType([n, 2], "float32")
    assert R.Tensor((n, 2), "float32") != R.Tensor((n, 3), "float32")
    assert hash(R.Shape([1, 2])) == hash(R.Shape([1, 2]))
    assert relax.TensorType([1, 2], dtype="").dtype == relax.TensorType([1, 2], None).dtype
    with pytest.raises(ValueError, match="dimensions"):
        relax.TensorType([1, 2], "float32", ndim=3)


def test_expressions_are_equal_by_identity(n: object) -> None:
    x = relax.Var("x", R.Tensor((n,), "float32"))
    assert x == x and x != relax.Var("x", R.Tensor((n,), "float32"))
    assert len({x, x}) == 1


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda n: n + 1, "n + 1"),
        (lambda n: 2 * n - 3, "2 * n - 3"),
        (lambda n: n // 4, "n // 4"),
        (lambda n: n % 4, "n % 4"),
        (lambda n: n + 0, "n"),
        (lambda n: n * 1, "n"),
        (lambda n: tirx.max(n, 3), "T.max(n, 3)"),
    ],
)
def test_arithmetic_on_symbols(n: object, make: object, text: str) -> None:
    assert repr(make(n)).replace("T.int64(3)", "3") == text


def test_numbers_meet_at_once() -> None:
    four = tirx.IntImm("int64", 2) * 2
    assert isinstance(four, tirx.IntImm) and four.value == 4
    assert tirx.IntImm("int64", 2) == 2
    assert int(tirx.IntImm("int32", 7)) == 7


def test_truth_of_scalars(n: object) -> None:
    assert n == n
    assert n != tirx.Var("n", "int64")
    with pytest.raises(ValueError, match="no truth value"):
        bool(n < 3)


def test_integers_do_not_divide_by_a_slash(n: object) -> None:
    with pytest.raises(TypeError, match="floordiv"):
        n / 2


def test_ops_are_functions_with_the_arguments_of_their_records(n: object) -> None:
    x = relax.Var("x", R.Tensor((n, 4), "float32"))
    call = relax.op.sum(x, axis=[1], keepdims=True)
    assert isinstance(call, relax.Call)
    assert call.op is tvm.ir.Op.get("relax.sum")
    assert call.attrs.axis == [1] and call.attrs["keepdims"]
    assert call.ty == R.Tensor((n, 1), "float32")
    assert relax.op.nn.relu(x).ty == x.ty
    assert (x + x).op.name == "relax.add"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: relax.op.add(x), "needs `x2`"),
        (lambda x: relax.op.add(x, x, x), "at most 2"),
        (lambda x: relax.op.add(x, 1), "relax.const"),
        (lambda x: relax.op.sum(x, axes=1), "no argument `axes`"),
        (lambda x: relax.op.sum(x, 1, axis=1), "given twice"),
        (lambda x: x + 1, "relax.const"),
    ],
)
def test_wrong_arguments_of_ops(call: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call(relax.Var("x", R.Tensor((2, 2), "float32")))


def test_shapes_that_do_not_fit_are_value_errors() -> None:
    x, y = relax.Var("x", R.Tensor((2,), "float32")), relax.Var("y", R.Tensor((3,), "float32"))
    with pytest.raises(ValueError, match="E0303"):
        relax.op.add(x, y)


def test_an_op_that_is_not_there() -> None:
    with pytest.raises(sunmao.Error, match="E0030"):
        relax.op.ad(1)
    with pytest.raises(sunmao.Error, match="E0204"):
        tvm.ir.Op.get("relax.ad")


def test_constants() -> None:
    assert relax.const(1).ty == R.Tensor((), "int32")
    assert relax.const(1.5).ty == R.Tensor((), "float32")
    assert relax.const(np.zeros((2, 3), "float64")).ty == R.Tensor((2, 3), "float64")
    assert relax.const([1, 2], "bfloat16").data.dtype == "bfloat16"


def test_an_array_may_change_after_it_became_a_constant() -> None:
    data = np.ones(3, "float32")
    constant = relax.const(data)
    data[0] = 5
    assert constant.data.numpy().tolist() == [1, 1, 1]


def test_fields_and_shapes_are_indexed_as_lists() -> None:
    x, y = relax.Var("x", R.Any), relax.Var("y", R.Any)
    both = relax.Tuple([x, y])
    assert both[0] is x and both[-1] is y and list(both) == [x, y]
    with pytest.raises(IndexError):
        both[2]
    shape = relax.ShapeExpr([3, 4])
    assert shape[1] == 4 and len(shape) == 2


def test_functions_are_changed_on_a_copy() -> None:
    x = relax.Var("x", R.Tensor((2,), "float32"))
    f = relax.Function([x], x, x.ty)
    g = f.with_attr({"global_symbol": "f", "num_input": 1})
    assert "global_symbol" not in f.attrs
    assert g.attrs["num_input"] == 1 and g.params[0] is x
    assert "num_input" not in g.without_attr("num_input").attrs


def test_binding_params_and_symbols(n: object) -> None:
    x = relax.Var("x", R.Tensor((n,), "float32"))
    f = relax.Function([x], relax.op.add(x, x), None)
    assert f.bind_symbolic_vars({"n": 3}).ret_ty == R.Tensor((3,), "float32")
    with pytest.raises(sunmao.Error, match="E0518.*nothing defines `outer`"):
        f.bind_symbolic_vars({"n": tirx.Var("outer", "int64") * 2})
    module = tvm.IRModule({"f": f, "other": f.bind_symbolic_vars({"n": tirx.Var("n", "int64")})})
    one = relax.transform.BindSymbolicVars({n: 3})(module)
    assert one["f"].ret_ty == R.Tensor((3,), "float32")
    assert one["other"] is module["other"]
    with pytest.raises(sunmao.Error, match="E0519"):
        relax.transform.BindSymbolicVars({n: 3})(one)
    bound = f.bind_params({"x": np.ones(2, "float32")})
    assert not bound.params and bound.ret_ty == R.Tensor((2,), "float32")
    for wrong in (lambda: f.bind_symbolic_vars({"k": 3}), lambda: f.bind_params({"y": 1})):
        with pytest.raises(sunmao.Error, match="E0518"):
            wrong()


def test_a_module_is_a_variable_that_holds_a_value() -> None:
    x = relax.Var("x", R.Any)
    f = relax.Function([x], x, R.Any())
    first = tvm.IRModule({"f": f})
    snapshot = first.clone()
    first["g"] = f
    assert "g" in first and "g" not in snapshot
    del first["g"]
    assert first.same_as(snapshot) or [v.name for v in first.functions] == ["f"]


def test_a_result_does_not_mention_what_the_body_casts_to() -> None:
    n, m = tirx.Var("n", "int64"), tirx.Var("m", "int64")
    x = relax.Var("x", R.Tensor((n,), "float32"))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        bb.emit_func_output([bb.match_cast(x, R.Tensor((m,), "float32")), x])
    assert bb.get()["main"].ret_ty == R.Tuple(R.Tensor("float32", ndim=1), R.Tensor((n,), "float32"))


def test_integers_have_64_bits_with_a_sign() -> None:
    assert tirx.max_value("int64").value == 2**63 - 1
    for make_one in (lambda: tirx.max_value("uint64"), lambda: tirx.const(2**70, "int64")):
        with pytest.raises(sunmao.Error, match="E0034.*does not fit into 64 bits"):
            make_one()
