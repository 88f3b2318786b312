"""Networks of `make bench-symbolic` that the libraries of models do not have with symbols for all sizes."""

from __future__ import annotations

import torch
from torch import nn


class Conv(nn.Module):  # type: ignore[misc]
    """A convolution, batch norm and SiLU."""

    def __init__(self, inputs: int, outputs: int, kernel: int = 1, stride: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.silu(self.norm(self.conv(x)))


class Split(nn.Module):  # type: ignore[misc]
    """Half of the channels pass through pairs of convolutions; the output of each pair is concatenated."""

    def __init__(self, inputs: int, outputs: int, pairs: int, residual: bool) -> None:
        super().__init__()
        half = outputs // 2
        self.first, self.last = Conv(inputs, outputs), Conv((2 + pairs) * half, outputs)
        self.pairs = nn.ModuleList(nn.Sequential(Conv(half, half, 3), Conv(half, half, 3)) for _ in range(pairs))
        self.residual = residual

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = list(self.first(x).chunk(2, 1))
        for pair in self.pairs:
            y = pair(parts[-1])
            parts.append(parts[-1] + y if self.residual else y)
        out: torch.Tensor = self.last(torch.cat(parts, 1))
        return out


class Pyramid(nn.Module):  # type: ignore[misc]
    """Max pools over 5, 9 and 13 pixels, concatenated."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first, self.last = Conv(channels, channels // 2), Conv(2 * channels, channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = [self.first(x)]
        for _ in range(3):
            parts.append(nn.functional.max_pool2d(parts[-1], 5, 1, 2))
        out: torch.Tensor = self.last(torch.cat(parts, 1))
        return out


class Detector(nn.Module):  # type: ignore[misc]
    """The shape of a small YOLO detector: a backbone, features joined upwards and downwards, and for each cell of three
    grids a box and scores. The sides of a box are expectations over 16 bins."""

    BINS = 16

    def __init__(self, width: int = 16, classes: int = 80) -> None:
        super().__init__()
        a, b, c, d, e = (width << i for i in range(5))
        self.stem = nn.Sequential(Conv(3, a, 3, 2), Conv(a, b, 3, 2), Split(b, b, 1, True))
        self.fine = nn.Sequential(Conv(b, c, 3, 2), Split(c, c, 2, True))
        self.middle = nn.Sequential(Conv(c, d, 3, 2), Split(d, d, 2, True))
        self.coarse = nn.Sequential(Conv(d, e, 3, 2), Split(e, e, 1, True), Pyramid(e))
        self.up = nn.ModuleList([Split(e + d, d, 1, False), Split(d + c, c, 1, False)])
        self.halve = nn.ModuleList([Conv(c, c, 3, 2), Conv(d, d, 3, 2)])
        self.down = nn.ModuleList([Split(c + d, d, 1, False), Split(d + e, e, 1, False)])
        self.boxes = nn.ModuleList(self._head(n, 64, 4 * self.BINS) for n in (c, d, e))
        self.scores = nn.ModuleList(self._head(n, classes, classes) for n in (c, d, e))
        self.register_buffer("bins", torch.arange(self.BINS, dtype=torch.float32))

    @staticmethod
    def _head(inputs: int, between: int, outputs: int) -> nn.Module:
        return nn.Sequential(Conv(inputs, between, 3), Conv(between, between, 3), nn.Conv2d(between, outputs, 1))

    def _cells(self, features: torch.Tensor, level: int) -> torch.Tensor:
        """Returns the boxes and scores of a grid as (batch, 4 + classes, cells), in pixels of the image."""
        stride = 8 << level
        height, width = features.shape[2:]
        sides = self.boxes[level](features).flatten(2).unflatten(1, (4, self.BINS)).softmax(2)
        near, far = torch.einsum("nsbc,b->nsc", sides, self.bins).chunk(2, 1)
        x = (torch.arange(width) + 0.5).expand(height, width)
        y = (torch.arange(height) + 0.5).unsqueeze(1).expand(height, width)
        centre = torch.stack([x, y]).flatten(1)
        box = torch.cat([centre + (far - near) / 2, near + far], 1) * stride
        return torch.cat([box, self.scores[level](features).flatten(2).sigmoid()], 1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        def doubled(x: torch.Tensor) -> torch.Tensor:
            return nn.functional.interpolate(x, scale_factor=2.0, mode="nearest")

        fine = self.fine(self.stem(image))
        middle = self.middle(fine)
        coarse = self.coarse(middle)
        middle = self.up[0](torch.cat([doubled(coarse), middle], 1))
        fine = self.up[1](torch.cat([doubled(middle), fine], 1))
        middle = self.down[0](torch.cat([self.halve[0](fine), middle], 1))
        coarse = self.down[1](torch.cat([self.halve[1](middle), coarse], 1))
        return torch.cat([self._cells(x, i) for i, x in enumerate((fine, middle, coarse))], 2)


class Recogniser(nn.Module):  # type: ignore[misc]
    """The shape of a text recogniser (CRNN): convolutions on a line of 32 rows of pixels, which leave a quarter of the
    columns, two bidirectional LSTMs over the columns, and classes of each column."""

    def __init__(self, classes: int = 97, states: int = 256) -> None:
        super().__init__()
        widths, pools = (64, 128, 256, 256, 512, 512), (2, 2, 0, (2, 1), 0, (2, 1))
        layers: list[nn.Module] = []
        for inputs, outputs, pool in zip((1, *widths), widths, pools, strict=False):
            layers += [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
            layers += [nn.MaxPool2d(pool)] if pool else []
        self.columns = nn.Sequential(*layers, nn.Conv2d(512, 512, (2, 1)), nn.ReLU())
        self.lstm = nn.LSTM(512, states, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(2 * states, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        columns = self.columns(x).squeeze(2).transpose(1, 2)
        out: torch.Tensor = self.head(self.lstm(columns)[0]).log_softmax(-1)
        return out


class AnyLength(nn.Module):  # type: ignore[misc]
    """A Whisper encoder for any number of frames: it adds the first positions of its table."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        encoder = self.encoder
        x = nn.functional.gelu(encoder.conv2(nn.functional.gelu(encoder.conv1(frames)))).transpose(1, 2)
        x = x + encoder.embed_positions.weight[: x.shape[1]]
        for layer in encoder.layers:
            x = layer(x, None)
            x = x[0] if isinstance(x, tuple) else x
        out: torch.Tensor = encoder.layer_norm(x)
        return out


class AnyImage(nn.Module):  # type: ignore[misc]
    """A vision transformer that interpolates its table of positions to the size of the image."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.inner(image, interpolate_pos_encoding=True, return_dict=False)[0]
        return out
