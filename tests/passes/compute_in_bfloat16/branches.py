# A branch has casts of its own: what it computes is not visible behind it, nor in the other branch.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2, 16), "float32"), w: R.Tensor((16, 16), "float32")):
        R.func_attr({"num_input": 2})
        if c:
            a = R.matmul(x, w)
            y = a
        else:
            b = R.matmul(w, w)
            d = R.matmul(x, b)
            y = d
        z = R.matmul(y, w)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2, 16), "float32"), w: R.Tensor((16, 16), "float32")):
        R.func_attr({"num_input": 2})
        if c:
            lv = R.astype(x, "bfloat16")
            lv_1 = R.astype(w, "bfloat16")
            a = R.matmul(lv, lv_1, out_dtype="float32")
            y = a
        else:
            lv_2 = R.astype(w, "bfloat16")
            b = R.matmul(lv_2, lv_2, out_dtype="float32")
            lv_3 = R.astype(x, "bfloat16")
            lv_4 = R.astype(b, "bfloat16")
            d = R.matmul(lv_3, lv_4, out_dtype="float32")
            y = d
        lv_5 = R.astype(y, "bfloat16")
        lv_6 = R.astype(w, "bfloat16")
        z = R.matmul(lv_5, lv_6, out_dtype="float32")
        return z
