# Every type, in today's and older spellings.
@R.function
def main(
    a: R.Tensor,
    b: R.Tensor("float32"),
    c: R.Tensor(None, "float32", ndim=2),
    d: R.Tensor(dtype="int64", ndim=0),
    e: R.Tensor((), "bool"),
    f: R.Shape,
    g: R.Shape(ndim=3),
    h: R.Shape(["n", 2, "n * 2 + 1"]),
    i: R.Prim("int64"),
    j: R.Prim(value="k"),
    k1: R.Tuple,
    l: R.Tuple(R.Tensor([2, 3]), R.Tuple(R.Any)),
    m: R.Object,
    o: R.Callable,
    p: R.Callable((R.Tensor((1,)),), R.Tuple(), purity=False),
    q: R.Callable(ret=R.Tensor, purity=True),
    r: R.Tensor(("n", "T.max(n, k)", "(n + 7) // 8 * 8"), "float16"),
    s: R.PackedFunc,
    t: R.Tensor(g, "int8"),
    u: T.float32,
) -> R.Tuple([R.Tensor, R.Any]):
    n = T.int64()
    k = T.int64()
    sh = R.shape([n, k + 1, n % 3])
    v: R.Any = R.add(a, a)
    w: R.Tensor(f, "float32") = R.reshape(b, f)
    return (a, m)
