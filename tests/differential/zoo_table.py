"""The table of what is expected of models, and the outcomes of the last run."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from export_files import CACHE
from outcome import Outcome, build_of

TABLE = Path(__file__).resolve().parent / "zoo_expected.toml"
OUTCOMES = CACHE / "outcomes"
Table = dict[str, dict[str, str]]


def read_table() -> Table:
    return tomllib.loads(TABLE.read_text()) if TABLE.exists() else {}


def write_table(table: Mapping[str, Mapping[str, str]]) -> None:
    text = "# What is expected of each model in each form, written by bless.py. What is not listed may be refused.\n"
    for name, forms in sorted(table.items()):
        text += f"\n[{name}]\n" + "".join(f'{form} = "{kind}"\n' for form, kind in sorted(forms.items()))
    TABLE.write_text(text)


def note(name: str, form: str, outcome: Outcome) -> None:
    """Keeps the outcome for bless.py and zoo_report.py."""
    OUTCOMES.mkdir(parents=True, exist_ok=True)
    (OUTCOMES / f"{name}.{form}.json").write_text(json.dumps(asdict(outcome)))


def _all() -> dict[tuple[str, str], Outcome]:
    return {
        (name, form): Outcome(**json.loads(path.read_text()))
        for path in sorted(OUTCOMES.glob("*.json"))
        for name, form in [path.stem.rsplit(".", 1)]
    }


def noted() -> dict[str, dict[str, Outcome]]:
    """Returns the outcomes that the extension of this tree gave, by model and form."""
    found: dict[str, dict[str, Outcome]] = {}
    for (name, form), outcome in _all().items():
        if outcome.build == build_of():
            found.setdefault(name, {})[form] = outcome
    return found


def stale() -> int:
    """Returns how many outcomes are of another build, and left out."""
    return sum(outcome.build != build_of() for outcome in _all().values())
