"""Programs of torch.export in memory: read by the same C++ reader as `.pt2` files, on the program's own weights."""

from __future__ import annotations

import importlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from sunmao import _sunmao
from sunmao.arrays import to_tensor
from sunmao.errors import Error, fail
from sunmao.nested_classes import children_of, named_for_writing

_WRITES = threading.Lock()  # one program at a time is written, since PyTorch is changed meanwhile


class ReadProgram(NamedTuple):
    """A module and its data by parameter name. `states` are first values of what `main` takes and returns."""

    module: _sunmao.Module
    weights: dict[str, _sunmao.Tensor]
    states: dict[str, _sunmao.Tensor]
    notes: list[str]


def is_exported_program(value: Any) -> bool:
    return type(value).__name__ == "ExportedProgram" and type(value).__module__.startswith("torch.export")


def is_torch_module(value: Any) -> bool:
    return any(c.__module__ == "torch.nn.modules.module" and c.__name__ == "Module" for c in type(value).__mro__)


def _is_sparse(value: Any) -> bool:
    torch: Any = importlib.import_module("torch")
    return isinstance(value, torch.Tensor) and value.layout != torch.strided


def _sparse_nodes(program: Any) -> list[Any]:
    """Returns the nodes whose value is a sparse tensor."""
    return [node for node in program.graph.nodes if _is_sparse(node.meta.get("val"))]


@contextmanager
def _stated_as_dense(nodes: Sequence[Any]) -> Iterator[None]:
    """Context in which these nodes have dense values of the same shape: PyTorch cannot write what has no strides."""
    torch: Any = importlib.import_module("torch")
    kept = [node.meta["val"] for node in nodes]
    for node, value in zip(nodes, kept, strict=True):
        node.meta["val"] = torch.empty(value.shape, dtype=value.dtype, device="meta")
    try:
        yield
    finally:
        for node, value in zip(nodes, kept, strict=True):
            node.meta["val"] = value


@contextmanager
def _without_self_test(serialize: Any) -> Iterator[None]:
    """Context in which PyTorch does not bring a copy of what it writes to a canonical form, to throw it away: that is a
    test of PyTorch, and takes longer than the writing."""
    with _WRITES:
        kept = getattr(serialize, "canonicalize", None)
        if kept is None:
            yield
            return
        serialize.canonicalize = lambda program, *_rest: program
        try:
            yield
        finally:
            serialize.canonicalize = kept


def graph_json(program: Any) -> bytes:
    """Returns the program as torch.export.save writes it, with dense tensors for sparse ones; weights are left out
    where PyTorch can do that."""
    serialize: Any = importlib.import_module("torch._export.serde.serialize")
    with _stated_as_dense(_sparse_nodes(program)), _without_self_test(serialize):
        try:
            artifact = _serialized(
                serialize,
                program,
                serialize_state_dict=False,
                serialize_constants=False,
                serialize_example_inputs=False,
            )
        except TypeError:  # PyTorch 2.12 and older have no such arguments
            artifact = _serialized(serialize, program)
    graph: bytes = artifact.exported_program
    return graph


def _serialized(serialize: Any, program: Any, **options: bool) -> Any:
    call = program.call_spec
    try:
        with named_for_writing([spec for spec in (call.in_spec, call.out_spec) if spec is not None]):
            return serialize.serialize(program, **options)
    except TypeError as error:
        if "unexpected keyword argument" in str(error):
            raise
        raise _not_written(error) from error
    except Error:
        raise
    except Exception as error:
        raise _not_written(error) from error


def decomposed(program: Any) -> Any:
    """Returns the program in PyTorch's core ops. One with sparse tensors stays as it is: PyTorch's process may end in
    their decomposition."""
    if _sparse_nodes(program):
        return program
    try:
        return program.run_decompositions()
    except Exception as error:
        raise fail(
            "E0712",
            f"PyTorch cannot decompose the program: {str(error).strip().splitlines()[0]}",
            "pass `run_ep_decomposition=False`: the program is read as it is",
        ) from error


