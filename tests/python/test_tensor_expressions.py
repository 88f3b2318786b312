"""Tensor expressions (`te`, `topi`) compute what upstream documents."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao.compat import relax, te, tirx, topi
from sunmao.compat.ir import assert_structural_equal


def run(outputs: Any, *inputs: tuple[Any, np.ndarray]) -> np.ndarray:
    """Runs a function made from tensor expressions on values for its placeholders, and returns its only output."""
    function = te.create_prim_func([*(tensor for tensor, _ in inputs), outputs])
    module = sunmao.parse_module(
        CALLER.format(
            params=", ".join(f'a{i}: R.Tensor({list(v.shape)}, "{v.dtype}")' for i, (_, v) in enumerate(inputs)),
            args=", ".join(f"a{i}" for i in range(len(inputs))) + ",",
            shape=[int(d.value) for d in outputs.shape],
            dtype=outputs.dtype,
        )
    ).with_function("kernel", function)
    values = [value for _, value in inputs]
    evaluated = sunmao.evaluate(module, *values)
    np.testing.assert_array_equal(sunmao.compile(module)(*values), evaluated)
    return np.asarray(evaluated)


CALLER = """
from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def kernel():
        T.evaluate(0)

    @R.function
    def main({params}):
        cls = Module
        y = R.call_tir(cls.kernel, ({args}), out_ty=R.Tensor({shape}, "{dtype}"))
        return y
