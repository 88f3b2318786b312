# Names that clash: loops of the same variable, symbols beside variables, words of the dialect.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def loops(R_1: T.Buffer((8, 8), "float32")):
        for i in range(8):
            for j in range(8):
                R_1[i, j] = 0.0
        for i in range(8):
            for i in range(8):
                R_1[i, i] = 0.0

    @R.function
    def symbols(n: R.Tensor(("n", "m"), "float32"), m: R.Tensor(("m",), "float32")) -> R.Tensor(("n", "m"), "float32"):
        cls_1 = R.add(n, n)
        return cls_1
