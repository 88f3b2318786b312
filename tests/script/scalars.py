# Scalar parameters are symbols: dimensions, signatures and arithmetic name them; local functions have their own.
@I.ir_module
class Scalars:
    @R.function
    def main(n: T.int64, x: R.Tensor(("n", "n + 1"), "float32"), s: R.Shape(["n"])) -> R.Tensor(("n", "n + 1"), "float32"):
        alias = n
        plus_one = alias + 1
        same = R.prim_value(plus_one)
        itself = R.prim_value(value=n)
        y: R.Tensor((n, plus_one), "float32") = R.add(x, x)
        out = Scalars.local(n, y, plus_one, same)
        return out

    @R.function
    def local(k: R.Prim("int64"), x: R.Tensor(("k", "m"), "float32"), m: R.Prim(value="m"), plain: R.Prim(dtype="int64")) -> R.Tensor(("k", "m"), "float32"):
        @R.function
        def again(k: T.int64, x: R.Tensor((k, "m"), "float32")) -> R.Tensor((k, "m"), "float32"):
            return again(k, x)

        return again(k, x)

    @R.function
    def typed(c: T.int64) -> T.int64:
        integer: T.int32 = 2
        floating: R.Prim("float32") = 2.5
        boolean: R.Prim("bool") = True
        unknown: R.Prim(dtype="int64") = c + 2
        if R.prim_value(c % 16 == 0):
            out = c
        else:
            out = c + 1
        return c + 1
