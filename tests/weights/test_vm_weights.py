"""Preparing weights in a virtual machine: one at a time when lazy, and errors about raw weights."""

import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao.compat import relax, runtime
from sunmao.compat.ir import IRModule
from sunmao.compat.ir.transform import PassContext
from sunmao.compat.relax import transform
from sunmao.compat.relax.vm_arguments import Signature
from sunmao.compat.runtime import Tensor, registry
from sunmao.compat.script import from_source
from sunmao.reading import parse_module

HEAD = "from tvm.script import ir as I, relax as R, tirx as T\n"
COUNT = 5


def model() -> IRModule:
    """Returns a module whose `main` takes an input and five weights, each of which is transposed."""
    params = ", ".join(f'w{i}: R.Tensor((4, 3), "float32")' for i in range(COUNT))
    lines = [f"            y{i} = R.matmul(x, R.permute_dims(w{i}))" for i in range(COUNT)]
    module: IRModule = from_source(
        HEAD
        + f"""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), {params}):
        R.func_attr({{"num_input": 1}})
        with R.dataflow():
"""
        + "\n".join(lines)
        + f"""
            y = ({", ".join(f"y{i}" for i in range(COUNT))})
            R.output(y)
        return y
"""
    )
    return module


def raw(i: int) -> np.ndarray[Any, Any]:
    return np.arange(12, dtype="float32").reshape(4, 3) + i


class Store:
    """Supplies raw weights and counts those alive."""

    def __init__(self) -> None:
        self.alive: weakref.WeakSet[Tensor] = weakref.WeakSet()
        self.peak = 0
        self.prepared: dict[int, np.ndarray[Any, Any]] = {}

    def get(self, i: int, name: str = "") -> Tensor:
        weight = runtime.tensor(raw(i))
        self.alive.add(weight)
        self.peak = max(self.peak, len(self.alive))
        return weight

    def set(self, i: int, value: Tensor) -> None:
        self.prepared[i] = value.numpy()


@pytest.fixture
def store() -> Iterator[Store]:
    kept = Store()
    registry.register_global_func("get_item", kept.get, override=True)
    registry.register_global_func("set_item", kept.set, override=True)
    yield kept
    registry.remove_global_func("get_item")
    registry.remove_global_func("set_item")


def check(store: Store) -> None:
    assert sorted(store.prepared) == list(range(COUNT))
    for i, value in store.prepared.items():
        np.testing.assert_array_equal(value, raw(i).T)
    assert store.peak == 1, "raw weights that are alive at once"
    assert len(store.alive) == 0


def test_lazy_preparing_holds_one_weight_at_a_time(store: Store) -> None:
    module = transform.LazyTransformParams()(transform.LiftTransformParams()(model()))
    transforms = IRModule({"main_transform_params": module["main_transform_params"]})
    vm = relax.VirtualMachine(relax.build(transforms), runtime.cpu())
    vm["main_transform_params"]()
    check(store)


def test_a_module_with_a_lazy_transform_is_compiled_whole(store: Store) -> None:
    module = transform.LazyTransformParams()(transform.LiftTransformParams()(model()))
    vm = relax.VirtualMachine(relax.build(module), runtime.cpu())
    vm["main_transform_params"]()
    check(store)
    x = np.ones((2, 3), "float32")
    for i, y in enumerate(vm["main"](x, *(store.prepared[i] for i in range(COUNT)))):
        np.testing.assert_allclose(y, x @ raw(i).T)


