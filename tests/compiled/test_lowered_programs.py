"""Programs that upstream's whole lowering has made, with sizes in a heap, become artifacts and compute the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import sunmao
import sunmao_binary
from test_data_sizes import HEAD as DATA_HEAD
from test_data_sizes import PROGRAM, numbers
from test_memory_programs import ARGS, HEAD, PROGRAMS, after, check_same
from test_sizes_shown import CASES

# What upstream's default pipeline runs behind the legalization of ops, in its order.
LOWERING = [
    "legalize-ops",
    "annotate-op-pattern",
    "fold-constants",
    "fuse-ops",
    "fuse-tir",
    "rewrite-dataflow-reshape",
    "to-non-dataflow",
    "remove-purity-checking",
    "lower-call-tir",
    "plan-block-memory",
    "lower-alloc-tensor",
    "kill-after-last-use",
    "lower-runtime-builtin",
    "compute-prim-value",
    "lower-shapes-to-heap",
    "attach-global-symbol",
]


def lowered(text: str) -> sunmao.Module:
    out = after(sunmao.parse_module(text), *LOWERING)
    assert "vm.builtin.match_shape" in out.script()
    return sunmao.parse_module(out.script())


@pytest.mark.parametrize("name", PROGRAMS)
def test_memory_and_sizes(name: str) -> None:
    check_same(lowered(HEAD + PROGRAMS[name]), sunmao.evaluate(sunmao.parse_module(HEAD + PROGRAMS[name]), *ARGS))


@pytest.mark.parametrize("name", CASES)
def test_casts_and_their_refusals(name: str) -> None:
    text, good, bad = CASES[name]
    model = sunmao.compile(lowered(HEAD + text))
    for args in good:
        wanted = sunmao.evaluate(sunmao.parse_module(HEAD + text), *args)
        for a, b in zip(model(*args), wanted, strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5)
    for args in bad:
        with pytest.raises(sunmao.Error, match="E090[456]"):
            model(*args)


def flat(value: object) -> list[np.ndarray]:
    if isinstance(value, (tuple, list)):
        return [leaf for field in value for leaf in flat(field)]
    return [np.asarray(value)]


def test_sizes_that_data_decides() -> None:
    module = sunmao.parse_module(DATA_HEAD + PROGRAM)
    model = sunmao.compile(lowered(DATA_HEAD + PROGRAM))
    for size in (11, 0, 1000):
        x = numbers(size)
        for name, args in {"main": (x,), "twice": (x,), "shrink": (x, np.array(3))}.items():
            got = flat(model[name](*args))
            for a, b in zip(got, flat(sunmao.evaluate(module, *args, function=name)), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5)


def test_the_artifact_calls_nothing_of_the_host(tmp_path: Path) -> None:
    artifact = tmp_path / "m.sunmao"
    sunmao.compile(lowered(HEAD + PROGRAMS["symbols"])).save(artifact)
    text = sunmao_binary.sunmao("inspect", artifact, "--bytecode").stdout
    assert "vm.builtin" not in text and "BindDim" in text
    assert json.loads(sunmao_binary.sunmao("inspect", artifact, "--json").stdout)["functions"]


FUSED_SIZES = """
    @R.function
    def main(x: R.Tensor((3, 4, "s - 2"), "float32"), y: R.Tensor(("s",), "float32"), a: R.Tensor((4,), "float32"),
             b: R.Tensor((4,), "float32"), c: R.Tensor((4,), "float32"), d: R.Tensor((4,), "float32")):
        s = T.int64()
        with R.dataflow():
            z: R.Tensor((3, 4, s - 2), "float32") = R.exp(x)
            lv = R.nn.batch_norm(z, a, b, c, d, axis=1, training=False)
            normal: R.Tensor((3, 4, s - 2), "float32") = lv[0]
            relu: R.Tensor((3, 4, s - 2), "float32") = R.nn.relu(normal)
            total = R.add(R.sum(relu), R.sum(y))
            R.output(relu, total, z)
        return (relu, total, z)
"""


def test_sizes_that_fused_kernels_take_among_tensors() -> None:
    module = after(sunmao.parse_module(HEAD + FUSED_SIZES), *LOWERING[:5])
    assert any("call_tir" in line and ", s)," in line for line in module.script().splitlines())
    draw = np.random.default_rng(3).uniform
    args = [draw(-1, 1, shape).astype("float32") for shape in ((3, 4, 5), (7,), *[(4,)] * 3)]
    args.append(draw(0.5, 1.5, 4).astype("float32"))
    wanted = sunmao.evaluate(sunmao.parse_module(HEAD + FUSED_SIZES), *args)
    for made in (sunmao.evaluate(module, *args), sunmao.compile(module)(*args)):
        for got, want in zip(made, wanted, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_more_numbers_than_a_kernel_takes_are_refused() -> None:
    module = sunmao.parse_module(after(sunmao.parse_module(HEAD + FUSED_SIZES), *LOWERING[:5]).script())
    text = module.script().replace(", s), out", ", s, s), out")
    assert text != module.script()
    with pytest.raises(sunmao.Error, match="E0508.*2 numbers stand among the tensors, and it takes 1"):
        sunmao.compile(sunmao.parse_module(text))
