"""tools/weight_bytes.py: both forms of a model give PyTorch's numbers, and weights are in the artifact once."""

from pathlib import Path
from typing import Any

import drawn_models
import numpy as np
import pytest
import sunmao
import weight_bytes


@pytest.mark.parametrize("form", weight_bytes.WRITERS)
@pytest.mark.parametrize("name", weight_bytes.NAMES)
def test_outputs_are_pytorchs(name: str, form: str, tmp_path: Path) -> None:
    facts = drawn_models.recipe(name)
    x, expected = drawn_models.draw_input(facts["seed"], facts["input"]), drawn_models.recorded_output(name)
    got = sunmao.compile(weight_bytes.WRITERS[form](name, tmp_path))(x)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-5 * float(np.abs(expected).max()))


def test_no_artifact_is_larger_than_promised(capsys: pytest.CaptureFixture[str]) -> None:
    assert weight_bytes.main([]) == 0
    lines = capsys.readouterr().out.splitlines()[3:]
    shown = [(line.split()[0], line.split()[1], line.split()[-1]) for line in lines]
    assert shown == [(name, form, "✓") for name in weight_bytes.NAMES for form in ("onnx", "pt2")]


ROW = {"in_file": 1_000_000, "beside_module": 1_000_000, "artifact": 1_100_000, "at_most": 1_510_000}


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        ({}, True),
        ({"beside_module": 1_010_000}, True),  # constants of the graph
        ({"beside_module": 2_000_000}, False),  # doubled
        ({"beside_module": 999_999}, False),  # lost
        ({"artifact": 1_510_000}, True),
        ({"artifact": 1_510_001}, False),
    ],
)
def test_what_counts_as_kept(changed: dict[str, int], kept: bool) -> None:
    assert weight_bytes.is_kept({**ROW, **changed}) is kept


def test_a_large_artifact_is_marked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(weight_bytes, "SLACK", 0)
    assert weight_bytes.main(["linear_1"]) == 1
    assert capsys.readouterr().out.count("✗") == 2


def test_an_unknown_name_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        weight_bytes.main(["linear_9"])
    assert stopped.value.code == 2 and "no model is called `linear_9`" in capsys.readouterr().err


def test_a_weight_that_is_left_out_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes in the file are counted from the recipe, not from what was read."""
    facts: dict[str, Any] = drawn_models.recipe("linear_1")
    facts["weights"].append({**facts["weights"][0], "name": "more"})
    monkeypatch.setattr(weight_bytes, "recipe", lambda name: facts)
    assert not weight_bytes.is_kept(weight_bytes.measure("linear_1", "onnx", tmp_path))
