# Tuples of all lengths, fields of tuples.
@R.function
def main(x: R.Tensor((2,), "float32"), p: R.Tuple(R.Tensor((2,), "float32"), R.Tuple(R.Tensor((3,), "int32")))):
    a = ()
    b = (x,)
    c = (x, (x, b))
    d = p[1][0]
    e = R.tuple(x, x)
    f = c[1]
    g = (x, p)[0]
    return (a, b, c, d, e, f, g)
