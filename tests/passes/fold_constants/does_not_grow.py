# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @R.function
    def main():
        a = R.add(
            R.const([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]], "float32"),
            R.const([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]], "float32"),
        )
        return a
