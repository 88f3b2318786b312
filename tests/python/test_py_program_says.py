"""Callbacks of a program in passes (which products are combined, how ops are legalised), and script functions called
outside of a script."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sunmao.compat as tvm
from sunmao.compat import relax
from sunmao.compat.relax.transform import CombineParallelMatmul, FoldConstant, LegalizeOps
from sunmao.compat.relax.transform.legalize_ops.common import register_legalize
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script.ir_builder import IRBuilder
from sunmao.compat.script.ir_builder import relax as relax_builder


@I.ir_module
class Products:
    @R.function
    def main(
        x: R.Tensor((2, 4), "float32"),
        y: R.Tensor((2, 4), "float32"),
        a: R.Tensor((4, 3), "float32"),
        b: R.Tensor((4, "n"), "float32"),
    ):
        with R.dataflow():
            p = R.matmul(x, a)
            q = R.matmul(x, b)
            r = R.matmul(y, a)
            s = R.matmul(y, b)
            R.output(p, q, r, s)
        return (p, q, r, s)


def products(module: tvm.IRModule) -> int:
    return module.script().count("R.matmul(")


def test_a_check_says_which_products_become_one() -> None:
    seen: list[Any] = []

    def check(given: Any, weights: list[Any], biases: list[Any], bound: dict[Any, Any]) -> bool:
        seen.append((given.name, [w.name for w in weights], biases, len(bound)))
        return bool(given.name == "x")

    assert products(CombineParallelMatmul(check)(Products)) == 3
    assert sorted(seen) == [("x", ["a", "b"], [], 4), ("y", ["a", "b"], [], 4)]
    assert products(CombineParallelMatmul()(Products)) == 2
    assert products(CombineParallelMatmul(lambda *_: False)(Products)) == 4


def test_an_error_of_the_check_comes_through() -> None:
    def check(*_: Any) -> bool:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        CombineParallelMatmul(check)(Products)


def test_joined_columns_are_a_sum_as_written() -> None:
    text = CombineParallelMatmul()(Products).script()
    assert 'R.Tensor((4, 3 + n), dtype="float32") = R.concat((a, b), axis=1)' in text


def test_functions_are_built_by_words_of_scripts() -> None:
    with IRBuilder() as builder, relax_builder.function():
        R.func_name("main")
        x = R.arg("x", R.Tensor((2,), "float32"))
        with R.dataflow() as frame:
            y = R.emit(R.add(x, x))
            R.output(y)
        R.func_ret_value(frame.output_vars[0])
    module = tvm.IRModule({"main": builder.get()})
    assert "R.add(x, x)" in module.script()


@I.ir_module
class Constant:
    @R.function
    def main():
        with R.dataflow():
            y = R.nn.relu(R.const(np.array([-1.0, 2.0], "float32")))
            R.output(y)
        return y


@pytest.fixture
def relu() -> Iterator[Any]:
    op = tvm.ir.Op.get("relax.nn.relu")
    yield op
    op.reset_attr("FLegalize")


def test_what_a_program_has_replaced_is_not_folded(relu: Any) -> None:
    assert "R.nn.relu" not in FoldConstant()(Constant).script()
    of_library = relu.get_attr("FLegalize")
    register_legalize("relax.nn.relu", lambda builder, call: relax.op.exp(call.args[0]))
    tvm.ir.assert_structural_equal(FoldConstant()(Constant), Constant)
    register_legalize("relax.nn.relu", of_library)
    assert "R.nn.relu" not in FoldConstant()(Constant).script()


def test_register_legalize_is_a_decorator_too(relu: Any) -> None:
    @register_legalize("relax.nn.relu")
    def by_exp(builder: Any, call: Any) -> Any:
        return relax.op.exp(call.args[0])

    assert "def exp(" in LegalizeOps()(Constant).script()
    assert relu.get_attr("FLegalize") is by_exp


def test_ops_without_a_lowering_have_no_legalisation() -> None:
    assert tvm.ir.Op.get("relax.print").get_attr("FLegalize") is None
    assert tvm.ir.Op.get("relax.add").get_attr("FLegalize") is not None
