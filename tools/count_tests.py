"""Sums JUnit result files and prints `N passed, N failed`; exits 1 when anything failed.

--lanes names lanes that failed; one whose own results show no failure (a build or lint error) counts as one failure.
"""

import argparse
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

# The result files that each lane writes.
LANE_FILES = {
    "downloads": (),
    "release": ("ctest.xml", "pytest.xml"),
    "ops": ("ops.xml",),
    "packages": ("packages.xml",),
    "view": ("view.xml",),
    "models": ("models.xml",),
    "differential": ("differential.xml",),
    "lint": ("stubs.xml",),
    "asan": ("asan.xml",),
    "tsan": ("tsan.xml",),
}


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0


def count_file(path: Path) -> Counts:
    counts = Counts()
    if not path.exists():
        return counts
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            counts.failed += 1
        elif case.find("skipped") is not None:
            counts.skipped += 1
        else:
            counts.passed += 1
    return counts


def count_all(results: Path, failed_lanes: list[str]) -> Counts:
    total = Counts()
    for path in sorted(results.glob("*.xml")):
        counts = count_file(path)
        total.passed += counts.passed
        total.failed += counts.failed
        total.skipped += counts.skipped
    for lane in failed_lanes:
        if not any(count_file(results / name).failed for name in LANE_FILES.get(lane, ())):
            total.failed += 1
    return total


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lanes", default="", help="names of lanes that failed, separated by spaces")
    parser.add_argument("results", type=Path, help="the folder of JUnit files")
    args = parser.parse_args(argv)
    total = count_all(args.results, args.lanes.split())
    if total.skipped:
        print(f"({total.skipped} skipped)")
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
