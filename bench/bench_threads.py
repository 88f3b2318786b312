"""Measures what two threads gain on calls of layers, against two processes that make the same calls side by side.

Each round measures a call on one thread, the same call in two processes at once, and the call on two threads. A gain,
and a share of one, is that within a round; the median of the rounds counts. The gain of processes is what the machine
has to give: two processors may share caches, power or a core. `--json` prints a single line, in which `least_share` and
`least_gain` have the interval that holds the median with 95 % probability.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from bench_calls import Layer, convolution, layer_model, product
from rounds import least

ROUNDS = 9
SECONDS_EACH = 0.2
LARGE = 200e-6  # seconds on one thread, from which on threads must gain


def layers() -> list[Layer]:
    x: dict[str, tuple[int, ...]] = {"x": (4096, 1024)}
    small: dict[str, tuple[int, ...]] = {"x": (64, 256)}
    linear = "R.nn.gelu(R.add(R.matmul(x, w), b))"
    return [
        product(512, 512, 512),
        product(1024, 1024, 1024),
        product(256, 768, 768),
        Layer("linear", "128 x 3072 x 768", linear, {"x": (1, 128, 768), "w": (768, 3072), "b": (3072,)}, 0),
        Layer("linear", "1 x 4096 x 4096", "R.matmul(x, w)", {"x": (1, 4096), "w": (4096, 4096)}, 0),
        convolution("convolution", 64, 56, 64, 3),
        convolution("convolution", 256, 14, 256, 3),
        convolution("convolution", 256, 56, 64, 1),
        convolution("depthwise", 192, 28, 192, 7, 1, 192),
        Layer("attention", "12 heads, 512 x 64", "R.nn.attention(x, k, v)",
              {"x": (1, 512, 12, 64), "k": (1, 512, 12, 64), "v": (1, 512, 12, 64)}, 0, 3),
        Layer("rows", "softmax of 4096 x 1024", "R.nn.softmax(x)", x, 0),
        Layer("map", "gelu of 4096 x 1024", "R.nn.gelu(x)", x, 0),
        product(32, 32, 32),
        product(64, 256, 256),
        Layer("linear", "1 x 512 x 512", "R.matmul(x, w)", {"x": (1, 512), "w": (512, 512)}, 0),
        Layer("rows", "softmax of 64 x 256", "R.nn.softmax(x)", small, 0),
        Layer("map", "gelu of 64 x 256", "R.nn.gelu(x)", small, 0),
    ]  # fmt: skip


def median_time(call: Any) -> float:
    times: list[float] = []
    now = time.perf_counter()
    end = now + SECONDS_EACH
    while len(times) < 3 or now < end:
        begin = now
        call()
        now = time.perf_counter()
        times.append(now - begin)
    return statistics.median(times)


def work(pipe: Connection, names: Sequence[str]) -> None:
    """Answers (layer, threads) by the median time of its call, until None comes."""
    known = {layer.name: layer for layer in layers() if layer.name in names}
    calls: dict[tuple[str, int], Any] = {}
    while (asked := pipe.recv()) is not None:
        if asked not in calls:
            model, inputs = layer_model(known[asked[0]], threads=asked[1])
            calls[asked] = lambda model=model, inputs=inputs: model(*inputs)
            calls[asked]()
        pipe.send(median_time(calls[asked]))


@dataclass
class Gains:
    """What a layer gains, by round."""

    layer: str
    seconds: list[float] = field(default_factory=list)  # on one thread
    threads: list[float] = field(default_factory=list)
    processes: list[float] = field(default_factory=list)

    @property
    def shares(self) -> list[float]:
        return [threads / processes for threads, processes in zip(self.threads, self.processes, strict=True)]

    @property
    def is_large(self) -> bool:
        return statistics.median(self.seconds) > LARGE

    def add(self, alone: float, beside: float, threads: float) -> None:
        """Adds a round: the seconds of the call alone, in two processes, and on two threads."""
        self.seconds.append(alone)
        self.threads.append(alone / threads)
        self.processes.append(2 * alone / beside)

    def medians(self) -> dict[str, Any]:
        columns = {"seconds": self.seconds, "threads": self.threads, "processes": self.processes, "share": self.shares}
        return {"layer": self.layer, **{name: statistics.median(values) for name, values in columns.items()}}


def ask(pipes: Sequence[Connection], layer: str, threads: int) -> float:
    for pipe in pipes:
        pipe.send((layer, threads))
    return statistics.mean([float(pipe.recv()) for pipe in pipes])


def measure(names: Sequence[str]) -> list[Gains]:
    context = multiprocessing.get_context("spawn")
    ends = [context.Pipe() for _ in range(2)]
    pipes = [ours for ours, _ in ends]
    workers = [context.Process(target=work, args=(theirs, names), daemon=True) for _, theirs in ends]
    for worker in workers:
        worker.start()
    for name in names:  # compiles
        ask(pipes, name, 1)
        ask(pipes[:1], name, 2)
    out = []
    for name in names:
        gains = Gains(name)
        for _ in range(ROUNDS):
            gains.add(ask(pipes[:1], name, 1), ask(pipes, name, 1), ask(pipes[:1], name, 2))
        out.append(gains)
    for pipe in pipes:
        pipe.send(None)
    for worker in workers:
        worker.join()
    return out


def summary(gains: Sequence[Gains]) -> dict[str, Any]:
    """Returns the medians of all layers, the least share of large ones, and the least gain of small ones."""
    shares = {g.layer: g.shares for g in gains if g.is_large}
    small = {g.layer: g.threads for g in gains if not g.is_large}
    out: dict[str, Any] = {"layers": [g.medians() for g in gains]}
    return out | ({"least_share": least(shares)} if shares else {}) | ({"least_gain": least(small)} if small else {})


def show(result: dict[str, Any]) -> None:
    for g in result["layers"]:
        print(
            f"{g['layer']:<28} {1e6 * g['seconds']:9.1f} us  two threads {g['threads']:5.2f}, "
            f"two processes {g['processes']:5.2f}, share {g['share']:6.1%}"
        )
    if "least_share" in result:
        print(f"least share of the gain of two processes, over 200 us: {result['least_share']['median']:.3f}")
    if "least_gain" in result:
        print(f"least gain of two threads, up to 200 us: {result['least_gain']['median']:.3f}")


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print a line of JSON")
    parser.add_argument("layers", nargs="*", help="names of layers; default: all")
    arguments = parser.parse_args(argv)
    result = summary(measure(arguments.layers or [layer.name for layer in layers()]))
    if arguments.json:
        print(json.dumps(result))
    else:
        show(result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
