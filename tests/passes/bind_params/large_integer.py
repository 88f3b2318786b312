# Integers beyond 2^53 are kept to the last digit.
# pass: bind-params(func_name=main, params={x: 9007199254740993})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((), "int64")):
        return x


@I.ir_module
class Expected:
    @R.function
    def main():
        return R.const(9007199254740993, "int64")
