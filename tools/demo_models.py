"""Models of real architectures for the demo: a committed graph, and weights and inputs drawn from a seed with NumPy.

`tests/models/networks/NAME.onnx` is the graph, with the weights as external data in `NAME.onnx.data`; `NAME.json` says
how to draw them. `NAME.safetensors` has PyTorch's outputs for the same weights and inputs (tools/make_demo_models.py).
"""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from programs import MODELS, Array, read_tensors

NETWORKS = MODELS / "networks"
ALIGNMENT = 64  # bytes: where a weight may begin


class Drawn:
    """Numbers from a seed, from the raw bits of PCG64, which are the same with every version of NumPy."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def uniform(self, shape: list[int], middle: float, reach: float) -> Array:
        """Returns float32 numbers within `reach` of `middle`."""
        high = self._bits.random_raw(int(np.prod(shape))) >> np.uint64(40)  # 24 bits, the precision of float32
        signed = high.astype(np.float64) / 2**23 - 1
        return (middle + reach * signed).astype(np.float32).reshape(shape)

    def tokens(self, shape: list[int], below: int) -> Array:
        high = self._bits.random_raw(int(np.prod(shape))) >> np.uint64(33)
        return (high % np.uint64(below)).astype(np.int64).reshape(shape)


def recipe(name: str) -> dict[str, Any]:
    """Returns `title`, `seed`, `input` (`shape`, and `below` for tokens), and `weights`: a list of `name`, `shape`,
    `middle`, `reach`."""
    read: dict[str, Any] = json.loads((NETWORKS / f"{name}.json").read_text())
    return read


def weights(seed: int, rows: list[dict[str, Any]]) -> dict[str, Array]:
    drawn = Drawn(seed)
    return {row["name"]: drawn.uniform(row["shape"], row["middle"], row["reach"]) for row in rows}


def place(sizes: list[int]) -> list[int]:
    """Returns where weights of so many bytes begin in the file."""
    places, end = [], 0
    for size in sizes:
        places.append(-(-end // ALIGNMENT) * ALIGNMENT)
        end = places[-1] + size
    return places


def write_model(name: str, folder: Path) -> Path:
    """Writes the graph and its weights into a folder; returns the path of the graph."""
    facts = recipe(name)
    drawn = list(weights(facts["seed"], facts["weights"]).values())
    with (folder / f"{name}.onnx.data").open("wb") as file:
        for array, begin in zip(drawn, place([a.nbytes for a in drawn]), strict=True):
            file.write(b"\0" * (begin - file.tell()))
            file.write(array.tobytes())
    return Path(shutil.copy(NETWORKS / f"{name}.onnx", folder))


def draw_input(seed: int, what: dict[str, Any]) -> Array:
    drawn = Drawn(seed + 1)
    return drawn.tokens(what["shape"], what["below"]) if "below" in what else drawn.uniform(what["shape"], 0, 1)


def recorded_output(name: str) -> Array:
    return read_tensors(NETWORKS / f"{name}.safetensors")["output.0"]
