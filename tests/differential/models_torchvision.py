"""Architectures of torchvision at small sizes."""

from __future__ import annotations

from typing import Any

import torch
from models import Built, add, image_model, lively, model
from torch import nn
from vision_ops import torchvision

NAMES: dict[str, tuple[int, dict[str, Any]]] = {
    "alexnet": (96, {}),
    "vgg11_bn": (32, {}),
    "squeezenet1_1": (64, {}),
    "googlenet": (64, {"aux_logits": False, "init_weights": False}),
    "inception_v3": (96, {"aux_logits": False, "init_weights": False}),
    "resnet18": (64, {}),
    "mobilenet_v2": (64, {"width_mult": 0.35}),
    "mobilenet_v3_large": (64, {"width_mult": 0.35}),
    "mnasnet0_5": (64, {}),
    "shufflenet_v2_x0_5": (64, {}),
    "regnet_y_400mf": (64, {}),
    "efficientnet_v2_s": (64, {}),
    "maxvit_t": (224, {}),
    "swin_v2_t": (64, {}),
}


def build(name: str, size: int, options: dict[str, Any]) -> Built:
    return image_model(getattr(torchvision().models, name)(num_classes=10, **options), size)


for _name, (_size, _options) in NAMES.items():
    add(
        "torchvision",
        f"tv_{_name}",
        lambda name=_name, size=_size, options=_options: build(name, size, options),
    )


def bottlenecks(**options: Any) -> Built:
    blocks = torchvision().models.resnet
    return image_model(blocks.ResNet(blocks.Bottleneck, [1, 1, 1, 1], num_classes=10, **options))


@model("torchvision")
def tv_resnext50_32x4d() -> Built:
    return bottlenecks(groups=32, width_per_group=1)


@model("torchvision")
def tv_wide_resnet50_2() -> Built:
    return bottlenecks(width_per_group=16)


class Output(nn.Module):
    """Returns one field of the dictionary that a model of segmentation gives."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x)["out"]


def segmentation(name: str) -> Built:
    package = torchvision().models.segmentation
    return image_model(Output(getattr(package, name)(weights=None, weights_backbone=None, num_classes=4)))


@model("torchvision")
def tv_lraspp_mobilenet_v3_large() -> Built:
    return segmentation("lraspp_mobilenet_v3_large")


@model("torchvision")
def tv_deeplabv3_mobilenet_v3_large() -> Built:
    return segmentation("deeplabv3_mobilenet_v3_large")


def video(name: str) -> Built:
    module = lively(getattr(torchvision().models.video, name)(num_classes=10)).eval()
    shapes = ({0: torch.export.Dim("batch", min=1, max=4)},)
    return Built(module, (torch.randn(2, 3, 4, 32, 32),), {}, shapes, [(torch.randn(1, 3, 4, 32, 32),)])


@model("torchvision")
def tv_r3d_18() -> Built:
    return video("r3d_18")


@model("torchvision")
def tv_mc3_18() -> Built:
    return video("mc3_18")


@model("torchvision")
def tv_r2plus1d_18() -> Built:
    return video("r2plus1d_18")


class Detector(nn.Module):
    """A detector of one image, with a tuple of boxes, scores and labels."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = self.inner([image])[0]
        return found["boxes"], found["scores"], found["labels"]


def detector(name: str, **options: Any) -> Built:
    package = torchvision().models.detection
    inner = lively(getattr(package, name)(weights=None, weights_backbone=None, num_classes=5, **options))
    return Built(Detector(inner).eval(), (torch.rand(3, 64, 64),))


@model("torchvision")
def tv_ssdlite320_mobilenet_v3_large() -> Built:
    """In float64, and with the statistics of its own values: else many boxes have the same score, and their order is
    that of rounding errors."""
    built = detector("ssdlite320_mobilenet_v3_large")
    inner = built.module.inner.train()
    norms = [part for part in inner.modules() if isinstance(part, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None  # the mean of all batches
        norm.reset_running_stats()
    with torch.no_grad():
        inner.head(list(inner.backbone(torch.randn(2, 3, 320, 320)).values()))
    return Built(built.module.eval().double(), tuple(image.double() for image in built.args))


@model("torchvision")
def tv_fasterrcnn_mobilenet_v3_large_320_fpn() -> Built:
    return detector("fasterrcnn_mobilenet_v3_large_320_fpn", min_size=64, max_size=64)


@model("torchvision")
def tv_retinanet_resnet50_fpn() -> Built:
    return detector("retinanet_resnet50_fpn", min_size=64, max_size=64)


@model("torchvision")
def tv_fcos_resnet50_fpn() -> Built:
    return detector("fcos_resnet50_fpn", min_size=64, max_size=64)
