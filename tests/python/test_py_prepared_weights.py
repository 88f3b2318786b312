"""What a lifted function says when it is called with weights that its transform did not make."""

import numpy as np
import pytest
from sunmao import compat as tvm
from sunmao.compat import relax
from sunmao.compat.relax.transform import LiftTransformParams
from sunmao.compat.script import from_source

TEXT = """
from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((3, 4), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.matmul(x, R.permute_dims(w))
            R.output(y)
        return y
"""
X, RAW = np.ones((2, 4), "float32"), np.full((3, 4), 2, "float32")


def machine(*passes: tvm.transform.Pass) -> relax.VirtualMachine:
    return relax.VirtualMachine(tvm.compile(tvm.transform.Sequential(passes)(from_source(TEXT))), tvm.cpu())


@pytest.mark.parametrize("weights", [(RAW,), (), (RAW, RAW), (RAW.T.astype("float16"),), (RAW.T[0],)])
def test_other_weights_are_named_with_what_is_expected(weights: tuple[np.ndarray, ...]) -> None:
    with pytest.raises(ValueError, match="E0043") as caught:
        machine(LiftTransformParams())["main"](X, *weights)
    assert "`main` expects prepared weights: " in str(caught.value)
    assert ", ".join(f'R.Tensor({w.shape}, dtype="{w.dtype}")' for w in weights) in str(caught.value)
    assert "run `main_transform_params` on the raw weights first" in str(caught.value)


def test_all_stages_are_named_in_order() -> None:
    vm = machine(LiftTransformParams(name="first"), LiftTransformParams(name="second"))
    with pytest.raises(ValueError, match="run `first`, then `second`"):
        vm["main"](X, RAW)


def test_prepared_weights_are_taken() -> None:
    vm = machine(LiftTransformParams())
    assert vm["main"](X, *vm["main_transform_params"]([RAW])).numpy().tolist() == [[8, 8, 8]] * 2


def test_other_errors_stay_what_they_are() -> None:
    vm = machine(LiftTransformParams())
    with pytest.raises(RuntimeError, match="E0905"):
        vm["main"](X[:, :3], *vm["main_transform_params"]([RAW]))
    with pytest.raises(ValueError, match="E0037"):
        machine()["main"](X)
