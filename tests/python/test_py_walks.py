"""Visitors, mutators, passes and instruments written in Python."""

import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat import relax
from sunmao.compat.relax import PyExprMutator, PyExprVisitor
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((2, 2), "float32"):
        with R.dataflow():
            lv = R.add(x, x)
            gv = R.add(lv, x)
            R.output(gv)
        if c:
            y = R.add(gv, x)
        else:
            y = R.nn.relu(gv)
        return y


@I.ir_module
class Multiplied:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((2, 2), "float32"):
        with R.dataflow():
            lv = R.multiply(x, x)
            gv = R.multiply(lv, x)
            R.output(gv)
        if c:
            y = R.multiply(gv, x)
        else:
            y = R.nn.relu(gv)
        return y


@relax.expr_functor.visitor
class Ops(PyExprVisitor):
    def __init__(self) -> None:
        self.names: list[str] = []

    def visit_call_(self, op: relax.Call) -> None:
        super().visit_call_(op)
        self.names.append(op.op.name)


@relax.expr_functor.mutator
class AddToMultiply(PyExprMutator):
    def visit_call_(self, op: relax.Call) -> relax.Expr:
        call = self.visit_expr_post_order(op)
        return relax.op.multiply(*call.args) if call.op.name == "relax.add" else call


@relax.expr_functor.mutator
class Nothing(PyExprMutator):
    pass


def test_a_visitor_sees_every_call() -> None:
    ops = Ops()
    ops.visit_expr(Module["main"])
    assert ops.names == ["relax.add", "relax.add", "relax.add", "relax.nn.relu"]


def test_a_mutator_rebuilds_and_leaves_its_input_alone() -> None:
    before = Module.script()
    changed = AddToMultiply().visit_expr(Module["main"])
    tvm.ir.assert_structural_equal(changed, Multiplied["main"])
    assert Module.script() == before


def test_a_mutator_that_changes_nothing_gives_the_same_node() -> None:
    assert Nothing().visit_expr(Module["main"]) is Module["main"]


def test_derived_classes_start_from_the_class_behind_the_mark() -> None:
    with pytest.raises(TypeError, match="_cls"):

        @relax.expr_functor.visitor
        class Wrong(Ops):
            pass

    @relax.expr_functor.visitor
    class Right(Ops._cls):
        pass

    assert issubclass(Right, PyExprVisitor)


def test_passes_of_all_kinds() -> None:
    @tvm.transform.module_pass(opt_level=0)
    def on_module(mod: tvm.IRModule, context: object) -> tvm.IRModule:
        return mod.with_attr("seen", 1)

    @relax.transform.function_pass(opt_level=0)
    class OnFunction:
        def transform_function(self, function: object, mod: tvm.IRModule, context: object) -> object:
            return AddToMultiply(mod).visit_expr(function)

    @relax.transform.dataflowblock_pass(opt_level=0)
    def on_block(block: object, mod: tvm.IRModule, context: object) -> object:
        return relax.DataflowBlock(list(block.bindings))

    assert on_module(Module).attrs["seen"] == 1 and "seen" not in Module.attrs
    tvm.ir.assert_structural_equal(OnFunction()(Module), Multiplied)
    tvm.ir.assert_structural_equal(on_block(Module), Module)
    both = tvm.transform.Sequential([on_module, OnFunction()])(Module)
    tvm.ir.assert_structural_equal(both, Multiplied.with_attr("seen", 1))


def test_instruments_look_on_and_may_keep_a_pass_from_running() -> None:
    seen: list[str] = []

    @tvm.instrument.pass_instrument
    class Watch:
        def enter_pass_ctx(self) -> None:
            seen.append("enter")

        def exit_pass_ctx(self) -> None:
            seen.append("exit")

        def should_run(self, mod: tvm.IRModule, info: object) -> bool:
            return info.name != "Normalize"

        def run_before_pass(self, mod: tvm.IRModule, info: object) -> None:
            seen.append(info.name)

    with tvm.transform.PassContext(instruments=[Watch()]):
        relax.transform.Normalize()(Module)
        relax.transform.CanonicalizeBindings()(Module)
    assert seen == ["enter", "CanonicalizeBindings", "exit"]


def test_timing_names_each_pass() -> None:
    timing = tvm.instrument.PassTimingInstrument()
    with tvm.transform.PassContext(instruments=[timing]):
        tvm.transform.Sequential([relax.transform.Normalize(), relax.transform.DeadCodeElimination()])(Module)
    lines = timing.render().splitlines()
    assert [line.strip().split(":")[0] for line in lines] == ["sequential", "Normalize", "DeadCodeElimination"]


def test_passes_take_arguments_by_place_and_by_name() -> None:
    by_place = relax.transform.ConvertToDataflow(1)(relax.transform.ToNonDataflow()(Module))
    by_name = relax.transform.ConvertToDataflow(min_size=1)(relax.transform.ToNonDataflow()(Module))
    assert by_place["main"].body.blocks[0].is_dataflow
    tvm.ir.assert_structural_equal(by_place, by_name)
    with pytest.raises(sunmao.Error, match="E0032"):
        relax.transform.ConvertToDataflow(size=1)


def test_a_pass_must_give_a_module() -> None:
    broken = tvm.transform.module_pass(lambda mod, context: 3, opt_level=0, name="broken")
    with pytest.raises(TypeError, match="broken"):
        broken(Module)


def test_edits_of_a_dataflow_block() -> None:
    f = Module["main"]
    block = f.body.blocks[0]
    edit = relax.DataflowBlockRewrite(block, f)
    edit.add(relax.op.nn.relu(f.params[0]), name="extra", is_dfvar=True)
    assert [b.var.name for b in edit.mutated_dfb().bindings] == ["lv", "gv", "extra"]
    edit.remove_all_unused()
    tvm.ir.assert_structural_equal(edit.mutated_root_fn(), f)
    with pytest.raises(RuntimeError, match="is used by"):
        edit.remove_unused(edit.mutated_dfb().bindings[0].var)
    with pytest.raises(sunmao.Error, match="E0032"):
        relax.DataflowBlockRewrite(f.body.blocks[1], f)


def test_analyses() -> None:
    main = Module["main"]
    assert list(relax.analysis.free_vars(main.body)) == list(main.params)
    assert "lv" in relax.analysis.name_to_binding(main)
    assert not relax.analysis.contains_impure_call(main)
    assert relax.analysis.well_formed(Module)
    x = relax.Var("x", R.Tensor((2,), "float32"))
    undefined = relax.Function([], relax.SeqExpr([], x), x.ty)
    assert not relax.analysis.check_well_formed(tvm.IRModule({"f": undefined}))
    with pytest.raises(sunmao.Error, match="E0401"):
        relax.analysis.well_formed(tvm.IRModule({"f": undefined}))
    assert relax.analysis.type_lca(R.Tensor((1, 2)), R.Tensor((1, 3))) == R.Tensor(ndim=2)


def test_what_a_class_leaves_open_is_a_coded_error() -> None:
    empty = tvm.transform.Pass(tvm.transform.PassInfo(0, "empty"))
    with pytest.raises(sunmao.Error, match="E0032.*`empty`.*run"):
        empty(Module)

    class Nothing(relax.ExprFunctor):
        pass

    with pytest.raises(sunmao.Error, match="E0032.*`visit_function_`"):
        Nothing().visit_expr(Module["main"])
