"""Paths of the built programs, and functions to run them."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "tests" / "models"
BUILD = Path(os.environ.get("SUNMAO_BUILD_DIR", ROOT / "build" / "release"))
SUNMAO = BUILD / "bin" / "sunmao"
Array = np.ndarray[Any, np.dtype[Any]]


def example(name: str) -> Path:
    """Returns the path of a program of examples/."""
    return BUILD / "examples" / name


def run(*command: object) -> str:
    """Returns the output of a command; a failure prints its errors and exits."""
    words = [str(word) for word in command]
    if not Path(words[0]).is_file():
        sys.exit(f"no such program: {words[0]}; `make build` makes it")
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit status {result.returncode}\n{result.stderr}")
    return result.stdout


def compile_model(model: Path, artifact: Path, *options: object) -> dict[str, Any]:
    """Compiles a model and returns the report of `sunmao compile --json`."""
    report: dict[str, Any] = json.loads(run(SUNMAO, "compile", model, "-o", artifact, "--json", *options))
    return report


def read_tensors(path: Path) -> dict[str, Array]:
    """Returns the float32 tensors of a safetensors file."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if not name.startswith("__") and entry["dtype"] == "F32":
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            tensors[name] = np.frombuffer(data[begin:end], np.float32).reshape(entry["shape"])
    return tensors
