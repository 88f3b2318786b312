# A loop of 10,000 steps that carries 100 MB, of which a step writes 64 bytes.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function(private=True)
    def loop(
        i: R.Tensor((), "int64"), state: R.Tensor((25000000,), "float32"), at: R.Tensor((16,), "int64")
    ) -> R.Tensor((16,), "float32"):
        goes_on = R.less(i, R.const(10000, "int64"))
        if goes_on:
            row = R.strided_slice(state, axes=[0], begin=[16], end=[32])
            more = R.add(row, R.const(1, "float32"))
            written = R.scatter_elements(state, at, more, axis=0)
            step = R.add(i, R.const(1, "int64"))
            out = Module.loop(step, written, at)
        else:
            out = R.strided_slice(state, axes=[0], begin=[16], end=[32])
        return out

    @R.function
    def main(state: R.Tensor((25000000,), "float32"), sums: R.Tensor((16,), "float32")) -> R.Tensor((16,), "float32"):
        zeros = R.subtract(state, state)
        at = R.astype(R.add(R.arange(16, 32, 1, "int64"), R.astype(sums, "int64")), "int64")
        out = Module.loop(R.const(0, "int64"), zeros, at)
        return out
