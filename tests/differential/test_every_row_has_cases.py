"""Every row of the readers' tables has a case, and every case belongs to a row."""

from __future__ import annotations

from typing import Any

import pytest
from case_tables import BROKEN, tables
from sunmao import _sunmao

FOLDERS = {"onnx": "onnx_cases", "torch": "torch_cases"}


def _rows(frontend: str) -> set[str]:
    rows: list[dict[str, Any]] = _sunmao.frontend_rows()  # type: ignore[attr-defined,unused-ignore]
    return {row["op"] for row in rows if row["frontend"] == frontend}


@pytest.mark.parametrize("frontend", sorted(FOLDERS))
def test_every_file_of_cases_loads(frontend: str) -> None:
    tables(FOLDERS[frontend])
    broken = {path: reason for path, reason in BROKEN.items() if path.startswith(FOLDERS[frontend])}
    assert not broken, broken


@pytest.mark.parametrize("frontend", sorted(FOLDERS))
def test_every_row_has_a_case(frontend: str) -> None:
    missing = sorted(_rows(frontend) - set(tables(FOLDERS[frontend])))
    assert not missing, f"{len(missing)} rows without a case: {', '.join(missing)}"


@pytest.mark.parametrize("frontend", sorted(FOLDERS))
def test_every_case_is_of_a_row(frontend: str) -> None:
    unknown = sorted(set(tables(FOLDERS[frontend])) - _rows(frontend))
    assert not unknown, f"{len(unknown)} keys of cases without a row: {', '.join(unknown)}"
