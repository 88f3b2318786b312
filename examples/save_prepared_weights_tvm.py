"""Weights are prepared once, saved, loaded by a later run, and give what the model gives as it is written.

python -m sunmao.as_tvm examples/save_prepared_weights_tvm.py

What went wrong in TVM: half-precision linear layers with a bias were refused, since products were always typed float32;
and a lifted function that is called with raw weights failed somewhere inside, without a word of what it wanted.
"""

import tempfile
from pathlib import Path

import numpy as np
import tvm
from tvm import relax
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Linear:
    @R.function
    def main(
        x: R.Tensor(("n", 16), "float16"),
        weight: R.Tensor((8, 16), "float16"),
        scale: R.Tensor((8,), "float16"),
        bias: R.Tensor((8,), "float16"),
    ) -> R.Tensor(("n", 8), "float16"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            scaled = R.multiply(R.permute_dims(weight), scale)
            y = R.add(R.matmul(x, scaled), bias)
            R.output(y)
        return y


def virtual_machine(module: tvm.IRModule) -> relax.VirtualMachine:
    return relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())


def main() -> None:
    rng = np.random.default_rng(0)
    raw = [tvm.runtime.tensor(rng.standard_normal(s).astype("float16")) for s in ((8, 16), (8,), (8,))]
    x = tvm.runtime.tensor(rng.standard_normal((3, 16)).astype("float16"))
    expected = virtual_machine(Linear)["main"](x, *raw).numpy()

    vm = virtual_machine(relax.transform.LiftTransformParams()(Linear))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prepared.npz"
        np.savez(path, *[weight.numpy() for weight in vm["main_transform_params"](raw)])
        with np.load(path) as file:
            loaded = [tvm.runtime.tensor(file[name]) for name in file.files]

    got = vm["main"](x, *loaded).numpy()
    assert got.dtype == expected.dtype == np.float16
    np.testing.assert_allclose(got, expected, rtol=1e-2, atol=1e-2)
    print(f"{len(raw)} raw weights, {len(loaded)} prepared ones from a file: same results")

    try:
        vm["main"](x, *raw)
    except ValueError as error:
        assert "`main` expects prepared weights" in str(error), error
        assert "run `main_transform_params` first" in str(error), error
        print(f"called with raw weights: {error}")
    else:
        raise AssertionError("raw weights were taken for prepared ones")


if __name__ == "__main__":
    main()
