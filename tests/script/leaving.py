# Ways out of blocks: branches that end in dataflow, a return inside dataflow, functions as values, typed numbers.
@I.ir_module
class Leaving:
    @R.function
    def branch(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        if c:
            with R.dataflow():
                y = R.add(x, x)
                out = R.nn.relu(y)
                R.output(out)
        else:
            with R.dataflow():
                out = R.multiply(x, x)
                R.output(out)
        return out

    @R.function
    def early(x: R.Tensor((4,), "float32")):
        R.func_attr({"follows": Leaving.branch})
        with R.dataflow():
            y = R.add(x, x)
            z = R.nn.relu(y)
            return (y, z)

    @R.function
    def functions(x: R.Tensor((4,), "float32")):
        cls = Leaving
        inner = cls.early
        a = inner(x)
        count: R.Prim("int32") = 2
        scale: R.Prim("float32") = 2.5
        return (inner, a, count, scale)

    @R.function
    def stated(x: R.Tensor((4,), "float32")) -> R.Tensor((8,), "float32"):
        return x

    @R.function
    def scalars(n: R.Prim("int64"), x: R.Tensor(("n", 4), "float32"), m: T.int64, k: T.int64) -> R.Prim("int64"):
        y: R.Tensor((n, 4), "float32") = R.add(x, x)
        total = m + 1
        return total