def _not_written(error: Exception) -> Error:
    lines = [line for line in str(error).splitlines() if line.strip()]
    reason = lines[-1].rpartition("SerializeError: ")[2] if lines else type(error).__name__
    return fail("E0712", f"PyTorch cannot write the program: {reason}")


def _data(program: Any) -> dict[str, _sunmao.Tensor]:
    """Returns weights, buffers and constants by name. Memory is shared; transposed and sliced tensors are copied, and
    sparse ones become dense."""
    torch: Any = importlib.import_module("torch")
    out: dict[str, _sunmao.Tensor] = {}
    for name, value in [*program.constants.items(), *program.state_dict.items()]:
        if not isinstance(value, torch.Tensor):
            continue
        if type(value) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
            raise fail(
                "E0706",
                f"the weight `{name}` is a {type(value).__name__}, a tensor with parts of its own",
                "for torchao's quantised tensors: call torchao.utils.unwrap_tensor_subclass(model) before the export",
            )
        dense = value.detach().to_dense() if _is_sparse(value) else value.detach()
        out[name] = to_tensor(dense.cpu().contiguous(), f"weight `{name}`")
    return out


def symbol_names(program: Any, derived: Mapping[str, str] | None = None) -> dict[str, str]:
    """Returns the names that the export was given for symbols, by the program's own. `derived` are names for sizes that
    are written in terms of others, such as 2*_batch."""
    values = [node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"]
    mode = next((mode for v in values if (mode := getattr(v, "fake_mode", None)) is not None), None)
    sizes = getattr(mode, "shape_env", None)
    given: dict[str, str] = getattr(sizes, "source_name_to_debug_name", {})
    symbols: dict[str, Any] = getattr(sizes, "source_to_var", {})
    own: dict[str, str] = {}
    for source, name in given.items():
        size: Any = sizes.replace(symbols[source]) if sizes is not None and source in symbols else None
        if size is None:
            continue
        if size.is_Symbol and name.isidentifier():
            own.setdefault(str(size), name)
        elif len(size.free_symbols) == 1 and derived is not None and name in derived:
            own.setdefault(f"{next(iter(size.free_symbols))}_derived", derived[name])
    return own


def read_program(
    program: Any,
    name: str = "model",
    *,
    custom: Mapping[str, Any] | None = None,
    returns: _sunmao.ReturnForm = _sunmao.ReturnForm.PLAIN,
    keep_state: bool = False,
    upstream_form: bool = False,
    names: Mapping[str, str] | None = None,
    ops: Sequence[_sunmao.Module] = (),
) -> ReadProgram:
    """Reads a program of torch.export. `custom` are converters by target, which go before the reader's own; after them
    come functions of `ops`, modules with custom ops. With `keep_state` random numbers come from a state, with
    `upstream_form` the module is as TVM's importer writes it. `names` are names for symbols; without, those of the
    export."""
    graph, data = graph_json(program), _data(program)
    converters = dict(custom or {})
    read = ReadProgram(
        *_sunmao.read_exported_program(
            graph, data, name, converters, returns, keep_state, list(ops), upstream_form=upstream_form
        )
    )
    given = dict(symbol_names(program) if names is None else names)
    return read._replace(module=_sunmao.with_symbol_names(read.module, given))


def with_nesting(module: _sunmao.Module, change: Any) -> _sunmao.Module:
    """Returns the module with `nesting` of `main` as `change` makes it of the stated one, or of none."""
    main: Any = module.find("main")
    stated = dict(main.attrs.items()).get("sunmao.nesting")
    made = change(json.loads(str(stated)) if stated else None)
    return module if made is None else module.with_function("main", main.with_attr("sunmao.nesting", json.dumps(made)))


def call_names(program: Any) -> tuple[Sequence[str], Sequence[str]]:
    """Returns the names of the program's arguments: those that went by position, and those that went by name."""
    positional, named = children_of(program.call_spec.in_spec)
    names = program.module_call_graph[0].signature.forward_arg_names or []
    return list(names[: len(children_of(positional))]), list(named.context)
