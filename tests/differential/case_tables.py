"""Gathers the tables of cases: CASES of every file in a folder."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
BROKEN: dict[str, str] = {}  # files of cases that do not load, and why


@functools.cache
def tables(folder: str) -> dict[str, list[Any]]:
    """Returns the cases by key. Two families may have cases of one key."""
    found: dict[str, list[Any]] = {}
    for path in sorted((HERE / folder).glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"{folder}_{path.stem}", path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # one file that does not load must not hide the cases of the others
            BROKEN[f"{folder}/{path.name}"] = f"{type(error).__name__}: {error}"
            continue
        for key, cases in getattr(module, "CASES", {}).items():
            found.setdefault(key, []).extend(cases)
    return found


def parameters(folder: str) -> list[Any]:
    """Returns pytest's parameters: key, index, case."""
    return [
        pytest.param(key, i, case, id=f"{key}-{i}")
        for key, cases in sorted(tables(folder).items())
        for i, case in enumerate(cases)
    ]
