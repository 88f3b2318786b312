"""Small models with realistic structure, each with the kinds of computation on weights that such models contain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sunmao.compat import IRModule
from sunmao.compat.script import from_source

Array = NDArray[np.generic]


@dataclass
class Entry:
    """An entry point under construction: its run-time inputs, and its bindings in order."""

    model: Net
    name: str
    inputs: dict[str, tuple[tuple[int, ...], str, int]]  # shape, dtype, and for integers the exclusive upper bound
    lines: list[str] = field(default_factory=list)
    result: str = ""

    def bind(self, expression: str) -> str:
        name = f"lv{len(self.lines)}"
        self.lines.append(f"{name} = {expression}")
        return name

    def samples(self, seed: int) -> list[Array]:
        rng = np.random.default_rng(seed)
        return [
            rng.integers(0, top, shape).astype(dtype) if top else rng.standard_normal(shape).astype(dtype)
            for shape, dtype, top in self.inputs.values()
        ]

    def linear(self, x: str, weight: str, bias: str = "") -> str:
        """Applies a linear layer with the weight stored as (outputs, inputs), like `nn.Linear`."""
        y = self.bind(f"R.matmul({x}, {self.bind(f'R.permute_dims({weight})')})")
        return self.bind(f"R.add({y}, {bias})") if bias else y


@dataclass
class Net:
    """A model: its weights, and the entry points that share them."""

    name: str
    weights: dict[str, Array] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)

    def weight(self, name: str, *shape: int, dtype: str = "float32", low: float = 0.0) -> str:
        """Returns the name of a weight, made on first use. With non-zero `low` it is positive from there on, as
        variances and scales are."""
        if name not in self.weights:
            rng = np.random.default_rng(len(self.weights))
            if dtype == "int8":
                data: Array = rng.integers(-100, 100, shape).astype(dtype)
            elif low:
                data = (low + rng.random(shape)).astype(dtype)
            else:
                data = (rng.standard_normal(shape) / np.sqrt(shape[-1])).astype(dtype)
            self.weights[name] = data
        return name

    def entry(self, name: str, **inputs: tuple[tuple[int, ...], str, int]) -> Entry:
        self.entries.append(Entry(self, name, inputs))
        return self.entries[-1]

    def text(self) -> str:
        functions = []
        for e in self.entries:
            given = {n: (shape, dtype) for n, (shape, dtype, _) in e.inputs.items()}
            given |= {n: (w.shape, str(w.dtype)) for n, w in self.weights.items()}
            params = ", ".join(f'{n}: R.Tensor({shape}, "{dtype}")' for n, (shape, dtype) in given.items())
            body = "\n            ".join(e.lines)
            functions.append(f"""
    @R.function
    def {e.name}({params}):
        R.func_attr({{"num_input": {len(e.inputs)}}})
        with R.dataflow():
            {body}
            R.output({e.result})
        return {e.result}
