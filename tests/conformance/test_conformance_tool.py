"""tools/conformance.py on a small suite: which tests count as passed, which depend on Sunmao's attributes, the page."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent
FILE = "tests/python/test_small.py"
SUITE = """
import pytest
import tvm
from tvm.script import relax as R

@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    return x

@pytest.mark.parametrize("n", [1, 2])
def test_plain(n):
    assert n

def test_resting():
    tvm.ir.assert_structural_equal(main.with_attr("sunmao.weight_names", ["w"]), main)

def test_difference():
    tvm.ir.assert_structural_equal(main.with_attr("note", 1), main)

def test_false():
    n = 3
    assert n == 4

def test_error():
    raise ValueError("a | b\\nmore")

@pytest.mark.skip(reason="stands for what a suite leaves out")
def test_skipped():
    pass

@pytest.mark.xfail(reason="stands for what a suite marks to fail, and fails")
def test_expected():
    assert False

@pytest.mark.xfail(reason="stands for what a suite marks to fail, and passes")
def test_unexpected():
    pass

@pytest.fixture
def broken():
    yield
    raise KeyError("teardown")

def test_teardown(broken):
    pass

def test_of_no_family():
    assert False
"""
NAMES = ("plain", "resting", "false", "error", "skipped", "expected", "unexpected", "teardown", "missing")
SCOPE = "family\tfile\tclass\ttest\n" + "".join(f"small\t{FILE}\t\ttest_{name}\n" for name in NAMES)


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("conformance", ROOT / "tools/conformance.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["conformance"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    suite = tmp_path_factory.mktemp("upstream")
    (suite / FILE).parent.mkdir(parents=True)
    (suite / FILE).write_text(SUITE)
    (suite / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    return suite


def test_what_each_test_comes_to(tool: ModuleType, suite: Path) -> None:
    result = tool.run_file(suite, FILE)
    found = {test.removeprefix(f"{FILE}::test_"): outcome for test, outcome in result.outcomes.items()}
    assert found == {
        "plain[1]": "passed", "plain[2]": "passed", "resting": "passed", "difference": "failed",
        "false": "failed", "error": "failed", "skipped": "skipped",
        "expected": "xfailed", "unexpected": "xpassed", "teardown": "failed",
        "of_no_family": "failed",
    }  # fmt: skip
    assert "`assert n == 4`: assert 3 == 4" in result.reasons[f"{FILE}::test_false"]
    assert "StructuralEqual check failed, caused by lhs at <root>.attrs" in result.reasons[f"{FILE}::test_difference"]
    assert result.reasons[f"{FILE}::test_error"] == "ValueError: a | b"


def test_the_page_names_the_commit_what_rests_on_our_own_and_each_failing_test(tool: ModuleType, suite: Path) -> None:
    families = tool.read_families(SCOPE)
    results, strict = (tool.run_files(suite, [FILE], 1, *options) for options in ((), ("--own-attributes",)))
    page = tool.write_page(families, tool.select(families, results), tool.select(families, strict))
    assert f"at commit `{tool.COMMIT}`" in page and len(tool.COMMIT) == 40
    assert "`--own-attributes`, 1 tests rest on it" in page and f"- `{FILE}::test_resting`\n" in page
    assert "| small | 3 | 4 | 1 | 1 | 1 | 30.0 % | 90 % |" in page
    assert f"| `{FILE}::test_error` | ValueError: a \\| b |" in page
    assert f"| `{FILE}::test_missing` | " in page
    assert "test_of_no_family" not in page


def test_a_file_that_cannot_be_collected_is_a_failed_test(tool: ModuleType, suite: Path) -> None:
    (suite / "tests/python/test_broken.py").write_text("import tvm.no_such_module\n")
    result = tool.run_file(suite, "tests/python/test_broken.py")
    assert list(result.outcomes) == ["tests/python/test_broken.py"]
    assert "error[E0031]" in result.reasons["tests/python/test_broken.py"]
    missing = tool.run_file(suite, "tests/python/test_absent.py")
    assert missing.outcomes == {"tests/python/test_absent.py": "failed"}


def test_the_page_is_written_for_upstreams_commit_alone(
    tool: ModuleType, suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tool.PAGE.read_text()
    assert tool.main(["--suite", str(suite), "--update"]) == 1
    assert f"is not upstream at {tool.COMMIT}" in capsys.readouterr().err
    assert tool.PAGE.read_text() == page
    changed = tool.digest(suite, [FILE])
    (suite / FILE).write_text(SUITE + "\n")
    assert tool.digest(suite, [FILE]) != changed


def test_part_of_the_scope_is_not_the_page(tool: ModuleType, suite: Path) -> None:
    with pytest.raises(SystemExit):
        tool.main(["--suite", str(suite), "--update", "--file", "small"])


def test_the_page_in_docs_lists_what_fails(tool: ModuleType) -> None:
    page, passing = tool.PAGE.read_text(), tool.PASSING.read_text().split("\n")
    assert f"`{tool.COMMIT}`" in page
    listed = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `tests/")]
    assert listed and not set(listed) & set(passing)


@pytest.mark.parametrize(("wanted", "below"), [(30, 0), (31, 1)])
def test_the_last_line_has_the_share_of_all_and_the_families_below_what_is_wanted(
    tool: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, wanted: int, below: int
) -> None:
    monkeypatch.setitem(tool.WANTED, "small", wanted)
    result = tool.FileResult({f"{FILE}::test_{name}": "passed" for name in ("plain[1]", "plain[2]", "resting")})
    for name in ("false", "error", "skipped"):
        result.note(f"{FILE}::test_{name}", "failed" if name != "skipped" else name, "why")
    families = tool.read_families(SCOPE)
    assert tool.report(families, {FILE: result}, False) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    # 3 of 10: those without a result have failed.
    assert said["families"]["small"] == {"passed": 3, "total": 10, "percent": 30.0}
    assert said["percent"] == 30.0
    assert (said["below_wanted"], said["below"]) == (below, ["small"] * below)
