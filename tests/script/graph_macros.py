# Macros of the graph level: what they bind stands where they are called.
@R.macro
def twice(x, by="float32"):
    y = R.add(x, x)
    z = R.astype(y, dtype=by)
    return z

@I.ir_module
class Macros:
    @R.macro(hygienic=False)
    def scaled(factor):
        out = R.multiply(x, factor)
        return out

    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = twice(x)
            b = twice(R.add(a, w), by="float16")
            c = scaled(w)
            R.output(a, b, c)
        return (a, b, twice(c))
