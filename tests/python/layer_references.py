"""What layers, transforms, random numbers and systems of equations mean, written in NumPy."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

ACTIVATIONS: dict[str, Any] = {
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "affine": lambda x: x,
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "thresholded_relu": lambda x: np.where(x > 1, x, 0),
    "scaled_tanh": np.tanh,
    "hard_sigmoid": lambda x: np.clip(0.2 * x + 0.5, 0, 1),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "softplus": lambda x: np.logaddexp(x, 0),
}  # fmt: skip


def _over_time(gates: Any, state: list[Any], lengths: Any, reverse: bool, step: Any) -> Any:
    """Each sequence from its first step to its last, or back; `step` maps gates and state to the next state."""
    steps, batch = gates.shape[:2]
    out = np.zeros((steps, batch, state[0].shape[1]), gates.dtype)
    last = [s.copy() for s in state]
    for b in range(batch):
        count = steps if lengths is None else int(lengths[b])
        now = [s[b].astype(np.float64) for s in state]
        for t in reversed(range(count)) if reverse else range(count):
            now = step(gates[t, b].astype(np.float64), now)
            out[t, b] = now[0]
        for kept, value in zip(last, now, strict=True):
            kept[b] = value
    return out, *last


def _activations(words: Any, clip: float) -> list[Any]:
    def limited(function: Any) -> Any:
        return lambda x: function(np.clip(x, -clip, clip) if clip > 0 else x)

    return [limited(ACTIVATIONS[str(w)]) for w in words]


def _given(values: Any) -> Any:
    """An optional tensor: an empty tuple holds the place of one that is left out."""
    return None if values is None or (isinstance(values, list) and not values) else values


def _rnn(gates: Any, weight: Any, hidden: Any, lengths: Any = None, *, activations: Any, clip: float, reverse: bool,
         **_: Any) -> Any:  # fmt: skip
    (f,) = _activations(activations, clip)
    return _over_time(gates, [hidden], lengths, reverse, lambda g, s: [f(g + weight @ s[0])])


def _gru(gates: Any, weight: Any, hidden: Any, reset_bias: Any = None, lengths: Any = None, *, activations: Any,
         clip: float, reverse: bool, resets_product: bool, **_: Any) -> Any:  # fmt: skip
    f, g = _activations(activations, clip)
    n = hidden.shape[1]
    given = _given(reset_bias)
    bias = np.zeros(n) if given is None else given

    def step(x: Any, state: list[Any]) -> list[Any]:
        h = state[0]
        reset, update = f(x[:n] + weight[:n] @ h), f(x[n : 2 * n] + weight[n : 2 * n] @ h)
        new = weight[2 * n :]
        part = reset * (new @ h + bias) if resets_product else new @ (reset * h) + bias
        return [(1 - update) * g(x[2 * n :] + part) + update * h]

    return _over_time(gates, [hidden], lengths, reverse, step)


def _lstm(gates: Any, weight: Any, hidden: Any, cell: Any, peepholes: Any = None, lengths: Any = None, *,
          activations: Any, clip: float, reverse: bool, couples_gates: bool, **_: Any) -> Any:  # fmt: skip
    f, g, _unused = _activations(activations, clip)
    show = ACTIVATIONS[str(activations[2])]
    n = hidden.shape[1]
    given = _given(peepholes)
    look = np.zeros(3 * n) if given is None else given

    def step(x: Any, state: list[Any]) -> list[Any]:
        i, forget, new, o = (x + weight @ state[0]).reshape(4, n)
        i = f(i + look[:n] * state[1])
        forget = 1 - i if couples_gates else f(forget + look[2 * n :] * state[1])
        c = forget * state[1] + i * g(new)
        return [f(o + look[n : 2 * n] * c) * show(c), c]

    return _over_time(gates, [hidden, cell], lengths, reverse, step)


def _linear_attention(query: Any, key: Any, value: Any, state: Any = None, decay: Any = None, beta: Any = None, *,
                      update_rule: str, scale: float | None) -> Any:  # fmt: skip
    (batch, steps, heads), (groups, rows, columns) = query.shape[:3], (*key.shape[2:], value.shape[3])
    given = _given(state)
    now = np.zeros((batch, groups, rows, columns)) if given is None else given.astype(np.float64)
    out = np.zeros((batch, steps, heads, columns), query.dtype)
    for t in range(steps):
        if update_rule.startswith("gated"):
            now = now * np.exp(decay[:, t].astype(np.float64))[..., None]
        added = value[:, t].astype(np.float64)
        if update_rule.endswith("delta"):
            added = beta[:, t] * (added - np.einsum("bhkv,bhk->bhv", now, key[:, t]))
        now = now + np.einsum("bhk,bhv->bhkv", key[:, t], added)
        shared = np.repeat(now, heads // groups, axis=1)
        out[:, t] = np.einsum("bhkv,bhk->bhv", shared, query[:, t]) * (rows**-0.5 if scale is None else scale)
    return out, now.astype(query.dtype)


def _sliding_window(x: Any, axis: int, size: int, step: int) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis)
    return np.take(windows, range(0, windows.shape[axis % x.ndim], step), axis % x.ndim)


def _complex(x: Any) -> Any:
    return x[..., 0] + (1j * x[..., 1] if x.shape[-1] == 2 else 0)


def _pairs(x: Any, dtype: Any) -> Any:
    return np.stack([x.real, x.imag], -1).astype(dtype)


def _dft(x: Any, axis: int, length: int | None, inverse: bool, onesided: bool) -> Any:
    along = (axis + x.ndim) % x.ndim
    z = _complex(x.astype(np.float64))
    if not z.size:
        size = length or ((x.shape[along] - 1) * 2 if inverse and onesided else x.shape[along])
        shape = list(x.shape)
        shape[along], shape[-1] = (
            (size // 2 + 1 if onesided and not inverse else size),
            1 if inverse and onesided else 2,
        )
        return np.zeros(shape, x.dtype)
    if inverse and onesided:
        return np.fft.irfft(z, length, along)[..., None].astype(x.dtype)
    if onesided:
        return _pairs(np.fft.rfft(z.real, length, along), x.dtype)
    return _pairs((np.fft.ifft if inverse else np.fft.fft)(z, length, along), x.dtype)


def _stft(x: Any, window: Any, step: int, onesided: bool) -> Any:
    z, size = _complex(x.astype(np.float64)), len(window)
    frames = [z[:, i : i + size] * window for i in range(0, z.shape[1] - size + 1, step)]
    spectra = np.fft.fft(np.stack(frames, 1), axis=2)
    return _pairs(spectra[:, :, : size // 2 + 1] if onesided else spectra, x.dtype)


def _halves(x: Any) -> Any:
    return (x & np.uint64(0xFFFFFFFF)).astype(np.uint32), (x >> np.uint64(32)).astype(np.uint32)


def words_of(seed: Any, shape: list[int]) -> Any:
    """Threefry of two words: the key is the seed, the counter the place."""
    with np.errstate(over="ignore"):
        place = np.arange(math.prod(shape), dtype=np.uint64).reshape(shape)
        low, high = (
            (lambda v: (v & np.uint64(0xFFFFFFFF)).astype(np.uint32)),
            lambda v: (v >> np.uint64(32)).astype(np.uint32),
        )
        key = np.uint64(seed)
        keys = [low(key), high(key), low(key) ^ high(key) ^ np.uint32(0x1BD11BDA)]
        x, y = low(place) + keys[0], high(place) + keys[1]
        for turn, bits in enumerate(itertools.islice(itertools.cycle((13, 15, 26, 6, 17, 29, 16, 24)), 20)):
            x = x + y
            y = ((y << np.uint32(bits)) | (y >> np.uint32(32 - bits))) ^ x
            if turn % 4 == 3:
                again = turn // 4 + 1
                x, y = x + keys[again % 3], y + keys[(again + 1) % 3] + np.uint32(again)
    return x, y


def _uniform(seed: Any, shape: list[int], low: float, high: float, dtype: Any) -> Any:
    x, y = words_of(seed, shape)
    share = (
        x * 2.0**-32 + (y >> np.uint32(11)) * 2.0**-53 if str(dtype) == "float64" else (x >> np.uint32(8)) * 2.0**-24
    )
    return (low + share * (high - low)).astype(str(dtype))


def _normal(seed: Any, shape: list[int], mean: float, std: float, dtype: Any) -> Any:
    x, y = ((w.astype(str(dtype)) + more) * 2.0**-32 for w, more in zip(words_of(seed, shape), (0.5, 0), strict=True))
    return (mean + std * np.sqrt(-2 * np.log(x)) * np.cos(2 * np.pi * y)).astype(str(dtype))


def _integers(seed: Any, shape: list[int], low: int, high: int, dtype: Any) -> Any:
    x, y = (w.astype(np.int64) for w in words_of(seed, shape))
    return (low + ((x & 0x7FFFFFFF) << 32 | y) % (high - low)).astype(str(dtype))


def _triangular_solve(a: Any, b: Any, upper: bool, transposed: bool, unit_diagonal: bool) -> Any:
    t = np.triu(a) if upper else np.tril(a)
    if unit_diagonal:
        t = t - t * np.eye(a.shape[-1]) + np.eye(a.shape[-1])
    return np.linalg.solve(np.swapaxes(t, -1, -2) if transposed else t, b)


def _cholesky(a: Any) -> Any:
    """As the textbook has it: NumPy's refuses a matrix without such a factor, here it holds NaN."""
    out = np.zeros_like(a)
    for at in np.ndindex(a.shape[:-2]):
        for i in range(a.shape[-1]):
            for j in range(i + 1):
                rest = a[(*at, i, j)] - out[(*at, i)] @ out[(*at, j)]
                out[(*at, i, j)] = np.sqrt(rest) if i == j else rest / out[(*at, j, j)]
    return out


