"""`torch.compile(model, backend="sunmao")`.

PyTorch captures graphs, makes them graphs of ATen ops without effects (forward and backward apart where gradients are
wanted) and gives them to this backend. A graph that cannot be compiled runs in PyTorch, and a warning says why.
"""

from __future__ import annotations

import hashlib
import importlib
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from sunmao import _sunmao
from sunmao.arrays import to_tensor, to_torch
from sunmao.compile_warnings import warn_all
from sunmao.custom_ops import Ops, collect
from sunmao.errors import Error, InternalError, fail
from sunmao.exported import graph_json
from sunmao.graph_cache import GraphCache, graph_key
from sunmao.model import give_function
from sunmao.torch_graphs import CapturedGraph, captured, results_of

_TRANSFORM = "main_transform_params"
_MOST_LINES = 8  # of the reason why a graph is not compiled


@dataclass
class Statistics:
    """What the backend did in this process: graphs that it compiled, that it found compiled in its cache, and that run
    in PyTorch."""

    compiled: int = 0
    loaded: int = 0
    refused: int = 0


statistics = Statistics()


@dataclass(frozen=True)
class _Options:
    freeze: bool = True
    threads: int | None = None
    target: str = "host"
    opt_level: int = 3
    cache: Any = True
    ops: Any = ()


_TYPES: dict[str, tuple[type, ...]] = {
    "freeze": (bool,),
    "threads": (int,),
    "target": (str,),
    "opt_level": (int,),
    "cache": (bool, str),
    "ops": (list, tuple),
}


def _read_options(given: Mapping[str, Any] | None, mode: str | None) -> _Options:
    if mode not in (None, "default"):
        raise fail("E0034", f'`mode`: {mode!r} is a mode of inductor; this backend has "default" alone')
    for name, value in (given or {}).items():
        if name not in _TYPES:
            raise fail("E0034", f"`options`: {name!r} is no option", f"options are {', '.join(_TYPES)}")
        if type(value) not in _TYPES[name]:
            names = " or ".join(t.__name__ for t in _TYPES[name])
            raise fail("E0034", f"`options`: `{name}` is a {type(value).__name__}, expected {names}")
    return _Options(**dict(given or {}))


def backend(
    graph: Any, examples: Sequence[Any], *, options: Mapping[str, Any] | None = None, mode: str | None = None
) -> Callable[..., Any]:
    """Compiles a graph: what torch.compile calls. `options` are those of `torch.compile(…, options={…})`:

    - `freeze` (True): without gradients, parameters and buffers are prepared for kernels once. They are prepared again
      when they have changed, which writes through `tensor.data` do not tell. With False kernels take them as they are.
    - `threads`: how many a run may use; by default those of PyTorch (`torch.get_num_threads()`).
    - `target` ("host") and `opt_level` (3): as `sunmao.compile` takes them.
    - `cache` (True): compiled graphs are kept in a folder that processes share, `$SUNMAO_CACHE_DIR` or
      `~/.cache/sunmao`. A text names another folder; False keeps none.
    - `ops` ([]): custom ops, as `sunmao.compile` takes them. Graphs with ops that have a `shape` are not kept.
    """
    chosen = _read_options(options, mode)
    common: Any = importlib.import_module("torch._dynamo.backends.common")
    export: Any = importlib.import_module("torch.export")

    def forward(module: Any, _examples: Any) -> Any:
        return _compile(module, chosen, (), getattr(_metadata(), "num_forward_returns", None))

    def backward(module: Any, _examples: Any) -> Any:
        return _compile(module, chosen, (), 0)

    def without_gradients(module: Any, _examples: Any) -> Any:
        weights = getattr(_metadata(), "static_input_indices", None) if chosen.freeze else ()
        return _compile(module, chosen, tuple(weights or ()), None)

    torch: Any = importlib.import_module("torch")
    decompositions = dict(export.default_decompositions())
    # Attention stays one op, for which there is a kernel; in parts it would not give the sums that its gradient takes.
    decompositions.pop(torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default, None)
    make = common.aot_autograd(
        fw_compiler=forward,
        bw_compiler=backward,
        inference_compiler=without_gradients,
        decompositions=decompositions,
    )
    with _attention_in_parts() if _wants_gradients(examples) else nullcontext():
        made: Callable[..., Any] = make(graph, examples)
    return made


def _wants_gradients(examples: Sequence[Any]) -> bool:
    torch: Any = importlib.import_module("torch")
    return torch.is_grad_enabled() and any(getattr(example, "requires_grad", False) for example in examples)


def _attention_in_parts() -> AbstractContextManager[None]:
    """While it lasts, attention is captured as products and a softmax, whose gradients are ops that a program has."""
    attention: Any = importlib.import_module("torch.nn.attention")
    parts: AbstractContextManager[None] = attention.sdpa_kernel(attention.SDPBackend.MATH)
    return parts


def _metadata() -> Any:
    """Returns what PyTorch knows of the graph that is being compiled; None where it says nothing."""
    guards: Any = importlib.import_module("torch._guards")
    return getattr(guards.TracingContext.try_get(), "fw_metadata", None)


