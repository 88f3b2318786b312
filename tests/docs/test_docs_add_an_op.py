"""docs/add-an-op.md quotes existing code, and the commit that it describes changes the files that it lists."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "add-an-op.md").read_text()
CPP, TABLE = "src/ops/binary.cpp", "tests/ops/binary.txt"
SUBJECT = "ops: add xlogy"


def blocks(language: str) -> list[list[str]]:
    return [block.splitlines() for block in re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)]


FILES = blocks("text")[-1]
QUOTED = [(CPP, block) for block in blocks("cpp")] + [(TABLE, block) for block in blocks("text")[:-1]]


@pytest.mark.parametrize(("file", "lines"), QUOTED)
def test_what_is_quoted_is_there(file: str, lines: list[str]) -> None:
    there = (ROOT / file).read_text().splitlines()
    assert [line for line in lines if line not in there] == []


def test_the_files_are_there() -> None:
    named = re.findall(r"`((?:src|tests|tools|docs)/[\w/-]+\.\w+)`", PAGE)
    assert named
    assert [name for name in [*named, *FILES] if not (ROOT / name).is_file()] == []


def test_the_commit_touches_two_files_and_what_is_derived() -> None:
    """Skips the check in a copy of the repository without history."""
    assert f"`{SUBJECT}`" in PAGE.replace("\n", " ")
    log = ["git", "log", "--format=", "--name-only", f"--grep=^{SUBJECT}$"]
    run = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=False)
    assert sorted(run.stdout.split()) in ([], sorted(FILES))
    assert [f for f in FILES if not f.startswith("docs/") and not f.endswith(".pyi")] == [CPP, TABLE]
