"""What torch.compile captures, as modules and as a backend of passes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.arrays import to_tensor, to_torch
from sunmao.compat import runtime
from sunmao.compat.ir.module import IRModule
from sunmao.compat.relax.frontend.torch.fx_translator import from_fx
from sunmao.compat.relax.pipeline import get_pipeline
from sunmao.compat.relax.vm import VirtualMachine
from sunmao.compat.relax.vm_build import build
from sunmao.compat.target import Target
from sunmao.errors import fail
from sunmao.exported import graph_json
from sunmao.torch_graphs import CapturedGraph, captured, results_of


def dynamo_capture_subgraphs(model: Any, *params: Any, keep_params_as_input: bool = False, **kwargs: Any) -> IRModule:
    """Returns a module with a function for each graph that torch.compile captures of a call of the model: `subgraph_0`,
    `subgraph_1` and so on."""
    torch: Any = importlib.import_module("torch")
    module = IRModule()

    def capture(graph: Any, examples: Sequence[Any]) -> Any:
        info = [(tuple(example.shape), example.dtype) for example in examples]
        made = from_fx(graph, info, keep_params_as_input=keep_params_as_input, unwrap_unit_return_tuple=True)
        name = f"subgraph_{len(module.get_global_vars())}"
        module[name] = made["main"].with_attr("global_symbol", name)
        return graph.forward

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(model, backend=capture)(*params, **kwargs)
    return module


def relax_dynamo(pipeline: Any = None) -> Callable[[Any, Sequence[Any]], Callable[..., Any]]:
    """Returns a backend of torch.compile that runs a pipeline of passes (one, its name, or None for the default one)
    over each graph, builds it, and runs it on a virtual machine."""
    common: Any = importlib.import_module("torch._dynamo.backends.common")
    export: Any = importlib.import_module("torch.export")

    def compile(module: Any, _examples: Any) -> Any:
        functorch: Any = importlib.import_module("functorch.compile")
        graph = captured(module)
        if graph.program is None:
            return functorch.make_boxed_func(module.forward)
        run = _built(graph, pipeline)

        def call(args: list[Any]) -> list[Any]:
            computed = run([*(args[i] for i in graph.inputs), *graph.constants])
            out = results_of(graph, args, computed)
            args.clear()
            return out

        setattr(call, "_boxed_call", True)  # noqa: B010  # says so to PyTorch
        return call

    backend: Any = common.aot_autograd(fw_compiler=compile, decompositions=export.default_decompositions())
    made: Callable[[Any, Sequence[Any]], Callable[..., Any]] = backend
    return made


def _built(graph: CapturedGraph, pipeline: Any) -> Callable[[Sequence[Any]], Sequence[Any]]:
    module = IRModule(_sunmao.read_exported_program(graph_json(graph.program), {}, "graph")[0])
    if pipeline is None:
        passes = get_pipeline()
    elif isinstance(pipeline, str):
        passes = get_pipeline(pipeline)
    elif callable(pipeline):
        passes = pipeline
    else:
        raise fail("E0034", f"`pipeline`: a {type(pipeline).__name__} is no pipeline", "pass a pass, a name, or None")
    host = Target("llvm")
    with host:
        module = passes(module)
    machine = VirtualMachine(build(module, host), runtime.cpu())

    def run(values: Sequence[Any]) -> Sequence[Any]:
        found = machine["main"](*(runtime.Tensor(to_tensor(value)) for value in values))
        return [to_torch(part.native) for part in ([found] if isinstance(found, runtime.Tensor) else found)]

    return run
