"""The programs in pages, and which of them a test runs where PyTorch and onnx are installed, or none runs."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"
# Programs that need PyTorch or the package onnx, by the page: tests/differential/test_docs_with_others.py runs them.
WITH_OTHERS = {"custom-ops.md": {1, 2}, "frontends.md": {0}, "python.md": {1}}
# Programs that are parts of one, or show a notation.
PARTS = {"custom-ops.md": {3}, "devices.md": {0}, "parameters.md": {0}, "script.md": {1}}
DIALECT = "from sunmao import relax\nfrom sunmao.script import ir as I, relax as R, tirx as T\nimport sunmao\n"


def programs(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)


def run_program(page: str, number: int, names: dict[str, Any], folder: Path) -> None:
    """Runs a program of a page with these names, from a file: decorators read their source there."""
    path = folder / f"snippet_{number}.py"
    path.write_text(programs(page)[number])
    exec(compile(path.read_text(), str(path), "exec"), names)


def names_of_dialect(others: Mapping[str, Any]) -> dict[str, Any]:
    names = dict(others)
    exec(DIALECT, names)
    return names
