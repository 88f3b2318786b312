"""The pattern language in Python: what each pattern matches, constraints between patterns, rewriting."""

import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat import relax
from sunmao.compat.relax import dpl
from sunmao.compat.relax.analysis import get_var2val
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T  # noqa: F401  the decorator reads it


@I.ir_module
class Gelu:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")):
        with R.dataflow():
            y = R.matmul(x, w)
            a = R.nn.relu(y)
            b = R.exp(y)
            gv = R.add(a, b)
            R.output(gv)
        return gv


@pytest.fixture
def main() -> relax.Function:
    return Gelu["main"]


X = relax.Var("x", R.Tensor((2, 4), "float32"))
DX = relax.DataflowVar("dx", R.Tensor((2, 4), "float32"))
ONE = relax.const(1.0)


@pytest.mark.parametrize(
    ("pattern", "kind", "matching", "other"),
    [
        (dpl.is_var("x"), dpl.VarPattern, X, DX),
        (dpl.is_dfv(), dpl.DataflowVarPattern, DX, X),
        (dpl.is_gv("f"), dpl.GlobalVarPattern, relax.GlobalVar("f"), relax.GlobalVar("g")),
        (dpl.ExternFuncPattern("f"), dpl.ExternFuncPattern, relax.ExternFunc("f"), relax.ExternFunc("g")),
        (dpl.is_const(), dpl.ConstantPattern, ONE, X),
        (dpl.is_expr(ONE), dpl.ExprPattern, relax.const(1.0), relax.const(2.0)),
        (dpl.is_op("relax.add")(dpl.is_const(), dpl.wildcard()), dpl.CallPattern, ONE + X, X - ONE),
        (dpl.is_tuple([dpl.is_var(), dpl.is_const()]), dpl.TuplePattern, relax.Tuple([X, ONE]), relax.Tuple([ONE, X])),
        (
            dpl.is_tuple([dpl.is_const(), dpl.is_var()], unordered=True),
            dpl.UnorderedTuplePattern,
            relax.Tuple([X, ONE]),
            relax.Tuple([X, X]),
        ),
        (
            dpl.is_tuple_get_item(dpl.wildcard(), 1),
            dpl.TupleGetItemPattern,
            relax.TupleGetItem(relax.Tuple([X, ONE]), 1),
            relax.TupleGetItem(relax.Tuple([X, ONE]), 0),
        ),
        (dpl.is_const() | dpl.is_dfv(), dpl.OrPattern, DX, X),
        (dpl.is_var() & dpl.has_dtype("float32"), dpl.AndPattern, X, ONE),
        (~dpl.is_const(), dpl.NotPattern, X, ONE),
        (dpl.has_dtype("float32"), dpl.DataTypePattern, X, relax.const(1)),
        (dpl.wildcard().has_shape([2, 4]), dpl.ShapePattern, X, ONE),
        (dpl.wildcard().has_ty(R.Tensor(ndim=2)), dpl.TypePattern, X, ONE),
        (dpl.is_shape([2, 4]), dpl.PrimArrPattern, relax.ShapeExpr([2, 4]), relax.ShapeExpr([4, 2])),
        (
            dpl.is_op("relax.sum")(dpl.wildcard()).has_attr({"axis": [0]}),
            dpl.AttrPattern,
            relax.op.sum(X, axis=[0]),
            relax.op.sum(X, axis=[1]),
        ),
        (
            dpl.FunctionPattern([dpl.wildcard()], dpl.is_op("relax.exp")(dpl.wildcard())),
            dpl.FunctionPattern,
            relax.Function([X], relax.op.exp(X)),
            relax.Function([X], relax.op.sqrt(X)),
        ),
        (
            dpl.is_call_packed("f"),
            dpl.CallPattern,
            relax.Call(relax.ExternFunc("f"), [X], ty_args=[R.Tensor()]),
            relax.Call(relax.ExternFunc("g"), [X], ty_args=[R.Tensor()]),
        ),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_each_pattern_matches_what_it_says(pattern, kind, matching, other) -> None:
    assert isinstance(pattern, kind) and isinstance(pattern, dpl.DFPattern)
    assert pattern.match(matching)
    assert not pattern.match(other)


def test_a_match_names_what_each_part_stands_for(main: relax.Function) -> None:
    left, right = dpl.wildcard(), dpl.wildcard()
    product = dpl.is_op("relax.matmul")(left, right)
    pattern = dpl.is_op("relax.nn.relu")(product)
    value = main.body.blocks[0].bindings[1].value
    found = pattern.extract_matched_expr(value, get_var2val(main))
    assert found is not None
    assert (found[left], found[right], found[pattern]) == (main.params[0], main.params[1], value)
    assert pattern.extract_matched_expr(value) is None
    assert (product.args[0], pattern.args[0]) == (left, product)


def test_fields_of_a_tuple_pattern() -> None:
    pair = dpl.is_tuple([dpl.wildcard(), dpl.wildcard()])
    assert len(pair) == 2
    assert pair[-1].index == 1
    assert pair[None].match(relax.TupleGetItem(relax.Tuple([X, ONE]), 0))
    with pytest.raises(IndexError):
        pair[2]
    with pytest.raises(sunmao.Error, match="E0030"):
        pair.params  # noqa: B018


def test_a_context_gathers_what_is_stated_inside(main: relax.Function) -> None:
    block = main.body.blocks[0]
    with dpl.PatternContext() as context:
        product = dpl.is_op("relax.matmul")(dpl.wildcard(), dpl.wildcard())
        relu, exp = (dpl.is_op(f"relax.{name}")(product) for name in ("nn.relu", "exp"))
        product.fork_to(relu, exp)
        assert dpl.PatternContext.current() is context
        with dpl.PatternContext(incremental=True) as stricter:
            product >> relu
    found = context.match_dfb(block)
    assert found is not None
    assert [found[p].name for p in (product, relu, exp)] == ["y", "a", "b"]
    assert stricter.match_dfb(block) is None
    assert dpl.PatternContext.current() is None
    with pytest.raises(sunmao.Error, match="E0032"):
        dpl.PatternContext(incremental=True)


def test_a_copy_of_a_chain_is_under_the_same_constraints(main: relax.Function) -> None:
    def of(name: str) -> dpl.DFPattern:
        return dpl.is_op(name)(varg_default_wildcard=True)

    with dpl.PatternContext() as context:
        chain = of("relax.nn.relu") >> of("relax.add")
        assert context.match_dfb(main.body.blocks[0]) is not None
        copy = chain.dup()
    assert copy[0] is not chain[0]
    assert context.match_dfb(main.body.blocks[0]) is None  # there is only one such chain
    assert chain.patterns[0].dup().match(main.body.blocks[0].bindings[1].value)


@pytest.mark.parametrize(("shape", "matches"), [((2, 4), True), ((1, 4), False)])
def test_patterns_of_the_same_shape(shape: tuple[int, ...], matches: bool) -> None:
    bb = relax.BlockBuilder()
    y = relax.Var("y", R.Tensor(shape, "float32"))
    with bb.function("main", [X, y]):
        with bb.dataflow():
            gv = bb.emit_output(relax.op.add(X, y))
        bb.emit_func_output(gv)
    with dpl.PatternContext() as context:
        left, right = dpl.wildcard(), dpl.wildcard()
        dpl.is_op("relax.add")(left, right)
        left.same_shape_as(right)
    assert (context.match_dfb(bb.get()["main"].body.blocks[0]) is not None) == matches


def test_rewriting_calls(main: relax.Function) -> None:
    argument = dpl.wildcard()
    exp, relu = dpl.is_op("relax.exp")(argument), dpl.is_op("relax.nn.relu")(argument)
    pattern = exp | relu

    def rewriter(expr: relax.Expr, found: dict) -> relax.Expr:
        assert found[pattern] is expr
        return relax.op.tanh(found[argument]) if exp in found else expr

    @R.function
    def expected(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")):
        with R.dataflow():
            y = R.matmul(x, w)
            a = R.nn.relu(y)
            b = R.tanh(y)
            gv = R.add(a, b)
            R.output(gv)
        return gv

    after = dpl.rewrite_call(pattern, rewriter, main)
    tvm.ir.assert_structural_equal(after, expected.with_attr("global_symbol", "main"))
    assert dpl.rewrite_call(pattern, lambda expr, _: expr, main) is main


def test_rewriters_compose_and_take_modules() -> None:
    argument = dpl.wildcard()
    first = dpl.PatternMatchingRewriter.from_pattern(
        dpl.is_op("relax.exp")(argument), lambda _, found: relax.op.tanh(found[argument])
    )
    second = dpl.ExprPatternRewriter(dpl.is_op("relax.tanh")(argument), lambda _, found: relax.op.sqrt(found[argument]))

    def ops(rewriter: dpl.PatternMatchingRewriter) -> list[str]:
        function = rewriter(Gelu)["main"]
        return [b.value.op.name.removeprefix("relax.") for b in function.body.blocks[0].bindings]

    assert ops(first) == ["matmul", "nn.relu", "tanh", "add"]
    assert ops(second) == ["matmul", "nn.relu", "exp", "add"]
    assert ops(second | first) == ["matmul", "nn.relu", "sqrt", "add"]
    assert isinstance(first | second, dpl.OrRewriter)


@R.rewriter
class SumIsTwice:
    @R.function
    def pattern(a: R.Tensor(("n", 4), "float32")):
        return R.add(a, a)

    @R.function
    def replacement(a: R.Tensor(("n", 4), "float32")):
        return R.multiply(a, R.const(2.0, "float32"))


def test_a_rule_that_a_module_states() -> None:
    doubled = relax.Function([X], relax.op.exp(X + X), ret_ty=R.Tensor((2, 4), "float32"))
    function = SumIsTwice(doubled)
    names = [b.value.op.name for block in function.body.blocks for b in block.bindings]
    assert names[0] == "relax.multiply"
    assert "relax.add" not in names
    assert SumIsTwice(Gelu)["main"] is Gelu["main"]


def test_what_a_rule_needs() -> None:
    f = Gelu["main"]
    other = relax.Function([X], X, ret_ty=R.Tensor((2, 4), "float32"))
    rewriter = dpl.PatternMatchingRewriter
    with pytest.raises(KeyError, match="pattern"):
        rewriter.from_module(tvm.IRModule({"replacement": f}))
    with pytest.raises(ValueError, match="same signature"):
        rewriter.from_module(tvm.IRModule({"pattern": f, "replacement": other}))
    with pytest.raises(ValueError, match="publicly exposed"):
        rewriter.from_module(tvm.IRModule({"pattern": f, "replacement": f, "third": f}))


@R.rewriter
class TwiceByCall:
    @R.function
    def pattern(a: R.Tensor((2, 4), "float32")):
        return R.add(a, a)

    @R.function
    def replacement(a: R.Tensor((2, 4), "float32")):
        return TwiceByCall.twice(a)

    @R.function(private=True)
    def twice(a: R.Tensor((2, 4), "float32")) -> R.Tensor((2, 4), "float32"):
        return R.multiply(a, R.const(2.0, "float32"))

    @R.function(private=True)
    def unneeded(a: R.Tensor((2, 4), "float32")) -> R.Tensor((2, 4), "float32"):
        return a


def test_functions_of_a_rule_come_with_it() -> None:
    doubled = relax.Function([X], relax.op.exp(X + X), ret_ty=R.Tensor((2, 4), "float32"))
    taken = relax.Function([X], relax.op.tanh(X), ret_ty=R.Tensor((2, 4), "float32"))
    before = tvm.IRModule({"main": doubled, "twice": taken})
    after = tvm.ir.transform.Sequential([TwiceByCall])(before)
    assert {var.name for var in after.get_global_vars()} == {"main", "twice", "twice_1"}
    tvm.ir.assert_structural_equal(after["twice"], taken)
    call = after["main"].body.blocks[0].bindings[0].value
    assert call.op.name_hint == "twice_1"
    assert after["twice_1"].body.blocks[0].bindings[0].value.op.name == "relax.multiply"


@R.rewriter
class TwoProductsAreOne:
    @R.function
    def pattern(a: R.Tensor((4, 4), "float32"), b: R.Tensor((4, 4), "float32"), x: R.Tensor((4, 4), "float32")):
        left = R.matmul(a, x)
        right = R.matmul(b, x)
        return (left, right)

    @R.function
    def replacement(a: R.Tensor((4, 4), "float32"), b: R.Tensor((4, 4), "float32"), x: R.Tensor((4, 4), "float32")):
        both = R.matmul(R.concat([a, b]), x)
        return R.split(both, 2)


@R.function(private=True)
def products(
    a: R.Tensor((4, 4), "float32"), b: R.Tensor((4, 4), "float32"), x: R.Tensor((4, 4), "float32")
) -> R.Tensor((4, 4), "float32"):
    left = R.matmul(a, x)
    right = R.matmul(b, x)
    return R.subtract(left, right)


@R.function(private=True)
def chained(a: R.Tensor((4, 4), "float32"), b: R.Tensor((4, 4), "float32"), x: R.Tensor((4, 4), "float32")) -> R.Tensor(
    (4, 4), "float32"
):
    left = R.matmul(a, x)
    between = R.exp(left)
    right = R.matmul(between, x)
    return R.subtract(left, right)


def test_variables_that_could_stand_in_a_tuple() -> None:
    ops = [b.value.op.name.removeprefix("relax.") for b in calls_of(TwoProductsAreOne(products))]
    assert ops == ["concat", "matmul", "split", "subtract"]
    difference = TwoProductsAreOne(products).body.blocks[-1].bindings[-1].value
    values = {b.var: b.value for block in TwoProductsAreOne(products).body.blocks for b in block.bindings}
    assert [b.index for b in values.values() if isinstance(b, relax.TupleGetItem)] == [0, 1]
    assert difference.op.name == "relax.subtract"


@R.function(private=True)
def both_products(
    a: R.Tensor((4, 4), "float32"), b: R.Tensor((4, 4), "float32"), x: R.Tensor((4, 4), "float32")
) -> R.Tuple(R.Tensor((4, 4), "float32"), R.Tensor((4, 4), "float32")):
    left = R.matmul(a, x)
    right = R.matmul(b, x)
    return (left, right)


def test_a_result_of_all_fields_is_the_tuple() -> None:
    after = TwoProductsAreOne(both_products)
    assert [b.value.op.name for b in calls_of(after)] == ["relax.concat", "relax.matmul", "relax.split"]
    assert isinstance(after.body.body, relax.Var)


def test_a_variable_that_was_read_stands_in_no_tuple() -> None:
    assert TwoProductsAreOne(chained) is chained


def calls_of(function: relax.Function) -> list[relax.VarBinding]:
    bindings = [b for block in function.body.blocks for b in block.bindings]
    return [b for b in bindings if isinstance(b.value, relax.Call)]


def test_rewriting_bindings(main: relax.Function) -> None:
    with dpl.PatternContext() as context:
        product = dpl.is_op("relax.matmul")(dpl.wildcard(), dpl.wildcard())
        relu = dpl.is_op("relax.nn.relu")(product)

    def rewriter(found: dict, values: dict) -> dict:
        lhs, rhs = values[found[product]].args
        return {found[relu]: R.nn.relu(R.matmul(R.nn.relu(lhs), rhs)), found[product]: R.matmul(R.exp(lhs), rhs)}

    declined = dpl.rewrite_bindings(context, lambda found, values: {}, main)
    assert declined is main
    rounds = []

    def once(found: dict, values: dict) -> dict:
        rounds.append(found)
        return rewriter(found, values) if len(rounds) == 1 else {}

    after = dpl.rewrite_bindings(context, once, main)
    assert [b.value.op.name for b in after.body.blocks[0].bindings] == [
        f"relax.{name}" for name in ("exp", "matmul", "nn.relu", "matmul", "nn.relu", "exp", "add")
    ]


def test_a_rewrite_that_feeds_itself_is_an_error(main: relax.Function) -> None:
    pattern = dpl.is_op("relax.exp")(dpl.wildcard())
    with pytest.raises(sunmao.Error, match="E0524"):
        dpl.rewrite_call(pattern, lambda expr, _: relax.op.exp(expr), main)


def test_a_new_value_that_depends_on_itself_is_an_error(main: relax.Function) -> None:
    with dpl.PatternContext() as context:
        product = dpl.wildcard()
        relu = dpl.is_op("relax.nn.relu")(product)
    with pytest.raises(sunmao.Error, match="E0525"):
        dpl.rewrite_bindings(context, lambda found, _: {found[product]: relax.op.exp(found[relu])}, main)


@pytest.mark.parametrize("allow_reshape", [False, True])
def test_a_fused_pattern(allow_reshape: bool) -> None:
    pattern = dpl.make_fused_bias_activation_pattern(
        "relax.matmul", with_bias=True, activation="relax.nn.relu", allow_reshape=allow_reshape
    )
    w = relax.Var("w", R.Tensor((4, 4), "float32"))
    bias = relax.Var("bias", R.Tensor((4,), "float32"))
    added = relax.op.reshape(bias, [1, 4]) if allow_reshape else bias
    fused = relax.op.nn.relu(relax.op.matmul(X, w) + added)
    assert pattern.match(fused)
    assert not pattern.match(relax.op.nn.relu(relax.op.matmul(X, w)))
