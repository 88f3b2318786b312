"""Measures calls of single layers, from the graph to the call by the default path, as shares of the measured peak of
their numbers: multiply-adds of float32, or dot products of bytes or of bfloat16.

One thread. Each layer is compiled as a model of its own with its weights. Rounds go over all layers, and each begins
and ends with a measurement of the peaks, of which the larger ones count. A share, or a ratio, is that of the fastest
calls of a round; the median of the rounds is printed. `--json` prints a single line, in which `least` has for each
group the layer with the least share, in percent, and an interval that holds the median with 95 % probability.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "python"), str(ROOT / "build" / "release" / "python")]

import machine  # noqa: E402
import numpy as np  # noqa: E402
import sunmao  # noqa: E402
from rounds import least, median_interval  # noqa: E402

ROUNDS = 9
PASS = "R.multiply(x, R.const(1.5, 'float32'))"  # what passes over rows are compared with
ROWS = (16384, 1024)  # 64 MiB
SECONDS_EACH = 0.15
BYTES = {"x": "uint8", "w": "int8"}

MODULE = """
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main({params}):
        R.func_attr({{"num_input": {inputs}}})
        with R.dataflow():
            y = {call}
            R.output(y)
        return y
"""


@dataclass(frozen=True)
class Layer:
    """A call on tensors of these shapes, of which the first `inputs` are no weights."""

    group: str
    name: str
    call: str
    shapes: Mapping[str, tuple[int, ...]]
    flops: float
    inputs: int = 1
    dtypes: Mapping[str, str] = field(default_factory=dict)  # of tensors that are not float32
    numbers: str = "fma"  # whose peak it is compared with: fma, int8 or bfloat16


def product(m: int, n: int, k: int) -> Layer:
    return Layer("products", f"{m} x {n} x {k}", "R.matmul(x, w)", {"x": (m, k), "w": (k, n)}, 2.0 * m * n * k)


def byte_product(m: int, n: int, k: int) -> Layer:
    """Returns a product of bytes with sums of int32."""
    float_product = product(m, n, k)
    call = "R.matmul(x, w, out_dtype='int32')"
    return replace(float_product, group="products of bytes", call=call, dtypes=BYTES, numbers="int8")


def quantised(layer: Layer) -> Layer:
    """Returns a convolution as models of bytes have it: of dequantised tensors, its result quantised."""
    weight = "R.dequantize(w, R.const(0.02, 'float32'), R.const(0, 'int8'), axis=0)"
    data = "R.dequantize(x, R.const(0.1, 'float32'), R.const(117, 'uint8'), axis=-1)"
    call = layer.call.replace("(x, w,", f"({data}, {weight},")
    call = f"R.quantize({call}, R.const(1.7, 'float32'), R.const(110, 'uint8'), axis=-1, out_dtype='uint8')"
    return replace(layer, group=f"{layer.group} in bytes", call=call, dtypes=BYTES, numbers="int8")


def in_bfloat16(layer: Layer) -> Layer:
    return replace(layer, group=f"{layer.group} in bfloat16", numbers="bfloat16")


def convolution(
    group: str, c: int, size: int, o: int, k: int, stride: int = 1, groups: int = 1, *, layout: str = "NHWC"
) -> Layer:
    """Returns a convolution whose tensors lie as they do within a model; those at its edge are NCHW."""
    out = (size + 2 * (k // 2) - k) // stride + 1
    call = f"R.nn.conv2d(x, w, strides={stride}, padding={k // 2}, groups={groups}, data_layout='{layout}')"
    shapes = {"x": (1, size, size, c) if layout == "NHWC" else (1, c, size, size), "w": (o, c // groups, k, k)}
    name = f"{k}x{k} of {size}x{size}, {c} to {o}" + (f" by {stride}" if stride > 1 else "")
    return Layer(group, name, call, shapes, 2.0 * out * out * o * (c // groups) * k * k)


def resnet50() -> list[Layer]:
    """Returns its different 3x3 and 1x1 convolutions."""
    layers = []
    for i, width in enumerate((64, 128, 256, 512)):
        size, before = 56 >> i, 64 if i == 0 else 2 * width
        if i > 0:
            layers += [
                (2 * width, 2 * size, width, 1),
                (width, 2 * size, width, 3, 2),
                (before, 2 * size, 4 * width, 1, 2),
            ]
        else:
            layers += [(before, size, width, 1)]
        layers += [(width, size, width, 3), (width, size, 4 * width, 1), (4 * width, size, width, 1)]
    return [convolution("convolutions of ResNet-50", *layer) for layer in dict.fromkeys(layers)]


def layers() -> list[Layer]:
    linear = "R.nn.gelu(R.add(R.matmul(x, w), b))"
    heads = {"q": (1, 128, 12, 64), "k": (1, 128, 12, 64), "v": (1, 128, 12, 64)}
    return [
        *(product(n, n, n) for n in (256, 512, 768, 1024)),
        *(byte_product(n, n, n) for n in (256, 512, 768, 1024)),
        *(in_bfloat16(product(n, n, n)) for n in (256, 512, 768, 1024)),
        Layer("linear with bias and GELU", "128 x 3072 x 768", linear,
              {"x": (1, 128, 768), "w": (768, 3072), "b": (3072,)}, 2.0 * 128 * 768 * 3072),
        *resnet50(),
        *map(quantised, resnet50()),
        *map(in_bfloat16, resnet50()),
        convolution("stem of ResNet-50", 3, 224, 64, 7, 2, layout="NCHW"),
        *(convolution("depthwise 7x7", c, size, c, 7, 1, c) for c, size in ((96, 56), (192, 28))),
        *(convolution("depthwise 3x3", c, size, c, 3, 1, c) for c, size in ((32, 112), (96, 56), (192, 28))),
        *(convolution(f"groups of {c // groups}", c, size, c, 3, stride, groups)
          for c, size, stride, groups in ((152, 14, 1, 19), (368, 7, 1, 46), (56, 56, 2, 7), (128, 56, 1, 32))),
        convolution("depthwise with a multiplier", 32, 28, 64, 3, 1, 32),
        *(convolution("to few channels", *layer)
          for layer in ((32, 128, 4, 5), (64, 64, 3, 3), (32, 128, 1, 5), (64, 128, 2, 1))),
        Layer("attention", "12 heads, 128 x 64", "R.nn.attention(q, k, v)", heads, 4.0 * 12 * 128 * 128 * 64, 3),
        lstm(64, 256),
    ]  # fmt: skip


def lstm(steps: int, hidden: int) -> Layer:
    """Returns a layer with the product of its inputs, a batch of 1."""
    gates = f"R.reshape(R.add(R.matmul(x, w), b), ({steps}, 1, {4 * hidden}))"
    shapes = {
        **{"x": (steps, hidden), "h": (1, hidden), "c": (1, hidden)},
        **{"w": (hidden, 4 * hidden), "b": (4 * hidden,), "u": (4 * hidden, hidden)},
    }
    return Layer("LSTM", f"{steps} x {hidden}", f"R.nn.lstm({gates}, u, h, c)", shapes, 16.0 * steps * hidden**2, 3)


def passes() -> list[Layer]:
    """Returns what passes over rows of 64 MiB, a mere scaling first."""
    x, gamma, beta = ROWS, ROWS[1:], ROWS[1:]
    return [
        Layer("rows", "scaling", PASS, {"x": x}, 0),
        Layer("rows", "softmax", "R.nn.softmax(x)", {"x": x}, 0),
        Layer("rows", "layer norm", "R.nn.layer_norm(x, g, b, axes=[-1])", {"x": x, "g": gamma, "b": beta}, 0),
    ]


def maps() -> list[Layer]:
    """Returns calls that move elements, each of which reads and writes as many bytes as a scaling of its result."""
    pixels, planes, names = (1, 56, 56, 64), (1, 64, 56, 56), [f"x{i}" for i in range(16)]
    calls: list[tuple[str, str, Mapping[str, tuple[int, ...]]]] = [
        ("permute (1, 64, 56, 56) to (0, 2, 3, 1)", "R.permute_dims(x, [0, 2, 3, 1])", {"x": planes}),
        ("permute (1, 56, 56, 64) to (0, 3, 1, 2)", "R.permute_dims(x, [0, 3, 1, 2])", {"x": pixels}),
        ("permute (1, 128, 12, 64) to (0, 2, 1, 3)", "R.permute_dims(x, [0, 2, 1, 3])", {"x": (1, 128, 12, 64)}),
        ("permute (8, 197, 768) to (0, 2, 1)", "R.permute_dims(x, [0, 2, 1])", {"x": (8, 197, 768)}),
        ("transpose (300, 300)", "R.permute_dims(x)", {"x": (300, 300)}),
        ("transpose (1024, 1024)", "R.permute_dims(x)", {"x": (1024, 1024)}),
        ("channel shuffle (1, 28, 28, 2, 58)", "R.permute_dims(x, [0, 1, 2, 4, 3])", {"x": (1, 28, 28, 2, 58)}),
        ("concat of 4 (1, 56, 56, 64), axis 3", join("concat", names[:4], 3), dict.fromkeys(names[:4], pixels)),
        ("concat of 4 (1, 64, 56, 56), axis 1", join("concat", names[:4], 1), dict.fromkeys(names[:4], planes)),
        ("stack of 16 (64, 512), axis 2", join("stack", names, 2), dict.fromkeys(names, (64, 512))),
        ("stack of 2 (64, 4096), axis 2", join("stack", names[:2], 2), dict.fromkeys(names[:2], (64, 4096))),
        ("pad (1, 56, 56, 64) by 1", "R.nn.pad(x, [0, 0, 1, 1, 1, 1, 0, 0])", {"x": pixels}),
        ("reflect (1, 64, 56, 56) by 1", "R.nn.pad(x, [0, 0, 0, 0, 1, 1, 1, 1], pad_mode='reflect')",
         {"x": planes}),
    ]  # fmt: skip
    return [Layer("maps", name, call, shapes, 0, len(shapes)) for name, call, shapes in calls]


def join(op: str, names: Sequence[str], axis: int) -> str:
    return f"R.{op}(({', '.join(names)}), axis={axis})"


def aligned(array: np.ndarray) -> np.ndarray:
    """Returns a copy at a multiple of 64 bytes, where tensors within a model lie."""
    memory = np.empty(array.nbytes + 64, "u1")
    first = -memory.ctypes.data % 64
    copy = memory[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def layer_model(layer: Layer, threads: int = 1, target: str = "host") -> tuple[Any, list[Any]]:
    """Returns a layer as a model of its own, and its inputs."""
    random = np.random.default_rng(0)
    arrays = {name: random.standard_normal(s).astype("float32") for name, s in layer.shapes.items()}
    for name, dtype in layer.dtypes.items():
        limits = np.iinfo(dtype)
        arrays[name] = random.integers(limits.min, limits.max + 1, layer.shapes[name]).astype(dtype)
    params = ", ".join(f'{name}: R.Tensor({a.shape}, "{a.dtype}")' for name, a in arrays.items())
    module = sunmao.parse_module(MODULE.format(params=params, inputs=layer.inputs, call=layer.call))
    names = list(arrays)
    weights = {name: arrays[name] for name in names[layer.inputs :]}
    precision: Literal["float32", "bfloat16"] = "bfloat16" if layer.numbers == "bfloat16" else "float32"
    model = sunmao.compile(module, weights=weights, threads=threads, target=target, precision=precision)
    return model, [aligned(arrays[name]) for name in names[: layer.inputs]]


class Timed:
    """A layer, and the seconds of its fastest call in each round."""

    def __init__(self, layer: Layer, target: str = "host") -> None:
        self.layer = layer
        self.seconds: list[float] = []
        self._model, self._inputs = layer_model(layer, target=target)
        results = self._model(*self._inputs)
        self.elements = int(np.asarray(results[0] if isinstance(results, tuple) else results).size)

    def round(self) -> None:
        best, now = float("inf"), time.perf_counter()
        end = now + SECONDS_EACH
        while now <= end:
            begin = now
            self._model(*self._inputs)
            now = time.perf_counter()
            best = min(best, now - begin)
        self.seconds.append(best)

    def kernel_round(self) -> None:
        """Times the kernels alone, which write to the same memory in each run."""
        profile = self._model.profile(*self._inputs, repeat=5)
        self.seconds.append(sum(k["seconds"] for k in profile.kernels) / profile["runs"])

    def shares(self, peaks: Mapping[str, Sequence[float]]) -> list[float]:
        """Returns the percentage of the peak by round."""
        its = peaks[self.layer.numbers]
        return [100 * self.layer.flops / s / 1e9 / peak for s, peak in zip(self.seconds, its, strict=True)]

    def times(self, other: Timed) -> list[float]:
        """Returns by round how many times longer than another layer it takes."""
        return [mine / its for mine, its in zip(self.seconds, other.seconds, strict=True)]


def play(timed: Sequence[Timed], target: str = "host") -> dict[str, list[float]]:
    """Plays the rounds; returns the peaks of each, by numbers."""
    ends = machine.measure([1], target)
    for _ in range(ROUNDS):
        for t in timed:
            t.round()
        ends += machine.measure([1], target)
    return {
        numbers: [max(a[f"{numbers}_gflops"], b[f"{numbers}_gflops"]) for a, b in pairwise(ends)]
        for numbers in ("fma", "int8", "bfloat16")
    }


def least_by_group(timed: Sequence[Timed], peaks: Mapping[str, Sequence[float]]) -> dict[str, dict[str, Any]]:
    groups: dict[str, dict[str, list[float]]] = {}
    for t in timed:
        groups.setdefault(t.layer.group, {})[t.layer.name] = t.shares(peaks)
    return {group: least(layers) for group, layers in groups.items()}


def measure_rows() -> dict[str, list[float]]:
    """Returns by round how many times longer than a scaling passes over rows take."""
    scaling, *others = [Timed(layer) for layer in passes()]
    for _ in range(ROUNDS):
        for t in (scaling, *others):
            t.kernel_round()
    return {t.layer.name: t.times(scaling) for t in others}


def measure_maps() -> dict[str, float]:
    """Returns how many times longer than a scaling of as many elements calls take that move them."""
    out = {}
    for moved in [Timed(layer) for layer in maps()]:
        scaling = Timed(Layer("maps", "scaling", PASS, {"x": (moved.elements,)}, 0))
        for _ in range(ROUNDS):
            moved.kernel_round()
            scaling.kernel_round()
        out[moved.layer.name] = statistics.median(moved.times(scaling))
    return out


def measure_vector() -> dict[str, Any]:
    """Returns the percentage of the bandwidth of reading that a product of a vector and a matrix of 64 MiB reaches."""
    size, bandwidths = 4096, []
    timed = Timed(product(1, size, size))
    for _ in range(ROUNDS):
        bandwidths.append(machine.measure([1])[0]["read_gb_s"])
        timed.round()
    shares = [400.0 * size * size / s / 1e9 / b for s, b in zip(timed.seconds, bandwidths, strict=True)]
    return {"median": statistics.median(shares), "interval": median_interval(shares)}


def measure_avx2() -> dict[str, dict[str, Any]]:
    """Returns the least share of AVX2's FMA peak that code for AVX2 reaches, by group and (`all`) of all."""
    target = "x86-64-v3"
    timed = [Timed(layer, target) for layer in layers() if layer.group in ("products", "convolutions of ResNet-50")]
    peaks = play(timed, target)
    return {**least_by_group(timed, peaks), "all": least({t.layer.name: t.shares(peaks) for t in timed})}