def _embedding_bag(weight: Any, indices: Any, offsets: Any, scale: Any = None, *, mode: str, padding_idx: int,
                   include_last_offset: bool) -> Any:  # fmt: skip
    bounds = list(offsets) if include_last_offset else [*offsets, len(indices)]
    out = np.zeros((len(bounds) - 1, weight.shape[1]), weight.dtype)
    for bag, (begin, end) in enumerate(itertools.pairwise(bounds)):
        places = [i for i in range(begin, end) if indices[i] != padding_idx]
        rows = np.array([weight[indices[i]] * (1 if scale is None else scale[i]) for i in places])
        if places:
            out[bag] = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode](rows, axis=0)
    return out


def _histogram(x: Any, bins: int, min: float, max: float) -> Any:
    return np.histogram(x[np.isfinite(x)], bins, (min, max))[0].astype(x.dtype)


def _col2im(x: Any, output_size: Any, kernel_size: Any, strides: Any, padding: Any, dilation: Any) -> Any:
    (height, width), (rows, columns) = output_size, kernel_size
    channels = x.shape[1] // (rows * columns)
    image = np.zeros((x.shape[0], channels, height + 2 * padding[0], width + 2 * padding[1]), np.float64)
    tops = range(0, image.shape[2] - dilation[0] * (rows - 1), strides[0])
    lefts = range(0, image.shape[3] - dilation[1] * (columns - 1), strides[1])
    taps = x.reshape(x.shape[0], channels, rows, columns, len(tops), len(lefts))
    for (i, top), (j, left), r, c in itertools.product(enumerate(tops), enumerate(lefts), range(rows), range(columns)):
        image[:, :, top + r * dilation[0], left + c * dilation[1]] += taps[:, :, r, c, i, j]
    return image[:, :, padding[0] : padding[0] + height, padding[1] : padding[1] + width].astype(x.dtype)


