"""Models of real architectures with random weights: a script, its weights, and a reference in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

Array = np.ndarray


@dataclass
class Architecture:
    """A model under construction; bindings are appended in execution order."""

    name: str
    input_shape: tuple[int, ...]  # without the batch
    reference: Callable[[Array, dict[str, Array]], Array] = lambda x, weights: x
    weights: dict[str, Array] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    seed: int = 0

    def weight(self, name: str, *shape: int) -> str:
        rng = np.random.default_rng([self.seed, len(self.weights)])
        scale = 1.0 / np.sqrt(shape[-1])
        self.weights[name] = (rng.standard_normal(shape) * scale).astype(np.float32)
        return name

    def bind(self, expression: str) -> str:
        name = f"lv{len(self.lines)}"
        self.lines.append(f"{name} = {expression}")
        return name

    def linear(self, x: str, name: str, inputs: int, outputs: int) -> str:
        """Applies a linear layer with the weight stored as (outputs, inputs), like `nn.Linear`."""
        weight = self.weight(f"{name}_weight", outputs, inputs)
        bias = self.weight(f"{name}_bias", outputs)
        transposed = self.bind(f"R.permute_dims({weight})")
        return self.bind(f"R.add({self.bind(f'R.matmul({x}, {transposed})')}, {bias})")

    def script(self, result: str) -> str:
        dims = ", ".join(map(str, self.input_shape))
        params = [f'x: R.Tensor(("batch", {dims}), "float32")']
        for name, data in self.weights.items():
            params.append(f'{name}: R.Tensor({data.shape}, "float32")'.replace("np.int64", ""))
        body = "\n                ".join(self.lines)
        return f"""# A whole model, written by tests/zoo.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main({", ".join(params)}):
        R.func_attr({{"num_input": 1}})
        with R.dataflow():
                {body}
                gv = {result}
                R.output(gv)
        return gv
"""


def linear(x: Array, weights: dict[str, Array], name: str) -> Array:
    return x @ weights[f"{name}_weight"].T + weights[f"{name}_bias"]


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def autoencoder() -> tuple[Architecture, str]:
    """Reduces to a narrow code and expands again."""
    widths = [196, 96, 32, 8, 32, 96, 196]
    a = Architecture("autoencoder", (widths[0],), seed=1)
    x = "x"
    for i, (inputs, outputs) in enumerate(zip(widths, widths[1:], strict=False)):
        x = a.linear(x, f"layer{i}", inputs, outputs)
        if i + 2 < len(widths):
            x = a.bind(f"R.nn.relu({x})")

    def reference(value: Array, weights: dict[str, Array]) -> Array:
        for i in range(len(widths) - 1):
            value = linear(value, weights, f"layer{i}")
            value = relu(value) if i + 2 < len(widths) else value
        return value

    a.reference = reference
    return a, x


def residual_mlp() -> tuple[Architecture, str]:
    """A chain of blocks, each of two layers with a skip connection."""
    width, hidden, depth = 64, 128, 8
    a = Architecture("residual_mlp", (width,), seed=2)
    x = "x"
    for i in range(depth):
        inner = a.bind(f"R.nn.relu({a.linear(x, f'up{i}', width, hidden)})")
        x = a.bind(f"R.add({x}, {a.linear(inner, f'down{i}', hidden, width)})")
    x = a.bind(f"R.max({x}, axis=[1], keepdims=True)")

    def reference(value: Array, weights: dict[str, Array]) -> Array:
        for i in range(depth):
            value = value + linear(relu(linear(value, weights, f"up{i}")), weights, f"down{i}")
        return value.max(axis=1, keepdims=True)

    a.reference = reference
    return a, x


def mixer() -> tuple[Architecture, str]:
    """MLP-Mixer: layers that alternately mix over tokens and channels; finally the mean over tokens."""
    tokens, channels, depth = 16, 32, 3
    a = Architecture("mixer", (tokens, channels), seed=3)
    x = "x"
    for i in range(depth):
        across = a.bind(f"R.permute_dims({x}, axes=[0, 2, 1])")
        across = a.bind(f"R.nn.relu({a.linear(across, f'tokens{i}', tokens, tokens)})")
        x = a.bind(f"R.add({x}, {a.bind(f'R.permute_dims({across}, axes=[0, 2, 1])')})")
        within = a.bind(f"R.nn.relu({a.linear(x, f'channels{i}', channels, channels)})")
        x = a.bind(f"R.add({x}, {within})")
    x = a.linear(a.bind(f"R.mean({x}, axis=[1])"), "head", channels, 10)

    def reference(value: Array, weights: dict[str, Array]) -> Array:
        for i in range(depth):
            across = relu(linear(value.transpose(0, 2, 1), weights, f"tokens{i}"))
            value = value + across.transpose(0, 2, 1)
            value = value + relu(linear(value, weights, f"channels{i}"))
        return linear(value.mean(axis=1), weights, "head")

    a.reference = reference
    return a, x


def linear_attention() -> tuple[Architecture, str]:
    """Attention whose scores are products of rectified features, so that keys and values are multiplied first."""
    tokens, width, depth = 12, 24, 2
    a = Architecture("linear_attention", (tokens, width), seed=4)
    x = "x"
    for i in range(depth):
        query = a.bind(f"R.nn.relu({a.linear(x, f'query{i}', width, width)})")
        key = a.bind(f"R.nn.relu({a.linear(x, f'key{i}', width, width)})")
        value = a.linear(x, f"value{i}", width, width)
        summary = a.bind(f"R.matmul({a.bind(f'R.permute_dims({key}, axes=[0, 2, 1])')}, {value})")
        mixed = a.bind(f"R.matmul({query}, {summary})")
        mixed = a.bind(f'R.multiply({mixed}, R.const({1 / (tokens * width)}, "float32"))')
        x = a.bind(f"R.add({x}, {a.linear(mixed, f'out{i}', width, width)})")
    x = a.bind(f"R.reshape({x}, R.shape([-1, {tokens * width}]))")

    def reference(v: Array, weights: dict[str, Array]) -> Array:
        for i in range(depth):
            query, key = relu(linear(v, weights, f"query{i}")), relu(linear(v, weights, f"key{i}"))
            mixed = query @ (key.transpose(0, 2, 1) @ linear(v, weights, f"value{i}")) / (tokens * width)
            v = v + linear(mixed.astype(np.float32), weights, f"out{i}")
        return v.reshape(len(v), -1)

    a.reference = reference
    return a, x


ARCHITECTURES = {build.__name__: build for build in (autoencoder, residual_mlp, mixer, linear_attention)}
