"""tools/count_tests.py: sums result files, and counts a failed lane without a failing test as one failure."""

import re
from pathlib import Path

import count_tests
import pytest

CTEST = """<testsuite tests="3"><testcase name="a" status="run"/><testcase name="b" status="fail"><failure/></testcase>
<testcase name="c" status="notrun"><skipped/></testcase></testsuite>"""
PYTEST = """<testsuites><testsuite><testcase name="a"/><testcase name="b"/></testsuite></testsuites>"""


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.splitlines()[-1]


def test_sum(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ctest.xml").write_text(CTEST)
    (tmp_path / "pytest.xml").write_text(PYTEST)
    assert count_tests.main([str(tmp_path)]) == 1
    assert last_line(capsys) == "3 passed, 1 failed"


def test_lane_that_failed_otherwise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ctest.xml").write_text(CTEST)
    assert count_tests.main(["--lanes", "release lint", str(tmp_path)]) == 1
    assert last_line(capsys) == "1 passed, 2 failed"


def test_all_passed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pytest.xml").write_text(PYTEST)
    assert count_tests.main(["--lanes", "", str(tmp_path)]) == 0
    assert last_line(capsys) == "2 passed, 0 failed"


def test_the_lanes_of_ci_have_their_files() -> None:
    root = Path(__file__).parent.parent.parent
    lanes = re.findall(r"^ *lane (\w+) ", (root / ".ci/run").read_text(), re.MULTILINE)
    assert set(count_tests.LANE_FILES) == {*lanes, "tsan"}
    makefile = (root / "Makefile").read_text().replace("$@.xml", "asan.xml tsan.xml")
    assert all(name in makefile for names in count_tests.LANE_FILES.values() for name in names)
