"""Counts the lines of a folder of src/ that tests run: those in C++ of the folder, and the cases of tests/differential.

.venv/bin/python tools/line_coverage.py [--json] [--least PERCENT]

Builds the preset `coverage` (build/coverage), runs the tests against it, and reads what gcov counted. A line counts
once, however often a template was instantiated. `make differential-env` must have run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "coverage"
FOLDER = "frontend"
PYTHON = ROOT / "build" / "differential-env" / "bin" / "python"
TARGETS = ["unit_frontend", "_sunmao"]

Lines = dict[str, dict[int, bool]]


def run(*command: object, env: dict[str, str] | None = None) -> None:
    """Runs a step; what it prints goes to the standard error. Ends the program when it fails."""
    done = subprocess.run([str(c) for c in command], cwd=ROOT, env=env, stdout=sys.stderr)
    if done.returncode != 0:
        sys.exit(f"error: `{command[0]}` ended with status {done.returncode}; see above")


def package() -> Path:
    """Returns a folder with the package `sunmao` that has the extension of this build."""
    folder = BUILD / "package"
    inner = folder / "sunmao"
    inner.mkdir(parents=True, exist_ok=True)
    for link in inner.iterdir():
        link.unlink()
    for source in (ROOT / "python" / "sunmao").iterdir():
        if not source.name.startswith("_sunmao."):
            (inner / source.name).symlink_to(source)
    for built in (BUILD / "python" / "sunmao").glob("_sunmao.*.so"):
        (inner / built.name).symlink_to(built)
    return folder


def run_tests() -> None:
    for counted in BUILD.rglob("*.gcda"):
        counted.unlink()
    run(BUILD / "tests" / "unit_frontend", "--gtest_brief=1")
    folder = package()
    run(
        PYTHON, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", "tests/differential", "-m", "not zoo",
        "-o", f"pythonpath={ROOT / 'tests' / 'differential'} {folder}",
        env=os.environ | {"PYTHONPATH": str(folder)},
    )  # fmt: skip


def counted_files() -> Iterator[dict[str, Any]]:
    """Yields what gcov says of each source, from every object of the folder."""
    objects = sorted((BUILD / "CMakeFiles" / f"sunmao_{FOLDER}.dir").rglob("*.gcda"))
    if not objects:
        sys.exit("error: the tests counted nothing")
    for data in objects:
        done = subprocess.run(
            ["gcov", "--json-format", "--stdout", str(data)], capture_output=True, text=True, cwd=BUILD
        )
        if done.returncode != 0:
            sys.exit(f"error: gcov fails on {data.name}: {done.stderr.strip()}")
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                yield from json.loads(line)["files"]


def lines_of_folder() -> Lines:
    """Returns for each line with code whether a test ran it, by file."""
    out: Lines = defaultdict(dict)
    folder = ROOT / "src" / FOLDER
    for file in counted_files():
        path = (BUILD / file["file"]).resolve()
        if not path.is_relative_to(folder) or not file["lines"]:
            continue
        found = out[str(path.relative_to(ROOT))]
        for line in file["lines"]:
            number = line["line_number"]
            found[number] = found.get(number, False) or line["count"] > 0
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=f"Counts the lines of src/{FOLDER} that tests run.")
    parser.add_argument("--json", action="store_true", help="the share as JSON in the last line")
    parser.add_argument("--least", type=float, default=0, metavar="PERCENT", help="fail below this share")
    parser.add_argument("--missing", metavar="FILE", help="print the lines of this file that no test ran")
    options = parser.parse_args()
    if not PYTHON.exists():
        sys.exit("error: build/differential-env is missing: `make differential-env` makes it")
    run("cmake", "--preset", "coverage")
    run("cmake", "--build", BUILD, "-j", os.cpu_count() or 1, "--target", *TARGETS)
    if not options.missing:
        run_tests()
    lines = lines_of_folder()
    if options.missing:
        print(*(n for n, ran in sorted(lines.get(options.missing, {}).items()) if not ran))
        return
    for name, found in sorted(lines.items(), key=lambda item: sum(item[1].values()) / len(item[1])):
        print(f"{sum(found.values()) / len(found):6.1%} {sum(found.values()):5} of {len(found):5}  {name}")
    ran, of = (sum(f(found) for found in lines.values()) for f in (lambda x: sum(x.values()), len))
    share = 100 * ran / of
    print(f"{share:.1f} % of {of} lines of src/{FOLDER} ran")
    if options.json:
        print(json.dumps({"share": round(share, 1), "lines": of}))
    if share < options.least:
        sys.exit(f"error: {share:.1f} % is less than {options.least} %")


if __name__ == "__main__":
    main()
