"""Timing of calls."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.runtime.device import Device, need_cpu
from sunmao.compat.runtime.registry import get_global_func


class BenchmarkResult:
    """Times of one call in seconds, each the mean over one repetition."""

    def __init__(self, results: Sequence[float]) -> None:
        self.results = list(results)
        self.mean = statistics.fmean(results)
        self.median = statistics.median(results)
        self.max = max(results)
        self.min = min(results)
        self.std = statistics.pstdev(results)

    def __repr__(self) -> str:
        return f"BenchmarkResult(mean={self.mean}, min={self.min}, max={self.max}, std={self.std})"


@checked
def time_evaluator(
    function: Callable[..., Any],
    dev: Device,
    number: int = 10,
    repeat: int = 1,
    min_repeat_ms: int = 0,
    cooldown_interval_ms: int = 0,
    repeats_to_cooldown: int = 1,
    f_preproc: str = "",
) -> Callable[..., BenchmarkResult]:
    """Returns a function that times calls: `repeat` times `number` calls, more until they take `min_repeat_ms`. The
    function registered as `f_preproc` is called on the arguments before each repetition."""
    need_cpu(dev)
    prepare = get_global_func(f_preproc) if f_preproc else None

    def once(args: Sequence[Any]) -> float:
        count = max(number, 1)
        while True:
            begin = time.perf_counter()
            for _ in range(count):
                function(*args)
            taken = time.perf_counter() - begin
            if taken * 1000 >= min_repeat_ms:
                return taken / count
            count *= 2

    def evaluate(*args: Any) -> BenchmarkResult:
        function(*args)
        results = []
        for i in range(max(repeat, 1)):
            if prepare is not None:
                prepare(*args)
            results.append(once(args))
            if cooldown_interval_ms > 0 and (i + 1) % max(repeats_to_cooldown, 1) == 0:
                time.sleep(cooldown_interval_ms / 1000)
        return BenchmarkResult(results)

    return evaluate
