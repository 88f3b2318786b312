# Custom ops as functions of a script. `python` is not needed to read it: sunmao compile model.onnx --ops ops.py
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Ops:
    # A kernel in loops, compiled with the rest of the model.
    @T.prim_func(private=True)
    def swish_kernel(x_handle: T.handle, beta: T.float32, y_handle: T.handle):
        n, m = T.int64(), T.int64()
        x = T.match_buffer(x_handle, (n, m), "float32")
        y = T.match_buffer(y_handle, (n, m), "float32")
        for i, j in T.grid(n, m):
            with T.sblock("swish"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = x[vi, vj] / (T.float32(1) + T.exp(-beta * x[vi, vj]))

    # The op: which nodes it stands for, the types that it takes and gives, and how it is computed.
    @R.function(private=True)
    def swish(x: R.Tensor(("n", "m"), "float32"), beta: R.Prim("float32")) -> R.Tensor(("n", "m"), "float32"):
        R.func_attr({"sunmao.op": {"onnx": "my.domain::Swish", "torch": "mylib::swish", "defaults": {"beta": 1.0}}})
        cls = Ops
        n, m = T.int64(), T.int64()
        return R.call_tir(cls.swish_kernel, (x, beta), out_ty=R.Tensor((n, m), "float32"))

    # Computed by a function of C, `gate` in gate.c. Its object file is part of the artifact: --ops gate.o
    @R.function(private=True)
    def gate(x: R.Tensor(("n", "m"), "float32"), least: R.Prim("float32")) -> R.Tensor(("n", "m"), "float32"):
        R.func_attr({"sunmao.op": {"onnx": "my.domain::Gate", "torch": "mylib::gate"}})
        n, m = T.int64(), T.int64()
        return R.call_dps_packed("gate", (x, least), out_ty=R.Tensor((n, m), "float32"))

    # Computed by a function `offset` that the program which runs the model registers: run_custom_ops.c has one.
    @R.function(private=True)
    def offset(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n", "m"), "float32"):
        R.func_attr({"sunmao.op": {"onnx": "my.domain::Offset", "torch": "mylib::offset"}})
        n, m = T.int64(), T.int64()
        return R.call_dps_packed("offset", (x,), out_ty=R.Tensor((n, m), "float32"))