def _compile(module: Any, options: _Options, weights: Sequence[int], seen: int | None) -> Any:
    """Returns what runs a graph on a list of arguments. Callers see `seen` of its results."""
    functorch: Any = importlib.import_module("functorch.compile")
    try:
        graph = captured(module, weights, seen)
        if graph.program is None:
            return functorch.make_boxed_func(module.forward)
        return _CompiledGraph(graph, options)
    except (Error, InternalError) as error:
        statistics.refused += 1
        ops = sum(node.op == "call_function" for node in module.graph.nodes)
        plural = "" if ops == 1 else "s"
        warn_all([f"a graph of {ops} op{plural} runs in PyTorch: {_reason(error)}"])
        return functorch.make_boxed_func(module.forward)


def _reason(error: Exception) -> str:
    lines = str(error).splitlines()
    more = [f"  and {len(lines) - _MOST_LINES} lines more"] if len(lines) > _MOST_LINES else []
    return "\n".join([*lines[:_MOST_LINES], *more])


def _loaded(graph: CapturedGraph, options: _Options) -> _sunmao.LoadedModel:
    """Returns the model of a graph, from the cache or compiled now."""
    torch: Any = importlib.import_module("torch")
    threads = torch.get_num_threads() if options.threads is None else options.threads
    text = graph_json(graph.program)
    ops = collect(options.ops)
    cache = None if ops.converters else GraphCache.of(options.cache)
    if cache is None:
        return _with_functions(_compiled(text, graph, options, ops).load(threads), ops)
    key = graph_key(text, len(graph.inputs), options.target, options.opt_level, *_said(ops))
    if (found := cache.find(key)) is not None:
        try:
            model = _sunmao.load_bytes(found, threads=threads)
            statistics.loaded += 1
            return model
        except Error:
            cache.forget(key)  # a damaged file
    compiled = _compiled(text, graph, options, ops)
    cache.keep(key, compiled.artifact)
    return compiled.load(threads)


def _said(ops: Ops) -> list[str]:
    """Returns what tells these custom ops from others."""
    modules = [f"{module} {_sunmao.structural_hash(module)}" for module in ops.modules]
    return [*modules, *(hashlib.sha256(data).hexdigest() for _, data in ops.objects)]


def _with_functions(model: _sunmao.LoadedModel, ops: Ops) -> _sunmao.LoadedModel:
    for name in model.host_functions:
        if name in ops.functions:
            give_function(model, name, ops.functions[name])
    return model


def _compiled(text: bytes, graph: CapturedGraph, options: _Options, ops: Ops) -> _sunmao.Compiled:
    module = _sunmao.read_exported_program(text, {}, "graph", ops.converters, ops=ops.modules)[0]
    if graph.weights or graph.constants:
        main: Any = module.find("main")
        module = module.with_function("main", main.with_attr("num_input", len(graph.inputs)))
        module = _sunmao.run_pass(module, "lift-transform-params")
    compiled = _sunmao.compile(
        module, {}, [options.target], {}, bind_weights=False, opt_level=options.opt_level, objects=ops.objects
    )
    statistics.compiled += 1
    return compiled


class _Seen:
    """A weight as it was when it was prepared."""

    def __init__(self, tensor: Any) -> None:
        self._tensor: Any = weakref.ref(tensor)
        self._place = tensor.data_ptr()
        self._version = _version(tensor)

    def is_now(self, tensor: Any) -> bool:
        is_same: bool = self._tensor() is tensor and self._place == tensor.data_ptr()
        return is_same and self._version == _version(tensor)


def _version(tensor: Any) -> int:
    """Returns how often the tensor has been written; tensors of inference mode do not count that."""
    return -1 if tensor.is_inference() else int(tensor._version)


class _CompiledGraph:
    """A graph that runs by an artifact. It is called with a list of arguments, which it empties."""

    def __init__(self, graph: CapturedGraph, options: _Options) -> None:
        self._boxed_call = True  # says so to PyTorch
        self._model = _loaded(graph, options)
        self._graph = graph._replace(program=None)
        self._prepares = _TRANSFORM in self._model.signatures
        self._ready: tuple[list[_Seen], list[_sunmao.Tensor]] | None = None  # weights, as they came and prepared
        self._lock = threading.Lock()

    def __call__(self, args: list[Any]) -> list[Any]:
        inputs = [to_tensor(args[i]) for i in self._graph.inputs]
        computed = [to_torch(t) for t in self._model.run("main", [*inputs, *self._weights(args)])]
        out = results_of(self._graph, args, computed)
        args.clear()  # as boxed functions do: what the caller holds no more is freed
        return out

    def _weights(self, args: Sequence[Any]) -> list[_sunmao.Tensor]:
        """Returns prepared weights, of the weights among the arguments as they are now."""
        ready, positions = self._ready, self._graph.weights
        if ready is not None and all(seen.is_now(args[i]) for seen, i in zip(ready[0], positions, strict=True)):
            return ready[1]
        with self._lock:
            self._ready = None  # frees what was prepared
            seen = [_Seen(args[i]) for i in positions]
            given = [args[i] for i in positions] + self._graph.constants
            raw = [to_tensor(tensor.detach().contiguous()) for tensor in given]
            prepared = self._model.run(_TRANSFORM, raw) if self._prepares else raw
            self._ready = seen, prepared
            return prepared
