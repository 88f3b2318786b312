"""LiftTransformParams on whole models: no computation on weights alone remains, and results are unchanged.

That nothing remains is checked by execution: the evaluator runs the functions with poisoned inputs, propagates poison
exactly, and lists every call that received none. It is independent of the pass, and
`test_the_means_finds_what_is_not_lifted` shows that it detects such computation. A second check assumes less: every
bound value is computed several times with the same weights and different inputs; a value that is always the same did
not depend on an input.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from lifted_models import MODELS, Array, Entry, Net
from sunmao.compat import IRModule, cpu, relax
from sunmao.compat import compile as build
from sunmao.compat.relax.transform import LiftTransformParams, ToNonDataflow

# Ops that create constants from sizes alone, and `triu`, which makes a mask of ones: calls of them may stay in the
# entry function.
MADE_OF_NOTHING = {"relax.full", "relax.zeros", "relax.ones", "relax.arange", "relax.triu"}
STEPS: list[tuple[str, dict[str, Any]]] = [
    ("normalize", {}),
    ("convert-to-dataflow", {"min_size": 1}),
    ("canonicalize-bindings", {}),
    ("evaluate-shapes", {}),
    ("fold-constants", {}),
    ("simplify", {}),
    ("eliminate-dead-code", {}),
    ("fold-batch-norm", {}),
    ("channels-last", {}),
    ("lift-transform-params", {}),
    ("canonicalize-bindings", {}),
]


def apart(net: Net) -> IRModule:
    return LiftTransformParams()(net.module())


def together(net: Net) -> IRModule:
    return LiftTransformParams(shared_transform=True, variants=True)(net.module())


def through_the_pipeline(net: Net, module: IRModule | None = None) -> IRModule:
    value = (module or net.module()).__sunmao_module__()
    for name, arguments in STEPS:
        value = sunmao.run_pass(value, name, **arguments)
    return IRModule(value)


def together_and_through_the_pipeline(net: Net) -> IRModule:
    return through_the_pipeline(net, together(net))


WAYS: list[Callable[[Net], IRModule]] = [apart, together, through_the_pipeline, together_and_through_the_pipeline]
EVERY = pytest.mark.parametrize(
    ("name", "way"), [(n, w) for n in MODELS for w in WAYS], ids=lambda v: getattr(v, "__name__", v)
)


def transforms_of(module: IRModule, name: str) -> list[str]:
    stages = module[name].attrs["sunmao.param_transform"]
    return [stages] if isinstance(stages, str) else list(stages)


def prepared(module: IRModule, entry: Entry) -> list[Array]:
    weights = tuple(entry.model.weights.values())
    for stage in transforms_of(module, entry.name):
        weights = sunmao.evaluate(module, weights, function=stage)
    return list(weights)


def saw_no_poison(module: IRModule, entry: Entry, weights: list[Array]) -> sunmao.PoisonedRun:
    x = entry.samples(0)
    return sunmao.evaluate_poisoned(module, *x, *weights, poisoned=range(len(x)), function=entry.name)


def comes_out_the_same(module: IRModule, entry: Entry, weights: list[Array]) -> list[str]:
    """Returns the ops of all bindings of a function whose values are equal for all inputs."""
    module = ToNonDataflow()(module)
    function = module[entry.name]
    bindings = [b for block in function.body.blocks for b in block.bindings]
    values = relax.Tuple([b.var for b in bindings])
    module["watched"] = relax.Function(function.params, relax.SeqExpr(function.body.blocks, values))
    runs = [sunmao.evaluate(module, *entry.samples(seed), *weights, function="watched") for seed in (1, 2, 3)]
    ops = []
    for binding, *results in zip(bindings, *runs, strict=True):
        if isinstance(binding.value, relax.Call) and all(map(same, results[1:], results)):
            callee = binding.value.op
            ops.append(getattr(callee, "name", None) or callee.name_hint)
    return ops


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple):
        return all(map(same, a, b))
    return np.array_equal(a, b)


@EVERY
def test_nothing_that_is_left_depends_on_weights_alone(name: str, way: Callable[[Net], IRModule]) -> None:
    net = MODELS[name]()
    module = way(net)
    for entry in net.entries:
        weights = prepared(module, entry)
        run = saw_no_poison(module, entry, weights)
        assert run.clean == []
        assert {work.callee for work in run.constant} <= {"full", "triu"}
        assert set(comes_out_the_same(module, entry, weights)) <= MADE_OF_NOTHING


@pytest.mark.parametrize("name", MODELS)
def test_the_means_finds_what_is_not_lifted(name: str) -> None:
    net = MODELS[name]()
    for entry in net.entries:
        weights = list(net.weights.values())
        run = saw_no_poison(net.module(), entry, weights)
        found = [f"relax.{work.callee}" for work in run.clean]
        assert "relax.permute_dims" in found
        assert len(set(found)) >= 3, found
        assert set(comes_out_the_same(net.module(), entry, weights)) - MADE_OF_NOTHING == set(found)
        assert all(line_of(net, work).startswith(f"{work.binding} = R.{work.callee}(") for work in run.clean)


def line_of(net: Net, work: sunmao.Work) -> str:
    return net.text().splitlines()[int(work.place.split(":")[-2]) - 1].strip()


def test_poison_lies_where_it_is_put() -> None:
    net = MODELS["resnet"]()
    everything = [*net.entries[0].samples(0), *net.weights.values()]
    run = sunmao.evaluate_poisoned(net.module(), *everything, poisoned=range(len(everything)))
    assert run.clean == []
    np.testing.assert_array_equal(run.result, sunmao.evaluate(net.module(), *everything))
    nowhere = sunmao.evaluate_poisoned(net.module(), *everything, poisoned=[])
    assert "nn.conv2d" in {work.callee for work in nowhere.clean}
    with pytest.raises(sunmao.Error, match="E0505"):
        sunmao.evaluate_poisoned(net.module(), *everything, poisoned=[len(everything)])


@EVERY
def test_results_are_those_of_the_model_as_written(name: str, way: Callable[[Net], IRModule]) -> None:
    net = MODELS[name]()
    plain, module = net.module(), way(net)
    for entry in net.entries:
        x = entry.samples(0)
        expected = sunmao.evaluate(plain, *x, *net.weights.values(), function=entry.name)
        got = sunmao.evaluate(module, *x, *prepared(module, entry), function=entry.name)
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("way", [apart, together])
def test_compiled_with_weights_from_a_file(name: str, way: Callable[[Net], IRModule], tmp_path: Path) -> None:
    net = MODELS[name]()
    plain, module = net.module(), way(net)
    vm = relax.VirtualMachine(build(module), cpu())
    for entry in net.entries:
        path = tmp_path / f"{entry.name}.npz"
        weights: Any = list(net.weights.values())
        for stage in transforms_of(module, entry.name):
            weights = vm[stage](weights)
        np.savez(path, *[weight.numpy() for weight in weights])
        with np.load(path) as file:
            loaded = [file[key] for key in file.files]
        x = entry.samples(0)
        expected = sunmao.evaluate(plain, *x, *net.weights.values(), function=entry.name)
        np.testing.assert_allclose(vm[entry.name](*x, *loaded).numpy(), expected, rtol=1e-4, atol=1e-4)


def test_both_entry_points_of_the_decoder_share_one_transform() -> None:
    net = MODELS["llama"]()
    for way in (together, together_and_through_the_pipeline):
        module = way(net)
        assert [transforms_of(module, e.name) for e in net.entries] == [["transform_params"]] * 2
        names = sorted(var.name_hint for var in module.get_global_vars())
        assert names == ["decode", "prefill", "transform_params"]


def test_a_weight_that_nobody_reads_is_gone() -> None:
    net = MODELS["bert"]()
    names = [p.name for p in apart(net)["main"].params]
    assert "pooler" in net.weights
    assert "pooler" not in names


def test_a_stage_with_a_name_of_its_own_is_all_that_a_call_needs() -> None:
    net = MODELS["convnext"]()
    vm = relax.VirtualMachine(build(LiftTransformParams(name="prepare")(net.module())), cpu())
    x = net.entries[0].samples(0)
    expected = sunmao.evaluate(net.module(), *x, *net.weights.values())
    got = vm["main"](*x, *vm["prepare"](list(net.weights.values())))
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-4, atol=1e-4)
