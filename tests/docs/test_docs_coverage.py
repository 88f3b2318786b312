"""docs/coverage.md is what the tables of converters say."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import op_coverage  # noqa: E402
from sunmao import _sunmao  # noqa: E402


def test_the_page_is_up_to_date() -> None:
    run = subprocess.run([sys.executable, ROOT / "tools" / "op_coverage.py", "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_ops_that_do_not_exist_are_found() -> None:
    rows = [{"becomes": "`R.add`(`R.nn.softmax`, `R.nn.soft`)"}, {"becomes": "R.addition; R.image.resize2d(method=1)"}]
    assert op_coverage.unknown_ops(rows, {"add", "nn.softmax", "image.resize2d"}) == ["addition", "nn.soft"]


def test_every_row_says_what_it_becomes_and_stands_once() -> None:
    rows = _sunmao.frontend_rows()
    assert [row for row in rows if not row["becomes"]] == []
    keys = [(row["frontend"], row["op"], row["since"]) for row in rows]
    assert len(set(keys)) == len(keys)
