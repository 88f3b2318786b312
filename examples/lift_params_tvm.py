"""A program for TVM that prepares weights once and runs a model with them. Sunmao runs it as it stands:

python -m sunmao.as_tvm examples/lift_params_tvm.py
"""

import numpy as np
import tvm
from tvm import relax
from tvm.script import ir as I
from tvm.script import relax as R

HIDDEN = 32


@I.ir_module
class Mlp:
    @R.function
    def main(
        x: R.Tensor(("n", 16), "float32"),
        w1: R.Tensor((HIDDEN, 16), "float32"),
        b1: R.Tensor((HIDDEN,), "float32"),
        w2: R.Tensor((8, HIDDEN), "float32"),
    ) -> R.Tensor(("n", 8), "float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            w1_t = R.permute_dims(w1)
            h = R.nn.relu(R.add(R.matmul(x, w1_t), b1))
            w2_t = R.permute_dims(w2)
            y = R.matmul(h, w2_t)
            R.output(y)
        return y


def main() -> None:
    rng = np.random.default_rng(0)
    w1, b1, w2 = (rng.standard_normal(s).astype("float32") for s in ((HIDDEN, 16), (HIDDEN,), (8, HIDDEN)))

    lifted = relax.transform.LiftTransformParams()(Mlp)
    lifted.show()

    executable = tvm.compile(lifted, target="llvm")
    vm = relax.VirtualMachine(executable, tvm.cpu())
    weights = vm["main_transform_params"]([tvm.runtime.tensor(w) for w in (w1, b1, w2)])
    for batch in (1, 5):
        x = rng.standard_normal((batch, 16)).astype("float32")
        got = vm["main"](tvm.runtime.tensor(x), *weights).numpy()
        expected = np.maximum(x @ w1.T + b1, 0) @ w2.T
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)
        print(f"batch {batch}: {got.shape}, largest difference {np.abs(got - expected).max():.1e}")


if __name__ == "__main__":
    main()
