"""Every model in every form gives what PyTorch gives, or is refused with a code; never worse than in the table."""

from __future__ import annotations

import pytest
from export import export
from export_files import FORMS
from models import Entry, entries
from outcome import outcome_of
from zoo_table import note, read_table

pytestmark = pytest.mark.zoo
_TABLE = read_table()


def _cases() -> list[object]:
    return [
        pytest.param(
            entry,
            form,
            id=f"{name}-{form}",
            marks=[pytest.mark.xdist_group(name)] + [pytest.mark.fixed] * (entry.is_fixed and form in ("raw", "onnx")),
        )
        for name, entry in entries().items()
        for form in FORMS
    ]


@pytest.mark.parametrize(("entry", "form"), _cases())
def test_model(entry: Entry, form: str) -> None:
    outcome = outcome_of(export(entry, form))
    note(entry.name, form, outcome)
    if outcome.kind == "skipped":
        pytest.skip(outcome.detail.splitlines()[0])
    expected = _TABLE.get(entry.name, {}).get(form, "refused")
    assert not outcome.is_worse_than(expected), f"expected {expected}, is {outcome.kind}: {outcome.detail}"
