# Functions whose own names are words of Python, or no words, are called by others in the text.
@I.ir_module
class Module:
    import_ = R.ExternFunc("outside", global_name="import")

    @T.prim_func(global_name="my-kernel")
    def my_kernel(A: T.Buffer((4,), "float32")):
        T.evaluate(A[0])

    @T.prim_func(private=True)
    def my_kernel_(A: T.Buffer((4,), "float32")):
        Module.my_kernel(A.data)

    @R.function(global_name="class")
    def class_(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = R.call_tir(cls.my_kernel, (x,), out_ty=R.Tensor((4,), "float32"))
        return y

    @R.function(pure=False, private=True)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = cls.class_(x)
        z = cls.import_(y)
        return y
