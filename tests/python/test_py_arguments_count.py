"""Arguments of upstream's functions have their effect here or give an error with a code; none is ignored."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao import compat as tvm
from sunmao.compat import relax, te, tirx
from sunmao.compat.ir import transform
from sunmao.compat.relax.ir.instrument import WellFormedInstrument
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script.ir_builder import IRBuilder
from sunmao.compat.script.ir_builder import ir as module_builder
from sunmao.compat.script.ir_builder.relax import ir as graph_builder
from sunmao.compat.script.ir_builder.tirx import ir as text_builder


@I.ir_module
class Twice:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.exp(x)
            c = R.add(a, b)
            R.output(c)
        return c


@pytest.mark.parametrize(
    "call",
    [
        lambda: relax.VirtualMachine(relax.build(Twice), tvm.cuda()),
        lambda: relax.VirtualMachine(relax.build(Twice), [tvm.cpu(), tvm.cuda()]),
        lambda: relax.VirtualMachine(relax.build(Twice), tvm.cpu(), memory_cfg="other"),
        lambda: relax.build(Twice, exec_mode="other"),
        lambda: R.Callable(derive_func="f"),
        lambda: relax.Constant(np.zeros(2, "float32"), R.Tensor((3,), "float32")),
        lambda: tirx.IndexMap.from_func(lambda i: i, inverse_index_map=lambda i: i),
        lambda: tirx.IndexMap.from_func(lambda i, j: (j, i), ndim=3),
        lambda: tvm.runtime.tensor(np.zeros(2), mem_scope="global.texture"),
        lambda: tvm.runtime.empty((2,), mem_scope="shared"),
        lambda: relax.GlobalVar("f", R.Tensor((2,), "float32")),
        lambda: relax.ExternFunc("f", global_name="g"),
        lambda: tirx.decl_buffer((2,), buffer_type="auto_broadcast"),
        lambda: tirx.decl_buffer((2,), layout="x"),
        lambda: transform.PassContext(trace_stack=[1]),
        lambda: relax.analysis.derive_call_ret_type(R.Callable([], R.Object()), relax.Call(relax.extern("f"), []), "x"),
        lambda: te.compute((2,), lambda i: i, attrs={"k": 1}),
        lambda: te.compute((2,), lambda *i: i[0], varargs_names=["a", "b"]),
        lambda: te.reduce_axis((0, 2), thread_tag="threadIdx.x"),
        lambda: te.create_prim_func([], index_dtype_override="int32"),
        lambda: Twice.script(line_numbers=True),
        lambda: Twice.script(int_dtype="int64"),
        lambda: tvm.ir.Range(0, 2).script(wrong=1),
        lambda: tirx.PointerType(tvm.ir.PrimType("int32")).script(wrong=1),
        lambda: Twice.show(style="no such style"),
        lambda: text_builder.sblock(exec_scope="warp"),
    ],
)
def test_what_has_no_effect_is_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(sunmao.Error) as caught:
        call()
    assert caught.value.code in ("E0030", "E0031", "E0032", "E0034", "E0037")


def test_values_that_say_what_is_anyway_are_fine() -> None:
    relax.VirtualMachine(relax.build(Twice, exec_mode="bytecode"), tvm.cpu())
    assert relax.Constant(np.zeros(2, "float32"), R.Tensor((2,), "float32")).type.dtype == "float32"
    assert tvm.runtime.empty((2,), mem_scope="global").shape == (2,)
    assert len(tirx.IndexMap.from_func(lambda i, j: (j, i), ndim=2).initial_indices) == 2


@pytest.mark.parametrize(("level", "calls"), [(0, 2), (1, 1), (2, 1)])
def test_the_level_of_optimisation_says_which_passes_a_sequence_runs(level: int, calls: int) -> None:
    passes = transform.Sequential([relax.transform.EliminateCommonSubexpr(), relax.transform.DeadCodeElimination()])
    with transform.PassContext(opt_level=level):
        assert passes(Twice).script().count("R.exp(") == calls
    with transform.PassContext(opt_level=0, required_pass=["EliminateCommonSubexpr"]):
        assert passes(Twice).script().count("R.exp(") == 1


def test_a_gradient_that_a_tensor_expression_names_is_kept() -> None:
    builder = relax.BlockBuilder()
    x = relax.Var("x", R.Tensor((2,), "float32"))
    with builder.function("main", [x]):
        y = builder.emit_te(
            lambda t: te.compute((2,), lambda i: t[i] * t[i]), x, te_grad_name="square_grad", te_grad_kwargs={"k": 2}
        )
        builder.emit_func_output(y)
    assert 'te_grad_name="square_grad"' in builder.get().script()


def constant(values: list[float], dtype: str = "float32") -> relax.Constant:
    return relax.const(np.array(values, dtype))


def module_of(values: list[float]) -> tvm.IRModule:
    x = relax.Var("x", R.Tensor((2,), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        builder.emit_func_output(builder.emit(relax.op.add(x, constant(values))))
    return builder.get()


def test_the_content_of_tensors_can_be_left_out_of_comparisons() -> None:
    a, b, wide = module_of([1, 2]), module_of([3, 4]), relax.const(np.array([1, 2], "float64"))
    assert not tvm.ir.structural_equal(a, b)
    assert tvm.ir.structural_equal(a, b, skip_tensor_content=True)
    assert tvm.ir.structural_equal([a["main"]], [b["main"]], skip_tensor_content=True)
    assert not tvm.ir.structural_equal(constant([1, 2]), constant([1, 2, 3]), skip_tensor_content=True)
    assert not tvm.ir.structural_equal(constant([1, 2]), wide, skip_tensor_content=True)
    tensors = [tvm.runtime.tensor(np.array(values, "float32")) for values in ([1, 2], [3, 4])]
    assert not tvm.ir.structural_equal(*tensors)
    assert tvm.ir.structural_equal(*tensors, skip_tensor_content=True)
    zeros = [tvm.runtime.tensor(np.array([zero], "float32")) for zero in (0.0, -0.0)]
    assert not tvm.ir.structural_equal(*zeros)
    assert tvm.ir.structural_hash(zeros[0]) != tvm.ir.structural_hash(zeros[1])
    hashes = [tvm.ir.structural_hash(m, skip_tensor_content=True) for m in (a, b)]
    assert hashes[0] == hashes[1] != tvm.ir.structural_hash(a) != tvm.ir.structural_hash(b)


def test_free_names_can_be_left_out_of_hashes() -> None:
    x, y = relax.Var("x", R.Tensor((2,), "float32")), relax.Var("y", R.Tensor((2,), "float32"))
    both, other, same = relax.op.add(x, y), relax.op.add(y, x), relax.op.add(x, x)
    assert tvm.ir.structural_hash(both) != tvm.ir.structural_hash(other)
    assert tvm.ir.structural_hash(both, map_free_vars=True) == tvm.ir.structural_hash(other, map_free_vars=True)
    assert tvm.ir.structural_equal(both, other, map_free_vars=True)
    assert tvm.ir.structural_hash(both, map_free_vars=True) != tvm.ir.structural_hash(same, map_free_vars=True)
    assert not tvm.ir.structural_equal(both, same, map_free_vars=True)
    assert not tvm.ir.structural_equal(same, both, map_free_vars=True)


def test_a_note_of_a_lower_level_changes_nothing() -> None:
    op = tvm.ir.Op.get("relax.exp")
    try:
        op.set_attr("Colour", "red", 10)
        op.set_attr("Colour", "green", 5)
        assert op.get_attr("Colour") == "red"
        tvm.ir.register_op_attr("relax.exp", "Colour", "blue", level=11)
        assert op.get_attr("Colour") == "blue"
    finally:
        op.reset_attr("Colour")
    op.set_attr("Colour", "green", 5)
    assert op.get_attr("Colour") == "green"
    op.reset_attr("Colour")


def test_attributes_of_a_module_are_not_overwritten_by_chance() -> None:
    with IRBuilder() as ib, module_builder.ir_module():
        module_builder.module_attrs({"a": 1})
        with pytest.raises(sunmao.Error, match="attributes already"):
            module_builder.module_attrs({"b": 2})
        module_builder.module_attrs({"b": 2}, allow_overwrite=True)
    assert dict(ib.get().attrs) == {"a": 1, "b": 2}


def test_an_emitted_value_has_the_type_that_is_stated() -> None:
    with IRBuilder(), graph_builder.function():
        x = graph_builder.arg("x", R.Tensor((2,), "float32"))
        graph_builder.emit(x, R.Tensor(ndim=1))
        with pytest.raises(sunmao.Error, match="stated is"):
            graph_builder.emit(x, R.Tensor((3,), "float32"))
        graph_builder.func_ret_value(x)


def test_tensor_expressions_keep_their_names() -> None:
    found = te.compute((2, 3), lambda *i: i[0] + i[1], name="found", tag="mine", varargs_names=["row", "column"])
    assert [v.name for v in found.op.axis] == ["row", "column"]
    assert found.op.tag == "mine"
    assert te.comm_reducer(lambda a, b: a * b, lambda dtype: 1, name="product").__name__ == "product"


def test_options_of_a_decorator_stand_in_front_of_the_function() -> None:
    options = {"private": True}
    with pytest.raises(sunmao.Error, match="`private` of the decorator") as caught:

        @R.function(**options)
        def main(x: R.Tensor((2,), "float32")):
            return x

    assert caught.value.code == "E0034"


def test_texts_with_their_data_and_in_colours(capsys: pytest.CaptureFixture[str]) -> None:
    large = module_of([1, 2])
    assert large.astext(show_meta_data=False) == large.script()
    assert large.astext() == large.script(show_meta=True)
    large.show()
    assert capsys.readouterr().out == large.script() + "\n"
    pytest.importorskip("pygments")
    large.show("dark")
    assert "\x1b[" in capsys.readouterr().out


def test_showing_a_module_names_the_argument_that_is_wrong() -> None:
    module = module_of([1, 2])
    for wrong, name in [({"style": 5}, "style"), ({"black_format": "yes"}, "black_format")]:
        with pytest.raises(sunmao.Error, match=rf"E0034.*IRModule.show: `{name}` takes"):
            module.show(**wrong)
    for name in ("script", "show"):
        method = vars(type(module))[name]
        assert (method.__name__, method.__qualname__) == (name, f"IRModule.{name}")
        assert method.__module__ == type(module).__module__


def test_a_check_around_a_pass_says_when_it_failed() -> None:
    wrong = Twice.clone()
    y = relax.Var("y", R.Tensor((2,), "float32"))
    wrong["main"] = relax.Function([], y, R.Tensor((2,), "float32"))
    with (
        transform.PassContext(instruments=[WellFormedInstrument()]),
        pytest.raises(sunmao.Error) as caught,
    ):
        relax.transform.DeadCodeElimination()(wrong)
    assert caught.value.__notes__ == ["Before the pass DeadCodeElimination"]
    with transform.PassContext(instruments=[WellFormedInstrument()]):
        relax.transform.DeadCodeElimination()(Twice)


def test_comments_of_a_decorator_are_no_options() -> None:
    @R.function(
        # Commented-out options such as pure = False, or the word def, must have no effect
        private=True,
    )
    def main(x: R.Tensor((2,), "float32")):
        return x

    assert "global_symbol" not in (main.attrs or {})


def test_parameters_of_methods_to_override_have_upstreams_names() -> None:
    instrument = tvm.ir.instrument.PassInstrument()
    assert instrument.should_run(mod=tvm.IRModule(), info=None)


def test_options_of_texts_may_stand_in_extra_config() -> None:
    assert Twice.script(extra_config={"script.use_pep695": False}) == Twice.script()
    with pytest.raises(sunmao.Error, match="E0032"):
        Twice.script(extra_config={"script.use_pep695": True})
    with pytest.raises(sunmao.Error, match="E0034"):
        Twice.script(extra_config={"script.unknown": 1})
