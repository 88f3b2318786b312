# error: E0514: topological-sort: there is no order `upwards`
# pass: topological-sort(order=upwards)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            b1 = R.add(x, x)
            c1 = R.nn.relu(b1)
            b2 = R.multiply(x, x)
            c2 = R.nn.relu(b2)
            d = R.add(c1, c2)
            R.output(d)
        return d
