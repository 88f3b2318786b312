"""Runs upstream's own tests on Sunmao and keeps the list of those that pass.

Usage: conformance.py --suite DIR [--family NAME ...] [--file NAME ...] [--update]

DIR holds upstream's `tests` folder, unmodified; tests/conformance/scope.tsv says which of its tests count. Each file
runs under `sunmao.as_tvm` in a process of its own. What passes is kept in tests/conformance/passing.txt, which only
grows: a test in it that fails is a failure of this program. `--update` adds what passes now and writes
docs/conformance.md.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
PASSING = ROOT / "tests/conformance/passing.txt"
SCOPE = ROOT / "tests/conformance/scope.tsv"
PAGE = ROOT / "docs/conformance.md"
TIMEOUT = 900  # seconds for one file
# The share of a family's tests that is to pass, in percent.
WANTED = {"loop side of the script": 70, "ops: inference": 95, "ops: scripts": 95}
WANTED_ELSE = 90


@dataclass(frozen=True)
class Family:
    """Tests that belong together: by file, the functions that count."""

    name: str
    tests: dict[str, frozenset[str]]

    @property
    def wanted(self) -> int:
        return WANTED.get(self.name, WANTED_ELSE)


@dataclass
class FileResult:
    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # test: reason
    skipped: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return len(self.passed) + len(self.failed) + len(self.skipped)


def read_families(text: str) -> list[Family]:
    """The families of the scope: a line for each test function, with family, file, class and name."""
    found: dict[str, dict[str, set[str]]] = {}
    for line in text.splitlines()[1:]:
        family, file, klass, test = line.split("\t")
        found.setdefault(family, {}).setdefault(file, set()).add("::".join(part for part in (klass, test) if part))
    return [Family(name, {f: frozenset(t) for f, t in files.items()}) for name, files in sorted(found.items())]


def within(result: FileResult, file: str, functions: frozenset[str]) -> FileResult:
    """The part of a file's result that concerns these functions; one that did not run has failed."""

    def counts(name: str) -> bool:
        return function_of(name) in functions

    part = FileResult(
        [n for n in result.passed if counts(n)],
        {n: reason for n, reason in result.failed.items() if counts(n)},
        [n for n in result.skipped if counts(n)],
    )
    seen = {function_of(n) for n in (*part.passed, *part.failed, *part.skipped)}
    why = next(iter(result.failed.values()), "the test did not run")
    part.failed.update({f"{file}::{function}": why for function in functions - seen})
    return part


def function_of(name: str) -> str:
    """`Class::test` of `file::Class::test[parameters]`."""
    return name.partition("::")[2].partition("[")[0]


