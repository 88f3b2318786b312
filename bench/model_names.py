"""The names of the models of `make bench` and its relatives; nothing is imported for them."""

from __future__ import annotations

from pathlib import Path

MODELS = [
    *("resnet50", "mobilenet_v3", "efficientnet_b0", "convnext_t", "convnext_t_timm", "vit_b16", "swin_t"),
    *("bert", "distilbert", "gpt2", "llama", "whisper_tiny", "lstm", "gru", "unet"),
]
SMALL = ["mlp_1", "mlp_64", "softmax_1mib", "layer_norm_1mib"]  # compared where they are named
SYMBOLIC = ["resnet50", "mobilenet_v3", "yolo", "crnn", "bert", "vit_b16", "whisper_tiny", "unet"]
_LIST = Path(__file__).resolve().parent.parent / "tools" / "requirements-trained.txt"
PACKAGES = [line.partition("==")[0] for line in _LIST.read_text().splitlines() if "==" in line]  # with trained models

WAYS = ("u8s8", "s8s8", "pt2e")  # in which each of these is quantised; quantised_models.py says what they are
BASES = ["resnet50", "mobilenet_v2", "mobilenet_v3", "efficientnet_b0", "regnet_y", "vit_b16", "bert"]
SMALL_BASES = [
    *("resnet18_64", "mobilenet_v2_64", "mobilenet_v3_64", "efficientnet_b0_64", "regnet_y_64"),
    *("vit_small", "bert_small"),
]


def quantised(bases: list[str]) -> list[str]:
    """Returns the names of the quantised forms; models of text are quantised dynamically as well."""
    dynamic = [f"{base}_dynamic" for base in bases if base.startswith("bert")]
    return [*(f"{base}_{way}" for base in bases for way in WAYS), *dynamic]


QUANTISED = quantised(BASES)
SMALL_QUANTISED = quantised(SMALL_BASES)  # the reference evaluator takes less than a minute for each


def float_base(name: str) -> str | None:
    """Returns the float model of a quantised one; None for others."""
    return name.rpartition("_")[0] if name in QUANTISED or name in SMALL_QUANTISED else None
