"""The built runtime library: its size, its dependency on the C library only, and its exported API."""

import os
from pathlib import Path

import pytest
import runtime_size

ROOT = Path(__file__).parents[2]
LIBRARY = Path(os.environ.get("SUNMAO_RUNTIME_LIBRARY", ROOT / "build/release/lib/libsunmao_runtime.so"))


@pytest.fixture(scope="module")
def figures() -> dict[str, object]:
    assert LIBRARY.is_file(), "`make build` makes it"
    return runtime_size.measure(LIBRARY)


def test_size(figures: dict[str, object]) -> None:
    assert isinstance(figures["stripped_bytes"], int)
    assert 0 < figures["stripped_bytes"] < 1_000_000


def test_needs_the_c_library_alone(figures: dict[str, object]) -> None:
    assert figures["needed_beyond_c_library"] == 0, figures["needed"]


def test_exports_its_api_alone(figures: dict[str, object]) -> None:
    assert figures["exported_beyond_api"] == 0
    assert any(name.startswith("sunmao_") for name in runtime_size.exported(LIBRARY))


def test_missing_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert runtime_size.main([str(tmp_path / "gone.so")]) == 1
    assert "make build" in capsys.readouterr().err