""")
        head = "from tvm.script import ir as I, relax as R\n\n@I.ir_module\nclass Module:\n"
        return head + "".join(functions)

    def module(self) -> IRModule:
        return from_source(self.text())


def resnet() -> Net:
    """Convolutions stored as HWIO, each with the following batch norm folded into weight and bias."""
    net = Net("resnet")
    e = net.entry("main", x=((2, 3, 8, 8), "float32", 0))

    def conv(x: str, name: str, inputs: int, outputs: int, size: int, stride: int = 1) -> str:
        kept = net.weight(f"{name}_w", size, size, inputs, outputs)
        gamma, variance = (net.weight(f"{name}_{n}", outputs, low=0.5) for n in ("gamma", "variance"))
        beta, mean = (net.weight(f"{name}_{n}", outputs) for n in ("beta", "mean"))
        w = e.bind(f"R.permute_dims({kept}, axes=[3, 2, 0, 1])")
        root = e.bind(f'R.sqrt({e.bind(f"""R.add({variance}, R.const(1e-5, "float32"))""")})')
        scale = e.bind(f"R.divide({gamma}, {root})")
        w = e.bind(f"R.multiply({w}, {e.bind(f'R.reshape({scale}, (-1, 1, 1, 1))')})")
        shift = e.bind(f"R.subtract({beta}, {e.bind(f'R.multiply({mean}, {scale})')})")
        y = e.bind(f"R.nn.conv2d({x}, {w}, strides={stride}, padding={size // 2})")
        return e.bind(f"R.add({y}, {e.bind(f'R.reshape({shift}, (1, -1, 1, 1))')})")

    x, width = e.bind(f"R.nn.relu({conv('x', 'stem', 3, 4, 3)})"), 4
    for i, outputs in enumerate((4, 8)):
        stride = 1 if outputs == width else 2
        y = e.bind(f"R.nn.relu({conv(x, f'b{i}a', width, outputs, 3, stride)})")
        y = conv(y, f"b{i}b", outputs, outputs, 3)
        straight = x if outputs == width else conv(x, f"b{i}p", width, outputs, 1, stride)
        x, width = e.bind(f"R.nn.relu({e.bind(f'R.add({y}, {straight})')})"), outputs
    x = e.bind(f"R.mean({x}, axis=[2, 3])")
    e.result = e.linear(x, net.weight("head_w", 5, width), net.weight("head_b", 5))
    return net


def bert() -> Net:
    """Half-precision weights cast to float32, fused projections, embeddings tied to the head, an unused pooler."""
    tokens, width, heads, vocabulary = 6, 8, 2, 11
    net = Net("bert")
    e = net.entry("main", ids=((1, tokens), "int32", vocabulary))

    def cast(name: str, *shape: int) -> str:
        return e.bind(f'R.astype({net.weight(name, *shape, dtype="float16")}, "float32")')

    def norm(x: str, name: str) -> str:
        gamma, beta = net.weight(f"{name}_gamma", width, low=0.5), net.weight(f"{name}_beta", width)
        return e.bind(f"R.nn.layer_norm({x}, {gamma}, {beta}, axes=[-1])")

    def split_heads(x: str) -> str:
        x = e.bind(f"R.reshape({x}, (1, {tokens}, {heads}, {width // heads}))")
        return e.bind(f"R.permute_dims({x}, axes=[0, 2, 1, 3])")

    table = cast("embedding", vocabulary, width)
    places = e.bind(f"R.strided_slice({net.weight('positions', 16, width)}, axes=[0], begin=[0], end=[{tokens}])")
    rows = e.bind(f"R.take({table}, {e.bind(f'R.reshape(ids, ({tokens},))')}, axis=0)")
    x = norm(e.bind(f"R.reshape({e.bind(f'R.add({rows}, {places})')}, (1, {tokens}, {width}))"), "first")
    for i in range(2):
        parts = ", ".join(cast(f"l{i}_{n}", width, width) for n in "qkv")
        biases = ", ".join(net.weight(f"l{i}_{n}_b", width) for n in "qkv")
        bias = e.bind(f"R.concat(({biases}), axis=0)")
        qkv = e.bind(f"R.split({e.linear(x, e.bind(f'R.concat(({parts}), axis=0)'), bias)}, 3, axis=-1)")
        q, k, v = (split_heads(e.bind(f"{qkv}[{j}]")) for j in range(3))
        scores = e.bind(f"R.matmul({q}, {e.bind(f'R.permute_dims({k}, axes=[0, 1, 3, 2])')})")
        scores = e.bind(f'R.nn.softmax({e.bind(f"""R.multiply({scores}, R.const(0.5, "float32"))""")}, axis=-1)')
        y = e.bind(f"R.permute_dims({e.bind(f'R.matmul({scores}, {v})')}, axes=[0, 2, 1, 3])")
        y = e.linear(e.bind(f"R.reshape({y}, (1, {tokens}, {width}))"), cast(f"l{i}_o", width, width))
        x = norm(e.bind(f"R.add({x}, {y})"), f"l{i}_attention")
        y = e.bind(f"R.nn.gelu({e.linear(x, cast(f'l{i}_up', 16, width), net.weight(f'l{i}_up_b', 16))})")
        y = e.linear(y, cast(f"l{i}_down", width, 16), net.weight(f"l{i}_down_b", width))
        x = norm(e.bind(f"R.add({x}, {y})"), f"l{i}_feed")
    net.weight("pooler", width, width)
    e.result = e.linear(x, table)
    return net


def llama() -> Net:
    """Prefill and decode over one set of weights: int8 projections with scales, a fused matrix for queries, keys and
    values that is split, rotary tables computed from frequencies, gains stored as the difference from 1, a tied
    head."""
    context, width, heads, kv_heads, size, vocabulary = 6, 8, 4, 2, 4, 13
    net = Net("llama")

    def body(e: Entry, tokens: int, first: int) -> None:
        def norm(x: str, name: str) -> str:
            gain = e.bind(f'R.add({net.weight(name, width)}, R.const(1.0, "float32"))')
            return e.bind(f"R.nn.rms_norm({x}, {gain}, axes=[-1])")

        def dequantised(name: str, outputs: int, inputs: int) -> str:
            kept = net.weight(name, outputs, inputs, dtype="int8")
            scale = net.weight(f"{name}_scale", outputs, low=0.001)
            return e.bind(f'R.dequantize({kept}, {scale}, R.const(0, "int8"), axis=0, out_dtype="float32")')

        def rotated(x: str) -> str:
            low, high = (
                e.bind(f"R.strided_slice({x}, axes=[3], begin=[{b}], end=[{b + size // 2}])") for b in (0, size // 2)
            )
            turned = e.bind(f"R.concat(({e.bind(f'R.negative({high})')}, {low}), axis=3)")
            return e.bind(f"R.add({e.bind(f'R.multiply({x}, {cosines})')}, {e.bind(f'R.multiply({turned}, {sines})')})")

        def by_heads(x: str, count: int) -> str:
            x = e.bind(f"R.reshape({x}, (1, {tokens}, {count}, {size}))")
            return e.bind(f"R.permute_dims({x}, axes=[0, 2, 1, 3])")

        frequencies = e.bind(f"R.reshape({net.weight('frequencies', size // 2, low=0.1)}, (1, {size // 2}))")
        places = e.bind(f"R.reshape({net.weight('places', context, low=1.0)}, ({context}, 1))")
        angles = e.bind(f"R.multiply({places}, {frequencies})")
        angles = e.bind(f"R.concat(({angles}, {angles}), axis=1)")
        angles = e.bind(f"R.strided_slice({angles}, axes=[0], begin=[{first}], end=[{first + tokens}])")
        cosines, sines = e.bind(f"R.cos({angles})"), e.bind(f"R.sin({angles})")
        table = net.weight("embedding", vocabulary, width)
        x = e.bind(f"R.take({table}, {e.bind(f'R.reshape(ids, ({tokens},))')}, axis=0)")
        x = e.bind(f"R.reshape({x}, (1, {tokens}, {width}))")
        for i in range(2):
            y = norm(x, f"l{i}_norm")
            sizes = [heads * size, kv_heads * size, kv_heads * size]
            whole = dequantised(f"l{i}_qkv", sum(sizes), width)
            parts = e.bind(f"R.split({whole}, [{sizes[0]}, {sizes[0] + sizes[1]}], axis=0)")
            q, k, v = (by_heads(e.linear(y, e.bind(f"{parts}[{j}]")), heads if j == 0 else kv_heads) for j in range(3))
            q, k = rotated(q), rotated(k)
            if tokens == 1:
                k = e.bind(f"R.concat((keys{i}, {k}), axis=2)")
                v = e.bind(f"R.concat((values{i}, {v}), axis=2)")
            k, v = (e.bind(f"R.repeat({t}, {heads // kv_heads}, axis=1)") for t in (k, v))
            scores = e.bind(f"R.matmul({q}, {e.bind(f'R.permute_dims({k}, axes=[0, 1, 3, 2])')})")
            if tokens > 1:
                mask = e.bind(f'R.triu(R.full(({tokens}, {tokens}), R.const(-1e9, "float32"), "float32"), 1)')
                scores = e.bind(f"R.add({scores}, {mask})")
            y = e.bind(f"R.matmul({e.bind(f'R.nn.softmax({scores}, axis=-1)')}, {v})")
            y = e.bind(f"R.reshape({e.bind(f'R.permute_dims({y}, axes=[0, 2, 1, 3])')}, (1, {tokens}, {heads * size}))")
            x = e.bind(f"R.add({x}, {e.linear(y, dequantised(f'l{i}_o', width, heads * size))})")
            y = norm(x, f"l{i}_feed_norm")
            both = e.bind(
                f"R.concat(({net.weight(f'l{i}_gate', 12, width)}, {net.weight(f'l{i}_up', 12, width)}), axis=0)"
            )
            halves = e.bind(f"R.split({e.linear(y, both)}, 2, axis=-1)")
            y = e.bind(f"R.multiply({e.bind(f'R.nn.silu({halves}[0])')}, {halves}[1])")
            x = e.bind(f"R.add({x}, {e.linear(y, net.weight(f'l{i}_down', width, 12))})")
        e.result = e.linear(norm(x, "last_norm"), table)

    cache = {f"{n}{i}": ((1, kv_heads, context - 1, size), "float32", 0) for i in range(2) for n in ("keys", "values")}
    body(net.entry("prefill", ids=((1, context), "int32", vocabulary)), context, 0)
    body(net.entry("decode", ids=((1, 1), "int32", vocabulary), **cache), 1, context - 1)
    return net


def convnext() -> Net:
    """Depthwise convolutions stored channels-last, layer norm, and each block's gain folded into its last layer."""
    net = Net("convnext")
    e = net.entry("main", x=((1, 3, 8, 8), "float32", 0))

    def conv(x: str, name: str, shape: tuple[int, int, int, int], outputs: int, options: str) -> str:
        w = e.bind(f"R.permute_dims({net.weight(f'{name}_w', *shape)}, axes=[0, 3, 1, 2])")
        b = e.bind(f"R.reshape({net.weight(f'{name}_b', outputs)}, (1, {outputs}, 1, 1))")
        return e.bind(f"R.add({e.bind(f'R.nn.conv2d({x}, {w}, {options})')}, {b})")

    def norm(x: str, name: str, width: int) -> str:
        gamma, beta = net.weight(f"{name}_gamma", width, low=0.5), net.weight(f"{name}_beta", width)
        return e.bind(f"R.nn.layer_norm({x}, {gamma}, {beta}, axes=[-1])")

    x, width = conv("x", "stem", (4, 2, 2, 3), 4, "strides=2"), 4
    for i in range(2):
        y = conv(x, f"b{i}", (width, 3, 3, 1), width, f"padding=1, groups={width}")
        y = norm(e.bind(f"R.permute_dims({y}, axes=[0, 2, 3, 1])"), f"b{i}_norm", width)
        y = e.linear(y, net.weight(f"b{i}_up", 4 * width, width), net.weight(f"b{i}_up_b", 4 * width))
        gain = net.weight(f"b{i}_gain", width, low=0.1)
        column = e.bind(f"R.reshape({gain}, ({width}, 1))")
        folded = e.bind(f"R.multiply({net.weight(f'b{i}_down', width, 4 * width)}, {column})")
        bias = e.bind(f"R.multiply({net.weight(f'b{i}_down_b', width)}, {gain})")
        y = e.linear(e.bind(f"R.nn.gelu({y})"), folded, bias)
        x = e.bind(f"R.add({x}, {e.bind(f'R.permute_dims({y}, axes=[0, 3, 1, 2])')})")
        if i == 0:
            x, width = conv(x, "down", (8, 2, 2, width), 8, "strides=2"), 8
    x = norm(e.bind(f"R.mean({x}, axis=[2, 3])"), "last", width)
    e.result = e.linear(x, net.weight("head", 5, width), net.weight("head_b", 5))
    return net


MODELS: dict[str, Callable[[], Net]] = {"resnet": resnet, "bert": bert, "llama": llama, "convnext": convnext}
