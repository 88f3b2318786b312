"""Partitioning: parts of functions that match patterns become functions for a backend."""

from typing import Any

import numpy as np
import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat import relax
from sunmao.compat.relax import dpl
from sunmao.compat.relax.transform import FuseOpsByPattern, FusionPattern, PatternCheckContext
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T
from sunmao.errors import UsageError


@I.ir_module
class Chain:
    @R.function
    def main(
        x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32"), v: R.Tensor((4, 4), "float32")
    ) -> R.Tensor(("n", 4), "float32"):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.relu(a)
            c = R.matmul(b, v)
            d = R.nn.relu(c)
            R.output(d)
        return d


@I.ir_module
class Branch:
    @R.function
    def main(x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor((4, 4), "float32"):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.relu(a)
            c = R.exp(a)
            d = R.add(b, c)
            R.output(d)
        return d


MATMUL = dpl.is_op("relax.matmul")(dpl.wildcard(), dpl.wildcard())
RELU = dpl.is_op("relax.nn.relu")(MATMUL)


def names(module: tvm.IRModule) -> set[str]:
    return {var.name for var in module.get_global_vars()}


def ops(function: Any) -> list[str]:
    values = [b.value for block in function.body.blocks for b in block.bindings]
    return [getattr(v.op, "name_hint", None) or v.op.name for v in values if isinstance(v, relax.Call)]


def test_matches_become_functions() -> None:
    after = FuseOpsByPattern([("dnnl.matmul_relu", RELU)])(Chain)
    # Two equal computations become calls of one function.
    assert names(after) == {"main", "fused_relax_matmul_relax_nn_relu"}
    assert ops(after["main"]) == ["fused_relax_matmul_relax_nn_relu"] * 2
    fused = after["fused_relax_matmul_relax_nn_relu"]
    assert (fused.attrs["Composite"], fused.attrs["Primitive"]) == ("dnnl.matmul_relu", True)
    assert ops(fused) == ["relax.matmul", "relax.nn.relu"]
    relax.analysis.well_formed(after)


def test_the_earlier_pattern_has_precedence() -> None:
    after = FuseOpsByPattern([("dnnl.matmul", MATMUL), ("dnnl.matmul_relu", RELU)])(Chain)
    assert ops(after["main"]) == ["fused_relax_matmul", "relax.nn.relu"] * 2


def test_what_others_read_is_a_result_too() -> None:
    after = FuseOpsByPattern([("dnnl.matmul_relu", RELU)])(Branch)
    assert ops(after["main"]) == ["fused_relax_matmul_relax_nn_relu", "relax.exp", "relax.add"]
    assert len(after["fused_relax_matmul_relax_nn_relu"].ret_ty.fields) == 2
    relax.analysis.well_formed(after)


def test_a_cycle_is_refused() -> None:
    pattern = dpl.is_op("relax.add")(RELU, dpl.wildcard())
    with pytest.raises(sunmao.Error, match="E0526.*cyclic dependency"):
        FuseOpsByPattern([("x.all", pattern)])(Branch)


def test_nothing_matches() -> None:
    tanh = dpl.is_op("relax.tanh")(dpl.wildcard())
    tvm.ir.assert_structural_equal(FuseOpsByPattern([("x.tanh", tanh)])(Chain), Chain)


def test_a_check_declines_and_sees_the_match() -> None:
    seen = []

    def check(context: PatternCheckContext) -> bool:
        seen.append(context)
        return len(context.var_usages[context.value_to_bound_var[context.matched_expr]]) == 0

    pattern = FusionPattern("x.relu", RELU, {"root": RELU, "product": MATMUL}, check)
    after = FuseOpsByPattern([pattern])(Chain)
    assert [c.annotated_expr["product"].op.name for c in seen] == ["relax.matmul"] * 2
    assert [v.name for v in seen[0].matched_bindings] == ["c", "d"]
    assert ops(after["main"]) == ["relax.matmul", "relax.nn.relu", "fused_relax_matmul_relax_nn_relu"]


def test_a_backend_takes_whole_functions() -> None:
    given = FusionPattern("dnnl.matmul_relu", RELU, {"x": RELU}, attrs_getter=lambda found: {"kind": "relu"})
    after = FuseOpsByPattern([given], annotate_codegen=True)(Chain)
    outer = after["fused_relax_matmul_relax_nn_relu_dnnl"]
    assert outer.attrs["Codegen"] == "dnnl"
    assert outer.attrs["global_symbol"] == "fused_relax_matmul_relax_nn_relu_dnnl"
    inner = outer.body.blocks[0].bindings[0].value
    assert (inner.attrs["Composite"], inner.attrs["kind"]) == ("dnnl.matmul_relu", "relu")
    relax.analysis.well_formed(after)
    # Functions that partitioning has made are not partitioned again.
    again = FuseOpsByPattern([given], annotate_codegen=True)(after)
    tvm.ir.assert_structural_equal(again, after)


def test_constants_go_along_or_are_passed() -> None:
    x = relax.Var("x", R.Tensor((4, 4), "float32"))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow():
            out = bb.emit_output(relax.op.matmul(x, relax.const(np.ones((4, 4), "float32"))))
        bb.emit_func_output(out)
    along = FuseOpsByPattern([("x.matmul", MATMUL)])(bb.get())["fused_relax_matmul"]
    passed = FuseOpsByPattern([("x.matmul", MATMUL)], bind_constants=False)(bb.get())["fused_relax_matmul"]
    assert (len(along.params), len(passed.params)) == (1, 2)
    assert passed.params[1].name == "param_1"


def test_symbols_that_only_a_shape_has_are_passed() -> None:
    @I.ir_module
    class Reshaped:
        @R.function
        def main(x: R.Tensor(("n", 4), "float32"), s: R.Shape(["m"])) -> R.Tensor(("m", "n*4//m"), "float32"):
            n, m = T.int64(), T.int64()
            with R.dataflow():
                y = R.reshape(x, (m, n * 4 // m))
                R.output(y)
            return y

    pattern = dpl.is_op("relax.reshape")(dpl.wildcard(), dpl.wildcard())
    after = FuseOpsByPattern([("x.reshape", pattern)])(Reshaped)
    relax.analysis.well_formed(after)
    assert len(after["fused_relax_reshape"].params) == 2


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="Invalid pattern"):
        FuseOpsByPattern(["matmul"])
    with pytest.raises(sunmao.Error, match="E0515"):
        FuseOpsByPattern([("x.matmul", MATMUL)], entry_functions=["mian"])(Chain)
    only = FuseOpsByPattern([("x.matmul", MATMUL)], entry_functions=["main"])(Chain)
    assert "fused_relax_matmul" in names(only)


def test_composite_functions_of_one_backend_merge_and_run() -> None:
    from sunmao.compat.relax.backend import get_pattern, get_patterns_with_prefix, register_patterns

    x = relax.dpl.wildcard()
    register_patterns([("npu_test.relu", relax.dpl.is_op("relax.nn.relu")(x))])
    register_patterns([relax.transform.FusionPattern("npu_test.exp", relax.dpl.is_op("relax.exp")(x))])
    names = [pattern.name for pattern in get_patterns_with_prefix("npu_test.")]
    assert names == ["npu_test.exp", "npu_test.relu"]
    assert get_pattern("npu_test.relu").name == "npu_test.relu" and get_pattern("npu_test.none") is None
    with pytest.raises(UsageError, match="E0034"):
        register_patterns([3])

    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor(("n",), "float32")):
            with R.dataflow():
                y = R.nn.relu(x)
                z = R.exp(y)
                w = R.add(y, z)
                R.output(w)
            return w

    composite = relax.transform.FuseOpsByPattern(get_patterns_with_prefix("npu_test."))(Module)
    merged = relax.transform.MergeCompositeFunctions()(composite)
    codegens = [f.attrs["Codegen"] for f in merged.functions.values() if "Codegen" in f.attrs]
    assert codegens == ["npu_test"] and len(merged.functions) == 2
    assert relax.analysis.well_formed(merged)
    assert relax.transform.MergeCompositeFunctions()(merged).same_as(merged)