def first_line(message: str) -> str:
    """A reason that fits into a line of a table."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return re.sub(r"\s+", " ", lines[0])[:160] if lines else ""


def read_results(text: str, file: str) -> FileResult:
    """What a JUnit file says, by `file::class::test`."""
    result = FileResult()
    for case in ElementTree.fromstring(text).iter("testcase"):
        module = file.removesuffix(".py").replace("/", ".")
        classes = case.get("classname", "").removeprefix(module).strip(".").replace(".", "::")
        name = "::".join(part for part in (file, classes, case.get("name", "")) if part)
        problem = case.find("failure") if case.find("failure") is not None else case.find("error")
        if problem is not None:
            result.failed[name] = first_line(problem.get("message") or problem.text or "")
        elif case.find("skipped") is not None:
            result.skipped.append(name)
        else:
            result.passed.append(name)
    return result


def run_file(suite: Path, file: str) -> FileResult:
    """One file; when it cannot be collected, it is one failed test."""
    report = ROOT / "build/conformance" / (file.replace("/", "-") + ".xml")
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "sunmao.as_tvm", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=line",
               f"--rootdir={suite}", f"--junitxml={report}", file]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python"), "CI": ""}
    try:
        run = subprocess.run(
            command, cwd=suite, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return FileResult(failed={file: f"no end after {TIMEOUT} s"})
    if not report.exists():
        return FileResult(failed={file: first_line(run.stderr or run.stdout) or f"exit status {run.returncode}"})
    result = read_results(report.read_text(), file)
    return result if result.total else FileResult(failed={file: "no test was collected"})


def write_page(families: list[Family], results: dict[str, dict[str, FileResult]]) -> str:
    """The page: a line for each family and each file, then why what fails does."""
    page = ["# Conformance", "", "Written by `tools/conformance.py`: upstream's own tests, unmodified, on Sunmao.", "",
            "| family | passed | failed | skipped | share | wanted |", "|---|--:|--:|--:|--:|--:|"]  # fmt: skip
    for family in families:
        parts = list(results[family.name].values())
        passed, total = sum(len(r.passed) for r in parts), sum(r.total for r in parts)
        skipped = sum(len(r.skipped) for r in parts)
        cells = [family.name, passed, total - passed - skipped, skipped, share(passed, total), f"{family.wanted} %"]
        page.append("| " + " | ".join(map(str, cells)) + " |")
    for family in families:
        page += ["", f"## {family.name}", "", "| file | passed | failed | skipped |", "|---|--:|--:|--:|"]
        for file, r in sorted(results[family.name].items()):
            page.append(f"| {file} | {len(r.passed)} | {len(r.failed)} | {len(r.skipped)} |")
        reasons = Counter(reason for r in results[family.name].values() for reason in r.failed.values())
        if reasons:
            page += ["", "| tests | reason for failing |", "|--:|---|"]
            page += [f"| {count} | {escape(reason)} |" for reason, count in reasons.most_common()]
    return "\n".join(page) + "\n"


def share(passed: int, total: int) -> str:
    return f"{100 * passed / max(total, 1):.1f} %"


def escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path, required=True, help="the folder that holds upstream's `tests`")
    parser.add_argument("--family", action="append", help="only families whose name holds this text")
    parser.add_argument("--file", action="append", help="only files whose name holds this text")
    parser.add_argument("--update", action="store_true", help="keep what passes, and write the page")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args(argv)
    families = read_families(SCOPE.read_text())
    if args.family:
        families = [f for f in families if any(part in f.name for part in args.family)]
    if args.file:
        families = [Family(f.name, {k: v for k, v in f.tests.items() if any(part in k for part in args.file)})
                    for f in families]  # fmt: skip
        families = [f for f in families if f.tests]
    files = sorted({file for family in families for file in family.tests})
    suite = args.suite.resolve()
    whole: dict[str, FileResult] = {}
    with ThreadPoolExecutor(args.jobs) as pool:
        for file, result in zip(files, pool.map(lambda f: run_file(suite, f), files), strict=True):
            whole[file] = result
            print(f"{len(result.passed):4} of {result.total:4}  {file}", flush=True)
    results = {f.name: {k: within(whole[k], k, v) for k, v in f.tests.items()} for f in families}
    return report(families, results, whole, args.update)


def report(
    families: list[Family], results: dict[str, dict[str, FileResult]], whole: dict[str, FileResult], update: bool
) -> int:
    """Prints the figures, keeps what is to be kept; 1 when a test fails that passed before."""
    known = set(PASSING.read_text().split("\n")) - {""} if PASSING.exists() else set()
    passed = {name for r in whole.values() for name in r.passed}
    lost = sorted(name for name in known - passed if name.split("::")[0] in whole)
    for name in lost:
        print(f"passed before: {name}", file=sys.stderr)
    if update:
        PASSING.write_text("".join(f"{name}\n" for name in sorted(known | passed)))
        PAGE.write_text(write_page(families, results))
    failed = {name: reason for r in whole.values() for name, reason in r.failed.items()}
    (ROOT / "build/conformance/failed.json").write_text(json.dumps(failed, indent=1))
    shares = {}
    for name, parts in results.items():
        total, good = sum(r.total for r in parts.values()), sum(len(r.passed) for r in parts.values())
        shares[name] = {"passed": good, "total": total, "percent": round(100 * good / max(total, 1), 1)}
        print(f"{name}: {good} of {total}, {share(good, total)}")
    print(json.dumps({"passed": len(passed), "lost": len(lost), "families": shares}))
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
