"""Measures the promised figures of tools/acceptance.toml and writes docs/acceptance.md.

Usage: acceptance.py [topic ...]: without topics, all rows. Figures are recorded for a commit, so nothing is measured
while there are uncommitted changes. Rows of other topics keep their figures, which become stale when files that their
topic depends on have changed since. `--judge` measures nothing and lists figures that are stale, not met or not
measured. Exits 1 when a requested figure is not met, with --judge also when one is stale.
"""

import argparse
import ast
import json
import operator
import os
import platform
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sources import CPP_SUFFIXES, code_and_literals

TITLES = ("topic", "figure", "command", "wanted", "measured", "met", "at commit")
INTRODUCTION = """# Acceptance

Written by `tools/acceptance.py` from `tools/acceptance.toml`; nothing here is written by hand. `make acceptance`
measures everything again, `make acceptance TOPIC=name` one topic. `stale` are figures whose command, bound or files
(`[files]` in the table; comments do not count) have changed since the commit that they were measured at.
"""
PAGE = "docs/acceptance.md"
NOT_MEASURED, STALE, NOT_MET = "not measured", "stale", "**no**"
OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}
TIMEOUT = 3600  # seconds for one command
SHOWN_LINES = 40  # of the output of a command that fails


@dataclass(frozen=True)
class Row:
    """One promised figure."""

    topic: str
    figure: str
    command: str
    wanted: str
    json: str = ""
    regex: str = ""
    exit: bool = False
    unit: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.topic, self.figure

    def __post_init__(self) -> None:
        if sum(map(bool, (self.json, self.regex, self.exit))) != 1:
            raise ValueError(f"{self.topic}: {self.figure}: give one of json, regex and exit")
        parse_bound(self.wanted)


def parse_bound(wanted: str) -> tuple[Callable[[float, float], bool], float]:
    symbol, _, bound = wanted.partition(" ")
    if symbol not in OPERATORS:
        raise ValueError(f"`{wanted}`: wants one of {' '.join(OPERATORS)}, a space and a number")
    return OPERATORS[symbol], float(bound)


@dataclass(frozen=True)
class Table:
    """The rows in table order, for each topic the files and folders that its figures depend on, and the topics whose
    figures depend on comments too."""

    rows: list[Row]
    files: dict[str, list[str]]
    comments: list[str]


def read_table(text: str) -> Table:
    found = tomllib.loads(text)
    rows = [Row(**row) for row in found["row"]]
    if len({row.key for row in rows}) != len(rows):
        raise ValueError("two rows have the same topic and figure")
    files = {topic: [*found["files"]["all"], *own] for topic, own in found["files"].items() if topic != "all"}
    if wrong := sorted({row.topic for row in rows} ^ set(files)):
        raise ValueError(f"[files] and the rows differ in topics: {', '.join(wrong)}")
    return Table(rows, files, found.get("comments", []))


def read_value(row: Row, output: str, status: int) -> float:
    """Returns the measured value in a command's output. Raises ValueError with the reason when there is none."""
    if row.exit:
        return float(status)
    if status != 0:
        raise ValueError(f"exit status {status}")
    if row.regex:
        match = re.search(row.regex, output, re.MULTILINE)
        if not match:
            raise ValueError("no value in the output")
        return float(match.group(1))
    lines = [line for line in output.splitlines() if line.strip()]
    try:
        value = json.loads(lines[-1])
        for part in row.json.split("."):
            value = value[part]
        return float(value)
    except (IndexError, KeyError, TypeError, json.JSONDecodeError):
        raise ValueError(f"no `{row.json}` in the output") from None


def show(value: float, unit: str) -> str:
    text = f"{value:.0f}" if value == int(value) else f"{value:.4g}"
    return f"{text} {unit}".rstrip()


def run_command(command: str, root: Path) -> tuple[str, int]:
    try:
        result = subprocess.run(
            ["bash", "-c", command], cwd=root, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no end after {TIMEOUT} s", 124
    sys.stderr.write(result.stderr)
    if result.returncode:
        sys.stderr.write("".join(result.stdout.splitlines(keepends=True)[-SHOWN_LINES:]))
    return result.stdout, result.returncode


def measure(row: Row, output: str, status: int, commit: str) -> list[str]:
    """Returns the cells of the row's line in the page."""
    try:
        measured = show(read_value(row, output, status), row.unit)
    except ValueError as error:
        measured = str(error)
    return cells_of(row, measured, judge(row, measured), commit)


def cells_of(row: Row, measured: str, met: str, commit: str) -> list[str]:
    return [row.topic, row.figure, f"`{row.command}`", f"{row.wanted} {row.unit}".rstrip(), measured, met, commit]


def judge(row: Row, measured: str) -> str:
    """Returns whether a displayed value meets its bound."""
    compare, bound = parse_bound(row.wanted)
    try:
        return "yes" if compare(float(measured.removesuffix(row.unit)), bound) else NOT_MET
    except ValueError:  # the value is an error text
        return NOT_MET


def kept_cells(row: Row, cells: list[str] | None, has_changed: Callable[[str], bool]) -> list[str]:
    """Returns the cells of a row that is not measured now; `has_changed` tells if the row's files changed since a
    commit."""
    if cells is None or cells[4] == NOT_MEASURED:
        return cells_of(row, NOT_MEASURED, NOT_MEASURED, "")
    measured, commit = cells[4], cells[6]
    now = cells_of(row, measured, judge(row, measured), commit)
    is_stale = now[2:4] != cells[2:4] or has_changed(commit)
    return cells_of(row, measured, STALE, commit) if is_stale else now


def read_page(text: str) -> dict[tuple[str, str], list[str]]:
    """Returns the cells of every table line of an existing page, keyed by topic and figure."""
    kept = {}
    for line in text.splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == len(TITLES) and cells[0] != TITLES[0] and not cells[0].startswith("-"):
            kept[cells[0], cells[1]] = cells
    return kept


def machine_summary() -> str:
    """Describes processor, memory, system and compiler without identifying the machine."""
    processor = "unknown processor"
    if match := re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE):
        processor = match.group(1)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return f"{processor}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB, {system}"


