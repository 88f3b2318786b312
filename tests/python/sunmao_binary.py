"""Runs the built programs in tests of the command line; reads and writes safetensors files with NumPy."""

import json
import os
import re
import struct
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "tests" / "models"
BUILD = Path(os.environ.get("SUNMAO_BUILD_DIR", ROOT / "build" / "release"))
BINARY = Path(os.environ.get("SUNMAO_BIN", BUILD / "bin" / "sunmao"))
EXAMPLES = BUILD / "examples"
LIMIT = 120  # seconds for one command

# Tolerances for results of compiled code against recorded results: |got - recorded| <= atol + rtol * |recorded|.
TOLERANCE = {"float32": {"atol": 1e-5, "rtol": 1e-4}}

Result = subprocess.CompletedProcess[str]


def run_program(*command: object) -> Result:
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=LIMIT, check=False)


def sunmao(*arguments: object) -> Result:
    return run_program(BINARY, *arguments)


def command_names() -> list[str]:
    """Returns the commands that `sunmao --help` lists."""
    text = sunmao("--help").stdout
    return re.findall(r"^  ([a-z][\w-]*) ", text[text.index("Subcommands:") : text.index("Examples:")], re.MULTILINE)


def compile_model(model: str, artifact: Path, *options: object) -> Path:
    result = sunmao("compile", MODELS / model, "-o", artifact, *options)
    assert result.returncode == 0, result.stderr
    return artifact


DTYPES = {
    "F16": np.dtype("float16"),
    "F32": np.dtype("float32"),
    "F64": np.dtype("float64"),
    "I8": np.dtype("int8"),
    "I32": np.dtype("int32"),
    "I64": np.dtype("int64"),
}


def read_tensors(path: Path) -> dict[str, np.ndarray]:
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name.startswith("__"):
            continue
        begin, end = entry["data_offsets"]
        raw = data[8 + size + begin : 8 + size + end]
        tensors[name] = np.frombuffer(raw, DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def write_tensors(path: Path, tensors: dict[str, np.ndarray]) -> Path:
    names = {dtype: name for name, dtype in DTYPES.items()}
    header, data = {}, b""
    for name, array in tensors.items():
        raw = np.ascontiguousarray(array).tobytes()
        offsets = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": names[array.dtype], "shape": list(array.shape), "data_offsets": offsets}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path
