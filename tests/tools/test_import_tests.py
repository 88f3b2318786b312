"""The tool that counts upstream's tests of front ends."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import import_tests
import pytest
from import_tests import BEGIN, Outcomes, percent_passed, run_suite, write_section

TESTS = """
import pytest
import tvm
from tvm.script import ir as I
from tvm.script import relax as R


def module(call):
    return tvm.script.from_source(
        "@I.ir_module\\nclass Module:\\n"
        "    @R.function\\n    def main(x: R.Tensor((2,), 'float32')):\\n"
        f"        gv = {call}\\n        return gv\\n"
    )


@pytest.mark.parametrize("call", ["R.add(x, x)", "R.multiply(x, R.const(2, 'float32'))", "R.multiply(x, x)"])
def test_doubled(call):
    tvm.ir.assert_structural_equal(module(call), module("R.add(x, x)"))


def test_left_out():
    pytest.skip("what is skipped counts in no share")
"""


def test_a_suite_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tests/python/relax"
    folder.mkdir(parents=True)
    (folder / "test_modules.py").write_text(TESTS)
    (folder / "test_broken.py").write_text("import nothing_of_that_name\n")
    monkeypatch.setattr(import_tests, "PYTHON", sys.executable)
    found = run_suite(tmp_path, ["test_modules.py", "test_broken.py"], 2)
    assert found.counts == {"passed": 1, "by results": 1, "failed": 2, "skipped": 1}
    assert found.total == 4
    assert "multiply" in found.reasons["test_modules.py::test_doubled[R.multiply(x, x)]"]
    assert "nothing_of_that_name" in found.reasons["test_broken.py"]


def test_the_share_that_passes() -> None:
    found = [Outcomes(Counter({"passed": 2, "by results": 1, "failed": 1, "skipped": 9})), Outcomes(Counter(failed=2))]
    assert percent_passed(found) == 50 and percent_passed([]) == 0


def test_the_section_of_the_page() -> None:
    found = {"from_onnx": Outcomes(Counter({"passed": 3, "by results": 1, "failed": 1}), {"d": "it | breaks"})}
    section = write_section(found)
    assert section.startswith(BEGIN)
    assert "| from_onnx | 5 | 3 | 1 | 1 | 0 | 60.0 % | 80.0 % |" in section
    assert "| all | 5 | 3 | 1 | 1 | 0 | 60.0 % | 80.0 % |" in section and "| `d` | it \\| breaks |" in section
