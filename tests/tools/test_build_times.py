"""tools/build_times.py: what it reads of ninja's logs and of results of tests."""

from pathlib import Path

import build_times
import pytest
from programs import ROOT

LOG = """# ninja log v7
0\t1500\t9\tCMakeFiles/sunmao_ops.dir/Unity/a.cxx.o\taa
100\t2100\t9\tlibsunmao_ops.a\tbb
1000\t1250\t9\tCMakeFiles/sunmao_ops.dir/Unity/a.cxx.o\taa
"""
RESULTS = """<testsuites><testsuite>
<testcase classname="tests.ops.test_a" name="test_x[1]" time="1.5"/>
<testcase classname="tests.ops.test_a" name="test_x[2]" time="0.25"/>
<testcase classname="unit_ops" name="unit_ops" time="3"/>
</testsuite></testsuites>"""


def test_the_last_job_of_a_file_counts() -> None:
    jobs = build_times.jobs_of(LOG)
    assert jobs == {"CMakeFiles/sunmao_ops.dir/Unity/a.cxx.o": 0.25, "libsunmao_ops.a": 2}
    assert [build_times.is_compiled(file) for file in jobs] == [True, False]
    assert [build_times.target_of(file) for file in jobs] == ["ops", "other"]


def test_tests_are_added_up_by_file_or_program() -> None:
    seconds, count = build_times.seconds_of_tests([RESULTS])
    assert seconds == {"ops/test_a": 1.75, "unit_ops": 3}
    assert count == {"ops/test_a": 2, "unit_ops": 1}


def test_without_a_build_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build_times.main(["--root", str(tmp_path)]) == 1
    assert "make build" in capsys.readouterr().err


def test_the_page_has_what_the_script_writes() -> None:
    page = (ROOT / build_times.PAGE).read_text()
    assert page.startswith(build_times.TITLE)
    assert "## What goals build" in page
