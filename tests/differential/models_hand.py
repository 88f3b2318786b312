"""Small networks written by hand: plain, recurrent, convolutional, attention, quantised, half types."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from models import Built, lively, model
from torch import nn

BATCH = {0: torch.export.Dim("batch", min=1, max=8)}


def batched(module: nn.Module, *shape: int, count: int = 1, dynamic: bool = True) -> Built:
    """A model of `count` inputs of normal values with a batch in front."""

    def example(batch: int) -> tuple[torch.Tensor, ...]:
        return tuple(torch.randn(batch, *shape) for _ in range(count))

    others = [example(1), example(3)] if dynamic else []
    return Built(lively(module).eval(), example(2), {}, (BATCH,) * count if dynamic else None, others)


class Function(nn.Module):
    """A module of a function of the module's parameters and the inputs."""

    def __init__(self, fn: Any, *parameters: torch.Tensor) -> None:
        super().__init__()
        self.fn = fn
        self.parameters_ = nn.ParameterList([nn.Parameter(p) for p in parameters])

    def forward(self, *args: torch.Tensor) -> Any:
        return self.fn(*args, *self.parameters_)


@model("hand")
def mlp() -> Built:
    layers = [nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.Tanh(), nn.Dropout(), nn.Linear(32, 5)]
    return batched(nn.Sequential(*layers, nn.Softmax(-1)), 16)


