"""tools/message_tests.py: a test holds the text of each refusal of runtime/ and io/; what it takes for one."""

import json
from pathlib import Path

import message_tests
import pytest

SOURCE = """
Status fail(const std::string& problem) { return Status::error("E0001", "thing: " + problem, "make the thing anew"); }
Status check(int size) {
  // return fail("what is commented out");
  if (size < 0) return fail(concat("its size is ", size, ", expected ", "0 or more"));
  return Status::error("E0002", size == 7 ? "seven is odd" : "it cannot "
                                                             "be found");
}
"""
HELD = r"""
EXPECT_EQ(problem(-1), "E0001 thing: its size is -1, expected 0 or more; make the thing anew");
EXPECT_EQ(problem(7), std::string("E0002 ") + "seven is odd");
EXPECT_EQ(problem(0), "E0002 it cannot "
                      "be found");
"""


def run(tmp_path: Path, test: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str], dict[str, int]]:
    for name, text in {"runtime/thing.cpp": SOURCE, "tests/unit/thing_test.cpp": test}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    code = message_tests.main([str(tmp_path)])
    *lines, last = capsys.readouterr().out.splitlines()
    return code, lines, json.loads(last)


def test_all_refusals_of_the_tree_are_held(capsys: pytest.CaptureFixture[str]) -> None:
    code = message_tests.main([])
    *lines, last = capsys.readouterr().out.splitlines()
    assert code == 0, lines
    assert json.loads(last)["refusals"] > 300


def test_refusals_that_are_held(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, counts = run(tmp_path, HELD, capsys)
    assert (code, lines) == (0, [])
    assert counts == {"refusals": 3, "held": 3, "kept_for_a_reason": 0, "without_test": 0}


@pytest.mark.parametrize(
    ("held", "instead", "line"),
    [
        ("its size is -1, expected 0 or more", "its size is -1", "5: its size is …, expected …0 or more"),
        ("be found", "be seen", "6: seven is odd | it cannot be found"),
        ("seven is odd", "seven is even", "6: seven is odd | it cannot be found"),
        ("; make the thing anew", "", "2: thing:  | make the thing anew"),
        ('problem(7), std::string("E0002 ") + "seven is odd"', 'HasSubstr("seven is odd")', "6: seven is odd"),
    ],
)
def test_refusals_that_are_not_held(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], held: str, instead: str, line: str
) -> None:
    assert held in HELD
    code, lines, counts = run(tmp_path, HELD.replace(held, instead), capsys)
    assert code == 1
    assert len(lines) == counts["without_test"] == 1
    assert lines[0].startswith(f"runtime/thing.cpp:{line}")


def test_refusals_that_are_kept_for_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(message_tests.KEPT, ("runtime/thing.cpp", "seven is odd"), "nothing is seven")
    code, lines, counts = run(tmp_path, HELD.replace("seven", "eight"), capsys)
    assert (code, lines, counts["kept_for_a_reason"]) == (0, [], 1)
