"""Readings of promised figures, their verdicts, and the page that shows them (docs/acceptance.md)."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from acceptance_table import Command, Figure, Interval, Row, Table

YES, NO, UNDECIDED, NOT_MEASURED = "yes", "**no**", "undecided", "not measured"
OLDER = "†"
TITLES = ("figure", "measured", "wanted", "limit", "verdict", "measured at", "on", "command")
INTRODUCTION = f"""# Acceptance

A reference: the figures that are promised, and what was measured of them. `tools/acceptance.py` writes this page from
`tools/acceptance.toml`, which has the rows, and `docs/acceptance.json`, which has the readings.

    make acceptance                   # all rows
    make acceptance TOPIC=speed       # one area
    make acceptance TOPIC=kernels     # the rows of one command; the name of a row will do as well
    make acceptance TOPIC=kernels AGAIN=1

A command that was measured on this machine at this commit is not run again, unless `AGAIN=1` asks for it, so a run that
was ended goes on where it was. Figures are those of a commit: nothing is measured while there are uncommitted changes.

- **measured**: the value, and in brackets the interval that holds it with 95 % probability, where the command measures
  in rounds.
- **limit**: the best that the machine, the file or arithmetic allow.
- **verdict**: {YES} and {NO} hold for the whole interval; {UNDECIDED} where the bound lies inside it, or where there
  were too few rounds for one; {NOT_MEASURED} where there is no reading.
- **measured at**: date and commit. {OLDER} marks a figure that is older: files that it depends on, or its command, have
  changed since. It stays what the command said at that commit, and so does its verdict.
- A command is run once, and what it says is recorded, whatever that is. Where the verdict of a reading differs from
  that of the one before, both are shown, until two readings in a row have the same.
"""


@dataclass(frozen=True)
class Reading:
    """What was measured of a row, by which command, where and when."""

    value: float | None
    interval: Interval | None
    note: str
    commit: str
    date: str
    machine: str
    run: str


Readings = dict[str, list[Reading]]  # by row, the latest first, then the last one with another verdict
IsOlder = Callable[[Command, Reading], bool]


def verdict(row: Row, reading: Reading | Figure) -> str:
    """Returns whether a figure meets its bound."""
    if reading.value is None:
        return NO
    if reading.note:  # too few rounds
        return UNDECIDED
    met = {row.is_met_by(value) for value in reading.interval or (reading.value,)}
    return UNDECIDED if len(met) == 2 else YES if met == {True} else NO


def kept_with(row: Row, new: Reading, before: list[Reading]) -> list[Reading]:
    """Returns the readings to keep when a new one comes: it, and the latest when that has another verdict."""
    return [new, *(old for old in before[:1] if verdict(row, old) != verdict(row, new))]


def verdicts(row: Row, readings: Readings) -> list[str]:
    return [verdict(row, reading) for reading in readings.get(row.name, [])]


def read_readings(text: str) -> Readings:
    def reading(entry: dict[str, Any]) -> Reading:
        return Reading(**entry | {"interval": tuple(entry["interval"]) if entry["interval"] else None})

    return {name: [reading(entry) for entry in found] for name, found in json.loads(text).items()}


def write_readings(table: Table, readings: Readings) -> str:
    """Returns the readings of the rows that there are, in table order."""
    kept = {row.name: [asdict(r) for r in readings[row.name]] for row in table.rows if readings.get(row.name)}
    return json.dumps(kept, indent=1, ensure_ascii=False) + "\n"


def number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 10_000 else f"{value:.4g}"


def measured(row: Row, reading: Reading) -> str:
    if reading.value is None:
        return reading.note
    text = f"{number(reading.value)} {row.unit}".rstrip()
    if reading.interval:
        text += f" [{number(reading.interval[0])}, {number(reading.interval[1])}]"
    return f"{text} ({reading.note})" if reading.note else text


def wanted(row: Row) -> str:
    symbol, _, bound = row.bound.partition(" ")
    shown = {"<=": "≤", ">=": "≥", "==": "="}.get(symbol, symbol)
    text = f"{shown} {number(float(bound))} {row.unit}".rstrip()
    return f"{text} ([{row.family}](kernels.md))" if row.family else text


def cells(command: Command, row: Row, readings: Readings, is_older: IsOlder, machines: list[str]) -> list[str]:
    found = readings.get(row.name, [])
    columns: list[list[str]] = [[], [], [], []]
    for reading in found:
        mark = f" {OLDER}" if is_older(command, reading) else ""
        shown = (
            measured(row, reading),
            verdict(row, reading),
            f"{reading.date} {reading.commit}{mark}",
            letter(machines, reading.machine),
        )
        for column, text in zip(columns, shown, strict=True):
            column.append(text if not column else f"before: {text}")
    value, said, when, where = ("<br>".join(column) for column in columns)
    if not found:
        needs = command.needs.partition(":")[0]  # the list below the table has the rest
        said = f"{NOT_MEASURED}: needs {needs}" if needs else NOT_MEASURED
    return [row.figure, value, wanted(row), row.limit, said, when, where, command.name]


def letter(machines: list[str], machine: str) -> str:
    return chr(ord("A") + machines.index(machine))


def machines_of(table: Table, readings: Readings) -> list[str]:
    return list(dict.fromkeys(r.machine for row in table.rows for r in readings.get(row.name, [])))


def line(texts: list[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"


def summary(table: Table, readings: Readings, is_older: IsOlder) -> str:
    """Returns how many rows have which verdict; a row with two counts as neither."""
    counts: Counter[str] = Counter()
    older = 0
    for command in table.commands:
        for row in command.rows:
            found = verdicts(row, readings) or [NOT_MEASURED]
            counts[found[0] if len(found) == 1 else "two verdicts"] += 1
            older += any(is_older(command, reading) for reading in readings.get(row.name, []))
    parts = [f"{counts[kind]} {kind}" for kind in (YES, NO, UNDECIDED, "two verdicts", NOT_MEASURED) if counts[kind]]
    total = sum(command.minutes for command in table.commands)
    rows = f"{len(table.rows)} rows: {', '.join(parts)}. {older} are older ({OLDER})."
    return f"{rows} All commands are estimated at {total:.0f} minutes."


def write_page(table: Table, readings: Readings, is_older: IsOlder) -> str:
    """Returns the page: a table for each area, and below it the commands of its rows."""
    machines = machines_of(table, readings)
    page = [INTRODUCTION, summary(table, readings, is_older), "", "Machines:", ""]
    page += [f"- {letter(machines, machine)}: {machine}" for machine in machines] or ["- none yet"]
    for area, title in table.areas.items():
        rows = table.rows_of(area)
        page += ["", f"## {title}", "", line(list(TITLES)), "|---|--:|--:|" + "---|" * (len(TITLES) - 3)]
        page += [line(cells(command, row, readings, is_older, machines)) for command, row in rows]
        commands = list(dict.fromkeys(command for command, _ in rows))
        total = sum(command.minutes for command in commands)
        page += ["", f"Commands of these rows; `make acceptance TOPIC={area}` is estimated at {total:.0f} minutes:", ""]
        page += map(describe, commands)
    return "\n".join(page) + "\n"


def describe(command: Command) -> str:
    return f"- {command.name}, {command.minutes:g} min: `{command.run}`" + (
        f" (needs {command.needs})" if command.needs else ""
    )


def as_reading(figure: Figure, **where: Any) -> Reading:
    return Reading(figure.value, figure.interval, figure.note, **where)