ALSO_RAW = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 3), "float32"), w: R.Tensor((4, 3), "float32"), v: R.Tensor((4, 3), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            e = R.exp(w)
            f = R.reshape(v, (4, 3))
            y = R.add(R.multiply(R.add(x, e), w), f)
            R.output(y)
        return y
"""


def test_a_weight_that_is_read_raw_too_is_let_go_of_last(store: Store) -> None:
    module = transform.LazyTransformParams()(transform.LiftTransformParams()(from_source(HEAD + ALSO_RAW)))
    vm = relax.VirtualMachine(relax.build(module), runtime.cpu())
    vm["main_transform_params"]()
    np.testing.assert_array_equal(store.prepared[0], raw(0))
    np.testing.assert_allclose(store.prepared[1], np.exp(raw(0)), rtol=1e-5)
    np.testing.assert_array_equal(store.prepared[2], raw(1))


def test_consumed_weights_that_need_no_work_are_given() -> None:
    module = from_source(HEAD + ALSO_RAW)
    with PassContext(config={"relax.lift_transform_params.consume_params": True}):
        module = transform.LiftTransformParams()(module)
    vm = relax.VirtualMachine(relax.build(module), runtime.cpu())
    w, v = raw(0), raw(2)
    prepared = vm["main_transform_params"]([w, v])
    np.testing.assert_allclose(vm["main"](raw(1), *prepared), (raw(1) + np.exp(w)) * w + v, rtol=1e-5)


def test_prepared_weights_may_come_as_one_tuple() -> None:
    module = transform.BundleModelParams()(transform.LiftTransformParams()(model()))
    vm = relax.VirtualMachine(relax.build(module), runtime.cpu())
    x = np.ones((2, 3), "float32")
    prepared = vm["main_transform_params"](([raw(i) for i in range(COUNT)],))
    for i, y in enumerate(vm["main"](x, prepared)):
        np.testing.assert_allclose(y, x @ raw(i).T)


UNLIFTED = """
    @R.function
    def other(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 3), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            t = R.permute_dims(w)
            y = R.matmul(x, t)
            R.output(y)
        return y
"""


def test_compiling_changes_no_signature_without_a_transform() -> None:
    x, w = np.ones((2, 3), "float32"), np.ones((4, 3), "float32")
    both = from_source(model().script() + UNLIFTED)
    module = transform.LiftTransformParams(shared_transform=["main"])(both)
    vm = relax.VirtualMachine(relax.build(module), runtime.cpu())
    np.testing.assert_allclose(vm["other"](x, w), x @ w.T)
    # The function has an attribute that names its weight transform, but the module lacks that transform.
    alone = IRModule({"main": transform.LiftTransformParams()(model())["main"]})
    vm = relax.VirtualMachine(relax.build(alone), runtime.cpu())
    for i, y in enumerate(vm["main"](x, *(raw(i).T for i in range(COUNT)))):
        np.testing.assert_allclose(y, x @ raw(i).T)


def test_callbacks_that_are_arguments_hold_one_weight_at_a_time(store: Store) -> None:
    module = from_source(
        HEAD
        + f"""
@I.ir_module
class Module:
    @R.function
    def main({", ".join(f'w{i}: R.Tensor((4, 3), "float32")' for i in range(COUNT))}):
        R.func_attr({{"num_input": 0}})
"""
        + "\n".join(f"        t{i} = R.permute_dims(w{i})" for i in range(COUNT))
        + f"""
        return ({", ".join(f"t{i}" for i in range(COUNT))})
"""
    )
    module = transform.LazySetOutput()(transform.LazyGetInput()(module))
    vm = relax.VirtualMachine(relax.build(module), runtime.cpu())
    vm["main"](store.get, store.set)
    check(store)


def test_raw_weights_are_told_what_to_run() -> None:
    vm = relax.VirtualMachine(relax.build(transform.LiftTransformParams()(model())), runtime.cpu())
    x, weights = np.ones((2, 3), "float32"), [raw(i) for i in range(COUNT)]
    with pytest.raises(sunmao.Error) as caught:
        vm["main"](x, *weights)
    assert caught.value.code == "E0917"
    text = str(caught.value)
    assert "`main` expects prepared weights: run `main_transform_params` first" in text
    assert "(from `w0`): expected R.Tensor" in text
    assert "got a tensor of float32 of shape (4, 3)" in text
    with pytest.raises(sunmao.Error, match="2 arguments given, expected 6") as caught:
        vm["main"](x, weights[0])
    assert caught.value.code == "E0917"
    prepared = vm["main_transform_params"](weights)
    for i, y in enumerate(vm["main"](x, *prepared)):
        np.testing.assert_allclose(y, x @ raw(i).T)


class Shaped:
    """Looks like a tensor of unknown size."""

    shape, dtype = (None, 3), "float32"


def test_only_tensors_are_asked_for_their_sizes() -> None:
    module = parse_module(
        HEAD
        + """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), state: R.Object, w: R.Tensor((2, 3), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": ["prepare"]})
        return x
"""
    )
    main = module.find("main")
    assert isinstance(main, sunmao.Function)
    signature = Signature("main", main, module)
    x = np.ones((2, 3), "float32")
    signature.check([x, Shaped(), x])
    with pytest.raises(sunmao.Error, match="E0917[^$]*`w`: expected R.Tensor.*got a Shaped"):
        signature.check([x, Shaped(), Shaped()])


def test_functions_that_are_not_lifted_say_nothing_of_preparing() -> None:
    vm = relax.VirtualMachine(relax.build(model()), runtime.cpu())
    with pytest.raises(sunmao.Error) as caught:
        vm["main"](np.ones((2, 3), "float32"))
    assert caught.value.code == "E0037"


def test_a_compiled_model_and_a_loaded_one_tell_it_too(tmp_path: Path) -> None:
    lifted = transform.LiftTransformParams()(model())
    compiled = sunmao.compile(lifted, bind_weights=False)
    compiled.save(tmp_path / "model.sunmao")
    loaded = sunmao.load(tmp_path / "model.sunmao")
    x, weights = np.ones((2, 3), "float32"), [raw(i) for i in range(COUNT)]
    for callable_model in (compiled, loaded):
        for given in (weights, weights[:1]):
            with pytest.raises(sunmao.Error, match="run `main_transform_params` first") as caught:
                callable_model(x, *given)
            assert caught.value.code == "E0917"
    prepared = loaded["main_transform_params"](*weights)
    for i, y in enumerate(loaded(x, *prepared)):
        np.testing.assert_allclose(y, x @ raw(i).T, rtol=1e-6)


def test_a_script_may_give_the_transform_before_its_function() -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3, 4), "float32"))):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w = model_params[0]
            t = R.permute_dims(w)
            gv = (t,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 4), "float32"), t: R.Tensor((4, 3), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        y = R.matmul(x, t)
        return y
"""
    w, x = np.arange(12, dtype="float32").reshape(3, 4), np.ones((2, 4), "float32")
    model = sunmao.compile(parse_module(text, "lifted.py", {}), weights={"w": w})
    np.testing.assert_allclose(model(x), x @ w.T)
