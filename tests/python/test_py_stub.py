"""The stubs of the extension say what the extension has. They are written by

python -m nanobind.stubgen -m sunmao._sunmao -r -O python/sunmao, then ruff's check --fix and format.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

STUBS = Path(__file__).parent.parent.parent / "python" / "sunmao" / "_sunmao"


def definitions(text: str) -> list[str]:
    """What is defined, without imports and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [n for n in body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
            node.body = kept or [ast.Pass()]  # type: ignore[attr-defined]
    return [ast.dump(n) for n in tree.body if not isinstance(n, ast.Import | ast.ImportFrom)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stubs made by a process of its own: where the mirrored API is imported, classes have more names."""
    folder = tmp_path_factory.mktemp("stubs")
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "sunmao._sunmao", "-r", "-O", str(folder)]
    python = str(STUBS.parent.parent)
    subprocess.run(command, check=True, env={"PYTHONPATH": python, "PATH": ""}, timeout=120)
    return folder / "_sunmao"


@pytest.mark.parametrize("name", ["__init__.pyi", "make.pyi"])
def test_the_stubs_are_up_to_date(made: Path, name: str) -> None:
    assert definitions((STUBS / name).read_text()) == definitions((made / name).read_text())
