"""`model.summary`: what a compilation did."""

import pickle
from pathlib import Path

import sunmao
from sunmao_binary import MODELS


def test_a_compiled_model_says_what_was_done(tmp_path: Path) -> None:
    model = sunmao.compile(MODELS / "mlp.onnx", dims={"batch": (1, 8)})
    rows = dict(line.split(maxsplit=1) for line in model.summary.splitlines())
    assert rows["inputs"] == "x: float32 (batch, 16); batch=1..8" and rows["results"] == "float32 (batch, 3)"
    assert "kernel calls" in rows["graph"] and rows["arithmetic"].startswith("float32")
    model.save(tmp_path / "m.sunmao")
    assert sunmao.load(tmp_path / "m.sunmao").summary == ""
    assert pickle.loads(pickle.dumps(model)).summary in ("", model.summary)
