"""Imports, compiles and runs models of several GiB whose weights are holes in sparse files.

Usage: big_model.py [--gib N] [--json]: tells for an `.onnx` with external data and for a `.pt2` how much memory was
resident when the model was imported, and whether the compiled model gives the rows that the file holds.
"""

import argparse
import json
import resource
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))
sys.path.insert(0, str(ROOT / "python"))
import onnx_bytes as ob  # noqa: E402

BINARY = ROOT / "build" / "release" / "bin" / "sunmao"
COLUMNS = 1024
MARKED = 7  # the row that holds ones; all others are zeros
BLOCK = 1 << 26


def write_onnx(folder: Path, rows: int) -> Path:
    data = folder / "weights.bin"
    write_rows(data, 0, rows)
    weight = b"".join(ob.number(1, d) for d in (rows, COLUMNS)) + ob.number(2, 1) + ob.text(8, "table")
    weight += ob.text(13, ob.text(1, "location") + ob.text(2, data.name)) + ob.number(14, 1)
    index = ob.text(1, "x") + ob.text(2, ob.text(1, ob.number(1, 7) + ob.text(2, ob.text(1, ob.number(1, 2)))))
    path = folder / "big.onnx"
    path.write_bytes(ob.model([ob.node("Gather", ["table", "x"], ["y"])], [index], ["y"], [weight]))
    return path


def write_rows(path: Path, offset: int, rows: int) -> None:
    """Writes a sparse table behind `offset`, in which one row is ones."""
    with path.open("r+b" if path.exists() else "wb") as file:
        file.seek(offset + MARKED * COLUMNS * 4)
        file.write(np.ones(COLUMNS, np.float32).tobytes())
        file.truncate(offset + rows * COLUMNS * 4)


def crc_of_rows(rows: int) -> int:
    head = np.zeros((MARKED + 1, COLUMNS), np.float32)
    head[MARKED] = 1
    crc, left = zlib.crc32(head.tobytes()), (rows - MARKED - 1) * COLUMNS * 4
    zeros = bytes(BLOCK)
    while left > 0:
        crc = zlib.crc32(zeros[: min(left, BLOCK)], crc)
        left -= BLOCK
    return crc


def meta(dtype: int, sizes: list[int]) -> dict[str, object]:
    strides = [int(np.prod(sizes[i + 1 :])) for i in range(len(sizes))]
    return {
        "dtype": dtype,
        "sizes": [{"as_int": s} for s in sizes],
        "requires_grad": False,
        "device": {"type": "cpu", "index": None},
        "strides": [{"as_int": s} for s in strides],
        "storage_offset": {"as_int": 0},
        "layout": 7,
    }


def program(rows: int) -> dict[str, object]:
    def tensor(name: str) -> dict[str, object]:
        return {"as_tensor": {"name": name}}

    node: dict[str, object] = {
        "target": "torch.ops.aten.embedding.default",
        "inputs": [{"name": n, "arg": tensor(v), "kind": 1} for n, v in (("weight", "p_table"), ("indices", "x"))],
        "outputs": [tensor("y")],
        "metadata": {},
        "is_hop_single_tensor_return": None,
        "name": "y",
    }
    values = {"x": meta(5, [2]), "y": meta(7, [2, COLUMNS]), "p_table": meta(7, [rows, COLUMNS])}
    graph = {"inputs": [], "outputs": [tensor("y")], "nodes": [node], "tensor_values": values, "sym_int_values": {}}
    signature = {
        "input_specs": [
            {"parameter": {"arg": {"name": "p_table"}, "parameter_name": "table"}},
            {"user_input": {"arg": tensor("x")}},
        ],
        "output_specs": [{"user_output": {"arg": tensor("y")}}],
    }
    return {
        "graph_module": {"graph": graph, "signature": signature},
        "range_constraints": {},
        "schema_version": {"major": 8, "minor": 20},
    }


