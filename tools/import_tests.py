"""Runs upstream's own tests of front ends on Sunmao, and counts those that pass exactly and by results.

Usage: import_tests.py --suite DIR [--file NAME ...] [--update]

DIR is as conformance.py says. The tests run under `sunmao.as_tvm` with the plugin `sunmao.pytest_semantic`: a test that
compares modules passes exactly where they have the same structure, and by results where they have the same parameters
and compute the same. They need PyTorch and ONNX Runtime (`make differential-env`), and SciPy; `with_torchvision` gives
torchvision its ops. `--update` writes the counts and the failures into docs/imports.md.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from conformance import COMMIT, ROOT, FileResult, counts, escape, run_file, share, table_row

PYTHON = ROOT / "build/differential-env/bin/python"
PAGE = ROOT / "docs/imports.md"
BEGIN = "<!-- written by tools/import_tests.py -->"
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
        return sum(self.counts[kind] for kind in ("passed", "by results", "failed"))


def percent_passed(found: Iterable[Outcomes]) -> float:
    """Returns the share of the tests that pass, exactly or by results."""
    every = list(found)
    return 100 * sum(o.counts["passed"] + o.counts["by results"] for o in every) / max(1, sum(o.total for o in every))


def run_suite(suite: Path, files: list[str], jobs: int) -> Outcomes:
    """Runs each file of a suite in a process of its own."""
    out = Outcomes()

    def run(file: str) -> FileResult:
        path = f"tests/python/relax/{file}"
        plugins = ["sunmao.pytest_semantic", *(["with_torchvision"] if "_from_" in file else [])]
        return run_file(suite, path, python=str(PYTHON), plugins=plugins)

    with ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(run, files):
            out.counts += counts([result])
            out.reasons |= {name.rpartition("/")[2]: reason for name, reason in result.reasons.items()}
    return out


def write_section(found: dict[str, Outcomes]) -> str:
    """Returns the part of the page that the tool writes."""
    titles = ("suite", "tests", "exactly", "by results", "failed", "not counted", "exact", "passes")
    lines = [BEGIN, "", table_row(*titles), "|---|" + "--:|" * 7]
    whole = Outcomes()
    for name, outcomes in found.items():
        whole.counts += outcomes.counts
        lines.append(row_of(name, outcomes))
    lines += [row_of("all", whole), "", "| failed test | reason |", "|---|---|"]
    for outcomes in found.values():
        lines += [table_row(f"`{escape(test)}`", escape(reason)) for test, reason in sorted(outcomes.reasons.items())]
    return "\n".join(lines) + "\n"


def row_of(name: str, outcomes: Outcomes) -> str:
    exactly, by_results, failed = (outcomes.counts[kind] for kind in ("passed", "by results", "failed"))
    total, rest = outcomes.total, outcomes.counts.total() - outcomes.total
    return table_row(
        name, total, exactly, by_results, failed, rest, share(exactly, total), share(exactly + by_results, total)
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path, required=True, help=f"upstream's checkout at {COMMIT[:10]}")
    parser.add_argument("--file", action="append", help="only suites with a file whose name holds this text")
    parser.add_argument("--update", action="store_true", help="write docs/imports.md")
    parser.add_argument("--jobs", type=int, default=2)
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
        found[name] = run_suite(suite, files, args.jobs)
        print(row_of(name, found[name]), flush=True)
    if args.update:
        head = PAGE.read_text().partition(BEGIN)[0]
        PAGE.write_text(head + write_section(found))
    by_suite = {name: {**outcomes.counts, "total": outcomes.total} for name, outcomes in found.items()}
    print(json.dumps({**by_suite, "percent": percent_passed(found.values())}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