def machine_of(page: str) -> str:
    match = re.search(r"^Machine of the latest run: (.*)\.$", page, re.MULTILINE)
    return match.group(1) if match else "none"


def git(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", "-C", str(root), *args], capture_output=True, text=True, check=False)


def changed_files(root: Path) -> list[str]:
    """Returns the uncommitted files other than the page."""
    lines = git(root, "status", "--porcelain", "--untracked-files=all").stdout.splitlines()
    return [line[3:] for line in lines if line[3:] != PAGE]


def has_changed_since(root: Path, files: list[str], comments_count: bool, commit: str) -> bool:
    """Returns whether the files differ from those of a commit, comments apart unless they count; true for an unknown
    commit."""
    diff = git(root, "diff", "--name-only", "--no-renames", "-z", commit, "--", *files)
    changed = [file for file in diff.stdout.split("\0") if file]
    return diff.returncode != 0 or any(comments_count or is_other_code(root, file, commit) for file in changed)


def is_other_code(root: Path, file: str, commit: str) -> bool:
    """Returns whether a changed file differs from that of a commit in more than comments of C++ or Python."""
    if Path(file).suffix not in CPP_SUFFIXES | {".py"} or not (root / file).exists():
        return True
    before = git(root, "show", f"{commit}:{file}")
    return before.returncode != 0 or code_of(file, before.stdout) != code_of(file, (root / file).read_text())


def code_of(file: str, text: str) -> str:
    """Returns the code of a C++ or Python file; all of a Python file that cannot be parsed."""
    if not file.endswith(".py"):
        return code_and_literals(text)
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return text


def write_page(rows: list[Row], lines: dict[tuple[str, str], list[str]], machine: str) -> str:
    """Returns the page, with rows in table order."""
    page = [INTRODUCTION, f"Machine of the latest run: {machine}.", ""]
    page += ["| " + " | ".join(TITLES) + " |", "|" + "---|" * len(TITLES)]
    for row in rows:
        page.append("| " + " | ".join(cell.replace("|", "\\|") for cell in lines[row.key]) + " |")
    return "\n".join(page) + "\n"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("topics", nargs="*")
    args = parser.parse_args(argv)
    root: Path = args.root
    table = read_table((root / "tools/acceptance.toml").read_text())
    if unknown := sorted(set(args.topics) - set(table.files)):
        print(f"no topic {', '.join(unknown)}; there are: {', '.join(sorted(table.files))}", file=sys.stderr)
        return 2
    asked = [] if args.judge else [row for row in table.rows if not args.topics or row.topic in args.topics]
    if asked and (changed := changed_files(root)):
        print(f"not committed: {', '.join(changed[:5])}: figures are those of a commit", file=sys.stderr)
        return 2
    page = root / PAGE
    before = read_page(page.read_text()) if page.exists() else {}
    lines = {
        row.key: kept_cells(
            row,
            before.get(row.key),
            partial(has_changed_since, root, table.files[row.topic], row.topic in table.comments),
        )
        for row in table.rows
    }
    commit = git(root, "rev-parse", "--short", "HEAD").stdout.strip()
    outputs: dict[str, tuple[str, int]] = {}
    for row in asked:
        if row.command not in outputs:
            outputs[row.command] = run_command(row.command, root)
        lines[row.key] = measure(row, *outputs[row.command], commit)
        print(f"{row.topic}: {row.figure}: {lines[row.key][4]} (wanted {lines[row.key][3]}): {lines[row.key][5]}")
        page.parent.mkdir(exist_ok=True)
        page.write_text(write_page(table.rows, lines, machine_summary()))
    if args.judge:
        page.write_text(write_page(table.rows, lines, machine_of(page.read_text())))
        wrong = [cells for cells in lines.values() if cells[5] != "yes"]
        for cells in wrong:
            print(f"{cells[5]}: {cells[0]}: {cells[1]}")
        return 1 if wrong else 0
    return 0 if all(lines[row.key][5] == "yes" for row in asked) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
