"""Single ops of PyTorch: a case is a function of tensors that is exported, compiled, run, and compared with PyTorch.

    CASES = {"aten.add.Tensor": [Case(lambda x, y: torch.ops.aten.add.Tensor(x, y, alpha=2), T(2, 3), T(3))]}

stands in tests/differential/torch_cases/<family>.py.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sunmao
import torch
from comparing import Array, differences, outputs_of
from torch_arrays import tensors_of, to_array

# Cases are small: what code generation would save in a run is less than what it costs.
COMPILE: dict[str, Any] = {"opt_level": 1, "threads": 1}
TOLERANCE = 1e-5


class T:
    """A tensor to be drawn. Floats are normal, or uniform in [low, high), or in [0.1, 2) where `positive`; integers are
    uniform in [low, high), by default [0, 8). `value` is taken as it is."""

    def __init__(
        self,
        *shape: int,
        dtype: torch.dtype = torch.float32,
        low: float | None = None,
        high: float | None = None,
        positive: bool = False,
        value: Any = None,
    ) -> None:
        self.value: torch.Tensor | None = None
        if value is not None:
            self.value = torch.as_tensor(value)
            shape, dtype = tuple(self.value.shape), self.value.dtype
        self.shape, self.dtype = tuple(shape), dtype
        self.low, self.high = (0.1, 2.0) if positive else (low, high)

    def draw(self, generator: torch.Generator, shape: Sequence[int] | None = None) -> torch.Tensor:
        """Returns a tensor of the case's shape, or of another one of the same rank."""
        sizes = tuple(self.shape if shape is None else shape)
        if self.value is not None:
            if sizes == self.shape:
                return self.value.clone()
            return torch.from_numpy(np.resize(to_array(self.value), sizes))
        if self.dtype == torch.bool:
            return torch.rand(sizes, generator=generator) < 0.5
        if self.dtype.is_complex:
            return torch.randn(sizes, generator=generator, dtype=self.dtype)
        if not self.dtype.is_floating_point:
            first, end = int(self.low or 0), int(8 if self.high is None else self.high)
            return torch.randint(first, end, sizes, generator=generator).to(self.dtype)
        if self.low is None and self.high is None:
            return torch.randn(sizes, generator=generator).to(self.dtype)
        low, high = 0.0 if self.low is None else self.low, 1.0 if self.high is None else self.high
        return (torch.rand(sizes, generator=generator) * (high - low) + low).to(self.dtype)


class Case:
    """`fn` on `args`, followed by `weights`, which are buffers of the exported module. `dynamic` maps an argument to
    its dynamic dimensions with their ranges: {0: {0: (2, 8)}}; such a case is run at two sizes. `tol` is relative to
    the greatest magnitude of the expected output."""

    def __init__(
        self,
        fn: Callable[..., Any],
        *args: T,
        weights: Sequence[T] = (),
        dynamic: dict[int, dict[int, tuple[int, int]]] | None = None,
        tol: float = TOLERANCE,
    ) -> None:
        self.fn, self.args, self.weights, self.tol = fn, args, tuple(weights), tol
        self.dynamic = dynamic or {}


class _Module(torch.nn.Module):
    def __init__(self, fn: Callable[..., Any], weights: Sequence[torch.Tensor]) -> None:
        super().__init__()
        self._fn, self._count = fn, len(weights)
        for i, weight in enumerate(weights):
            self.register_buffer(f"weight{i}", weight)

    def forward(self, *args: torch.Tensor) -> Any:
        return self._fn(*args, *(getattr(self, f"weight{i}") for i in range(self._count)))


def names_of(target: Any) -> set[str]:
    """Returns the names under which a table may list a call's target: `aten.add.Tensor`, `higher_order.cond`, `cond`,
    `_operator.add`, `math.ceil`."""
    if isinstance(target, torch._ops.OpOverload):
        return {str(target), str(target).replace(".", "::", 1)}
    if isinstance(target, torch._ops.HigherOrderOperator):
        return {str(target), f"higher_order.{target}", f"torch.ops.higher_order.{target}"}
    module, name = getattr(target, "__module__", ""), getattr(target, "__name__", str(target))
    return {name, f"{module}.{name}", f"{module.removeprefix('_')}.{name}"}


def targets_of(program: torch.export.ExportedProgram) -> set[str]:
    """Returns the names of what the program calls, in subgraphs too."""
    graphs = [m.graph for m in program.graph_module.modules() if isinstance(m, torch.fx.GraphModule)]
    found: set[str] = set()
    for graph in graphs:
        for node in graph.nodes:
            if node.op == "call_function":
                found |= names_of(node.target)
    return found


def _export(case: Case, key: str, args: Sequence[torch.Tensor], module: _Module) -> torch.export.ExportedProgram:
    """Exports, and decomposes the program where only that gives the target `key`."""
    auto = torch.export.Dim.AUTO
    ranges = [case.dynamic.get(i, {}) for i in range(len(args))]
    shapes = tuple({d: auto(min=low, max=high) for d, (low, high) in dims.items()} or None for dims in ranges)
    program = torch.export.export(module, tuple(args), dynamic_shapes=(shapes,) if case.dynamic else None, strict=False)
    if key not in targets_of(program):
        raw, program = targets_of(program), program.run_decompositions()
        decomposed = targets_of(program)
        assert key in decomposed, f"`{key}` is in no form of the program: raw {sorted(raw)}, core {sorted(decomposed)}"
    return program


def _shapes(case: Case, program: torch.export.ExportedProgram) -> Iterator[list[tuple[int, ...]]]:
    """Yields the shapes of the arguments to run with: those of the case, and others where dimensions are dynamic."""
    yield [spec.shape for spec in case.args]
    if not case.dynamic:
        return
    inputs = set(program.graph_signature.user_inputs)
    values = [n.meta["val"] for n in program.graph.nodes if n.op == "placeholder" and n.name in inputs]
    sizes: dict[Any, int] = {}
    for i, dims in case.dynamic.items():
        for d, (low, high) in dims.items():
            size = values[i].shape[d]
            symbols = size.node.expr.free_symbols if isinstance(size, torch.SymInt) else set()
            assert symbols, f"dimension {d} of argument {i} is not dynamic: the export fixed it"
            if size.node.expr in symbols:
                sizes[size.node.expr] = high if case.args[i].shape[d] != high else low
    yield [
        tuple(int(s.node.expr.subs(sizes)) if isinstance(s, torch.SymInt) else int(s) for s in value.shape)
        for value in values
    ]


def run(key: str, case: Case, seed: str = "") -> None:
    """Runs one case; an AssertionError says what differs."""
    generator = torch.Generator().manual_seed(zlib.crc32(f"{key}-{seed}".encode()))
    module = _Module(case.fn, [weight.draw(generator) for weight in case.weights]).eval()
    program = _export(case, key, [spec.draw(generator) for spec in case.args], module)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.pt2"
        torch.export.save(program, path)
        model = sunmao.compile(path, **COMPILE)
        for shapes in _shapes(case, program):
            args = [spec.draw(generator, shape) for spec, shape in zip(case.args, shapes, strict=True)]
            inputs = [to_array(a) for a in args]
            with torch.no_grad():
                want: list[Array] = [to_array(t) for t in tensors_of(module(*args))]
            found = differences(outputs_of(model.flat(*inputs)), want, case.tol)
            assert not found, f"at {shapes}: " + "; ".join(found)
