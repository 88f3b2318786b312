# Two layers and a softmax, as PyTorch's nn.Linear states them: the model of docs/life-of-a-model.md.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 64), "float32"),
        w1: R.Tensor((96, 64), "float32"),
        b1: R.Tensor((96,), "float32"),
        w2: R.Tensor((10, 96), "float32"),
        b2: R.Tensor((10,), "float32"),
    ) -> R.Tensor(("n", 10), "float32"):
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            w1t = R.permute_dims(w1, axes=[1, 0])
            w2t = R.permute_dims(w2, axes=[1, 0])
            hidden = R.nn.relu(R.add(R.matmul(x, w1t), b1))
            scores = R.add(R.matmul(hidden, w2t), b2)
            y = R.nn.softmax(scores, axis=-1)
            R.output(y)
        return y
