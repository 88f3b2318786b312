"""Passes are grouped into folders by purpose: one file each, named after it, used by the compiler or in `upstream`."""

import re

from sunmao import _sunmao
from sunmao_binary import ROOT

PASSES = ROOT / "src/passes"
NAMES: list[str] = [p["name"] for p in _sunmao.passes()]
PIPELINE = set(re.findall(r'then\("([a-z-]+)"', (ROOT / "src/compiler/pipeline.cpp").read_text()))

# Passes that the compiler's pipeline does not run, each with its user, or with the pipeline stage that it is meant for.
OUTSIDE_THE_PIPELINE = {
    "to-non-dataflow": "lifting and lazy forms write plain blocks with it",
    "fold-scale-axis": "canonical",
    "combine-parallel-matmul": "canonical",
    "convert-layout": "layout",
    "attach-attr-layout-free-buffers": "kernel layouts",
    "compute-in-bfloat16": "a precision that a user asks for",
    "plan-memory": "memory that a user wants to see",
    "lower-sizes": "sizes that a user wants to see",
    "bind-params": "weights that a user wants as constants",
    "bind-symbolic-vars": "sizes that a user fixes",
    "bundle-model-params": "weights that a user hands over as one value",
    "lazy-transform-params": "weights that a user prepares one by one",
    "lazy-get-input": "weights that a user fetches one by one",
    "lazy-set-output": "results that a user takes one by one",
    "realize-vdevice": "devices that a model names",
    "update-vdevice": "devices that a user exchanges",
}


def rooms_of(name: str) -> list[str]:
    return [path.parent.name for path in PASSES.glob(f"*/{name.replace('-', '_')}.cpp")]


def test_each_pass_is_one_file_of_one_room() -> None:
    assert {name for name in NAMES if len(rooms_of(name)) != 1} == set()


def test_a_file_defines_no_other_pass() -> None:
    definition = re.compile(r"^Module (\w+)\(const Module& \w+, const PassContext&", re.MULTILINE)
    functions = {name.replace("-", "_") for name in NAMES}
    for path in PASSES.glob("*/*.cpp"):
        assert set(definition.findall(path.read_text())) & functions <= {path.stem}, path


def test_the_compiler_runs_the_passes_of_the_rooms_and_none_of_upstream() -> None:
    upstream = {name for name in NAMES if rooms_of(name) == ["upstream"]}
    assert upstream & PIPELINE == set()
    assert set(NAMES) - upstream - PIPELINE == set(OUTSIDE_THE_PIPELINE)