def write_pt2(folder: Path, rows: int) -> Path:
    """Writes the archive by hand, for its largest entry to be a hole."""
    path = folder / "big.pt2"
    config = {"path_name": "weight_0", "is_param": True, "use_pickle": False, "tensor_meta": meta(7, [rows, COLUMNS])}
    small = {
        "archive_format": b"pt2",
        "archive_version": b"0",
        "byteorder": b"little",
        "models/model.json": json.dumps(program(rows)).encode(),
        "data/weights/model_weights_config.json": json.dumps({"config": {"table": config}}).encode(),
        "data/constants/model_constants_config.json": b'{"config": {}}',
    }
    directory = b""
    with path.open("wb") as file:
        for name, data in small.items():
            directory += entry(file.tell(), name, len(data), zlib.crc32(data))
            file.write(local_header(name, len(data), zlib.crc32(data)) + data)
        name, size, crc = "data/weights/weight_0", rows * COLUMNS * 4, crc_of_rows(rows)
        directory += entry(file.tell(), name, size, crc)
        start = file.tell()
        padding = -(start + 30 + len("m/" + name) + 4) % 64
        file.write(local_header(name, 0, crc, padding))
        offset = file.tell()
    write_rows(path, offset, rows)
    with path.open("ab") as file:
        at = file.tell()
        file.write(directory)
        count = len(small) + 1
        file.write(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, len(directory), at))
        file.write(struct.pack("<IIQI", 0x07064B50, 0, at + len(directory), 1))
        file.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, len(directory), 0xFFFFFFFF, 0))
    return path


def local_header(name: str, size: int, crc: int, padding: int = 0) -> bytes:
    extra = struct.pack("<HH", 0x4246, padding) + b"Z" * padding
    full = ("m/" + name).encode()
    return struct.pack("<IHHHHHIIIHH", 0x04034B50, 0, 0, 0, 0, 0, crc, size, size, len(full), len(extra)) + full + extra


def entry(offset: int, name: str, size: int, crc: int) -> bytes:
    full = ("m/" + name).encode()
    extra = struct.pack("<HHQQQ", 1, 24, size, size, offset)
    head = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 45, 45, 0, 0, 0, 0, crc, 0xFFFFFFFF, 0xFFFFFFFF, len(full),
                       len(extra), 0, 0, 0, 0, 0xFFFFFFFF)  # fmt: skip
    return head + full + extra


def import_megabytes(path: Path) -> float:
    """Returns the most memory that was resident while `sunmao inspect` read the model."""
    script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
    script += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    run = subprocess.run(
        [sys.executable, "-c", script, str(BINARY), "inspect", str(path)], capture_output=True, text=True
    )
    if run.returncode:
        raise SystemExit(run.stderr)
    return int(run.stdout) / 1024


def gives_its_rows(path: Path, folder: Path) -> bool:
    artifact = folder / "big.sunmao"
    subprocess.run([str(BINARY), "compile", str(path), "-o", str(artifact)], check=True, stdout=subprocess.DEVNULL)
    np.save(folder / "x.npy", np.array([MARKED, MARKED + 1], np.int64))
    output = folder / "y.safetensors"
    command = [BINARY, "run", artifact, "--input", f"x={folder / 'x.npy'}", "--output", output]
    subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL)
    rows = np.frombuffer(output.read_bytes()[-2 * COLUMNS * 4 :], np.float32).reshape(2, COLUMNS)
    artifact.unlink()
    return bool((rows[0] == 1).all() and (rows[1] == 0).all())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=float, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = int(arguments.gib * (1 << 30)) // (COLUMNS * 4)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    result: dict[str, float | bool] = {}
    for name, write in (("onnx", write_onnx), ("pt2", write_pt2)):
        with tempfile.TemporaryDirectory(prefix="sunmao-big-", dir=ROOT / "build") as folder:
            path = write(Path(folder), rows)
            result[f"{name}_megabytes"] = round(import_megabytes(path), 1)
            result[f"{name}_runs"] = gives_its_rows(path, Path(folder))
    result["largest_megabytes"] = max(result["onnx_megabytes"], result["pt2_megabytes"])
    result["runs"] = bool(result["onnx_runs"] and result["pt2_runs"])
    print(json.dumps(result) if arguments.json else "\n".join(f"{k}: {v}" for k, v in result.items()))
    return 0 if result["runs"] else 1


if __name__ == "__main__":
    sys.exit(main())
