"""Every model gives under `torch.compile(backend="sunmao")` what it gives in eager mode."""

from __future__ import annotations

import pytest
from backend_outcome import outcome_of
from models import Entry, entries

pytestmark = pytest.mark.zoo


@pytest.mark.parametrize("entry", entries().values(), ids=entries())
def test_model(entry: Entry) -> None:
    outcome = outcome_of(entry.name)
    assert outcome.kind == "pass", outcome.detail
