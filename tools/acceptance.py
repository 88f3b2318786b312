"""Measures the promised figures of tools/acceptance.toml and writes docs/acceptance.json and docs/acceptance.md.

Usage: acceptance.py [--again] [--plan] [--judge] [topic ...]

A topic is an area, a command or a row of the table; without topics, all commands are run. A command whose figures were
measured on this machine at this commit (or at one that differs in the page alone) is not run again, unless `--again`
asks for it. Both files are written after each command. No command is tried twice: what it says is recorded.

Figures are those of a commit: nothing is measured while there are uncommitted changes, and what was measured while the
tree changed is not recorded. `--plan` says what would be run and how long that takes. `--judge` measures nothing: it
writes the page anew and lists the rows whose verdict is not `yes`. The exit status is 1 when a row that was asked for
and has a reading is not `yes`.
"""

import argparse
import os
import platform
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from acceptance_page import (
    NOT_MEASURED,
    YES,
    Reading,
    Readings,
    as_reading,
    kept_with,
    measured,
    read_readings,
    verdicts,
    wanted,
    write_page,
    write_readings,
)
from acceptance_table import Command, Table, read_figure, read_table

TABLE, PAGE, READINGS = "tools/acceptance.toml", "docs/acceptance.md", "docs/acceptance.json"
TIMEOUT = 3600  # seconds for one command
SHOWN_LINES = 40  # of the output of a command that fails
# What kernels are compiled for, by the flag of the processor: shares of a peak are those of its widest vectors.
_VECTORS = {"avx512f": "AVX-512", "avx2": "AVX2"}


def run_command(command: str, root: Path) -> tuple[str, int]:
    """Returns what a command prints, and its exit status. Its errors are shown as they come."""
    process = subprocess.Popen(["bash", "-c", command], cwd=root, stdout=subprocess.PIPE, text=True, process_group=0)
    try:
        output, _ = process.communicate(timeout=TIMEOUT)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            return f"no end after {TIMEOUT} s", 124
        raise
    if process.returncode:
        sys.stderr.write("".join(output.splitlines(keepends=True)[-SHOWN_LINES:]))
    return output, process.returncode