def _bilinear(plane: Any, y: float, x: float) -> float:
    total = 0.0
    for i, j in itertools.product((math.floor(y), math.floor(y) + 1), (math.floor(x), math.floor(x) + 1)):
        if 0 <= i < plane.shape[0] and 0 <= j < plane.shape[1]:
            total += (1 - abs(y - i)) * (1 - abs(x - j)) * plane[i, j]
    return total


def _deform_conv2d(data: Any, offset: Any, weight: Any, mask: Any = None, *, strides: Any, padding: Any, dilation: Any,
                   groups: int, offset_groups: int) -> Any:  # fmt: skip
    filters, width, rows, columns = weight.shape
    out = np.zeros((data.shape[0], filters, *offset.shape[2:]))
    for n, f, y, x in np.ndindex(out.shape):
        for c, r, k in np.ndindex(width, rows, columns):
            channel = f // (filters // groups) * width + c
            tap = (channel // (data.shape[1] // offset_groups) * rows + r) * columns + k
            down, right = offset[n, 2 * tap : 2 * tap + 2, y, x].astype(np.float64)
            value = _bilinear(data[n, channel], y * strides[0] + r * dilation[0] - padding[0] + down,
                              x * strides[1] + k * dilation[1] - padding[1] + right)  # fmt: skip
            out[n, f, y, x] += value * weight[f, c, r, k] * (1 if mask is None else mask[n, tap, y, x])
    return out.astype(data.dtype)


REFERENCES: dict[str, Any] = {
    "nn.rnn": _rnn,
    "nn.gru": _gru,
    "nn.lstm": _lstm,
    "nn.linear_attention": _linear_attention,
    "sliding_window": _sliding_window,
    "signal.dft": _dft,
    "signal.stft": _stft,
    "random.uniform": _uniform,
    "random.normal": _normal,
    "random.integers": _integers,
    "linalg.det": np.linalg.det,
    "linalg.inverse": np.linalg.inv,
    "linalg.solve": np.linalg.solve,
    "linalg.triangular_solve": _triangular_solve,
    "linalg.cholesky": _cholesky,
    "nn.embedding_bag": _embedding_bag,
    "histogram": _histogram,
    "nn.col2im": _col2im,
    "nn.deform_conv2d": _deform_conv2d,
}  # fmt: skip
