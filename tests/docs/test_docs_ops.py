"""docs/ops.md, written by tools/op_docs.py, is up to date with the op records."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "ops.md"


def check(page: Path) -> subprocess.CompletedProcess[str]:
    """Runs in a new process, since other tests register custom ops."""
    command = [sys.executable, ROOT / "tools" / "op_docs.py", "--check", "--page", page]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_the_page_is_up_to_date() -> None:
    result = check(PAGE)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_page_that_differs_is_told(tmp_path: Path) -> None:
    other = tmp_path / "ops.md"
    other.write_text(PAGE.read_text().replace("| `nn.relu` |", "| `nn.rule` |"))
    result = check(other)
    assert result.returncode == 1
    assert "out of date" in result.stdout
    assert "`nn.rule`" in other.read_text(), "checking writes nothing"
