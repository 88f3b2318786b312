"""The table of promised figures: how figures are read and judged, and what the project's own table holds."""

import re
from pathlib import Path

import acceptance
import acceptance_table
import pytest
from acceptance_page import NO, UNDECIDED, YES, Reading, kept_with, verdict, write_page
from acceptance_table import Figure, Row, read_figure, read_table

ROOT = Path(acceptance.__file__).parent.parent


def row(wanted: str, interval: str = "") -> Row:
    return Row(area="a", name="n", figure="f", wanted=wanted, json="value", interval=interval)


def reading(value: float, at: str = "abc") -> Reading:
    return Reading(value, None, "", at, "2026-01-01", "machine", "run")


def test_readings_that_are_kept() -> None:
    low, high = reading(1), reading(9)
    bound = row("<= 5")
    assert kept_with(bound, low, []) == [low]
    assert kept_with(bound, low, [high]) == [low, high]
    assert kept_with(bound, reading(2), [low, high]) == [reading(2)]
    assert kept_with(bound, reading(8), [low, high]) == [reading(8), low]


@pytest.mark.parametrize(
    ("wanted", "figure", "expected"),
    [
        (">= 1", Figure(1.1), YES),
        (">= 1", Figure(0.9), NO),
        (">= 1", Figure(1.1, (1.0, 1.2)), YES),
        (">= 1", Figure(1.1, (0.9, 1.2)), UNDECIDED),
        (">= 1", Figure(0.98, (0.9, 1.2)), UNDECIDED),
        (">= 1", Figure(0.9, (0.8, 0.99)), NO),
        ("< 1", Figure(0.9, (0.8, 1.0)), UNDECIDED),
        ("< 1", Figure(1.1, (1.0, 1.2)), NO),
        (">= 1", Figure(1.1, note=acceptance_table.TOO_FEW), UNDECIDED),
        (">= 1", Figure(None, note="exit status 1"), NO),
        ("== 0", Figure(0), YES),
    ],
)
def test_verdicts(wanted: str, figure: Figure, expected: str) -> None:
    assert verdict(row(wanted), figure) == expected


@pytest.mark.parametrize(
    ("said", "figure"),
    [
        ('{"value": 2, "ends": [1, 3]}', Figure(2, (1, 3))),
        ('{"value": 2, "ends": null}', Figure(2, note=acceptance_table.TOO_FEW)),
        ('{"value": 2}', Figure(None, note="no `ends` in the output")),
        ('{"value": 2, "ends": [1]}', Figure(None, note="no `ends` in the output")),
        ('{"ends": [1, 3]}', Figure(None, note="no `value` in the output")),
        ('{"value": "much", "ends": [1, 3]}', Figure(None, note="no `value` in the output")),
        ("", Figure(None, note="no `value` in the output")),
    ],
)
def test_intervals_are_read(said: str, figure: Figure) -> None:
    assert read_figure(row("< 5", "ends"), f"text\n{said}\n", 0) == figure


def test_a_command_that_fails_gives_no_figure() -> None:
    assert read_figure(row("< 5"), '{"value": 2}', 3) == Figure(None, note="exit status 3")


def test_the_wanted_share_of_a_family_is_the_profiler_s() -> None:
    text = (ROOT / "src/compiler/model_profile.cpp").read_text()
    match = re.search(r'"window", ([0-9.]+)', text)
    assert match
    of_family = Row(area="a", name="n", figure="f", family="window", json="v", unit="%")
    assert of_family.bound == f">= {100 * float(match[1]):.0f}"
    assert of_family.is_met_by(100 * float(match[1])) and not of_family.is_met_by(100 * float(match[1]) - 1)


def test_the_project_s_table_has_figures_alone() -> None:
    table = read_table((ROOT / acceptance.TABLE).read_text())
    assert 0 < len(table.rows) <= 60
    for command in table.commands:
        assert not re.search(r"\b(pytest|ctest|gtest_\w+|make \S*lint)\b", command.run), f"{command.name} is a test"
        assert bool(command.available) == bool(command.needs)
        assert not [name for name in command.files if not (ROOT / name).exists()]
        assert not [row.name for row in command.rows if "exit status" in row.figure]


def test_the_project_s_commands_fit_two_hours() -> None:
    table = read_table((ROOT / acceptance.TABLE).read_text())
    assert all(0 < command.minutes <= 20 for command in table.commands)
    assert sum(command.minutes for command in table.commands) <= 120


def test_a_longer_run_counts_no_failures() -> None:
    """Counts of what succeeds are read from lines that failures do not add to."""
    rows = {row.name: row for row in read_table((ROOT / acceptance.TABLE).read_text()).rows}
    for name, good, bad in [
        ("codegen", "4990 modules compared in 4 ways each, 0 faults", "4990 modules compared in 4 ways each, 1 faults"),
        ("passes", "1000 modules: no fault", "seed 3: fault"),
        ("mutated_onnx", "7 corpus inputs, 20000 mutated inputs, seed 2: no failure",
         "7 corpus inputs, 20000 mutated inputs, seed 2: 1 failed"),
    ]:  # fmt: skip
        assert verdict(rows[name], read_figure(rows[name], good, 0)) == YES
        assert verdict(rows[name], read_figure(rows[name], bad, 0)) == NO
    said = "20000 modules of 248 ops in 4630 dtypes of an op: {} computed alike, 900 refused alike, 50 not compiled; 1"
    assert read_figure(rows["engines"], said.format(19050), 0).value == 19950
    assert verdict(rows["engines"], read_figure(rows["engines"], said.format(18000), 0)) == NO


def test_the_project_s_page_is_that_of_its_readings() -> None:
    """Marks of older figures apart, which depend on the commits that the clone has."""
    ledger = acceptance.load(ROOT)
    assert {row.name for row in ledger.table.rows} >= set(ledger.readings)
    page = (ROOT / acceptance.PAGE).read_text()
    expected = write_page(ledger.table, ledger.readings, lambda _command, _reading: False)

    def unmarked(text: str) -> str:
        return re.sub(r"[0-9]+ are older", "some are older", text).replace(" †", "")

    assert unmarked(page) == unmarked(expected)
