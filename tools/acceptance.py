"""Measures the promised figures of tools/acceptance.toml and writes docs/acceptance.md.

Usage: acceptance.py [topic ...]: without topics, all rows. Rows of topics that were not asked for stay as they are.
Exits 1 when a figure that was measured is not met.
"""

import argparse
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
from pathlib import Path

TITLES = ("topic", "figure", "command", "wanted", "measured", "met", "at commit")
INTRODUCTION = """# Acceptance

Written by `tools/acceptance.py` from `tools/acceptance.toml`; nothing here is written by hand. `make acceptance`
measures everything again, `make acceptance TOPIC=name` one topic.
"""
OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}
TIMEOUT = 3600  # seconds for one command


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


def read_table(text: str) -> list[Row]:
    rows = [Row(**row) for row in tomllib.loads(text)["row"]]
    if len({row.key for row in rows}) != len(rows):
        raise ValueError("two rows have the same topic and figure")
    return rows


def read_value(row: Row, output: str, status: int) -> float:
    """The measured value in a command's output. Raises ValueError with the reason when there is none."""
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
    return result.stdout, result.returncode


def measure(row: Row, output: str, status: int, commit: str) -> list[str]:
    """The cells of the row's line in the page."""
    compare, bound = parse_bound(row.wanted)
    try:
        value = read_value(row, output, status)
        measured, met = show(value, row.unit), "yes" if compare(value, bound) else "**no**"
    except ValueError as error:
        measured, met = str(error), "**no**"
    return [row.topic, row.figure, f"`{row.command}`", f"{row.wanted} {row.unit}".rstrip(), measured, met, commit]


def read_page(text: str) -> dict[tuple[str, str], list[str]]:
    """The cells of every line of a page written earlier."""
    kept = {}
    for line in text.splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == len(TITLES) and cells[0] != TITLES[0] and not cells[0].startswith("-"):
            kept[cells[0], cells[1]] = cells
    return kept


def machine_summary() -> str:
    """Processor, memory, system and compiler: enough to judge a figure, nothing that names the machine."""
    processor = "unknown processor"
    if match := re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE):
        processor = match.group(1)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return f"{processor}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB, {system}"


def current_commit(root: Path) -> str:
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def write_page(rows: list[Row], lines: dict[tuple[str, str], list[str]], machine: str) -> str:
    """The page: rows in the order of the table; those never measured are left out."""
    page = [INTRODUCTION, f"Machine of the latest run: {machine}.", ""]
    page += ["| " + " | ".join(TITLES) + " |", "|" + "---|" * len(TITLES)]
    for row in rows:
        if cells := lines.get(row.key):
            page.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(page) + "\n"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("topics", nargs="*")
    args = parser.parse_args(argv)
    rows = read_table((args.root / "tools/acceptance.toml").read_text())
    known = sorted({row.topic for row in rows})
    if unknown := sorted(set(args.topics) - set(known)):
        print(f"no topic {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    page = args.root / "docs/acceptance.md"
    lines = read_page(page.read_text()) if page.exists() else {}
    commit = current_commit(args.root)
    outputs: dict[str, tuple[str, int]] = {}
    all_met = True
    for row in (row for row in rows if not args.topics or row.topic in args.topics):
        if row.command not in outputs:
            outputs[row.command] = run_command(row.command, args.root)
        lines[row.key] = measure(row, *outputs[row.command], commit)
        all_met &= lines[row.key][5] == "yes"
        print(f"{row.topic}: {row.figure}: {lines[row.key][4]} (wanted {lines[row.key][3]}): {lines[row.key][5]}")
        page.parent.mkdir(exist_ok=True)
        page.write_text(write_page(rows, lines, machine_summary()))
    return 0 if all_met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
