# if and else bind one name; branches inside branches.
@R.function
def main(c: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    if c:
        w = R.add(x, x)
        y = R.multiply(w, w)
    else:
        y = x
    if c:
        z: R.Tensor(ndim=1) = R.add(y, y)
    elif c:
        with R.dataflow():
            u = R.add(y, x)
            R.output(u)
        z: R.Tensor(ndim=1) = u
    else:
        z: R.Tensor(ndim=1) = R.nn.relu(x)
    if c:
        t = (x, y)
    else:
        t = (y, x)
    s = t[0]
    return s
