# Loop-level functions take the prefix of the library.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_attrs({"system_lib_prefix": "my_"})

    @R.function
    def main() -> R.Tensor((2,), "float32"):
        cls = Before
        y = R.call_tir(cls.zeros, (), out_ty=R.Tensor((2,), "float32"))
        return y

    @T.prim_func(private=True)
    def zeros(x: T.Buffer((T.int64(2),), "float32")):
        x[T.int64(0)] = T.float32(0)


@I.ir_module
class Expected:
    I.module_attrs({"system_lib_prefix": "my_"})

    @R.function
    def main() -> R.Tensor((2,), "float32"):
        cls = Expected
        y = R.call_tir(cls.my_zeros, (), out_ty=R.Tensor((2,), "float32"))
        return y

    @T.prim_func
    def my_zeros(x: T.Buffer((T.int64(2),), "float32")):
        x[T.int64(0)] = T.float32(0)
