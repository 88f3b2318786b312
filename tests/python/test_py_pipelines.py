"""Pipelines by name and by target, and the passes that they are made of."""

import numpy as np
import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat import relax
from sunmao.compat.contrib.thrust import can_use_thrust
from sunmao.compat.relax import backend
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R

X = np.array([[3, 1, 2], [6, 4, 5]], "float32")


@I.ir_module
class Sums:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        with R.dataflow():
            y = R.cumsum(x, axis=1)
            z = R.exp(R.negative(y))
            R.output(z)
        return z


def run(module: tvm.IRModule, *inputs: np.ndarray, name: str = "main") -> np.ndarray:
    machine = relax.VirtualMachine(tvm.compile(module, "llvm"), tvm.cpu())
    found: np.ndarray = machine[name](*map(tvm.runtime.tensor, inputs)).numpy()
    return found


@pytest.mark.parametrize(
    "pipeline",
    [
        relax.get_pipeline("zero"),
        relax.get_pipeline("default"),
        relax.get_default_pipeline(tvm.target.Target("llvm")),
        relax.get_pipeline("static_shape_tuning", total_trials=0, target="llvm"),
    ],
    ids=["zero", "default", "of a target", "tuning"],
)
def test_what_a_pipeline_makes_runs_and_has_no_ops_left(pipeline: tvm.transform.Pass) -> None:
    lowered = pipeline(Sums)
    assert "R.cumsum" not in lowered.script() and "R.exp" not in lowered.script()
    np.testing.assert_allclose(run(lowered, X), np.exp(-X.cumsum(1)), rtol=1e-6)


def kernels(module: tvm.IRModule) -> int:
    return sum(isinstance(f, tvm.tirx.PrimFunc) for f in module.functions.values())


def test_the_zero_pipeline_fuses_and_the_default_one_does_not() -> None:
    assert kernels(relax.get_pipeline("zero")(Sums)) == 1
    assert kernels(relax.get_pipeline("default_build")(Sums)) == 3


def test_the_parts_of_a_pipeline_are_lists_of_passes() -> None:
    target = tvm.target.Target("vulkan")
    parts = (backend.gpu_generic.library_dispatch_passes, relax.pipeline.legalize_passes)
    module = Sums
    for part in parts:
        module = tvm.transform.Sequential(part(target))(module)
    assert kernels(module) == 1
    with pytest.raises(ValueError, match="E0032.*not yet supported by legalize_passes"):
        relax.pipeline.legalize_passes(tvm.target.Target("hexagon"))


@tvm.instrument.pass_instrument
class Current:
    """Notes the current target before each pass."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def run_before_pass(self, _module: tvm.IRModule, _info: tvm.transform.PassInfo) -> None:
        self.seen.append(tvm.target.Target.current())


def test_the_target_of_a_pipeline_is_the_current_one() -> None:
    target, noted = tvm.target.Target("llvm"), Current()
    with tvm.transform.PassContext(instruments=[noted]):
        relax.get_default_pipeline(target)(Sums)
    assert noted.seen[0] is None and set(noted.seen[1:]) == {target}


@I.ir_module
class Softmax:
    @R.function
    def main(x: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n", 3), "float32"):
        with R.dataflow():
            y = R.nn.softmax(x, axis=0)
            R.output(y)
        return y


def test_a_lowered_kernel_has_temporaries_of_sizes_that_a_run_knows() -> None:
    expected = np.exp(X) / np.exp(X).sum(0)
    np.testing.assert_allclose(run(relax.get_pipeline("default")(Softmax), X), expected, rtol=1e-6)


def test_a_program_registers_a_pipeline() -> None:
    @relax.register_pipeline("test.doubling")
    def doubling(times: int) -> tvm.transform.Pass:
        return tvm.transform.Sequential([relax.transform.LegalizeOps()] * times)

    assert kernels(relax.get_pipeline("test.doubling", times=2)(Sums)) == 3
    with pytest.raises(ValueError, match="E0034.*already been registered"):
        relax.register_pipeline("test.doubling")


def test_tuning_without_trials_prepares_weights() -> None:
    @I.ir_module
    class Product:
        @R.function
        def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor((2, 4), "float32"):
            R.func_attr({"num_input": 1})
            with R.dataflow():
                y = R.matmul(x, R.permute_dims(w))
                R.output(y)
            return y

    make = relax.pipeline.static_shape_tuning_pipeline
    prepared = make(total_trials=0, target="llvm", cpu_weight_prepack=True)(Product)
    assert "main_transform_params" in {var.name_hint for var in prepared.get_global_vars()}


@I.ir_module
class Sorts:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0)]})

    @R.function
    def main(x: R.Tensor(("n", 3), "float32", "llvm")):
        with R.dataflow():
            a = R.sort(x, axis=1, descending=True)
            b = R.argsort(x, axis=1, dtype="int64")
            c = R.topk(x, k=2, axis=1, largest=False)
            d = R.cumprod(x, axis=0, exclusive=True)
            e = R.exp(x)
            out = (a, b, c, d, e)
            R.output(out)
        return out


def test_sorts_and_scans_become_kernels_on_the_device_of_their_operand() -> None:
    found = backend.DispatchSortScan()(Sorts)
    assert kernels(found) == 4 and "R.exp" in found.script()
    tvm.ir.assert_structural_equal(found["main"].ret_ty, Sorts["main"].ret_ty)
    before, after = (sunmao.evaluate(m.__sunmao_module__(), X) for m in (Sorts, found))
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def test_sorts_of_unknown_shape_are_refused() -> None:
    @I.ir_module
    class Unknown:
        @R.function
        def main(x: R.Tensor(ndim=1, dtype="float32")):
            y = R.sort(x)
            return y

    with pytest.raises(sunmao.Error, match="E0314.*known shape"):
        backend.DispatchSortScan()(Unknown)


@I.ir_module
class Plain:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.exp(x)
        return y


def test_passes_without_work_return_the_same_module() -> None:
    assert backend.DispatchSortScan()(Plain).same_as(Plain)
    assert backend.DispatchSampling()(Plain).same_as(Plain)


def test_ops_to_skip_are_not_made_legal() -> None:
    kept = relax.transform.LegalizeOps(skip_ops=["relax.exp"])(Sums)
    assert kernels(kept) == 2 and "R.exp" in kept.script()


def test_targets_say_what_they_are() -> None:
    make = tvm.target.Target
    assert make("cuda").keys == ["cuda", "gpu"] and make("llvm -mcpu=x86-64-v3").keys == ["cpu"]
    assert make({"kind": "opencl", "keys": ["adreno"]}).keys == ["adreno", "opencl", "gpu"]
    assert make("opencl -keys=adreno,gpu").keys == ["adreno", "gpu", "opencl"]
    assert not can_use_thrust(make({"kind": "cuda", "libs": ["thrust"]}), "tvm.contrib.thrust.sort")


def test_visitors_of_statements_are_at_hand_without_an_import() -> None:
    seen: list[object] = []
    lowered = relax.get_pipeline("zero")(Sums)
    kernel = next(f for f in lowered.functions.values() if isinstance(f, tvm.tirx.PrimFunc))
    tvm.tirx.stmt_functor.post_order_visit(kernel.body, seen.append)
    assert any(isinstance(node, tvm.tirx.For) for node in seen)