"""

X = np.arange(12, dtype="float32").reshape(3, 4) - 5


def reduced(reduce: Callable[..., Any], **options: Callable[[Any, Any, Any], Any]) -> np.ndarray:
    """Reduces `X` along its rows; `options` are functions of the tensor and the two indices."""
    x = te.placeholder((3, 4), name="x")
    k = te.reduce_axis((0, 4), "k")
    made = te.compute(
        (3,), lambda i: reduce(x[i, k], axis=k, **{name: f(x, i, k.var) for name, f in options.items()}), name="y"
    )
    return run(made, (x, X))


def test_an_axis_of_a_reduction_is_its_variable_in_expressions() -> None:
    x = te.placeholder((3, 4), name="x")
    k, m = te.reduce_axis((0, 2), "k"), te.reduce_axis((0, 2), "m")
    value = lambda i: tirx.Select(k - m < 1, x[i, 2 * k + m], x[2 - i, -m + (k % 2) + 1 - k // 2]) * (1 + k)  # noqa: E731
    made = te.compute((3,), lambda i: te.sum(value(i).astype("float32"), axis=[k, m]), name="y")
    pairs = [(k, m) for k in range(2) for m in range(2)]
    expected = [
        sum((X[i, 2 * k + m] if k - m < 1 else X[2 - i, k + 1 - m]) * (1 + k) for k, m in pairs) for i in range(3)
    ]
    np.testing.assert_array_equal(run(made, (x, X)), expected)


def test_where_leaves_values_out() -> None:
    positive = np.where(X > 0, X, 0).sum(1)
    np.testing.assert_array_equal(reduced(te.sum, where=lambda x, i, k: x[i, k] > tirx.const(0, "float32")), positive)
    largest = np.where([True, False, True, False], X, -np.inf).max(1)
    np.testing.assert_array_equal(reduced(te.max, where=lambda x, i, k: te.floormod(k, 2).equal(0)), largest)


def test_init_is_what_a_reduction_starts_from() -> None:
    np.testing.assert_array_equal(reduced(te.sum, init=lambda x, i, k: tirx.const(100, "float32")), X.sum(1) + 100)
    np.testing.assert_array_equal(
        reduced(te.max, init=lambda x, i, k: tirx.const(3, "float32")), np.maximum(X.max(1), 3)
    )


def test_a_reduction_of_ones_own_combines_all_that_it_is_given() -> None:
    product = te.comm_reducer(lambda a, b: a * b, lambda dtype: tirx.const(1, dtype))
    np.testing.assert_array_equal(
        reduced(product, where=lambda x, i, k: x[i, k] < tirx.const(0, "float32")), np.where(X < 0, X, 1).prod(1)
    )
    assert int(te.max(tirx.const(2, "int32"), tirx.const(7, "int32"), tirx.const(5, "int32"))) == 7


def test_a_condition_is_a_bool() -> None:
    with pytest.raises(sunmao.Error, match="`where` says which values count"):
        reduced(te.sum, where=lambda x, i, k: x[i, k])


@pytest.mark.parametrize(("op", "expected"), [("mod", np.fmod), ("floor_mod", np.mod)])
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_remainders(op: str, expected: Callable[..., Any], dtype: str) -> None:
    a, b = te.placeholder((4,), dtype, "a"), te.placeholder((4,), dtype, "b")
    x, y = np.array([7, -7, 7, -7], dtype), np.array([3, 3, -3, -3], dtype)
    np.testing.assert_array_equal(run(getattr(topi, op)(a, b), (a, x), (b, y)), expected(x, y))


def test_the_percent_sign_on_tensors_truncates() -> None:
    module = sunmao.parse_module(
        "from tvm.script import relax as R\n\n@R.function\n"
        'def main(x: R.Tensor((2,), "int32"), y: R.Tensor((2,), "int32")):\n    z = x % y\n    return z\n'
    )
    x, y = np.array([-7, 7], "int32"), np.array([3, -3], "int32")
    np.testing.assert_array_equal(sunmao.evaluate(module, x, y), np.fmod(x, y))


N = tirx.Var("n", "int64")
OPERATORS = [
    (lambda x, y: topi.add(x, y), lambda x, y: relax.op.add(x, y), [(N, 4), (4,)]),
    (lambda x, y: x * y, lambda x, y: relax.op.multiply(x, y), [(N, 4), (N, 1)]),
    (lambda x: 2 * x, lambda x: relax.op.multiply(relax.prim_value(2, "float32"), x), [(N, 4)]),
    (topi.exp, relax.op.exp, [(N, 4)]),
    (topi.nn.relu, relax.op.nn.relu, [(4,)]),
    (lambda x: topi.clip(x, 0, 6), lambda x: relax.op.clip(x, 0, 6), [(N, 4)]),
    (lambda x: topi.cast(x, "int32"), lambda x: relax.op.astype(x, "int32"), [(N, 4)]),
    (lambda x: topi.transpose(x, (1, 0)), lambda x: relax.op.permute_dims(x, (1, 0)), [(N, 4)]),
    (topi.matmul, relax.op.matmul, [(N, 4), (4, 3)]),
    (lambda x: topi.sum(x, axis=1), lambda x: relax.op.sum(x, axis=1), [(N, 4)]),
    (lambda x: topi.max(x, keepdims=True), lambda x: relax.op.max(x, keepdims=True), [(3, 4)]),
    (lambda: topi.full((2, 3), "float32", 1), lambda: relax.op.full((2, 3), relax.prim_value(1, "float32")), []),
]


@pytest.mark.parametrize(("operator", "op", "shapes"), OPERATORS)
def test_the_loops_of_an_operator_are_those_of_the_ops_record(
    operator: Callable[..., Any], op: Callable[..., Any], shapes: list[tuple[Any, ...]]
) -> None:
    tensors = [te.placeholder(shape, "float32", f"x{i}") for i, shape in enumerate(shapes)]
    made = te.create_prim_func([*tensors, operator(*tensors)])
    builder = relax.BlockBuilder()
    params = [relax.Var(f"x{i}", relax.TensorType(shape, "float32")) for i, shape in enumerate(shapes)]
    with builder.function("main", params):
        builder.emit_func_output(builder.emit(op(*params)))
    (kernel,) = [f for f in relax.transform.LegalizeOps()(builder.get()).functions.values() if hasattr(f, "buffer_map")]
    assert_structural_equal(made.body, kernel.body, map_free_vars=True)


def test_operators_and_expressions_make_one_function() -> None:
    x, y = te.placeholder((3, 4), name="x"), te.placeholder((4,), name="y")
    shifted = te.compute((3, 4), lambda i, j: x[i, j] + 1, name="shifted")
    found = topi.sum(2 * (shifted * shifted) - y, axis=1)
    a, b = X, np.arange(4, dtype="float32")
    np.testing.assert_array_equal(run(found, (x, a), (y, b)), (2 * (a + 1) ** 2 - b).sum(1))


def test_what_is_read_is_given() -> None:
    x, y = te.placeholder((3, 4), name="x"), te.placeholder((3, 4), name="y")
    with pytest.raises(sunmao.Error, match="`y` is read and is no parameter"):
        te.create_prim_func([x, topi.add(x, y)])


@pytest.mark.parametrize("source", ["computed", "given"])
def test_a_tensor_that_is_given_again_is_written_again(source: str) -> None:
    bb, x = relax.BlockBuilder(), relax.Var("x", relax.TensorType((3, 4), "float32"))

    def twice(a: te.Tensor) -> list[te.Tensor]:
        out = topi.exp(a) if source == "computed" else a
        return [out, out]

    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit_te(twice, x))
    want = np.exp(X) if source == "computed" else X
    for made in (sunmao.evaluate(bb.get(), X), sunmao.compile(bb.get())(X)):
        for part in made:
            np.testing.assert_allclose(np.asarray(part), want, rtol=1e-6)


def test_an_operator_whose_operands_do_not_fit_says_what_its_op_says() -> None:
    x, y = te.placeholder((3, 4), name="x"), te.placeholder((3,), name="y")
    with pytest.raises(sunmao.Error, match="add: "):
        topi.add(x, y)


@pytest.mark.parametrize("other", [1.5, tirx.const(1.5, "float32"), te.placeholder((4,), "float32", "y")])
def test_operands_of_different_dtypes_are_converted_as_scalars_are(other: Any) -> None:
    x, a = te.placeholder((4,), "int32", "x"), np.arange(4, dtype="int32")
    given = [(other, np.full(4, 1.5, "float32"))] if isinstance(other, te.Tensor) else []
    np.testing.assert_array_equal(run(topi.add(x, other), (x, a), *given), a.astype("float32") + np.float32(1.5))
    np.testing.assert_array_equal(run(topi.less(x, other), (x, a), *given), a < 1.5)


WIDTH_32 = te.var("n")  # int32, as upstream's symbols are


@pytest.mark.parametrize(
    ("operator", "shape"),
    [
        (topi.exp, ["n", "4"]),
        (lambda x: topi.reshape(x, (WIDTH_32 * 4,)), ["n * 4"]),
        (lambda x: topi.reshape(x, [WIDTH_32, tirx.const(2, "int32"), 2]), ["n", "2", "2"]),
        (lambda x: topi.add(x, topi.full((WIDTH_32, 4), "float32", 1)), ["n", "4"]),
    ],
)
def test_a_dimension_of_32_bits_is_a_parameter(operator: Callable[..., Any], shape: list[str]) -> None:
    x = te.placeholder((WIDTH_32, 4), name="x")
    found = operator(x)
    made = te.create_prim_func([x, found])
    assert len(made.params) == 3
    assert {dim.dtype for dim in found.shape} == {"int64"}
    assert [re.sub(r'T.(Cast\("int64", |int64\()(.*)\)', r"\2", repr(dim)) for dim in found.shape] == shape
    assert relax.analysis.well_formed(made)


def test_squeezing_without_axes_leaves_symbols_alone() -> None:
    n = te.var("n", "int64")
    for shape, want in [((n, 1), [n]), ((1, n, 1), [n]), ((n, 4), [n, 4])]:
        x = te.placeholder(shape, name="x")
        found = topi.squeeze(x)
        assert [d if d is n else int(d) for d in found.shape] == want
        assert te.create_prim_func([x, found])
    x = te.placeholder((1, 3, 1), name="x")
    value = np.arange(3, dtype="float32").reshape(1, 3, 1)
    np.testing.assert_array_equal(run(topi.squeeze(x), (x, value)), value.reshape(3))
    np.testing.assert_array_equal(run(topi.squeeze(x, 0), (x, value)), value.reshape(3, 1))


@pytest.mark.parametrize(
    ("left", "right", "result"), [("int8", "int32", "int32"), ("int32", "float32", "float32"), ("int8", "int8", "int8")]
)
def test_a_product_of_different_dtypes_is_in_the_one_that_holds_both(left: str, right: str, result: str) -> None:
    a, b = te.placeholder((2, 3), left, "a"), te.placeholder((3, 2), right, "b")
    x, y = np.array([[100, 2, 3], [4, 5, 6]], left), np.array([[1, 0], [0, 1], [2, 2]], right)
    found = topi.matmul(a, b)
    assert found.dtype == result
    np.testing.assert_array_equal(run(found, (a, x), (b, y)), x.astype(result) @ y.astype(result))


def test_functions_of_floats_refuse_integers() -> None:
    with pytest.raises(sunmao.Error, match=r"E0306.*exp: needs a float tensor, got int32[^$]*astype"):
        topi.exp(te.placeholder((4,), "int32", "x"))


@pytest.mark.parametrize(
    ("dtype", "low", "high", "message"),
    [
        ("int32", 0.5, 6, r"E0034.*`a_min` is 0.5, which is no int32[^$]*topi.cast"),
        ("int32", 0, np.float32(2.5), "E0034.*`a_max` is 2.5, which is no int32"),
        ("int32", 0, float("inf"), "E0034.*`a_max` is inf, which is no int32"),
        ("int8", 0, 300, "E0034.*300 does not fit into int8"),
        ("int32", tirx.Var("s", "float32"), 6, "E0034.*`a_min` is float32, `x` is int32"),
        ("int32", 0, tirx.Var("s", "int64"), "E0034.*`a_max` is int64, `x` is int32"),
        ("int64", 0, 2**63 - 1, "E0032.*a_max=9223372036854775807.*topi.minimum"),
    ],
)
def test_bounds_that_the_elements_cannot_have_are_refused(dtype: str, low: Any, high: Any, message: str) -> None:
    with pytest.raises(sunmao.Error, match="(?s)" + message):
        topi.clip(te.placeholder((4,), dtype, "x"), low, high)


@pytest.mark.parametrize(("low", "high"), [(1, 3), (1.0, 3.0), (np.int64(1), tirx.const(3, "int32"))])
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_bounds_that_are_whole_fit_every_dtype(dtype: str, low: Any, high: Any) -> None:
    x, value = te.placeholder((6,), dtype, "x"), np.arange(-1, 5, dtype=dtype)
    np.testing.assert_array_equal(run(topi.clip(x, low, high), (x, value)), value.clip(1, 3))


@pytest.mark.parametrize(
    ("operator", "left", "right", "message"),
    [
        (topi.add, ("n", 4), ("m", 4), "E0303.*add: shapes do not broadcast: `n` against `m` at dimension 0"),
        (lambda x, y: x * y, (4, "n"), (7,), "E0303.*multiply: .*`n` against 7 at dimension 1"),
        (topi.less, ("n",), (2, 3), "E0303.*less: .*`n` against 3 at dimension 1"),
        (topi.matmul, (4, "n"), ("m", 4), "E0311.*inner dimensions differ: `n` and `m`"),
        (topi.matmul, (4, "n"), (3, 4), "E0311.*inner dimensions differ: `n` and 3"),
        (topi.matmul, (4, 2), (3, 4), "E0311.*inner dimensions differ"),
    ],
)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_sizes_that_may_differ_are_refused(
    operator: Callable[..., Any], left: tuple[Any, ...], right: tuple[Any, ...], message: str, dtype: str
) -> None:
    symbols = {name: te.var(name, dtype) for name in ("n", "m")}
    x, y = (te.placeholder([symbols.get(d, d) for d in shape]) for shape in (left, right))
    with pytest.raises(sunmao.Error, match="(?s)" + message):
        operator(x, y)


def test_a_shape_that_may_hold_other_elements_is_refused() -> None:
    n, m = (te.var(name, "int64") for name in ("n", "m"))
    x = te.placeholder((n, 4), "float32", "x")
    assert topi.reshape(x, (n * 4,)).ndim == 1
    with pytest.raises(sunmao.Error, match="E0309.*reshape: nothing says that .* are equal"):
        topi.reshape(x, (m,))