@model("hand")
def tied_weights() -> Built:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.head = nn.Embedding(20, 8), nn.Linear(8, 20, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return self.head(torch.tanh(self.embed(ids)))

    return Built(Tied().eval(), (torch.randint(0, 20, (2, 6)),), {}, (BATCH,), [(torch.randint(0, 20, (3, 6)),)])


class Layer(nn.Module):
    """A recurrent layer with the states that it is given."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor, h: torch.Tensor | None = None, c: torch.Tensor | None = None) -> Any:
        return self.layer(x, h if c is None else (h, c))


@model("hand")
def rnn_tanh() -> Built:
    return batched(Layer(nn.RNN(6, 8, num_layers=2, batch_first=True)), 5, 6)


@model("hand")
def rnn_relu_reverse() -> Built:
    return batched(Layer(nn.RNN(6, 8, nonlinearity="relu", bidirectional=True, batch_first=True)), 5, 6)


@model("hand")
def lstm_projected() -> Built:
    return batched(Layer(nn.LSTM(6, 8, proj_size=4, batch_first=True)), 5, 6)


@model("hand")
def lstm_given_state() -> Built:
    args = (torch.randn(5, 2, 6), torch.randn(1, 2, 8), torch.randn(1, 2, 8))
    return Built(Layer(nn.LSTM(6, 8)).eval(), args)


@model("hand")
def gru_no_bias() -> Built:
    return batched(Layer(nn.GRU(6, 8, bias=False, batch_first=True)), 5, 6)


@model("hand")
def cells_in_a_loop() -> Built:
    class Cells(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lstm, self.gru = nn.LSTMCell(6, 8), nn.GRUCell(8, 8)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            h = c = g = x.new_zeros(x.shape[0], 8)
            for i in range(x.shape[1]):
                h, c = self.lstm(x[:, i], (h, c))
                g = self.gru(h, g)
            return g

    return batched(Cells(), 4, 6)


@model("hand")
def char_cnn_embedding_bag() -> Built:
    class Chars(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.conv = nn.Embedding(30, 8, padding_idx=0), nn.Conv1d(8, 12, 3, padding=1)
            self.bag = nn.EmbeddingBag(30, 12, mode="mean")

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            y = torch.relu(self.conv(self.embed(ids).transpose(1, 2))).amax(-1)
            return torch.cat([y, self.bag(ids)], -1)

    return Built(Chars().eval(), (torch.randint(0, 30, (2, 9)),), {}, (BATCH,), [(torch.randint(0, 30, (3, 9)),)])


@model("hand")
def convs() -> Built:
    class Convs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.grouped = nn.Conv2d(4, 8, 3, stride=2, padding=(1, 2), groups=2)
            self.dilated = nn.Conv2d(8, 8, 3, dilation=2, padding="same", groups=8)
            self.mirrored = nn.Conv2d(8, 6, 3, padding=1, padding_mode="reflect")
            self.up = nn.ConvTranspose2d(6, 4, 3, stride=2, output_padding=1, padding=1)
            self.line, self.solid = nn.Conv1d(4, 4, 5, padding=2), nn.Conv3d(1, 2, 3, padding=1)
            self.up1 = nn.ConvTranspose1d(4, 2, 4, stride=2, groups=2, dilation=2)

        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
            y = self.up(self.mirrored(self.dilated(self.grouped(x))))
            return y, self.up1(self.line(x.mean(-1))), self.solid(x.unsqueeze(1))

    return batched(Convs(), 4, 12, 12)


@model("hand")
def conv_dynamic_hw() -> Built:
    layers = [nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU6(), nn.Conv2d(8, 4, 3)]
    module = lively(nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())).eval()
    shapes = (BATCH | {2: torch.export.Dim("h", min=8, max=64), 3: torch.export.Dim("w", min=8, max=64)},)
    others = [(torch.randn(1, 3, 11, 8),), (torch.randn(3, 3, 20, 33),)]
    return Built(module, (torch.randn(2, 3, 16, 18),), {}, shapes, others)


@model("hand")
def pools() -> Built:
    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values, places = F.max_pool2d(x, 3, 2, 1, return_indices=True)
        return (
            values,
            places,
            F.max_pool2d(x, 2, ceil_mode=True, dilation=2),
            F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
            F.adaptive_avg_pool2d(x, (3, 5)),
            F.adaptive_max_pool2d(x, 4),
            F.lp_pool2d(x, 2, 2),
            F.max_pool1d(x[:, :, 0], 3),
            F.avg_pool3d(x.unsqueeze(1), 2),
            F.max_unpool2d(*F.max_pool2d(x[..., :8, :8], 2, return_indices=True), (2, 2)),
        )

    return batched(Function(run), 3, 11, 13)


@model("hand")
def norms() -> Built:
    class Norms(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.group, self.instance = nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True)
            self.layer, self.batch = nn.LayerNorm([6, 6]), nn.BatchNorm2d(4, affine=False)
            self.rms, self.local = nn.RMSNorm(6), nn.LocalResponseNorm(3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.normalize(self.local(self.rms(self.batch(self.layer(self.instance(self.group(x)))))), dim=1)

    return batched(Norms(), 4, 6, 6)


@model("hand")
def batch_norm_in_training() -> Built:
    module = lively(nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)))
    reason = "the exporter writes the statistics of evaluation mode"
    return Built(module.train(), (torch.randn(4, 3, 8, 8),), training=True, not_in={"onnx": reason})


@model("hand")
def sdpa() -> Built:
    def run(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
        mask = torch.ones(5, 5, dtype=torch.bool).tril(1)
        return (
            F.scaled_dot_product_attention(q, k, v),
            F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3),
            F.scaled_dot_product_attention(q, k, v, attn_mask=mask),
            F.scaled_dot_product_attention(q, k[:, :2], v[:, :2], enable_gqa=True),
        )

    return batched(Function(run), 4, 5, 8, count=3)


@model("hand")
def nn_transformer() -> Built:
    options: dict[str, Any] = {"dim_feedforward": 32, "batch_first": True}
    inner = nn.Transformer(16, 2, num_encoder_layers=2, num_decoder_layers=1, **options)
    module = lively(inner).eval()
    return Built(module, (torch.randn(2, 6, 16), torch.randn(2, 5, 16)))


@model("hand")
def multihead_attention() -> Built:
    class Attend(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attend = nn.MultiheadAttention(16, 4, batch_first=True)

        def forward(self, x: torch.Tensor) -> Any:
            return self.attend(x, x, x, average_attn_weights=False)

    return batched(Attend(), 6, 16)


@model("hand")
def moe_topk() -> Built:
    class Experts(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gate = nn.Linear(8, 4)
            self.experts = nn.ModuleList([nn.Linear(8, 8) for _ in range(4)])

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            weights, chosen = torch.topk(torch.softmax(self.gate(x), -1), 2)
            dense = torch.zeros_like(self.gate(x)).scatter(-1, chosen, weights)
            return sum(dense[:, i : i + 1] * expert(x) for i, expert in enumerate(self.experts))

    return batched(Experts(), 8)


@model("hand")
def diffusion_unet() -> Built:
    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm, self.conv, self.time = nn.GroupNorm(4, 8), nn.Conv2d(8, 8, 3, padding=1), nn.Linear(16, 8)
            self.attend = nn.MultiheadAttention(8, 2, batch_first=True)
            self.stem, self.down = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, stride=2, padding=1)
            self.head = nn.Conv2d(16, 3, 3, padding=1)

        def forward(self, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
            angles = t[:, None] * torch.exp(torch.arange(8) * -0.5)
            time = self.time(F.silu(torch.cat([angles.sin(), angles.cos()], -1)))
            a = self.stem(x)
            b = F.silu(self.norm(self.down(a))) + time[:, :, None, None]
            flat = b.flatten(2).transpose(1, 2)
            b = b + self.attend(flat, flat, flat, need_weights=False)[0].transpose(1, 2).reshape(b.shape)
            return self.head(torch.cat([a, F.interpolate(self.conv(b), scale_factor=2.0, mode="nearest")], 1))

    def example(batch: int) -> tuple[torch.Tensor, ...]:
        return torch.randn(batch, 3, 8, 8), torch.rand(batch) * 50

    return Built(lively(Block()).eval(), example(2), {}, (BATCH, BATCH), [example(3)])


@model("hand")
def gan_generator() -> Built:
    layers: list[nn.Module] = [nn.ConvTranspose2d(8, 8, 4), nn.BatchNorm2d(8), nn.LeakyReLU(0.2)]
    layers += [nn.ConvTranspose2d(8, 4, 4, 2, 1), nn.PReLU(4), nn.PixelShuffle(2), nn.Tanh()]
    return batched(nn.Sequential(*layers), 8, 1, 1)


@model("hand")
def fp16_conv() -> Built:
    module = lively(nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 4, 3))).eval().half()
    return Built(module, (torch.randn(2, 3, 10, 10).half(),))


@model("hand")
def bf16_mlp() -> Built:
    layers = [nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 5)]
    return Built(lively(nn.Sequential(*layers)).eval().bfloat16(), (torch.randn(3, 16).bfloat16(),))


@model("hand")
def int8_weight_only() -> Built:
    def run(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return F.linear(x, weight.to(x.dtype) * scale[:, None])

    weight = torch.randint(-127, 127, (8, 16)).to(torch.int8)
    return batched(Function(run, torch.rand(8) * 0.02), 16)


@model("hand")
def vq_codebook() -> Built:
    def run(x: torch.Tensor, book: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        nearest = torch.cdist(x, book).argmin(-1)
        return F.embedding(nearest, book), nearest

    return batched(Function(run, torch.randn(12, 6)), 6)


@model("hand")
def nested_io() -> Built:
    class Nested(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 4)

        def forward(self, pair: tuple[torch.Tensor, torch.Tensor], *, named: dict[str, torch.Tensor]) -> dict[str, Any]:
            a, b = pair
            return {"sum": self.linear(a) + named["c"], "rest": [b * 2, (named["d"] - b, a)]}

    def draw() -> torch.Tensor:
        return torch.randn(2, 4)

    return Built(Nested().eval(), ((draw(), draw()),), {"named": {"c": draw(), "d": draw()}})
