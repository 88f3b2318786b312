"""Programs that state where their tensors lie, as passes write them, become artifacts and compute the same."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import sunmao
import sunmao_binary
from sunmao import relax
from sunmao.compat.relax.programs import GraphProgram

LOWERING = [
    "legalize-ops",
    "to-non-dataflow",
    "remove-purity-checking",
    "lower-call-tir",
    "plan-block-memory",
    "lower-alloc-tensor",
    "kill-after-last-use",
]
HEAD = """from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
"""
CHAIN = """
    @R.function
    def main(x: R.Tensor((8, 16), "float32"), w: R.Tensor((16, 16), "float32")):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.softmax(a)
            c = R.matmul(b, w)
            d = R.nn.softmax(R.add(c, a))
            e = R.reshape(d, (4, 32))
            f = R.nn.softmax(e)
            R.output(f, d)
        return (f, d)
"""
SYMBOLS = """
    @R.function
    def main(x: R.Tensor(("n", 16), "float32"), w: R.Tensor((16, 16), "float32")):
        n = T.int64()
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.softmax(a)
            c = R.sum(b, axis=0)
            d = R.nn.softmax(R.concat((R.matmul(b, w), x), axis=0))
            e = R.nn.softmax(R.add(c, R.sum(w, axis=0)))
            R.output(d, e)
        return (d, e)
"""
BRANCH = """
    @R.function(private=True)
    def twice(x: R.Tensor(("n", 16), "float32")) -> R.Tensor(("n", 16), "float32"):
        y = R.nn.softmax(x)
        z = R.nn.softmax(R.nn.relu(R.cumsum(y, axis=0)))
        return z

    @R.function
    def main(x: R.Tensor((8, 16), "float32"), w: R.Tensor((16, 16), "float32")):
        a = R.nn.softmax(R.matmul(x, w))
        t = R.less(R.sum(a), R.const(8.5, "float32"))
        if t:
            b = Module.twice(a)
        else:
            b = R.matmul(a, w)
        c = R.nn.softmax(R.matmul(b, w))
        return c
"""
IN_PLACE = """
    @R.function
    def main(x: R.Tensor((8, 16), "float32"), w: R.Tensor((16, 16), "float32")):
        a = R.nn.softmax(R.matmul(x, w))
        b = R.scatter_nd(a, R.const([[1], [3]], "int64"), R.strided_slice(x, [0], [0], [2]))
        c = R.matmul(b, w)
        return c
