"""bench/symbolic_models.py: the sizes of what it exports are symbols, and numbers in the files of a size."""

import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from torch import nn

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
import symbolic_models
from symbolic_models import Symbolic
from symbolic_networks import Detector


class Lines(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 4, bidirectional=True, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.lstm(x)[0]


SIZES = tuple({"n": n, "t": t} for n, t in ((1, 1), (1, 2), (2, 12), (1, 5)))


def shape(path: Path) -> list[str | int]:
    """Returns the sizes of the input of an ONNX model."""
    (value,) = onnx.load(path, load_external_data=False).graph.input
    return [d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(symbolic_models, "FOLDER", tmp_path)
    models = {
        "linear": Symbolic(lambda: nn.Linear(3, 4), ("n", "t", 3), SIZES),
        "lstm": Symbolic(Lines, ("n", "t", 3), SIZES, has_program=False),
    }
    monkeypatch.setattr(symbolic_models, "MODELS", models)
    return tmp_path


@pytest.mark.parametrize(("name", "forms"), [("linear", ["onnx", "pt", "pt2"]), ("lstm", ["onnx", "pt"])])
def test_sizes_are_symbols_and_numbers(folder: Path, name: str, forms: list[str]) -> None:
    facts = symbolic_models.make(name)
    assert [row["size"] for row in facts["cases"]] == ["1x1x3", "1x2x3", "2x12x3", "1x5x3"]
    assert sorted(p.suffix[1:] for p in folder.glob(f"{name}.*") if p.stem == name and p.suffix != ".json") == forms
    assert shape(folder / f"{name}.onnx") == ["n", "t", 3]
    assert shape(folder / f"{name}.2x12x3.onnx") == [2, 12, 3]
    module = torch.load(folder / f"{name}.pt", weights_only=False)
    with np.load(folder / f"{name}.2x12x3.npz") as recorded, torch.no_grad():
        assert np.array_equal(module(torch.from_numpy(recorded["input0"])).numpy(), recorded["output0"])
    assert facts["input"] == ("input" if name == "linear" else "x")


def test_a_model_is_made_once(folder: Path) -> None:
    first = symbolic_models.make("linear")
    made = (folder / "linear.onnx").stat().st_mtime_ns
    assert symbolic_models.make("linear") == first
    assert (folder / "linear.onnx").stat().st_mtime_ns == made


def test_boxes_of_a_detector_are_in_pixels() -> None:
    """A head whose bins are even says that each side is 7.5 cells away: boxes are 15 cells wide, around their cells."""
    detector = Detector(width=4, classes=2).eval()
    with torch.no_grad():
        for head in detector.boxes:
            head[-1].weight.zero_()
            head[-1].bias.zero_()
        out = detector(torch.randn(1, 3, 64, 96))
    assert out.shape == (1, 6, 8 * 12 + 4 * 6 + 2 * 3)
    assert out[0, :4, 0].tolist() == pytest.approx([4, 4, 120, 120])
    assert out[0, :4, 13].tolist() == pytest.approx([12, 12, 120, 120])  # the second row of 12 columns, second column
    assert out[0, :4, -1].tolist() == pytest.approx([80, 48, 480, 480])
