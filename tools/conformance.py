"""Runs upstream's own tests on Sunmao and keeps the list of those that pass.

Usage: conformance.py --suite DIR [--family NAME ...] [--file NAME ...] [--pinned] [--update]

DIR is a checkout of upstream at the commit below, of which `tests` and `pyproject.toml` suffice:

    git init DIR && cd DIR && git fetch --depth 1 https://github.com/apache/tvm COMMIT && git checkout FETCH_HEAD

Files that import SciPy or PyTorch are skipped whole where these are absent, so the tool refuses to run without them.
tests/conformance/scope.tsv lists the tests that count. Each file runs under `sunmao.as_tvm` in a process of its own.
tests/conformance/passing.txt lists the passing tests: the tool fails when one of them does not pass. `--update` adds
tests that pass now, runs all files again with Sunmao's own attributes compared (`as_tvm --own-attributes`), and writes
docs/conformance.md. `--update` and `--pinned` refuse a suite that is not upstream's at the commit.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
PASSING = ROOT / "tests/conformance/passing.txt"
SCOPE = ROOT / "tests/conformance/scope.tsv"
PAGE = ROOT / "docs/conformance.md"
TIMEOUT = 900  # seconds for one file
REPOSITORY = "https://github.com/apache/tvm"
COMMIT = "5d4dc8721307cf9677becacf0395c19be130e206"
# The digest of upstream's test suite at COMMIT.
DIGEST = "d0a5b325dcbde6ce0f0bea7c7a4b5a73bce5c8798b2078ec10a1189e16240cec"
# The percentage of tests that must pass, for families whose requirement differs from the default.
WANTED = {
    "build and run": 85,
    "devices": 100,
    "fusion": 85,
    "fusion of transposed products": 100,
    "loop side of the script": 70,
    "memory and lowering": 85,
    "ops: inference": 95,
    "ops: scripts": 95,
    "parameters": 96,
    "pipeline": 80,
}
WANTED_ELSE = 90
# Maps outcomes of a test to column titles. A test that upstream expects to fail, but that passes, counts only as
# `xpass`.
OUTCOMES = {"passed": "passed", "failed": "failed", "skipped": "skipped", "xfailed": "xfail", "xpassed": "xpass"}


@dataclass(frozen=True)
class Family:
    """A group of tests: for each file, the test functions that count."""

    name: str
    tests: dict[str, frozenset[str]]

    @property
    def wanted(self) -> int:
        return WANTED.get(self.name, WANTED_ELSE)


@dataclass
class FileResult:
    """The outcome of each test in a file, and the reason of each failure."""

    outcomes: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def having(self, outcome: str) -> list[str]:
        return [test for test, found in self.outcomes.items() if found == outcome]

    def note(self, test: str, outcome: str, reason: str = "") -> None:
        self.outcomes[test] = outcome
        if outcome == "failed":
            self.reasons[test] = reason


Results = dict[str, FileResult]


def read_families(text: str) -> list[Family]:
    """Parses the scope file: one line for each test function, with family, file, class and name."""
    found: dict[str, dict[str, set[str]]] = {}
    for line in text.splitlines()[1:]:
        family, file, klass, test = line.split("\t")
        found.setdefault(family, {}).setdefault(file, set()).add("::".join(part for part in (klass, test) if part))
    return [Family(name, {f: frozenset(t) for f, t in files.items()}) for name, files in sorted(found.items())]


def digest(suite: Path, files: Iterable[str]) -> str:
    """Returns a digest of the files that count and of their configuration."""
    settings = ["pyproject.toml", *(str(p.relative_to(suite)) for p in suite.glob("tests/python/**/conftest.py"))]
    found = hashlib.sha256()
    for file in sorted({*files, *settings}):
        path = suite / file
        found.update(file.encode() + b"\0" + (path.read_bytes() if path.is_file() else b"") + b"\0")
    return found.hexdigest()


def within(result: FileResult, file: str, functions: frozenset[str]) -> FileResult:
    """Returns the part of a file's result for these functions; a function without a result has failed."""
    part = FileResult()
    for test, outcome in result.outcomes.items():
        if function_of(test) in functions:
            part.note(test, outcome, result.reasons.get(test, ""))
    why = next(iter(result.reasons.values()), "the test did not run")
    for function in sorted(functions - {function_of(test) for test in part.outcomes}):
        part.note(f"{file}::{function}", "failed", why)
    return part


