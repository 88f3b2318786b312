"""docs/kernel-families.md: every fragment of script is part of what the compiler prints for the module above it."""

import re
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest
import sunmao
from life_of_a_model import inner_loop
from page_programs import programs
from sunmao_binary import sunmao as run_command

PAGE = "kernel-families.md"
TARGET = "x86-64-v3"
MODULE = "@I.ir_module"


def modules() -> list[tuple[str, str, list[str]]]:
    """Modules of the page, each with its name and the fragments behind it."""
    found: list[tuple[str, str, list[str]]] = []
    for text in programs(PAGE):
        if text.startswith(MODULE):
            name = re.search(r"class (\w+):", text)
            assert name
            found.append((name[1], text, []))
        else:
            found[-1][2].append(text)
    return found


def bare(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


@pytest.mark.parametrize(("name", "module", "fragments"), modules(), ids=lambda v: v if isinstance(v, str) else "")
def test_fragments_are_what_the_compiler_prints(name: str, module: str, fragments: list[str], tmp_path: Path) -> None:
    model = tmp_path / f"{name}.py"
    model.write_text(module)
    result = run_command("opt", model, "--target", TARGET, "--stop-after", "schedule")
    assert result.returncode == 0, result.stderr
    printed = "\n".join(["", *bare(result.stdout), ""])
    assert fragments
    for fragment in fragments:
        lines = "\n".join(["", *bare(fragment), ""])
        assert lines in printed, fragment


def test_a_step_of_the_product_has_the_instructions_that_the_page_counts(tmp_path: Path) -> None:
    _, module, _ = modules()[0]
    weights = {"w": np.zeros((64, 96), "float32"), "b": np.zeros(96, "float32")}
    path = tmp_path / "product.sunmao"
    sunmao.compile(sunmao.parse_module(module), weights=weights, target=TARGET).save(path)
    with zipfile.ZipFile(path) as archive:
        archive.extract(f"code/{TARGET}", tmp_path)
    code = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", tmp_path / "code" / TARGET], capture_output=True, text=True, check=True
    ).stdout
    loop = inner_loop(code)
    page = (Path(__file__).resolve().parents[2] / "docs" / PAGE).read_text()
    listed = re.search(r"```asm\n(.*?)```", page, re.DOTALL)
    assert listed
    for line in listed[1].splitlines():
        count, instruction, *_ = line.split()
        assert loop.count(instruction) >= int(count), (instruction, loop)
