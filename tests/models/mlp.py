# Two dense layers with a relu between them, then a reshape and a sum; the weights are in mlp.weights.safetensors.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 16), "float32"),
        fc1_weight: R.Tensor((32, 16), "float32"),
        fc1_bias: R.Tensor((32,), "float32"),
        fc2_weight: R.Tensor((3, 4), "float32"),
        fc2_bias: R.Tensor((3,), "float32"),
    ) -> R.Tensor(("n", 3), "float32"):
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            w1 = R.permute_dims(fc1_weight, axes=[1, 0])
            h1 = R.add(R.matmul(x, w1), fc1_bias)
            h2 = R.nn.relu(h1)
            h3 = R.reshape(h2, R.shape([n, 4, 8]))
            h4 = R.sum(h3, axis=[-1])
            w2 = R.permute_dims(fc2_weight, axes=[1, 0])
            y = R.add(R.matmul(h4, w2), fc2_bias)
            R.output(y)
        return y