def function_of(name: str) -> str:
    """Returns `Class::test` of `file::Class::test[parameters]`."""
    return name.partition("::")[2].partition("[")[0]


def read_outcomes(text: str) -> FileResult:
    """Parses the plugin's output. A test that failed in one phase stays failed."""
    result = FileResult()
    for line in text.splitlines():
        said = json.loads(line)
        if result.outcomes.get(said["test"]) != "failed":
            result.note(said["test"], said["outcome"], said["reason"])
    return result


def run_file(
    suite: Path, file: str, *options: str, python: str = sys.executable, plugins: Sequence[str] = ()
) -> FileResult:
    """Runs one file with options of `as_tvm` and further plugins of pytest; a file that cannot be collected counts as
    one failed test."""
    report = ROOT / "build/conformance" / (file.replace("/", "-") + "".join([*options, *plugins]) + ".jsonl")
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text("")
    loaded = [word for plugin in ("no:cacheprovider", "conformance_outcomes", *plugins) for word in ("-p", plugin)]
    command = [python, "-m", "sunmao.as_tvm", *options, "-m", "pytest", "-q", *loaded, "--tb=short",
               f"--rootdir={suite}", file]  # fmt: skip
    own = [str(ROOT / folder) for folder in ("python", "tools")]
    path = [os.environ.get("PYTHONPATH", ""), *own]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
        "CI": "",
        "SUNMAO_OUTCOMES": str(report),
    }
    try:
        run = subprocess.run(
            command, cwd=suite, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return FileResult({file: "failed"}, {file: f"no end after {TIMEOUT} s"})
    result = read_outcomes(report.read_text())
    if run.returncode not in (0, 1) or not result.outcomes:  # pytest aborted
        said = (run.stderr or run.stdout).strip().splitlines()
        result.note(file, "failed", result.reasons.get(file, said[-1] if said else f"exit status {run.returncode}"))
    return result


def run_files(suite: Path, files: list[str], jobs: int, *options: str) -> Results:
    found: Results = {}
    with ThreadPoolExecutor(jobs) as pool:
        for file, result in zip(files, pool.map(lambda f: run_file(suite, f, *options), files), strict=True):
            found[file] = result
            print(f"{len(result.having('passed')):4} of {len(result.outcomes):4}  {file}", *options, flush=True)
    return found


def select(families: list[Family], results: Results) -> dict[str, Results]:
    """Returns the results by family and file."""
    return {f.name: {k: within(results[k], k, v) for k, v in f.tests.items()} for f in families}


def counts(parts: Iterable[FileResult]) -> Counter[str]:
    return Counter(outcome for part in parts for outcome in part.outcomes.values())


def table_row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def write_page(families: list[Family], results: dict[str, Results], strict: dict[str, Results]) -> str:
    """Returns the page: a line for each family and file, then the reasons of failures. `strict` are the results with
    Sunmao's own attributes compared."""
    resting = sorted(
        test for name, parts in results.items() for file, part in parts.items() for test in part.having("passed")
        if strict[name][file].outcomes.get(test) != "passed"
    )  # fmt: skip
    page = [*head_lines(resting), table_row("family", *OUTCOMES.values(), "share", "wanted"), "|---|" + "--:|" * 7]
    for family in families:
        found = counts(results[family.name].values())
        good = share(found["passed"], found.total())
        page.append(table_row(family.name, *(found[outcome] for outcome in OUTCOMES), good, f"{family.wanted} %"))
    for family in families:
        page += ["", f"## {family.name}", "", table_row("file", *OUTCOMES.values()), "|---|" + "--:|" * 5]
        parts = sorted(results[family.name].items())
        page += [table_row(file, *(counts([part])[outcome] for outcome in OUTCOMES)) for file, part in parts]
        failed = [(test, reason) for _, part in parts for test, reason in part.reasons.items()]
        if failed:
            page += ["", "| failed test | reason |", "|---|---|"]
            page += [table_row(f"`{test}`".replace("|", "\\|"), escape(reason)) for test, reason in failed]
    return "\n".join(page) + "\n"


def head_lines(resting: list[str]) -> list[str]:
    return [
        "# Conformance", "",
        "Written by `tools/conformance.py`: upstream's own tests, unmodified, on Sunmao. Upstream is",
        f"<{REPOSITORY}> at commit `{COMMIT}`;", "the tool says how to get it, and writes this page for no other.", "",
        "A test counts as passed when it passes plainly. `xfail` are those that upstream marks to fail and that do,",
        "`xpass` those that it marks to fail and that pass. The share is that of passed ones among all. What is",
        "wanted of each family is `WANTED` in the tool; [acceptance](acceptance.md) has a row for all of them.", "",
        "Comparison by structure leaves out attributes of functions that begin with `sunmao.`, where passes note",
        "something of Sunmao's own. This holds in programs that `sunmao.as_tvm` runs, as it runs these tests, and",
        f"nowhere else. Measured with `--own-attributes`, {len(resting)} tests rest on it: they pass here, and do not",
        "where these attributes count.", "", *(f"- `{test}`" for test in resting), *([""] if resting else []),
    ]  # fmt: skip


def share(passed: int, total: int) -> str:
    return f"{100 * passed / max(total, 1):.1f} %"


def escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def chosen(families: list[Family], names: list[str] | None, files: list[str] | None) -> list[Family]:
    """Returns the families and files whose names contain one of these texts; all when none are given."""

    def holds(name: str, parts: list[str] | None) -> bool:
        return parts is None or any(part in name for part in parts)

    found = [Family(f.name, {k: v for k, v in f.tests.items() if holds(k, files)}) for f in families]
    return [f for f in found if f.tests and holds(f.name, names)]


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path, required=True, help="the folder that holds upstream's `tests`")
    parser.add_argument("--family", action="append", help="only families whose name holds this text")
    parser.add_argument("--file", action="append", help="only files whose name holds this text")
    parser.add_argument("--pinned", action="store_true", help="refuse a suite of another commit")
    parser.add_argument("--update", action="store_true", help="keep what passes, and write the page")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args(argv)
    if args.update and (args.family or args.file):
        parser.error("--update is for all families and files")
    whole_scope = read_families(SCOPE.read_text())
    families = chosen(whole_scope, args.family, args.file)
    files = sorted({file for family in families for file in family.tests})
    suite = args.suite.resolve()
    found = digest(suite, {file for family in whole_scope for file in family.tests})
    if found != DIGEST:
        print(f"{suite} is not upstream at {COMMIT}: its digest is {found}", file=sys.stderr)
        if args.update or args.pinned:
            return 1
    elif missing := [name for name in ("scipy", "torch") if not importlib.util.find_spec(name)]:
        print(f"upstream's tests need what is not installed: {', '.join(missing)}", file=sys.stderr)
        return 2
    results = run_files(suite, files, args.jobs)
    if args.update:
        strict = run_files(suite, files, args.jobs, "--own-attributes")
        PAGE.write_text(write_page(families, select(families, results), select(families, strict)))
    return report(families, results, args.update)


