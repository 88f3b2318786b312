# A name may be bound again; the last binding in a dataflow block is the one that leaves it.
@R.function
def main(x: R.Tensor((2,), "float32")):
    y = R.add(x, x)
    y = R.multiply(x, y)
    with R.dataflow():
        z = R.add(y, y)
        z = R.add(z, y)
        R.output(z)
    y = z
    return y
