# The result type of a function that comes later and does not state it.
@I.ir_module
class Module:
    @R.function
    def first(x: R.Tensor((2, 3), "float32")):
        y = Module.second(x)
        return y

    @R.function
    def second(x: R.Tensor((2, 3), "float32")):
        z = Module.third(x)
        return (z, z)

    @R.function
    def third(x: R.Tensor(("n", 3), "float32")):
        return x
