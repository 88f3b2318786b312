"""Makes the models of `make bench-symbolic`: all sizes that a model allows are symbols. Each is exported once, into
build/bench/symbolic, with inputs and PyTorch's outputs at four sizes.

python bench/symbolic_models.py NAME ...      one line of JSON per model, in build/bench-env
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bench_models
import numpy as np
import onnx
import real_models
import symbolic_networks
import torch
from bench_models import arrays, bytes_read, flops, settled
from torch import nn
from vision_ops import torchvision

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "bench" / "symbolic"
FORMAT = 1  # of the files in FOLDER; another number makes them anew
Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Symbolic:
    """A model of one input, whose axes are numbers and symbols; `sizes` are values of the symbols. `words` is the size
    of the vocabulary of a model of text. Without `has_program`, the exporter that traces writes the ONNX file."""

    module: Callable[[], nn.Module]
    axes: tuple[int | str, ...]
    sizes: tuple[Sizes, ...]
    words: int = 0
    has_program: bool = True  # torch.export takes the length of a recurrent layer for a constant

    def shape(self, sizes: Sizes) -> list[int]:
        return [axis if isinstance(axis, int) else sizes[axis] for axis in self.axes]

    def input(self, sizes: Sizes) -> torch.Tensor:
        return torch.randint(0, self.words, self.shape(sizes)) if self.words else torch.randn(self.shape(sizes))


def images(*sides: tuple[int, int]) -> tuple[Sizes, ...]:
    return tuple({"n": 1, "h": h, "w": w} for h, w in sides)


def lengths(*values: int) -> tuple[Sizes, ...]:
    return tuple({"n": 1, "t": t} for t in values)


def of_torchvision(name: str) -> Callable[[], nn.Module]:
    return lambda: getattr(torchvision().models, name)()


def vit() -> nn.Module:
    torchvision()
    from transformers import ViTConfig, ViTForImageClassification

    return symbolic_networks.AnyImage(ViTForImageClassification(ViTConfig(num_labels=1000)))


def whisper() -> nn.Module:
    return symbolic_networks.AnyLength(bench_models.whisper_tiny()[0].inner)


IMAGE = ("n", 3, "h", "w")
USUAL = images((64, 64), (160, 160), (200, 300), (224, 224))
MODELS = {
    "resnet50": Symbolic(of_torchvision("resnet50"), IMAGE, USUAL),
    "mobilenet_v3": Symbolic(of_torchvision("mobilenet_v3_large"), IMAGE, USUAL),
    "yolo": Symbolic(symbolic_networks.Detector, IMAGE, images((64, 64), (160, 160), (192, 320), (416, 416))),
    "crnn": Symbolic(
        symbolic_networks.Recogniser,
        ("n", 1, 32, "w"),
        tuple({"n": n, "w": w} for n, w in ((1, 64), (1, 100), (1, 320), (6, 160))),
        has_program=False,
    ),
    "bert": Symbolic(lambda: real_models.bert_base()[0], ("n", "t"), lengths(1, 2, 12, 128), words=30000),
    "vit_b16": Symbolic(vit, IMAGE, (*USUAL[:3], *images((208, 208)))),  # exporters tell apart the 224 of the table
    "whisper_tiny": Symbolic(whisper, ("n", 80, "t"), lengths(100, 500, 1000, 3000)),
    "unet": Symbolic(bench_models.UNet, IMAGE, images((64, 64), (160, 160), (200, 304), (224, 224))),
}


def label(shape: list[int]) -> str:
    return "x".join(map(str, shape))


def export(model: Symbolic, module: nn.Module, x: torch.Tensor, name: str) -> None:
    """Writes NAME.onnx and, where torch.export keeps the symbols, NAME.pt2."""
    exporter: Any = torch.onnx.export
    file = FOLDER / f"{name}.onnx"
    symbols = {i: axis for i, axis in enumerate(model.axes) if isinstance(axis, str)}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        if not model.has_program:
            exporter(module, (x,), file, dynamo=False, input_names=["x"], dynamic_axes={"x": symbols})
            return
        shapes = (dict.fromkeys(symbols, torch.export.Dim.DYNAMIC),)
        torch.export.save(torch.export.export(module, (x,), dynamic_shapes=shapes), FOLDER / f"{name}.pt2")
        exporter(module, (x,), file, dynamo=True, verbose=False, external_data=True, dynamic_shapes=(symbols,))


def fix_sizes(symbolic: Path, sizes: Sizes, constant: Path) -> None:
    """Writes the ONNX model with numbers for the symbols of its inputs. Weights stay in the file that has them."""
    model = onnx.load(symbolic, load_external_data=False)
    for value in model.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in sizes:
                dim.dim_value = sizes[dim.dim_param]
    for values in (model.graph.value_info, model.graph.output):
        for value in values:
            value.type.tensor_type.ClearField("shape")
    onnx.save(model, constant)


def digest(name: str) -> str:
    """What the files of a model depend on: this file, that of the networks, and PyTorch."""
    sources = [inspect.getsource(part) for part in (symbolic_networks, settled, flops, bytes_read, bench_models.UNet)]
    parts = [*sources, Path(__file__).read_text(), str(FORMAT), torch.__version__, name]
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


def make(name: str) -> dict[str, Any]:
    """Makes NAME.onnx, NAME.pt2, NAME.pt (the module) and NAME.json, the facts which it returns, unless they are there.
    Each size has NAME.SHAPE.npz (inputs, PyTorch's outputs) and NAME.SHAPE.onnx, in which the sizes are numbers."""
    note = FOLDER / f"{name}.json"
    with contextlib.suppress(OSError, ValueError):
        facts: dict[str, Any] = json.loads(note.read_text())
        if facts["digest"] == digest(name):
            return facts
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob(f"{name}.*"):
        old.unlink()
    model = MODELS[name]
    torch.manual_seed(0)
    example = model.input({**model.sizes[2], "n": 2})  # exporters take a size of 1 for a constant
    module = settled(model.module(), (example,))
    export(model, module, example, name)
    torch.save(module, FOLDER / f"{name}.pt")
    cases = []
    for sizes in model.sizes:
        x = model.input(sizes)
        shape = label(model.shape(sizes))
        with torch.no_grad():
            outputs = module(x)
        named = {f"output{i}": a for i, a in enumerate(arrays(outputs))}
        np.savez(FOLDER / f"{name}.{shape}.npz", allow_pickle=False, input0=x.numpy(), **named)
        fix_sizes(FOLDER / f"{name}.onnx", sizes, FOLDER / f"{name}.{shape}.onnx")
        cases.append({"case": shape, "size": shape, "flops": flops(module, (x,))})
    facts = {
        "name": name,
        "input": next(iter(inspect.signature(module.forward).parameters)),
        "cases": cases,
        "weight_bytes": sum({t.data_ptr(): t.nbytes for t in module.state_dict().values()}.values()),
        "bytes_read": bytes_read(module),
        "classes_from": sorted({type(part).__module__ for part in module.modules()}),
        "digest": digest(name),
    }
    note.write_text(json.dumps(facts))
    return facts


if __name__ == "__main__":
    raise SystemExit(bench_models.run(make, MODELS, __doc__))
