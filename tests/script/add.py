# A lone function with a symbolic dimension.
from tvm.script import relax as R, tirx as T

@R.function
def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
    n = T.int64()
    lv: R.Tensor((n, 4), "float32") = R.add(x, y)
    gv = R.nn.relu(lv)
    return gv
