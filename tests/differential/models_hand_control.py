"""Programs with control flow, sizes that depend on data, state, detection heads and quantised graphs."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from models import Built, lively, model
from models_hand import BATCH, Function, batched
from torch import nn
from vision_ops import torchvision


@model("hand")
def cond() -> Built:
    def run(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda y: y.sin() + 1, lambda y: y * 2, (x,))

    return Built(Function(run), (torch.randn(3, 4),), {}, (BATCH,), [(torch.ones(2, 4),), (-torch.ones(4, 4),)])


@model("hand")
def while_loop() -> Built:
    from torch._higher_order_ops.while_loop import while_loop as loop

    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        def more(i: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return (i < 5) & (y.abs().sum() < 100)

        def step(i: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return i + 1, y * 1.5 + 0.1

        return loop(more, step, (torch.zeros((), dtype=torch.int64), x))

    return Built(Function(run), (torch.randn(3, 4),), {}, None, [(torch.randn(3, 4) * 20,)])


@model("hand")
def scan() -> Built:
    from torch._higher_order_ops.scan import scan as scan_op

    def run(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        def step(carry: torch.Tensor, row: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            following = carry * 0.5 + row
            return following, following.tanh()

        return scan_op(step, torch.zeros(4), x, dim=0)

    return Built(Function(run), (torch.randn(6, 4),))


@model("hand")
def map_rows() -> Built:
    from torch._higher_order_ops.map import map as map_op

    def run(x: torch.Tensor) -> torch.Tensor:
        return map_op(lambda row, *_: row.softmax(-1) * 2, x)

    return Built(Function(run), (torch.randn(3, 4),))


@model("hand")
def data_dependent() -> Built:
    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        positive = x[x > 0]
        return positive * 2, torch.nonzero(x > 0.5), torch.unique((x * 2).int(), sorted=True)

    return Built(Function(run), (torch.randn(4, 5),))


@model("hand")
def item_as_size() -> Built:
    def run(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        size = int(n.item())
        torch._check(size >= 1)
        torch._check(size <= 6)
        return x[:, :1] + torch.ones(size)

    others = [(torch.randn(2, 3), torch.tensor(6))]
    return Built(Function(run), (torch.randn(2, 3), torch.tensor(4)), {}, None, others)


@model("hand")
def buffer_mutation() -> Built:
    class Counter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.steps: torch.Tensor
            self.mean: torch.Tensor
            self.register_buffer("steps", torch.zeros(()))
            self.register_buffer("mean", torch.zeros(4))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.steps.add_(1)
            self.mean.mul_(0.9).add_(0.1 * x.mean(0))
            return (x - self.mean) / self.steps

    return Built(Counter().eval(), (torch.randn(3, 4),), training=True)


@model("hand")
def kv_cache() -> Built:
    class Cache(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.qkv = nn.Linear(8, 24)

        def forward(self, x: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, at: torch.Tensor) -> object:
            q, k, v = self.qkv(x).chunk(3, -1)
            keys, values = keys.index_copy(1, at, k), values.index_copy(1, at, v)
            mask = torch.arange(keys.shape[1])[None, :] <= at[:, None]
            return F.scaled_dot_product_attention(q, keys, values, attn_mask=mask), keys, values

    args = (torch.randn(2, 1, 8), torch.randn(2, 6, 8), torch.randn(2, 6, 8), torch.tensor([3]))
    return Built(Cache().eval(), args)


@model("hand")
def tv_nms() -> Built:
    ops = torchvision().ops

    def run(corners: torch.Tensor, sizes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        return ops.nms(torch.cat([corners, corners + sizes], -1), scores, 0.3)

    return Built(Function(run), (torch.rand(12, 2), torch.rand(12, 2), torch.rand(12)))


@model("hand")
def detection_post() -> Built:
    def run(logits: torch.Tensor, deltas: torch.Tensor, anchors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        scores, classes = logits.softmax(-1)[..., 1:].max(-1)
        centre, size = anchors[:, :2] + deltas[..., :2] * anchors[:, 2:], anchors[:, 2:] * deltas[..., 2:].exp()
        boxes = torch.cat([centre - size / 2, centre + size / 2], -1).clamp(0, 1)
        best, order = scores.topk(4)
        return boxes.gather(1, order[..., None].expand(-1, -1, 4)), best, classes.gather(1, order)

    return Built(Function(run, torch.rand(10, 4)), (torch.randn(2, 10, 5), torch.randn(2, 10, 4)))


@model("hand")
def yolo_head() -> Built:
    class Head(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(6, 2 * 9, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            n, _, h, w = x.shape
            y = self.conv(x).view(n, 2, 9, h, w).permute(0, 1, 3, 4, 2).sigmoid()
            rows, columns = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
            xy = (y[..., :2] * 2 - 0.5 + torch.stack([columns, rows], -1)) * 8
            wh = (y[..., 2:4] * 2) ** 2 * torch.tensor([10.0, 13.0])
            return torch.cat([xy, wh, y[..., 4:]], -1).reshape(n, -1, 9)

    return batched(Head(), 6, 4, 5)


@model("hand")
def deform_conv() -> Built:
    ops = torchvision().ops

    class Deform(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.offset, self.conv = nn.Conv2d(3, 18, 3, padding=1), ops.DeformConv2d(3, 4, 3, padding=1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.conv(x, self.offset(x))

    return batched(Deform(), 3, 6, 6)


@model("hand")
def pt2e_int8() -> Built:
    """The graph that quantisation of exported programs gives: weights in int8, activations quantised on the way."""

    class Quantised(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("weight", torch.randint(-127, 127, (8, 16)).to(torch.int8))
            self.register_buffer("scale", torch.rand(8) * 0.02 + 0.001)
            self.register_buffer("zeros", torch.zeros(8, dtype=torch.int64))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            ops = torch.ops.quantized_decomposed
            q = ops.quantize_per_tensor.default(x, 0.05, 3, -128, 127, torch.int8)
            y = ops.dequantize_per_tensor.default(q, 0.05, 3, -128, 127, torch.int8)
            w = ops.dequantize_per_channel.default(self.weight, self.scale, self.zeros, 0, -127, 127, torch.int8)
            return F.linear(y, w)

    import torch.ao.quantization.fx._decomposed

    return Built(Quantised().eval(), (torch.randn(3, 16),))


@model("hand")
def early_exit() -> Built:
    class Exits(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(6, 6), nn.Linear(6, 6)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = self.first(x)
            return torch.cond(y.abs().max() > 2, lambda z: z.relu(), lambda z: self.second(z).relu(), (y,))

    return Built(lively(Exits()).eval(), (torch.randn(2, 6),), {}, None, [(torch.randn(2, 6) * 9,)])
