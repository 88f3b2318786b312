"""Where exports are kept, and their examples as arrays. Needs no PyTorch."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import ml_dtypes  # noqa: F401  (NumPy then knows the names of its types)
import numpy as np
from comparing import Array

CACHE = Path(__file__).resolve().parents[2] / "build" / "differential"
FORMS = ("raw", "core", "dynamic", "onnx")
Example = dict[str, list[Array]]


def save_examples(folder: Path, tolerance: float, examples: Sequence[Example]) -> None:
    """Writes arrays as bytes, with their types and shapes beside them, as NumPy's files do not know all types."""
    arrays: dict[str, Array] = {}
    described = []
    for i, example in enumerate(examples):
        rows: dict[str, list[dict[str, object]]] = {}
        for kind, values in example.items():
            rows[kind] = []
            for j, value in enumerate(values):
                name = f"{i}_{kind}_{j}"
                arrays[name] = np.frombuffer(np.ascontiguousarray(value).tobytes(), np.uint8)
                rows[kind].append({"name": name, "dtype": str(value.dtype), "shape": list(value.shape)})
        described.append(rows)
    np.savez(folder / "examples.npz", **arrays)  # type: ignore[arg-type]
    (folder / "examples.json").write_text(json.dumps({"tolerance": tolerance, "examples": described}))


def load_examples(folder: Path) -> tuple[float, list[Example]]:
    """Returns the tolerance, and for each example its arrays under `input`, `output` and perhaps `precise`."""
    described = json.loads((folder / "examples.json").read_text())
    data: Mapping[str, Array] = np.load(folder / "examples.npz")
    examples = [
        {
            kind: [np.frombuffer(data[r["name"]].tobytes(), np.dtype(r["dtype"])).reshape(r["shape"]) for r in rows]
            for kind, rows in example.items()
        }
        for example in described["examples"]
    ]
    return float(described["tolerance"]), examples
