"""Makes models of real size with random weights, as `.pt2` and `.onnx`, in build/real-models/; each is made once.

python tests/differential/real_models.py [NAME ...]
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from vision_ops import torchvision

FOLDER = Path(__file__).resolve().parents[2] / "build" / "real-models"
Made = tuple[torch.nn.Module, tuple[torch.Tensor, ...]]
MAKERS: dict[str, Callable[[], Made]] = {}


def real(maker: Callable[[], Made]) -> Callable[[], Made]:
    MAKERS[maker.__name__] = maker
    return maker


def image(size: int = 224) -> tuple[torch.Tensor, ...]:
    return (torch.randn(1, 3, size, size),)


class Plain(torch.nn.Module):
    """Calls a model of transformers on tokens, and gives its tensors."""

    def __init__(self, inner: torch.nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.inner(tokens, return_dict=False)[0]
        return out


@real
def resnet50() -> Made:
    return torchvision().models.resnet50(), image()


@real
def convnext_base() -> Made:
    return torchvision().models.convnext_base(), image()


@real
def convnext_base_of_timm() -> Made:
    torchvision()
    import timm

    return timm.create_model("convnext_base"), image()


@real
def resnext50() -> Made:
    return torchvision().models.resnext50_32x4d(), image()


@real
def regnety_002() -> Made:
    torchvision()
    import timm

    return timm.create_model("regnety_002"), image()


@real
def mobilenet_v3() -> Made:
    return torchvision().models.mobilenet_v3_large(), image()


@real
def gpt2_tied() -> Made:
    """Two layers and the embedding of GPT-2, which is the last layer's weight too."""
    torchvision()
    from transformers import GPT2Config, GPT2LMHeadModel

    return Plain(GPT2LMHeadModel(GPT2Config(n_layer=2))), (torch.randint(0, 50000, (1, 128)),)


@real
def bert_base() -> Made:
    torchvision()
    from transformers import BertConfig, BertModel

    return Plain(BertModel(BertConfig())), (torch.randint(0, 30000, (1, 128)),)


def linear(rank: int) -> Made:
    return torch.nn.Linear(128, 512), (torch.randn((2, 3, 2, 2, 128)[5 - rank :]),)


for _rank in range(1, 6):
    MAKERS[f"linear_{_rank}"] = lambda rank=_rank: linear(rank)


def paths(name: str) -> tuple[Path, Path]:
    return FOLDER / f"{name}.pt2", FOLDER / f"{name}.onnx"


def export(module: torch.nn.Module, args: tuple[torch.Tensor, ...], pt2: Path, onnx: Path) -> None:
    """Writes both files of a module in eval mode."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.export.save(torch.export.export(module, args), pt2)
        exporter: Any = torch.onnx.export
        exporter(module, args, onnx, dynamo=True, verbose=False, external_data=True)


def make(name: str) -> tuple[Path, Path]:
    """Returns the files of a model, made if they are not there."""
    pt2, onnx = paths(name)
    if pt2.exists() and onnx.exists():
        return pt2, onnx
    FOLDER.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    module, args = MAKERS[name]()
    export(module.eval(), args, pt2, onnx)
    return pt2, onnx


if __name__ == "__main__":
    for model_name in sys.argv[1:] or MAKERS:
        print(*make(model_name))
