"""The stub of the extension says what the extension has. It is written by

python -m nanobind.stubgen -m sunmao._sunmao -o python/sunmao/_sunmao.pyi, then ruff's check --fix and format.
"""

import ast
from pathlib import Path

from nanobind.stubgen import StubGen
from sunmao import _sunmao

STUB = Path(__file__).parent.parent.parent / "python" / "sunmao" / "_sunmao.pyi"


def definitions(text: str) -> list[str]:
    """What is defined, without imports and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [n for n in body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
            node.body = kept or [ast.Pass()]  # type: ignore[attr-defined]
    return [ast.dump(n) for n in tree.body if not isinstance(n, ast.Import | ast.ImportFrom)]


def test_the_stub_is_up_to_date() -> None:
    made = StubGen(module=_sunmao)
    made.put(_sunmao)
    assert definitions(STUB.read_text()) == definitions(made.get())