def longest(times: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Returns what takes longest: the largest of some medians, and its interval."""
    name = max(times, key=lambda key: statistics.median(times[key]))
    return {"of": name, "median": statistics.median(times[name]), "interval": median_interval(times[name])}


def measure() -> dict[str, Any]:
    timed = [Timed(layer) for layer in layers()]
    peaks = play(timed)
    rows: list[dict[str, Any]] = []
    for t in timed:
        seconds, share = statistics.median(t.seconds), statistics.median(t.shares(peaks))
        rows.append(
            {"group": t.layer.group, "layer": t.layer.name, "ms": 1e3 * seconds,
             "gflops": t.layer.flops / seconds / 1e9, "share": share / 100}
        )  # fmt: skip
    passed = measure_rows()
    return {
        "peaks": {numbers: statistics.median(by_round) for numbers, by_round in peaks.items()},
        "layers": rows,
        "least": least_by_group(timed, peaks),
        "resnet50": least({t.layer.name: t.shares(peaks) for t in timed if t.layer.group.endswith("ResNet-50")}),
        "rows": {name: statistics.median(times) for name, times in passed.items()},
        "longest_rows": longest(passed),
        "maps": measure_maps(),
        "vector": measure_vector(),
        "avx2": measure_avx2(),
    }


def show(result: dict[str, Any]) -> None:
    for numbers, peak in result["peaks"].items():
        print(f"{numbers} peak, one thread: {peak:.1f} GF/s")
    for row in result["layers"]:
        print(
            f"{row['group']:<40} {row['layer']:<28} {row['ms']:9.3f} ms {row['gflops']:7.1f} GF/s {row['share']:6.1%}"
        )
    for group, found in result["least"].items():
        print(f"least share, {group}: {found['median']:.1f} % of the peak")
    for group, found in result["avx2"].items():
        print(f"least share in AVX2 code, {group}: {found['median']:.1f} % of its FMA peak")
    print(f"vector and matrix of 64 MiB: {result['vector']['median']:.1f} % of the bandwidth of reading")
    for name, times in result["rows"].items():
        print(f"rows of 64 MiB, {name}: {times:.2f} times a scaling of them")
    for name, times in result["maps"].items():
        print(f"{name}: {times:.2f} times a scaling of the result")


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print a line of JSON")
    arguments = parser.parse_args(argv)
    result = measure()
    if arguments.json:
        print(json.dumps(result))
    else:
        show(result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
