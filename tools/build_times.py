"""Writes docs/build-times.md: where the time of `make demo`, `make test` and `.ci/run` goes.

Reads what the last builds and tests left: the logs of ninja in build/, and in build/results the results of the tests
and the time of each lane. Run it after `.ci/run` in a clean clone, for all of these to be of one run.
"""

import argparse
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

PAGE = "docs/build-times.md"
GOALS = (("release", "demo_programs", "make demo"), ("release", "all", "make test"), ("asan", "all", "make asan"))
LONGEST = 12  # rows of a table
TITLE = """# Where the time of builds and tests goes

Written by `tools/build_times.py` from what a build and its tests left behind. A second is one in which a job ran, on
a machine with two cores and both busy; so what a goal takes is about half of its sum.
"""


def jobs_of(log: str) -> dict[str, float]:
    """Returns the seconds of the last job that made each file, of a log of ninja."""
    seconds = {}
    for line in log.splitlines():
        cells = line.split("\t")
        if not line.startswith("#") and len(cells) == 5:
            seconds[cells[3]] = (int(cells[1]) - int(cells[0])) / 1000
    return seconds


def target_of(file: str) -> str:
    """Returns the target that an object file belongs to, without the project's prefix."""
    found = re.search(r"CMakeFiles/([^/]+)\.dir/", file)
    return found.group(1).removeprefix("sunmao_") if found else "other"


def is_compiled(file: str) -> bool:
    return file.endswith((".o", ".gch", ".pch"))


def files_of(build: Path, goal: str) -> set[str]:
    """Returns the files that a goal of ninja needs."""
    command = ["ninja", "-C", str(build), "-t", "inputs", goal]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


def seconds_of_tests(texts: Iterable[str]) -> tuple[dict[str, float], Counter[str]]:
    """Returns the seconds and the number of the tests of each file or program, of results in JUnit's form."""
    seconds: dict[str, float] = defaultdict(float)
    count: Counter[str] = Counter()
    for text in texts:
        for case in ElementTree.fromstring(text).iter("testcase"):
            name = case.get("classname", "").removeprefix("tests.").replace(".", "/")
            seconds[name] += float(case.get("time") or 0)
            count[name] += 1
    return seconds, count


def longest(seconds: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(seconds.items(), key=lambda item: -item[1])[:LONGEST]


def table(titles: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> list[str]:
    lines = ["| " + " | ".join(titles) + " |", "|---" + "|--:" * (len(titles) - 1) + "|"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def lanes(root: Path) -> list[str]:
    found = root / "build/results/lanes.tsv"
    if not found.exists():
        return []
    rows = [tuple(line.split("\t")) for line in found.read_text().splitlines()]
    said = "Lanes run side by side."
    return ["## `.ci/run`", "", said, "", *table(("lane", "seconds", "seconds of processors"), rows)]


def goals(root: Path) -> list[str]:
    rows = []
    for preset, goal, command in GOALS:
        build = root / "build" / preset
        if not (build / ".ninja_log").exists():
            continue
        jobs = jobs_of((build / ".ninja_log").read_text())
        made = {file: jobs[file] for file in files_of(build, goal) & jobs.keys()}
        compiled = [seconds for file, seconds in made.items() if is_compiled(file)]
        rows.append((f"`{command}`", len(compiled), round(sum(compiled)), round(sum(made.values()) - sum(compiled))))
    return ["## What goals build", "", *table(("goal", "files compiled", "seconds", "linking and others"), rows)]


def targets(root: Path) -> list[str]:
    jobs = jobs_of((root / "build/release/.ninja_log").read_text())
    compiled = {file: seconds for file, seconds in jobs.items() if is_compiled(file)}
    by_target: dict[str, float] = defaultdict(float)
    for file, seconds in compiled.items():
        by_target[target_of(file)] += seconds
    return [
        "## Compiling, release",
        "",
        *table(("part", "seconds"), ((name, round(s)) for name, s in longest(by_target))),
        *table(("longest file", "seconds"), ((f"`{Path(file).name}`", round(s)) for file, s in longest(compiled))),
    ]


def tests(root: Path) -> list[str]:
    lines = []
    for file in sorted((root / "build/results").glob("*.xml")):
        seconds, count = seconds_of_tests([file.read_text()])
        lines += [f"## Tests: {file.stem}, {sum(count.values())} in {round(sum(seconds.values()))} s", ""]
        lines += table(
            ("tests of", "number", "seconds"),
            ((f"`{name}`", count[name], round(s, 1)) for name, s in longest(seconds)),
        )
    return lines


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    root: Path = parser.parse_args(argv).root
    if not (root / "build/release/.ninja_log").exists():
        print("nothing is built in build/release: `make build` first", file=sys.stderr)
        return 1
    page = "\n".join([TITLE, *lanes(root), *goals(root), *targets(root), *tests(root)])
    (root / PAGE).write_text(page.rstrip("\n") + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
