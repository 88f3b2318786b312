# Functions outside of the module, by name: with a type where more is known than that there is something to call.
@I.ir_module
class Externs:
    plain = R.ExternFunc("plain")
    typed = R.ExternFunc("outside.typed", R.Callable((R.Tensor((4,), "float32"),), R.Tensor(dtype="float32", ndim=2), True))

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor(dtype="float32", ndim=2):
        cls = Externs
        y = cls.plain(x)
        z = cls.typed(x)
        return z
