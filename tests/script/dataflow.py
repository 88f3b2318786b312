# Dataflow blocks, outputs, plain bindings around them.
from __future__ import annotations
from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class M:
    """Text that means nothing."""

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((2, 3), dtype="float32")) -> R.Tuple(R.Tensor, R.Any):
        R.func_attr({"num_input": 1, "kind": "test", "ratio": 0.5, "flags": [True, False, None], "nested": {"a": [1, 2]}})
        before = R.add(x, w)
        with R.dataflow():
            lv = R.multiply(before, w)
            lv1 = R.add(lv, lv)
            gv: R.Tensor((2, 3), "float32") = R.add(lv1, lv)
            gv1 = R.nn.relu(lv1)
            R.output(gv, gv1)
        with R.dataflow():
            lv2 = R.nn.relu(gv)
            R.output()
        after = R.multiply(gv, gv1)
        return (after, gv)
