"""docs/passes.md, written by tools/pass_docs.py, is up to date with the pass records."""

import subprocess
import sys
from pathlib import Path

import sunmao

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "passes.md"


def check(page: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tools" / "pass_docs.py", "--check", "--page", page]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_the_page_is_up_to_date() -> None:
    result = check(PAGE)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_page_that_differs_is_told(tmp_path: Path) -> None:
    other = tmp_path / "passes.md"
    other.write_text(PAGE.read_text().replace("- Idempotent: no", "- Idempotent: yes", 1))
    before = other.read_text()
    result = check(other)
    assert result.returncode == 1
    assert "out of date" in result.stdout
    assert other.read_text() == before != PAGE.read_text(), "checking writes nothing"


def test_every_pass_has_an_entry_and_a_row() -> None:
    text = PAGE.read_text()
    for info in sunmao.passes():
        assert f"\n### {info.name}\n" in text
        assert f"\n| [`{info.name}`](#{info.name}) |" in text


def test_passes_name_facts_and_passes_that_there_are() -> None:
    known = {info.name for info in sunmao.passes()}
    facts = {fact.name for fact in sunmao.facts()}
    for info in sunmao.passes():
        assert {*info.needs, *info.ensures} <= facts
        assert known.issuperset(info.commutes_with)
        assert info.is_idempotent == (info.second_run == "")
