# Operators on tensors are ops, on numbers and symbols they are arithmetic.
@R.function
def main(x: R.Tensor(("n", 2), "float32")):
    n = T.int64()
    y = x + x
    z = y * x
    m = n * 2 + 1
    k = (n + 1) // 2
    return (z, m, k, 3, 2.5, True, "text")
