"""Runs upstream's own tests of front ends on Sunmao, and counts those that pass exactly and by results.

Usage: import_tests.py --suite DIR [--file NAME ...] [--update]

DIR is as conformance.py says. The tests run under `sunmao.as_tvm` with the plugin `sunmao.pytest_semantic`: a test that
compares modules passes exactly where they have the same structure, and by results where they have the same parameters
and compute the same. They need PyTorch and ONNX Runtime (`make differential-env`), and SciPy. `--update` writes the
counts and the failures into docs/imports.md.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from conformance import COMMIT, ROOT, escape, share, table_row

PYTHON = ROOT / "build/differential-env/bin/python"
PAGE = ROOT / "docs/imports.md"
BEGIN = "<!-- written by tools/import_tests.py -->"
TIMEOUT = 3600  # seconds for one suite
# The files of each suite, in upstream's `tests/python/relax`.
SUITES = {
    "from_exported_program": ["test_frontend_from_exported_program.py"],
    "from_fx": ["test_frontend_from_fx.py"],
    "dynamo": ["test_frontend_dynamo.py"],
    "from_onnx": ["test_frontend_onnx.py"],
    "frontend.nn": [
        f"test_frontend_nn_{part}.py"
        for part in ("debug", "exporter", "extern_module", "jit", "llm_sequence_prefill_masked", "modules", "mutator",
                     "op", "packing", "parameter_containers", "subroutines", "tensor")
    ],
    "common": ["test_frontend_common.py"],
}  # fmt: skip


@dataclass
class Outcomes:
    """The outcomes of a suite: how many tests had each, and why tests failed."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The tests that count: skipped ones, and those that upstream expects to fail, do not."""
        return sum(self.counts[kind] for kind in ("exactly", "by results", "failed"))


def reason_in(text: str) -> str:
    """Returns the line of a failure that names the error."""
    lines = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
    named = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Difference)\b|Failed:|assert ", line)]
    reason = (named or lines or text.strip().splitlines() or ["no reason"])[0]
    if "StructuralEqual check failed" in reason:
        reason = "modules differ: " + lines[-1]
    return reason[:160]


def read_report(path: Path) -> Outcomes:
    """Parses a report of pytest in JUnit's form."""
    out = Outcomes()
    for case in ElementTree.parse(path).iter("testcase"):
        name = case.get("name", "")
        bad = next((e for e in case if e.tag in ("failure", "error")), None)
        if bad is not None:
            out.counts["failed"] += 1
            out.reasons[name] = reason_in(bad.text or "")
        elif case.find("skipped") is not None:
            out.counts["skipped"] += 1
        else:
            said = [p.get("value", "") for p in case.iter("property") if p.get("name") == "sunmao.passed"]
            out.counts[said[0] if said else "exactly"] += 1
    return out


def run_suite(suite: Path, name: str, files: list[str]) -> Outcomes:
    """Runs the files of a suite in a process of their own."""
    report = ROOT / f"build/conformance/imports-{name}.xml"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    options = ["-q", "-p", "no:cacheprovider", "-p", "sunmao.pytest_semantic", "--continue-on-collection-errors",
               "--tb=short", f"--rootdir={suite}", f"--junitxml={report}"]  # fmt: skip
    command = [str(PYTHON), "-m", "sunmao.as_tvm", "-m", "pytest", *options]
    command += [f"tests/python/relax/{file}" for file in files]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(command, cwd=suite, env=environment, capture_output=True, text=True, timeout=TIMEOUT)
    if not report.exists():
        said = (done.stderr or done.stdout).strip().splitlines()
        return Outcomes(Counter(failed=1), {files[0]: said[-1] if said else f"exit status {done.returncode}"})
    return read_report(report)


def write_section(found: dict[str, Outcomes]) -> str:
    """Returns the part of the page that the tool writes."""
    columns = ("exactly", "by results", "failed", "skipped")
    lines = [BEGIN, "", table_row("suite", "tests", *columns, "exact", "passes"), "|---|" + "--:|" * 7]
    whole = Outcomes()
    for name, outcomes in found.items():
        whole.counts += outcomes.counts
        lines.append(row_of(name, outcomes, columns))
    lines += [row_of("all", whole, columns), "", "| failed test | reason |", "|---|---|"]
    for outcomes in found.values():
        lines += [table_row(f"`{escape(test)}`", escape(reason)) for test, reason in sorted(outcomes.reasons.items())]
    return "\n".join(lines) + "\n"


def row_of(name: str, outcomes: Outcomes, columns: tuple[str, ...]) -> str:
    counts, total = outcomes.counts, outcomes.total
    passed = counts["exactly"] + counts["by results"]
    return table_row(name, total, *(counts[c] for c in columns), share(counts["exactly"], total), share(passed, total))


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path, required=True, help=f"upstream's checkout at {COMMIT[:10]}")
    parser.add_argument("--file", action="append", help="only suites with a file whose name holds this text")
    parser.add_argument("--update", action="store_true", help="write docs/imports.md")
    args = parser.parse_args(argv)
    if args.update and args.file:
        parser.error("--update is for all suites")
    if subprocess.run([PYTHON, "-c", "import torch, onnxruntime, scipy"], capture_output=True).returncode != 0:
        print(f"{PYTHON} lacks PyTorch, ONNX Runtime or SciPy: make differential-env, then `-m pip install scipy`",
              file=sys.stderr)  # fmt: skip
        return 2
    suite = args.suite.resolve()
    found: dict[str, Outcomes] = {}
    for name, files in SUITES.items():
        if args.file and not any(part in file for part in args.file for file in files):
            continue
        found[name] = run_suite(suite, name, files)
        counts = found[name].counts
        print(f"{name}: {counts['exactly']} exactly and {counts['by results']} by results of {found[name].total}",
              flush=True)  # fmt: skip
    if args.update:
        head = PAGE.read_text().partition(BEGIN)[0]
        PAGE.write_text(head + write_section(found))
    print(json.dumps({name: {**outcomes.counts, "total": outcomes.total} for name, outcomes in found.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
