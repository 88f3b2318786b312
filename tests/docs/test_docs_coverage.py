"""docs/coverage.md is up to date with its tables and the op records."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import op_coverage  # noqa: E402


def test_the_page_is_up_to_date() -> None:
    run = subprocess.run([sys.executable, ROOT / "tools" / "op_coverage.py", "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_ops_that_do_not_exist_are_found() -> None:
    table = {"a": "R.add(R.nn.softmax, R.nn.soft)", "b": "R.addition; R.image.resize2d(method=1)"}
    assert op_coverage.unknown_ops(table, {"add", "nn.softmax", "image.resize2d"}) == ["addition", "nn.soft"]


@pytest.mark.parametrize(("name", "count"), [("aten", 193), ("onnx", 203)])
def test_each_op_has_an_answer(name: str, count: int) -> None:
    table = op_coverage.read(name)
    assert len(table) == count
    words = ("refused: ", "shape: ", "tuple: ", "branch: ", "loop: ", "the tensor itself", "a constant")
    assert [op for op, text in table.items() if not op_coverage.named_ops(text) and not text.startswith(words)] == []
