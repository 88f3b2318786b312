"""The architectures that are named as those to work first."""

from __future__ import annotations

from typing import Any

import torch
from models import Built, Outputs, image_model, lively, model, token_model, tokens
from torch import nn
from vision_ops import torchvision

TEXT: dict[str, Any] = {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
SMALL: dict[str, Any] = TEXT | {"intermediate_size": 37, "max_position_embeddings": 64}


@model("named")
def resnet50() -> Built:
    return image_model(torchvision().models.resnet50(num_classes=10, width_per_group=16))


@model("named")
def mobilenet_v3() -> Built:
    return image_model(torchvision().models.mobilenet_v3_small(num_classes=10, width_mult=0.5))


@model("named")
def efficientnet_b0() -> Built:
    return image_model(torchvision().models.efficientnet_b0(num_classes=10))


@model("named")
def convnext() -> Built:
    blocks = torchvision().models.convnext
    setting = [blocks.CNBlockConfig(8, 16, 1), blocks.CNBlockConfig(16, 32, 1), blocks.CNBlockConfig(32, None, 2)]
    return image_model(blocks.ConvNeXt(setting, num_classes=10))


@model("named")
def convnext_of_timm() -> Built:
    torchvision()
    from timm.models.convnext import ConvNeXt

    return image_model(ConvNeXt(num_classes=10, depths=(1, 1, 2, 1), dims=(8, 16, 24, 32)))


@model("named")
def vit() -> Built:
    """ViT-B/16's shape: 12 layers of patches of 16 pixels, at a small width."""
    vision = torchvision().models.VisionTransformer
    return image_model(vision(64, 16, num_layers=12, num_heads=4, hidden_dim=32, mlp_dim=64, num_classes=10))


@model("named")
def swin_t() -> Built:
    swin = torchvision().models.SwinTransformer
    return image_model(swin([4, 4], 16, [2, 2, 2], [2, 4, 4], [4, 4], num_classes=10))


@model("named")
def bert() -> Built:
    torchvision()
    from transformers import BertConfig, BertModel

    inner = lively(BertModel(BertConfig(**SMALL)))
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    module = Outputs(inner, inputs, ["last_hidden_state", "pooler_output"]).eval()

    def example(batch: int, length: int) -> tuple[torch.Tensor, ...]:
        mask = torch.ones(batch, length, dtype=torch.int64)
        mask[-1, length - 1 :] = 0
        return tokens(batch, length), mask, tokens(batch, length, 2)

    batch, length = torch.export.Dim("batch", min=1, max=8), torch.export.Dim("length", min=2, max=64)
    shapes = ({0: batch, 1: length},) * 3
    return Built(module, example(2, 8), {}, shapes, [example(1, 5), example(3, 12)])


@model("named")
def distilbert() -> Built:
    torchvision()
    from transformers import DistilBertConfig, DistilBertModel

    config = DistilBertConfig(vocab_size=99, dim=32, n_layers=2, n_heads=4, hidden_dim=37, max_position_embeddings=64)
    return token_model(DistilBertModel(config))


@model("named")
def gpt2() -> Built:
    torchvision()
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=99, n_embd=32, n_layer=2, n_head=4, n_positions=64)
    return token_model(GPT2LMHeadModel(config), "logits", use_cache=False)


@model("named")
def llama() -> Built:
    torchvision()
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(**SMALL, num_key_value_heads=2)
    return token_model(LlamaForCausalLM(config), "logits", use_cache=False)


@model("named")
def whisper_encoder() -> Built:
    torchvision()
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    config = WhisperConfig(d_model=32, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=64, num_mel_bins=16)
    config.max_source_positions = 30
    module = Outputs(lively(WhisperEncoder(config)), ["input_features"], ["last_hidden_state"]).eval()
    return Built(
        module,
        (torch.randn(2, 16, 60),),
        {},
        ({0: torch.export.Dim("batch", min=1, max=8)},),
        [(torch.randn(1, 16, 60),), (torch.randn(3, 16, 60),)],
    )


class Recurrent(nn.Module):
    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer, self.head = layer, nn.Linear(24, 5)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, Any]:
        y, state = self.layer(x)
        return self.head(y), state


def recurrent(layer: nn.Module) -> Built:
    shapes = ({0: torch.export.Dim("batch", min=1, max=8)},)
    others = [(torch.randn(1, 7, 10),), (torch.randn(4, 7, 10),)]
    return Built(Recurrent(layer).eval(), (torch.randn(3, 7, 10),), {}, shapes, others)


@model("named")
def lstm() -> Built:
    return recurrent(nn.LSTM(10, 12, num_layers=2, bidirectional=True, batch_first=True))


@model("named")
def gru() -> Built:
    return recurrent(nn.GRU(10, 12, num_layers=2, bidirectional=True, batch_first=True))


class DoubleConv(nn.Sequential):
    def __init__(self, inputs: int, outputs: int) -> None:
        layers: list[nn.Module] = []
        for a, b in ((inputs, outputs), (outputs, outputs)):
            layers += [nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True)]
        super().__init__(*layers)


class UNet(nn.Module):
    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.stem = DoubleConv(3, width)
        self.down1, self.down2 = DoubleConv(width, 2 * width), DoubleConv(2 * width, 4 * width)
        self.up1 = nn.ConvTranspose2d(4 * width, 2 * width, 2, stride=2)
        self.join1 = DoubleConv(4 * width, 2 * width)
        self.up2 = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.join2 = DoubleConv(3 * width, width)
        self.head = nn.Conv2d(width, 2, 1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.stem(x)
        b = self.down1(self.pool(a))
        c = self.down2(self.pool(b))
        d = self.join1(torch.cat([self.up1(c), b], 1))
        return self.head(self.join2(torch.cat([self.up2(d), a], 1)))


@model("named")
def unet() -> Built:
    return image_model(UNet(), 32)
