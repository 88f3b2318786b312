"""The tool that counts upstream's tests of front ends."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from import_tests import BEGIN, Outcomes, read_report, reason_in, write_section

REPORT = """<testsuites><testsuite>
<testcase name="a"><properties><property name="sunmao.passed" value="exactly"/></properties></testcase>
<testcase name="b"><properties><property name="sunmao.passed" value="by results"/></properties></testcase>
<testcase name="c"><skipped/></testcase>
<testcase name="d"><failure message="x">E   ValueError: it | breaks
E   more</failure></testcase>
<testcase name="e"><error message="y">no line of an error</error></testcase>
</testsuite></testsuites>"""


def test_reports_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_text(REPORT)
    found = read_report(path)
    assert found.counts == {"exactly": 1, "by results": 1, "skipped": 1, "failed": 2}
    assert found.total == 4
    assert found.reasons == {"d": "ValueError: it | breaks", "e": "no line of an error"}


def test_a_difference_of_modules_is_told_by_its_last_line() -> None:
    text = (
        "E   sunmao.compat.ir.compare.StructuralDifference: StructuralEqual check failed\nE   a module\nE   2 bindings"
    )
    assert reason_in(text) == "modules differ: 2 bindings"


def test_the_section_of_the_page() -> None:
    found = {"from_onnx": Outcomes(Counter({"exactly": 3, "by results": 1, "failed": 1}), {"d": "it | breaks"})}
    section = write_section(found)
    assert section.startswith(BEGIN)
    assert "| from_onnx | 5 | 3 | 1 | 1 | 0 | 60.0 % | 80.0 % |" in section
    assert "| all | 5 | 3 | 1 | 1 | 0 | 60.0 % | 80.0 % |" in section and "| `d` | it \\| breaks |" in section
