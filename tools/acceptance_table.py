"""The table of promised figures: what tools/acceptance.toml says, and how a figure is read off a command's output."""

import json
import operator
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kernel_shares import expected_shares

MOST_ROWS = 60
OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}
TOO_FEW = "too few rounds for an interval"
Interval = tuple[float, float]


def parse_bound(wanted: str) -> tuple[Callable[[float, float], bool], float]:
    symbol, _, bound = wanted.partition(" ")
    if symbol not in OPERATORS:
        raise ValueError(f"`{wanted}`: wants one of {' '.join(OPERATORS)}, a space and a number")
    return OPERATORS[symbol], float(bound)


@dataclass(frozen=True)
class Row:
    """One promised figure. tools/acceptance.toml says what the fields mean."""

    area: str
    name: str
    figure: str
    wanted: str = ""
    family: str = ""
    json: str = ""
    interval: str = ""
    regex: str = ""
    unit: str = ""
    limit: str = ""

    def __post_init__(self) -> None:
        if bool(self.json) == bool(self.regex):
            raise ValueError(f"{self.name}: give one of json and regex")
        if bool(self.wanted) == bool(self.family):
            raise ValueError(f"{self.name}: give one of wanted and family")
        if self.interval and (not self.json or self.wanted.startswith("==")):
            raise ValueError(f"{self.name}: an interval goes with json and a bound on one side")
        parse_bound(self.bound)

    @property
    def bound(self) -> str:
        """The bound; that of a family of kernels is what the profiler expects of it."""
        return self.wanted or f">= {expected_shares()[self.family][0].rstrip('%')}"

    def is_met_by(self, value: float) -> bool:
        compare, bound = parse_bound(self.bound)
        return compare(value, bound)


@dataclass(frozen=True)
class Command:
    """A command and the rows that are read off its output. `files` are the files that these depend on."""

    name: str
    run: str
    minutes: float
    files: tuple[str, ...]
    rows: tuple[Row, ...]
    needs: str = ""
    available: str = ""


@dataclass(frozen=True)
class Figure:
    """What a command's output says of a row: a value, perhaps with its interval; a note says why one is missing."""

    value: float | None
    interval: Interval | None = None
    note: str = ""


@dataclass(frozen=True)
class Table:
    areas: dict[str, str]  # name and title, in the order of the page
    commands: list[Command] = field(default_factory=list)

    @property
    def rows(self) -> list[Row]:
        return [row for command in self.commands for row in command.rows]

    def rows_of(self, area: str) -> list[tuple[Command, Row]]:
        return [(command, row) for command in self.commands for row in command.rows if row.area == area]

    def chosen(self, topics: list[str]) -> list[Command]:
        """Returns the commands of these areas, commands and rows; all when none are given."""
        known = {*self.areas, *(c.name for c in self.commands), *(row.name for row in self.rows)}
        if unknown := sorted(set(topics) - known):
            areas, commands = ", ".join(self.areas), ", ".join(command.name for command in self.commands)
            raise ValueError(f"no topic {', '.join(unknown)}; there are the areas {areas} and the commands {commands}")

        def is_asked(command: Command) -> bool:
            return any({command.name, row.name, row.area} & set(topics) for row in command.rows)

        return [command for command in self.commands if not topics or is_asked(command)]


def read_table(text: str) -> Table:
    found = tomllib.loads(text)
    commands = []
    for entry in found["command"]:
        rows = tuple(Row(**row) for row in entry.pop("row"))
        commands.append(Command(**entry | {"rows": rows, "files": (*found["files"], *entry.get("files", ()))}))
    table = Table(found["areas"], commands)
    check(table)
    return table


def check(table: Table) -> None:
    for kind, names in {
        "commands": [command.name for command in table.commands],
        "rows": [row.name for row in table.rows],
        "rows have figures": [row.figure for row in table.rows],
    }.items():
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two {kind} of the same name: {', '.join(twice)}")
    if wrong := sorted({row.area for row in table.rows} ^ set(table.areas)):
        raise ValueError(f"[areas] and the rows differ: {', '.join(wrong)}")
    if len(table.rows) > MOST_ROWS:
        raise ValueError(f"{len(table.rows)} rows: there may be {MOST_ROWS}")


def read_figure(row: Row, output: str, status: int) -> Figure:
    """Returns what a command's output says of a row. A command that fails gives no figure."""
    if status != 0:
        return Figure(None, note=f"exit status {status}")
    if row.regex:
        match = re.search(row.regex, output, re.MULTILINE)
        if not match:
            return Figure(None, note="no value in the output")
        return Figure(sum(float(group) for group in match.groups()))
    try:
        last = json.loads([line for line in output.splitlines() if line.strip()][-1])
        value = float(at(last, row.json))
    except (IndexError, KeyError, TypeError, ValueError):
        return Figure(None, note=f"no `{row.json}` in the output")
    return with_interval(row, value, last)


def with_interval(row: Row, value: float, last: Any) -> Figure:
    if not row.interval:
        return Figure(value)
    try:
        ends = at(last, row.interval)
        if ends is None:
            return Figure(value, note=TOO_FEW)
        low, high = map(float, ends)
    except (KeyError, TypeError, ValueError):
        return Figure(None, note=f"no `{row.interval}` in the output")
    return Figure(value, (low, high))


def at(value: Any, path: str) -> Any:
    """Returns what stands under keys that points separate."""
    for key in path.split("."):
        value = value[key]
    return value
