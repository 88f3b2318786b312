# an object that a function of the host changes in place is a handle before and after
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main(held: R.Any, x: R.Tensor((2,), "float32")):
        after = R.call_inplace_packed("append", held, x, inplace_indices=[0], ty_args=(R.Any,))
        y = R.call_pure_packed("view", after, ty_args=(R.Tensor((2,), "float32"),))
        z = (y, after)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(held: R.Tensor((), dtype="handle"), x: R.Tensor((2,), dtype="float32")) -> R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((), dtype="handle")):
        after: R.Tensor((), dtype="handle") = R.call_inplace_packed("append", held, x, inplace_indices=[0], ty_args=(R.Tensor((), dtype="handle"),))
        y: R.Tensor((2,), dtype="float32") = R.call_pure_packed("view", after, ty_args=(R.Tensor((2,), dtype="float32"),))
        z: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((), dtype="handle")) = (y, after)
        return_of_main: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((), dtype="handle")) = z
        return return_of_main