"""
PROGRAMS = {"chain": CHAIN, "symbols": SYMBOLS, "branch": BRANCH, "in_place": IN_PLACE}
RANDOM = np.random.default_rng(3)
ARGS = [RANDOM.uniform(-1, 1, shape).astype("float32") for shape in ((8, 16), (16, 16))]


def after(module: sunmao.Module, *passes: str) -> sunmao.Module:
    for name in passes:
        module = sunmao._sunmao.run_pass(module, name)
    return module


def ready(model: Path) -> sunmao.Module:
    """The last form of the graph level that the pipeline has, which `plan-memory` shows the memory of."""
    result = sunmao_binary.sunmao("opt", model, "--stop-after", "update-in-place")
    assert result.returncode == 0, result.stderr
    return sunmao.parse_module(result.stdout)


def written(name: str, folder: Path) -> Path:
    path = folder / "m.py"
    path.write_text(HEAD + PROGRAMS[name])
    return path


def arena(model: Path, folder: Path) -> dict[str, int]:
    """The bytes that the program of a model needs for values between kernels, by function."""
    artifact = folder / "m.sunmao"
    assert sunmao_binary.sunmao("compile", model, "-o", artifact).returncode == 0
    found = json.loads(sunmao_binary.sunmao("inspect", artifact, "--json").stdout)
    return {f["name"]: f["memory"]["arena"] for f in found["functions"] if "memory" in f}


def storages(planned: sunmao.Module, function: str) -> list[int]:
    text = planned.script().split(f"def {function}(")[1].split("@R.function")[0]
    return [int(size) for size in re.findall(r"alloc_storage\(R.shape\(\[(\d+)\]\)", text)]


def flat(value: object) -> list[np.ndarray]:
    if isinstance(value, (tuple, list)):
        return [leaf for field in value for leaf in flat(field)]
    return [np.asarray(value)]


def check_same(lowered: sunmao.Module, wanted: object) -> None:
    for got in (sunmao.compile(lowered)(*ARGS), sunmao.evaluate(lowered, *ARGS)):
        for a, b in zip(flat(got), flat(wanted), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_that_passes_have_lowered(name: str) -> None:
    module = sunmao.parse_module(HEAD + PROGRAMS[name])
    lowered = after(module, *LOWERING)
    assert "builtin.alloc_tensor" in lowered.script() or "memory.alloc_storage" in lowered.script()
    check_same(lowered, sunmao.evaluate(module, *ARGS))


@pytest.mark.parametrize("name", PROGRAMS)
def test_planned_memory_computes_the_same(name: str, tmp_path: Path) -> None:
    model = written(name, tmp_path)
    planned = after(ready(model), "plan-memory")
    assert "memory.alloc_tensor" in planned.script()
    check_same(planned, sunmao.evaluate(sunmao.parse_module(model.read_text()), *ARGS))


@pytest.mark.parametrize("name", ["chain", "branch", "in_place"])
def test_planned_memory_is_that_of_the_program(name: str, tmp_path: Path) -> None:
    model = written(name, tmp_path)
    planned = after(ready(model), "plan-memory")
    assert storages(planned, "main") == [arena(model, tmp_path)["main"]]


def programs_before_and_after(model: Path, folder: Path) -> tuple[str, str] | None:
    """The programs of a model as the pipeline leaves it and with its memory shown; None where there is none to show, or
    the pipeline does not take what it has made."""
    module = ready(model)
    planned = after(module, "plan-memory")
    if "alloc_tensor" not in planned.script():
        return None
    try:
        before = program(module, folder)
    except sunmao.Error:
        return None
    return before, program(planned, folder)


def program(module: sunmao.Module, folder: Path) -> str:
    artifact = folder / "m.sunmao"
    sunmao._sunmao.compile(module, {}, ["x86-64-v3"], {}, bind_weights=False).save(str(artifact))
    return sunmao_binary.sunmao("inspect", artifact, "--bytecode").stdout.split("program:")[1]


@pytest.mark.parametrize("name", ["mlp.onnx", "mlp.pt2", "mlp.py", "classifier.py"])
def test_models_with_their_memory_shown_are_the_same_program(name: str, tmp_path: Path) -> None:
    before, shown = programs_before_and_after(sunmao_binary.MODELS / name, tmp_path)
    assert before == shown


CORPUS = [
    path
    for folder in (
        "lift_temporaries",
        "outline_branches",
        "outline_regions",
        "plan_block_memory",
        "plan_memory",
        "update_in_place",
    )
    for path in sorted((sunmao_binary.ROOT / "tests" / "passes" / folder).glob("*.py"))
    if not path.read_text().startswith("# error")
]


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_modules_with_their_memory_shown_are_the_same_program(path: Path, tmp_path: Path) -> None:
    case = tmp_path / "case.py"
    case.write_text(path.read_text().split("\n@I.ir_module\nclass Expected")[0])
    if sunmao_binary.sunmao("opt", case, "--stop-after", "update-in-place").returncode == 0:
        found = programs_before_and_after(case, tmp_path)
        assert found is None or found[0] == found[1]


def test_relax_build_makes_an_artifact() -> None:
    module = after(sunmao.parse_module(HEAD + CHAIN), *LOWERING)
    program = relax.build(sunmao.ir.IRModule(module), "llvm")
    assert isinstance(program.program, GraphProgram)
    got = relax.VirtualMachine(program, sunmao.runtime.cpu())["main"](*(sunmao.runtime.tensor(a) for a in ARGS))
    for a, b in zip(got, sunmao.evaluate(module, *ARGS), strict=True):
        np.testing.assert_allclose(a.numpy(), np.asarray(b), rtol=1e-5, atol=1e-6)
