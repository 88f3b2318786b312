"""Weights are prepared one after another: a model that does not fit into the memory it is given compiles."""

import json
import resource
import subprocess
from pathlib import Path

import numpy as np
import onnx_bytes as ob
import pytest
import sunmao
from programs import SUNMAO

SIDE, LAYERS = 2048, 36  # 16 MiB each, 576 MiB in all
WEIGHT = SIDE * SIDE * 4
ROW = np.arange(SIDE, dtype=np.float32) / SIDE
ROW[0] = 1


def write_model(path: Path) -> Path:
    """Writes layers `x @ transpose(w)`, whose weights are holes in a file but for their first row."""
    data = path.with_suffix(".bin")
    nodes, weights = [], []
    with data.open("wb") as file:
        for i in range(LAYERS):
            nodes.append(ob.node("Transpose", [f"w{i}"], [f"t{i}"]))
            nodes.append(ob.node("MatMul", [f"x{i}", f"t{i}"], [f"x{i + 1}"]))
            place = {"location": data.name, "offset": str(i * WEIGHT), "length": str(WEIGHT)}
            head = b"".join(ob.number(1, SIDE) for _ in range(2)) + ob.number(2, 1) + ob.text(8, f"w{i}")
            head += b"".join(ob.text(13, ob.text(1, k) + ob.text(2, v)) for k, v in place.items()) + ob.number(14, 1)
            weights.append(head)
            file.seek(i * WEIGHT)
            file.write(ROW.tobytes())
        file.truncate(LAYERS * WEIGHT)
    path.write_bytes(ob.model(nodes, [ob.value("x0", [2, SIDE])], [f"x{LAYERS}"], weights))
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path / "layers.onnx")


def test_compiling_takes_the_memory_of_few_weights(model: Path, tmp_path: Path) -> None:
    limit = 300 * 2**20 + 2 * WEIGHT
    assert limit < LAYERS * WEIGHT * 2 / 3
    artifact = tmp_path / "layers.sunmao"
    command = [str(SUNMAO), "compile", str(model), "-o", str(artifact), "--json"]
    # RLIMIT_DATA counts private memory that can be written, and no mapped files.
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["weight_bytes"] == LAYERS * WEIGHT
    assert artifact.stat().st_size < LAYERS * WEIGHT + 1_000_000
    x = np.random.default_rng(1).standard_normal((2, SIDE)).astype(np.float32)
    expected = np.zeros_like(x)
    expected[:, 0] = x @ ROW  # which each further layer keeps
    np.testing.assert_allclose(sunmao.load(artifact, verify_weights=True)(x), expected, rtol=1e-4)
