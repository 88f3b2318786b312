"""Arguments that upstream knows have their effect here, or a coded error: none is taken and forgotten."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao import compat as tvm
from sunmao.compat import relax, te, tirx
from sunmao.compat.ir import transform
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R


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
        lambda: relax.VirtualMachine(relax.build(Twice), tvm.cpu(), memory_cfg="naive"),
        lambda: relax.build(Twice, exec_mode="compiled"),
        lambda: tvm.ir.structural_equal(Twice, Twice, skip_tensor_content=True),
        lambda: R.Callable(derive_func="f"),
        lambda: relax.Constant(np.zeros(2, "float32"), R.Tensor((3,), "float32")),
        lambda: tirx.IndexMap.from_func(lambda i: i, inverse_index_map=lambda i: i),
        lambda: tirx.IndexMap.from_func(lambda i, j: (j, i), ndim=3),
        lambda: tvm.runtime.tensor(np.zeros(2), mem_scope="global.texture"),
        lambda: tvm.runtime.empty((2,), mem_scope="shared"),
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