def machine_summary() -> str:
    """Describes processor, memory and system without identifying the machine."""
    said = dict(re.findall(r"^(model name|flags)\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE))
    processor = said.get("model name", "unknown processor")
    flags = said.get("flags", "").split()
    if vectors := next((title for flag, title in _VECTORS.items() if flag in flags), ""):
        processor += f" with {vectors}"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return f"{processor}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB, {system}"


@dataclass
class Repository:
    root: Path
    differences: dict[tuple[str, ...], bool] = field(default_factory=dict)

    def git(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", "-C", str(self.root), *args], capture_output=True, text=True, check=False)

    def head(self) -> tuple[str, str]:
        """Returns commit and date."""
        commit, _, date = self.git("show", "-s", "--format=%h %cs").stdout.strip().partition(" ")
        return commit, date

    def changed_files(self) -> list[str]:
        """Returns the uncommitted files other than those that are written here."""
        lines = self.git("status", "--porcelain", "--untracked-files=all").stdout.splitlines()
        return [line[3:] for line in lines if line[3:] not in (PAGE, READINGS)]

    def differ(self, commit: str, files: Sequence[str]) -> bool:
        """Returns whether these files of the last commit differ from those of a commit; true for an unknown one."""
        key = (commit, *files)
        if key not in self.differences:
            self.differences[key] = self.git("diff", "--quiet", commit, "HEAD", "--", *files).returncode != 0
        return self.differences[key]


@dataclass
class Ledger:
    """The table with its readings, in a repository."""

    repository: Repository
    table: Table
    readings: Readings
    machine: str

    def is_older(self, command: Command, reading: Reading) -> bool:
        return reading.run != command.run or self.repository.differ(reading.commit, command.files)

    def is_done(self, command: Command) -> bool:
        """Whether all rows of a command were measured by it, on this machine, at this very tree."""
        tree = (".", f":(exclude){PAGE}", f":(exclude){READINGS}")

        def is_current(reading: Reading) -> bool:
            mine = (reading.machine, reading.run) == (self.machine, command.run)
            return mine and not self.repository.differ(reading.commit, tree)

        return all(any(map(is_current, self.readings.get(row.name, [])[:1])) for row in command.rows)

    def is_available(self, command: Command) -> bool:
        return not command.available or run_command(command.available, self.repository.root)[1] == 0

    def measure(self, command: Command) -> None:
        """Runs a command once and keeps what it says. Raises ValueError when the tree changed meanwhile."""
        commit, date = self.repository.head()
        output, status = run_command(command.run, self.repository.root)
        if self.repository.head()[0] != commit or self.repository.changed_files():
            raise ValueError(f"the tree changed while {command.name} ran: what it said is not recorded")
        for row in command.rows:
            new = as_reading(
                read_figure(row, output, status), commit=commit, date=date, machine=self.machine, run=command.run
            )
            self.readings[row.name] = kept_with(row, new, self.readings.get(row.name, []))
            print(f"{row.name}: {measured(row, new)} (wanted {wanted(row)}): {verdicts(row, self.readings)[0]}")

    def write(self) -> None:
        (self.repository.root / PAGE).parent.mkdir(exist_ok=True)
        (self.repository.root / READINGS).write_text(write_readings(self.table, self.readings))
        (self.repository.root / PAGE).write_text(write_page(self.table, self.readings, self.is_older))

    def judge(self, commands: Sequence[Command]) -> int:
        """Lists the rows that are not `yes`; returns 1 when one of them has a reading."""
        status = 0
        for command in commands:
            for row in command.rows:
                found = verdicts(row, self.readings)
                if found != [YES]:
                    print(f"{', before '.join(found) or NOT_MEASURED}: {row.area}: {row.name}: {row.figure}")
                status |= bool(found) and found != [YES]
        return status


def plan(ledger: Ledger, asked: Sequence[Command], again: bool) -> list[Command]:
    """Returns the commands to run, and says which these are and how long they take."""
    done = [] if again else [command for command in asked if ledger.is_done(command)]
    missing = [command for command in asked if command not in done and not ledger.is_available(command)]
    ready = [command for command in asked if command not in [*done, *missing]]
    print(f"{len(ready)} commands, about {sum(command.minutes for command in ready):.0f} minutes:")
    for command in ready:
        print(f"  {command.minutes:4g} min  {command.name}: {', '.join(row.name for row in command.rows)}")
    if done:
        print(f"measured at this commit already: {', '.join(command.name for command in done)}")
    for command in missing:
        print(f"left out: {command.name} needs {command.needs}")
    sys.stdout.flush()
    return ready


def load(root: Path) -> Ledger:
    table = read_table((root / TABLE).read_text())
    readings = read_readings((root / READINGS).read_text()) if (root / READINGS).exists() else {}
    return Ledger(Repository(root), table, readings, machine_summary())


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--again", action="store_true", help="run commands that were measured at this commit, too")
    parser.add_argument("--plan", action="store_true", help="say what would be run, and how long that takes")
    parser.add_argument("--judge", action="store_true", help="write the page anew and list what is not `yes`")
    parser.add_argument("topics", nargs="*", metavar="topic")
    args = parser.parse_args(argv)
    ledger = load(args.root)
    try:
        asked = ledger.table.chosen(args.topics)
        if not args.judge:
            ready = plan(ledger, asked, args.again)
            if args.plan:
                return 0
            if ready and (changed := ledger.repository.changed_files()):
                raise ValueError(f"not committed: {', '.join(changed[:5])}: figures are those of a commit")
            for command in ready:
                print(f"{command.name}, about {command.minutes:g} min: {command.run}", flush=True)
                ledger.measure(command)
                ledger.write()
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    ledger.write()
    return ledger.judge(asked)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
