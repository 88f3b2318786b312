"""The registry of models: small widths, random seeded weights. The families stand in models_<family>.py."""

from __future__ import annotations

import functools
import importlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

FAMILIES = ("named", "hand", "hand_ops", "hand_control", "transformers", "torchvision", "timm")
FIXED = ("resnet50", "mobilenet_v3", "bert", "gpt2", "llama", "vit", "lstm", "unet")


@dataclass(frozen=True)
class Built:
    """A module in eval mode, what to export it with, and inputs of other sizes for dimensions that are dynamic.
    `not_in` says of forms that the exporter gets wrong what is wrong: ONNX Runtime must have given the same result."""

    module: nn.Module
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    dynamic_shapes: Any = None
    others: Sequence[tuple[Any, ...]] = ()
    tolerance: float = 1e-4
    training: bool = False
    not_in: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    name: str
    family: str
    builder: Callable[[], Built]

    @property
    def is_fixed(self) -> bool:
        return self.name in FIXED

    def build(self) -> Built:
        """Builds the model with weights and inputs that depend on its name only."""
        torch.manual_seed(zlib.crc32(self.name.encode()))
        return self.builder()


_ENTRIES: dict[str, Entry] = {}


def model(family: str, name: str = "") -> Callable[[Callable[[], Built]], Callable[[], Built]]:
    """Registers a builder under its own name or `name`."""

    def register(builder: Callable[[], Built]) -> Callable[[], Built]:
        add(family, name or builder.__name__, builder)
        return builder

    return register


def add(family: str, name: str, builder: Callable[[], Built]) -> None:
    assert name not in _ENTRIES, name
    _ENTRIES[name] = Entry(name, family, builder)


@functools.cache
def entries() -> dict[str, Entry]:
    for family in FAMILIES:
        importlib.import_module(f"models_{family}")
    return _ENTRIES


def lively(module: nn.Module) -> nn.Module:
    """Replaces parameters that are constant, and statistics of batch norms, by values that take part: a fresh model
    often has biases and scales of zero, and its result would hardly depend on its layers."""
    for parameter in module.parameters():
        values = parameter.data
        if values.is_floating_point() and values.numel() and bool((values == values.flatten()[0]).all()):
            is_scale = abs(float(values.flatten()[0]) - 1) < 1e-3
            values.copy_(torch.rand_like(values) + 0.5 if is_scale else torch.randn_like(values) * 0.1)
    for name, buffer in module.named_buffers():
        if name.endswith("running_mean"):
            buffer.copy_(torch.randn_like(buffer) * 0.1)
        elif name.endswith("running_var"):
            buffer.copy_(torch.rand_like(buffer) + 0.5)
    return module


def image_model(module: nn.Module, size: int = 64, channels: int = 3, batch_is_dynamic: bool = True) -> Built:
    """A model of one batch of square images."""
    shapes = ({0: torch.export.Dim("batch", min=1, max=8)},) if batch_is_dynamic else None
    others = [(torch.randn(n, channels, size, size),) for n in (1, 3)] if batch_is_dynamic else []
    return Built(lively(module).eval(), (torch.randn(2, channels, size, size),), {}, shapes, others)


class Outputs(nn.Module):
    """Calls a model of transformers without its cache, with inputs by position, and returns the named outputs."""

    def __init__(self, inner: nn.Module, inputs: Sequence[str], outputs: Sequence[str], **options: Any) -> None:
        super().__init__()
        self.inner, self._inputs, self._outputs, self._options = inner, list(inputs), list(outputs), options

    def forward(self, *args: torch.Tensor) -> tuple[torch.Tensor, ...]:
        named = dict(zip(self._inputs, args, strict=True))
        result = self.inner(**named, **self._options)
        return tuple(getattr(result, name) for name in self._outputs)


def tokens(batch: int, length: int, vocabulary: int = 99) -> torch.Tensor:
    return torch.randint(0, vocabulary, (batch, length))


def token_model(inner: nn.Module, output: str = "last_hidden_state", vocabulary: int = 99, **options: Any) -> Built:
    """A model of one batch of token ids, with a dynamic batch and length."""
    module = Outputs(lively(inner), ["input_ids"], [output], **options).eval()
    shapes = ({0: torch.export.Dim("batch", min=1, max=8), 1: torch.export.Dim("length", min=2, max=64)},)
    others = [(tokens(1, 5, vocabulary),), (tokens(3, 12, vocabulary),)]
    return Built(module, (tokens(2, 8, vocabulary),), {}, shapes, others)
