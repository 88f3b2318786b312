"""docs/life-of-a-model.md, written by tools/life_of_a_model.py, is what the compiler prints."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "life-of-a-model.md"


def check(page: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tools" / "life_of_a_model.py", "--check", "--page", page]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_the_page_is_up_to_date() -> None:
    result = check(PAGE)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_page_that_differs_is_told(tmp_path: Path) -> None:
    other = tmp_path / "life.md"
    other.write_text(PAGE.read_text().replace("R.nn.softmax", "R.nn.log_softmax", 1))
    result = check(other)
    assert result.returncode == 1
    assert "out of date" in result.stdout


def test_the_machine_code_holds_its_sums_in_registers() -> None:
    code = PAGE.read_text().split("```asm\n")[1].split("```")[0]
    assert code.count("vfmadd231ps") >= 12
    assert "rsp" not in code
