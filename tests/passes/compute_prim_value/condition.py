# A condition on a symbol is computed by a loop-level function.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        if R.prim_value(n % 16 == 0):
            a = R.add(x, x)
            b = a
        else:
            b = x
        return b


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Expected
        condition: R.Prim("bool") = cls.compute_symbolic_expr(R.prim_value(n))
        if condition:
            a = R.add(x, x)
            b = a
        else:
            b = x
        return b

    @T.prim_func(private=True, s_tir=True)
    def compute_symbolic_expr(n: T.int64) -> T.bool:
        T.func_attr({"tirx.is_host_func": True})
        return n % T.int64(16) == T.int64(0)
