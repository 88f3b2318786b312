# Functions outside of the module, by name: with a type where more is known than that there is something to call, and with attributes.
@I.ir_module
class Externs:
    plain = R.ExternFunc("plain")
    typed = R.ExternFunc("outside.typed", R.Callable((R.Tensor((4,), "float32"),), R.Tensor(dtype="float32", ndim=2), True))

    placed = R.ExternFunc("placed", attrs={"device": "cuda", "order": [0, 1]})

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor(dtype="float32", ndim=2):
        cls = Externs
        y = cls.plain(x)
        z = cls.typed(x)
        a = R.call_packed(R.ExternFunc("there", attrs={"k": 1}), x)
        b = R.call_pure_packed(R.ExternFunc("there", R.Callable((R.Tensor((4,), "float32"),), R.Tensor, False)), x)
        return z
