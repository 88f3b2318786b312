# match_cast names symbols that the body uses.
@R.function
def main(x: R.Tensor("float32"), y: R.Tensor("float32")):
    m = T.int64()
    n = T.int64()
    x0 = R.match_cast(x, R.Tensor([m], "float32"))
    with R.dataflow():
        y0: R.Tensor("float32", ndim=1) = R.match_cast(y, R.Tensor(("n",), "float32"))
        gv = y0
        R.output(gv)
    s = R.shape_of(x0)
    p = R.match_cast(s, R.Shape([m]))
    return (x0, gv, R.shape([m, n * 2]), R.prim_value(n), p)
