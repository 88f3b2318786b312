"""Pytest plugin of conformance.py: writes the outcome of each test, one line of JSON for each relevant phase.

Each line in the file that SUNMAO_OUTCOMES names is `{"test", "outcome", "reason"}`; the outcome is passed, failed,
skipped, xfailed (expected to fail, and failed) or xpassed (expected to fail, but passed). Under the plugin
`sunmao.pytest_semantic` a test that passes by results alone is "by results".
"""

import json
import linecache
import os
import re

import pytest

WIDTH = 200  # characters of a reason


def first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return re.sub(r"\s+", " ", lines[0])[:WIDTH] if lines else ""


def reason_of(report: pytest.CollectReport | pytest.TestReport) -> str:
    """Returns the error in one line; for an assertion, preceded by the failing statement of the test."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        return reason_of_text(str(report.longrepr))
    message = first_line(crash.message)
    if "StructuralEqual check failed" in message:  # both modules follow, then the difference
        return first_line(message + " " + crash.message.strip().splitlines()[-1].strip())
    if not re.match(r"assert\b|AssertionError|Failed: DID NOT RAISE", message):
        return message
    place = report.longrepr.reprtraceback.reprentries[0].reprfileloc  # type: ignore[union-attr]
    statement = linecache.getline(place.path, place.lineno).strip()
    return first_line(f"line {place.lineno}, `{statement}`: {message}")


def reason_of_text(text: str) -> str:
    """Returns the last line that names an error."""
    errors = [line[1:] for line in text.splitlines() if re.match(r"E .*Error", line)]
    return first_line(errors[-1] if errors else text)


def outcome_of(report: pytest.TestReport) -> str | None:
    """Returns the outcome of a phase; None when it has none."""
    is_marked = hasattr(report, "wasxfail")
    if report.failed:
        return "failed"
    if report.skipped:
        return "xfailed" if is_marked else "skipped"
    if report.when != "call":
        return None
    is_by_results = ("sunmao.passed", "by results") in report.user_properties
    return "xpassed" if is_marked else "by results" if is_by_results else "passed"


def note(test: str, outcome: str, reason: str) -> None:
    with open(os.environ["SUNMAO_OUTCOMES"], "a", encoding="utf-8") as out:
        print(json.dumps({"test": test, "outcome": outcome, "reason": reason}), file=out)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    outcome = outcome_of(report)
    if outcome:
        note(report.nodeid, outcome, reason_of(report) if outcome == "failed" else "")


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        note(report.nodeid, "failed", "collecting: " + reason_of(report))
