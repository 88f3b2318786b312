# Equal elements or slices are grouped, and what the call asks for is read from the groups.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4, 3, 2), "float32")):
        with R.dataflow():
            a = R.unique(x, sorted=False, return_inverse=True, return_counts=True)
            b = R.unique(x, axis=1)
            R.output(a, b)
        return (a, b)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4, 3, 2), dtype="float32")) -> R.Tuple(R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor((24,), dtype="int64"), R.Tensor(dtype="int64", ndim=1)), R.Tensor(dtype="float32", ndim=3)):
        n = T.int64()
        n1 = T.int64()
        with R.dataflow():
            rows: R.Tensor((24,), dtype="float32") = R.reshape(x, R.shape([24]))
            groups: R.Tuple(R.Tensor((1,), dtype="int64"), R.Tensor((24,), dtype="int64"), R.Tensor((24,), dtype="int64"), R.Tensor((24,), dtype="int64")) = R.unique_groups(rows, sorted=False)
            count: R.Tensor((1,), dtype="int64") = groups[0]
            shape: R.Shape(ndim=1) = R.tensor_to_shape(count)
            sizes: R.Shape([n]) = R.match_cast(shape, R.Shape([n]))
            lv: R.Tensor((24,), dtype="int64") = groups[1]
            lv1: R.Tensor((n,), dtype="int64") = R.strided_slice(lv, (0,), (0,), (n,), assume_inbound=True)
            lv2: R.Tensor((24,), dtype="int64") = groups[2]
            lv3: R.Tensor((24,), dtype="int64") = groups[3]
            lv4: R.Tensor((n,), dtype="int64") = R.strided_slice(lv3, (0,), (0,), (n,), assume_inbound=True)
            lv5: R.Tensor((n,), dtype="float32") = R.take(rows, lv1, axis=0)
            a: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((24,), dtype="int64"), R.Tensor((n,), dtype="int64")) = (lv5, lv2, lv4)
            lv6: R.Tensor((3, 4, 2), dtype="float32") = R.permute_dims(x, axes=[1, 0, 2])
            rows1: R.Tensor((3, 8), dtype="float32") = R.reshape(lv6, R.shape([3, 8]))
            groups1: R.Tuple(R.Tensor((1,), dtype="int64"), R.Tensor((3,), dtype="int64"), R.Tensor((3,), dtype="int64"), R.Tensor((3,), dtype="int64")) = R.unique_groups(rows1)
            count1: R.Tensor((1,), dtype="int64") = groups1[0]
            shape1: R.Shape(ndim=1) = R.tensor_to_shape(count1)
            sizes1: R.Shape([n1]) = R.match_cast(shape1, R.Shape([n1]))
            lv7: R.Tensor((3,), dtype="int64") = groups1[1]
            lv8: R.Tensor((n1,), dtype="int64") = R.strided_slice(lv7, (0,), (0,), (n1,), assume_inbound=True)
            b: R.Tensor((4, n1, 2), dtype="float32") = R.take(x, lv8, axis=1)
            R.output(a, b)
        return (a, b)
