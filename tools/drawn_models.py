"""Models of real architectures without their weights: these are drawn from a seed, with NumPy alone.

In `tests/models/networks`, `NAME.onnx` is a graph that has its weights in `NAME.onnx.data`; `NAME.pt2`, for some, is
the same program without the data of its weights; `NAME.json` says how to draw weights and input; `NAME.safetensors` has
PyTorch's output for them. tools/make_drawn_models.py makes all of these.
"""

import json
import shutil
import zipfile
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
    `middle`, `reach`, and where the .pt2 has another one, the name of its `parameter` and that it is `transposed`."""
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


def write_onnx(name: str, folder: Path) -> Path:
    """Writes the graph and its weights into a folder; returns the path of the graph."""
    facts = recipe(name)
    drawn = list(weights(facts["seed"], facts["weights"]).values())
    with (folder / f"{name}.onnx.data").open("wb") as file:
        for array, begin in zip(drawn, place([a.nbytes for a in drawn]), strict=True):
            file.write(b"\0" * (begin - file.tell()))
            file.write(array.tobytes())
    return Path(shutil.copy(NETWORKS / f"{name}.onnx", folder))


def write_pt2(name: str, folder: Path) -> Path:
    """Writes the program with its weights into a folder; returns the path."""
    facts, path = recipe(name), folder / f"{name}.pt2"
    drawn = weights(facts["seed"], facts["weights"])
    values = {}
    for row in facts["weights"]:
        array = drawn[row["name"]]
        values[row.get("parameter", row["name"])] = array.T if row.get("transposed") else array
    with zipfile.ZipFile(NETWORKS / f"{name}.pt2") as graph, zipfile.ZipFile(path, "w") as whole:
        entries = {entry: graph.read(entry) for entry in graph.namelist()}
        table = next(entry for entry in entries if entry.endswith("/model_weights_config.json"))
        for parameter, row in json.loads(entries[table])["config"].items():
            if parameter in values:
                entries[f"{table.rpartition('/')[0]}/{row['path_name']}"] = values[parameter].tobytes()
        for entry, data in entries.items():
            whole.writestr(zipfile.ZipInfo(entry), data)
    return path


def draw_input(seed: int, what: dict[str, Any]) -> Array:
    drawn = Drawn(seed + 1)
    return drawn.tokens(what["shape"], what["below"]) if "below" in what else drawn.uniform(what["shape"], 0, 1)


def recorded_output(name: str) -> Array:
    return read_tensors(NETWORKS / f"{name}.safetensors")["output.0"]
