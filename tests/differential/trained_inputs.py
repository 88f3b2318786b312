"""Inputs for models whose makers are not asked: sizes and values from the graph, and from trained_inputs.toml where the
graph does not tell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from comparing import Array
from onnx import helper

TABLE = Path(__file__).resolve().parent / "trained_inputs.toml"
# Ops that pass values of indices on.
_PASSING = ("Cast", "Identity", "Reshape", "Squeeze", "Unsqueeze", "Transpose", "Flatten", "Slice", "Concat", "Split")


@dataclass(frozen=True)
class Hints:
    """What the table says of a model: runs as sizes of dynamic dimensions; for each input its range, or its value for
    each run; outputs that the next step takes as inputs; how many steps; and sizes that the model is compiled for."""

    sizes: list[Mapping[str, int]] = field(default_factory=list)
    ranges: Mapping[str, list[float]] = field(default_factory=dict)
    values: Mapping[str, list[Any]] = field(default_factory=dict)
    states: Mapping[str, str] = field(default_factory=dict)
    steps: int = 4
    dims: Mapping[str, int] = field(default_factory=dict)


def hints_of(key: str) -> Hints:
    return Hints(**tomllib.loads(TABLE.read_text()).get(key, {}))


@dataclass(frozen=True)
class Input:
    name: str
    dtype: np.dtype[Any]
    dims: list[int | str]  # dynamic ones by name


def _dim_name(dim: Any, name: str, axis: int) -> str:
    """Returns the name of a dynamic dimension. What a converter numbered says nothing: then axis 0 is the batch."""
    if dim.dim_param and re.fullmatch(r"[A-Za-z]\w*", dim.dim_param) and not dim.dim_param.startswith("unk__"):
        return str(dim.dim_param)
    return "batch" if axis == 0 else f"{name}.{axis}"


def inputs_of(model: onnx.ModelProto) -> list[Input]:
    weights = {t.name for t in model.graph.initializer}
    found = []
    for value in model.graph.input:
        if value.name in weights:
            continue
        tensor = value.type.tensor_type
        dims: list[int | str] = [
            d.dim_value if d.dim_value > 0 else _dim_name(d, value.name, i) for i, d in enumerate(tensor.shape.dim)
        ]
        found.append(Input(value.name, helper.tensor_dtype_to_np_dtype(tensor.elem_type), dims))
    return found


def _is_image(value: Input) -> bool:
    return len(value.dims) == 4 and (value.dims[1] in (1, 3) or value.dims[3] in (1, 3))


def runs_of(inputs: list[Input], hints: Hints) -> list[Mapping[str, int]]:
    """Returns sizes of the dynamic dimensions for each run: two runs at least."""
    if hints.sizes:
        return hints.sizes
    runs: list[dict[str, int]] = [{}, {}]
    for value in inputs:
        for axis, dim in enumerate(value.dims):
            if isinstance(dim, str):
                pair = (1, 3) if axis == 0 else (64, 96) if _is_image(value) else (16, 24)
                for run, size in zip(runs, pair, strict=True):
                    run.setdefault(dim, size)
    return list(runs)


def _index_ends(model: onnx.ModelProto) -> dict[str, int]:
    """Returns, for inputs that are indices of tables, how many rows the shortest of these tables has."""
    rows = {t.name: t.dims[0] for t in model.graph.initializer if t.dims}
    sources: dict[str, set[str]] = {v.name: {v.name} for v in model.graph.input}
    ends: dict[str, int] = {}
    for node in model.graph.node:
        if node.op_type in _PASSING:
            passed = {s for name in node.input for s in sources.get(name, ())}
            sources.update({name: passed for name in node.output})
        axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
        if node.op_type == "Gather" and axis == 0 and node.input[0] in rows:
            for source in sources.get(node.input[1], ()):
                ends[source] = min(ends.get(source, rows[node.input[0]]), rows[node.input[0]])
    return ends


def _patches(shape: list[int], random: np.random.Generator) -> Array:
    """Returns patches of equal brightness with some noise, in [0, 1): models of images see little in noise alone."""
    side = 8
    coarse = random.random([size if size <= 3 else -(-size // side) for size in shape])
    for axis, size in enumerate(shape):
        coarse = coarse if size <= 3 else np.repeat(coarse, side, axis).take(range(size), axis)
    return np.asarray(0.9 * coarse + 0.1 * random.random(shape))


def _draw(value: Input, sizes: Mapping[str, int], hints: Hints, end: int, random: np.random.Generator) -> Array:
    shape = [sizes[d] if isinstance(d, str) else d for d in value.dims]
    given = hints.ranges.get(value.name)
    if value.dtype == np.bool_:
        drawn = random.random(shape) < 0.8
        drawn.flat[:1] = True  # a mask that hides everything is no input
        return np.asarray(drawn)
    if _is_image(value):
        low, high = given or ((0, 256) if value.dtype == np.uint8 else (0, 1))
        return (low + (high - low) * _patches(shape, random)).astype(value.dtype)
    if value.dtype.kind == "f":
        low, high = given or (-1, 1)
        return np.asarray(random.uniform(low, high, shape)).astype(value.dtype)
    low, high = given or (0, 256 if value.dtype == np.uint8 else end)
    return np.asarray(random.integers(int(low), int(high), shape)).astype(value.dtype)


def drawn_inputs(model: onnx.ModelProto, hints: Hints) -> Iterator[dict[str, Array]]:
    """Gives the inputs of each run, drawn with a fixed seed; states are zeros."""
    inputs, ends, random = inputs_of(model), _index_ends(model), np.random.default_rng(0)
    for i, sizes in enumerate(runs_of(inputs, hints)):
        run = {v.name: _draw(v, sizes, hints, ends.get(v.name, 2), random) for v in inputs}
        for value in inputs:
            if value.name in hints.states:
                run[value.name] = np.zeros_like(run[value.name])
            if value.name in hints.values:
                values = hints.values[value.name]
                run[value.name] = np.broadcast_to(
                    np.asarray(values[i % len(values)], value.dtype), run[value.name].shape
                ).copy()
        yield run