def report(families: list[Family], results: Results, update: bool) -> int:
    """Prints the figures and updates the files; returns 1 when a test fails that passed before."""
    known = set(PASSING.read_text().split("\n")) - {""} if PASSING.exists() else set()
    passed = {test for result in results.values() for test in result.having("passed")}
    lost = sorted(name for name in known - passed if name.split("::")[0] in results)
    for name in lost:
        print(f"passed before: {name}", file=sys.stderr)
    if update:
        PASSING.write_text("".join(f"{name}\n" for name in sorted(known | passed)))
    failed = {name: reason for result in results.values() for name, reason in result.reasons.items()}
    (ROOT / "build/conformance/failed.json").write_text(json.dumps(failed, indent=1))
    shares = {}
    for name, parts in select(families, results).items():
        found = counts(parts.values())
        good, total = found["passed"], found.total()
        shares[name] = {"passed": good, "total": total, "percent": round(100 * good / max(total, 1), 1)}
        print(f"{name}: {good} of {total}, {share(good, total)}")
    wanted = {family.name: family.wanted for family in families}
    below = [name for name, found in shares.items() if found["percent"] < wanted[name]]
    good, total = (sum(int(found[key]) for found in shares.values()) for key in ("passed", "total"))
    figures = {"percent": round(100 * good / max(total, 1), 1), "below_wanted": len(below), "below": below}
    print(json.dumps({"passed": len(passed), "lost": len(lost), **figures, "families": shares}))
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
