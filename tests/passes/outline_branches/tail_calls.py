# A call that a branch ends with stays the last thing that its function does.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def loop(i: R.Tensor((), "int64"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Before
        c = R.less(i, R.const(8, "int64"))
        if c:
            i1 = R.add(i, R.const(1, "int64"))
            x1 = R.add(x, x)
            r: R.Tensor((4,), "float32") = cls.loop(i1, x1)
        else:
            r: R.Tensor((4,), "float32") = x
        return r

    @R.function
    def whole(i: R.Tensor((), "int64"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Before
        c = R.less(i, R.const(8, "int64"))
        i1 = R.add(i, R.const(1, "int64"))
        if c:
            with R.dataflow():
                g: R.Tensor((4,), "float32") = cls.whole(i1, x)
                R.output(g)
            r: R.Tensor((4,), "float32") = g
        else:
            r = R.add(x, x)
        return r


@I.ir_module
class Expected:
    @R.function
    def loop(i: R.Tensor((), dtype="int64"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        c: R.Tensor((), dtype="bool") = R.less(i, R.const(8, "int64"))
        if c:
            r: R.Tensor((4,), dtype="float32") = cls.loop_then(i, x)
        else:
            r: R.Tensor((4,), dtype="float32") = cls.loop_else(x)
        return r

    @R.function(private=True)
    def loop_else(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x

    @R.function(private=True)
    def loop_then(i: R.Tensor((), dtype="int64"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        i1: R.Tensor((), dtype="int64") = R.add(i, R.const(1, "int64"))
        x1: R.Tensor((4,), dtype="float32") = R.add(x, x)
        r: R.Tensor((4,), dtype="float32") = cls.loop(i1, x1)
        return r

    @R.function
    def whole(i: R.Tensor((), dtype="int64"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        c: R.Tensor((), dtype="bool") = R.less(i, R.const(8, "int64"))
        i1: R.Tensor((), dtype="int64") = R.add(i, R.const(1, "int64"))
        if c:
            with R.dataflow():
                g: R.Tensor((4,), dtype="float32") = cls.whole(i1, x)
                R.output(g)
            r: R.Tensor((4,), dtype="float32") = g
        else:
            r: R.Tensor((4,), dtype="float32") = cls.whole_else(x)
        return r

    @R.function(private=True)
    def whole_else(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        r: R.Tensor((4,), dtype="float32") = R.add(x, x)
        return r
