"""tools/drawn_models.py: networks on weights that are drawn give what PyTorch gave on the same."""

import re
from pathlib import Path

import demo
import drawn_models
import numpy as np
import pytest
import sunmao

NETWORKS = ["mobilenet", "bert"]


def error(name: str, folder: Path) -> float:
    """Returns the largest error as a share of the largest number."""
    facts = drawn_models.recipe(name)
    x, expected = drawn_models.draw_input(facts["seed"], facts["input"]), drawn_models.recorded_output(name)
    got = sunmao.compile(drawn_models.write_onnx(name, folder))(x)
    assert got.shape == expected.shape
    return float(np.max(np.abs(got - expected)) / np.max(np.abs(expected)))


@pytest.mark.parametrize("name", NETWORKS)
def test_outputs_are_pytorchs(name: str, tmp_path: Path) -> None:
    assert error(name, tmp_path) <= demo.NETWORK_TOLERANCE


@pytest.mark.parametrize("row", [0, -1])
def test_each_weight_takes_part(row: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = drawn_models.recipe("bert")
    facts["weights"][row]["reach"] *= 1.5
    monkeypatch.setattr(drawn_models, "recipe", lambda name: facts)
    assert error("bert", tmp_path) > 10 * demo.NETWORK_TOLERANCE


@pytest.mark.parametrize("name", NETWORKS)
def test_the_graph_has_no_weights_and_no_paths(name: str) -> None:
    graph = (drawn_models.NETWORKS / f"{name}.onnx").read_bytes()
    assert len(graph) < 50_000
    assert not re.search(rb"\w/\w+/|\.py", graph)


def test_numbers_are_those_of_the_generators_bits() -> None:
    """The first draws of PCG64 with seed 1, by hand from its raw bits: they must never change."""
    raw = np.random.PCG64(1).random_raw(3)
    drawn = drawn_models.Drawn(1).uniform([3], 0.0, 2.0)
    assert drawn.dtype == np.float32
    assert drawn.tolist() == [2 * (int(bits >> np.uint64(40)) - 2**23) / 2**23 for bits in raw]
    assert [int(bits) for bits in raw] == [9441442522235856127, 17532960557476522086, 2659275481604167885]


def test_tokens_are_below_the_bound() -> None:
    tokens = drawn_models.Drawn(3).tokens([2, 500], 7)
    assert tokens.dtype == np.int64 and set(tokens.ravel().tolist()) == set(range(7))


def test_weights_begin_at_multiples() -> None:
    assert drawn_models.place([4, 64, 65, 1]) == [0, 64, 128, 256]


def test_the_bar_grows_in_a_terminal_only(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for color in (False, True):
        monkeypatch.setattr(demo, "COLOR", color)
        progress = demo.Progress(2)
        progress.show("one")
        progress.show("two")
        progress.clear()
        out = capsys.readouterr().out
        assert ("0/2 one" in out, "1/2 two" in out, out.endswith("\r\x1b[K")) == (color, color, color)
        assert "\n" not in out and (color or not out)
