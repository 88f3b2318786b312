# Two layers with weights as parameters: what LiftTransformParams takes.
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("batch", 4), "float32"), w1: R.Tensor((8, 4), "float32"), b1: R.Tensor((8,), "float32")) -> R.Tensor("float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            t1 = R.permute_dims(w1, axes=None)
            h = R.add(t1, b1)
            gv = R.nn.relu(h)
            R.output(gv)
        return gv
