"""Reference implementations of windows, transforms and random numbers in NumPy."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np


def sliding_window(x: Any, axis: int, size: int, step: int) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis)
    return np.take(windows, range(0, windows.shape[axis % x.ndim], step), axis % x.ndim)


def _complex(x: Any) -> Any:
    return x[..., 0] + (1j * x[..., 1] if x.shape[-1] == 2 else 0)


def _pairs(x: Any, dtype: Any) -> Any:
    return np.stack([x.real, x.imag], -1).astype(dtype)


def dft(x: Any, axis: int, length: int | None, inverse: bool, onesided: bool) -> Any:
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


def stft(x: Any, window: Any, step: int, onesided: bool) -> Any:
    z, size = _complex(x.astype(np.float64)), len(window)
    frames = [z[:, i : i + size] * window for i in range(0, z.shape[1] - size + 1, step)]
    spectra = np.fft.fft(np.stack(frames, 1), axis=2)
    return _pairs(spectra[:, :, : size // 2 + 1] if onesided else spectra, x.dtype)


def _halves(x: Any) -> Any:
    return (x & np.uint64(0xFFFFFFFF)).astype(np.uint32), (x >> np.uint64(32)).astype(np.uint32)


def words_of(seed: Any, shape: list[int]) -> Any:
    """Threefry with two words: the key is the seed, the counter is the element's index."""
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


def uniform(seed: Any, shape: list[int], low: float, high: float, dtype: Any) -> Any:
    """Uses as many random bits as the dtype's fraction holds."""
    x, y = words_of(seed, shape)
    digits = {"float32": 24, "float16": 11, "bfloat16": 8}.get(str(dtype), 3)
    short = (x >> np.uint32(32 - digits)) * 2.0**-digits
    share = x * 2.0**-32 + (y >> np.uint32(11)) * 2.0**-53 if str(dtype) == "float64" else short
    return low + share * (high - low)


def normal(seed: Any, shape: list[int], mean: float, std: float, dtype: Any) -> Any:
    x, y = ((w.astype(np.float64) + more) * 2.0**-32 for w, more in zip(words_of(seed, shape), (0.5, 0), strict=True))
    return mean + std * np.sqrt(-2 * np.log(x)) * np.cos(2 * np.pi * y)


def integers(seed: Any, shape: list[int], low: int, high: int, dtype: Any) -> Any:
    x, y = (w.astype(np.int64) for w in words_of(seed, shape))
    return (low + ((x & 0x7FFFFFFF) << 32 | y) % (high - low)).astype(str(dtype))
