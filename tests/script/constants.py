# Constants of every kind that text can say.
@R.function
def main(x: R.Tensor((2, 2), "float32")):
    a = R.add(x, R.const([[1.5, -2], [0.1, 3e-8]], "float32"))
    b = R.const(1)
    c = R.const(0.1)
    d = R.const(True)
    e = R.const([1, 2, 3])
    f = R.const([float("nan"), float("inf"), float("-inf"), -0.0], "float32")
    g = R.const([0.1, 65504.0], "float16")
    h = R.const(3.140625, "bfloat16")
    i = R.const([18446744073709551615, 0], "uint64")
    j = R.const(-9223372036854775808, "int64")
    k = R.const([], "float32")
    l = R.const([[-8, 7]], "int4")
    m = R.const([0.1, 1e-300, 5e-324], "float64")
    n = R.const(16777217, "float32")
    return (a, b, c, d, e, f, g, h, i, j, k, l, m, n)
