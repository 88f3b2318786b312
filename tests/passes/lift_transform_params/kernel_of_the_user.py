# A call of a loop-level function on weights moves.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def twice(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("twice"):
                vi = T.axis.spatial(4, i)
                b[vi] = a[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        cls = Before
        with R.dataflow():
            w2 = R.call_tir(cls.twice, (w,), out_ty=R.Tensor((4,), "float32"))
            y = R.add(x, w2)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def twice(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        # with T.sblock("root"):
        for i in range(4):
            with T.sblock("twice"):
                vi = T.axis.spatial(4, i)
                T.reads(a[vi])
                T.writes(b[vi])
                b[vi] = a[vi] * T.float32(2.0)

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((4,), dtype="float32"))) -> R.Tuple(R.Tensor((4,), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"w2": ["w"]}, "sunmao.weight_names": ["w"]})
        cls = Expected
        with R.dataflow():
            w: R.Tensor((4,), dtype="float32") = model_params[0]
            w2 = R.call_tir(cls.twice, (w,), out_ty=R.Tensor((4,), dtype="float32"))
            gv: R.Tuple(R.Tensor((4,), dtype="float32")) = (w2,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), w2: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        with R.dataflow():
            y: R.Tensor((4,), dtype="float32") = R.add(x, w2)
            R.output(y)
        return y
