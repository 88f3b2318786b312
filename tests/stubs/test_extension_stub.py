"""The stubs of the extension, written by tools/make_stubs.py, match the extension."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
STUBS = ROOT / "python" / "sunmao" / "_sunmao"


def definitions(text: str) -> list[str]:
    """Returns the definitions of a stub without imports and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [n for n in body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
            node.body = kept or [ast.Pass()]  # type: ignore[attr-defined]
    return [ast.dump(n) for n in tree.body if not isinstance(n, ast.Import | ast.ImportFrom)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generates the stubs in a new process, in which the package has not extended the classes."""
    folder = tmp_path_factory.mktemp("stubs")
    subprocess.run([sys.executable, ROOT / "tools" / "make_stubs.py", "--output", folder], check=True, timeout=120)
    return folder


@pytest.mark.parametrize("name", ["__init__.pyi", "make.pyi"])
def test_the_stubs_are_up_to_date(made: Path, name: str) -> None:
    assert definitions((STUBS / name).read_text()) == definitions((made / name).read_text())
