# Functions inside functions, which see the names around them and may call themselves.
@R.function
def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
    @R.function
    def outer(c1: R.Tensor((2, 3), "float32")) -> R.Callable((R.Tensor((2, 3), "float32"),), R.Tensor((2, 3), "float32"), True):
        @R.function
        def inner(x1: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
            s: R.Tensor((2, 3), "float32") = R.add(x1, c1)
            return s

        return inner

    @R.function(pure=False)
    def again(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        R.func_attr({"Composite": "mine"})
        b = again(a)
        return b

    f = outer(x)
    res = f(y)
    return res
