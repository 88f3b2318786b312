"""The same pass twice, in a pipeline that repeats it with new work in between, and beside a function of the same name.

python -m sunmao.as_tvm examples/lift_params_twice_tvm.py

What went wrong in TVM: a user's own function that happens to be called `main_transform_params` was taken for that of an
earlier run and spliced into the new one, which lost a weight; a second run lifted what `stop_lift_params` held back.
"""

import numpy as np
import tvm
from tvm import relax
from tvm.script import ir as I
from tvm.script import relax as R

lift = relax.transform.LiftTransformParams


@I.ir_module
class Model:
    @R.function
    def main(
        x: R.Tensor((2, 4), "float32"), w: R.Tensor((3, 4), "float32"), v: R.Tensor((2, 3), "float32")
    ) -> R.Tensor((2, 3), "float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.matmul(x, R.permute_dims(w))
            z = R.add(y, R.exp(R.builtin.stop_lift_params(v)))
            R.output(z)
        return z


@I.ir_module
class WithANamesake:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((3, 4), "float32")) -> R.Tensor((2, 3), "float32"):
        R.func_attr({"num_input": 1})
        return R.matmul(x, R.permute_dims(w))

    @R.function
    def main_transform_params(z: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        return R.add(z, z)


@relax.expr_functor.mutator
class ScaleProducts(relax.PyExprMutator):
    """New work on weights: every product is with twice the matrix."""

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        call = self.visit_expr_post_order(call)
        if call.op != tvm.ir.Op.get("relax.matmul"):
            return call
        data, weight = call.args
        return relax.op.matmul(data, self.builder_.emit(relax.op.add(weight, weight)))


@tvm.transform.module_pass(opt_level=0, name="ScaleProducts")
def scale_products(module: tvm.IRModule, _: tvm.transform.PassContext) -> tvm.IRModule:
    mutator = ScaleProducts(module)
    mutator.builder_.update_func(module.get_global_var("main"), mutator.visit_expr(module["main"]))
    return mutator.builder_.get()


def run(module: tvm.IRModule, x: np.ndarray, *raw: np.ndarray) -> np.ndarray:
    vm = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
    prepared = vm["main_transform_params"]([tvm.runtime.tensor(w) for w in raw])
    return vm["main"](tvm.runtime.tensor(x), *prepared).numpy()


def main() -> None:
    rng = np.random.default_rng(0)
    x, w, v = (rng.standard_normal(s).astype("float32") for s in ((2, 4), (3, 4), (2, 3)))

    once = lift()(Model)
    tvm.ir.assert_structural_equal(lift()(once), once)
    np.testing.assert_allclose(run(once, x, w, v), x @ w.T + np.exp(v), rtol=1e-5, atol=1e-5)
    print("twice is once")

    pipeline = tvm.transform.Sequential([lift(), scale_products, lift(), scale_products, lift()])
    repeated = pipeline(Model)
    assert sorted(var.name_hint for var in repeated.get_global_vars()) == ["main", "main_transform_params"]
    np.testing.assert_allclose(run(repeated, x, w, v), x @ (4 * w.T) + np.exp(v), rtol=1e-5, atol=1e-5)
    called = [b.value.op.name for b in repeated["main"].body.blocks[0].bindings if isinstance(b.value, relax.Call)]
    assert sorted(called) == ["relax.add", "relax.builtin.stop_lift_params", "relax.exp", "relax.matmul"], called
    print("new work joins the old in one function; what was stopped stays")

    try:
        lift()(WithANamesake)
    except RuntimeError as error:
        assert "`main_transform_params` is there already" in str(error), error
        print(f"a function of the same name: {error}")
    else:
        raise AssertionError("an unrelated function was taken for a transform")
    beside = lift(name="prepare_main")(WithANamesake)
    assert len(beside.get_global_vars()) == 3
    print("another name stands beside it")


if __name__ == "__main__":
    main()
