"""Converters in upstream's form, which take a node of torch.fx and the importer that is at work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sunmao import _sunmao
from sunmao.compat.missing import attribute_of, refuse
from sunmao.errors import fail

NodeConverter = Callable[[Any, "ExportedProgramImporter"], Any]


class _Emitter:
    """The builder that converters emit to. What they emit becomes bindings of the module when they have returned."""

    def emit(self, expr: _sunmao.Expr, name_hint: str = "") -> _sunmao.Expr:
        refuse("emit", **({"name_hint": repr(name_hint)} if name_hint else {}))  # bindings have the names of nodes
        return expr

    def normalize(self, expr: _sunmao.Expr) -> _sunmao.Expr:
        return expr

    def __getattr__(self, name: str) -> Any:
        raise fail("E0030", f"the builder of a converter has no `{name}`", "`emit` takes an expression of ops")


class ExportedProgramImporter:
    """What a converter is given beside the node: `env` has the expressions of the nodes that are its arguments."""

    def __init__(self) -> None:
        self.env: dict[Any, _sunmao.Expr] = {}
        self.block_builder = _Emitter()

    @staticmethod
    def shape_of(tensor: Any) -> Any:
        """Returns the shape of an expression or of a tensor of PyTorch."""
        return tensor.ty.shape if isinstance(tensor, _sunmao.Expr) else tensor.shape

    def retrieve_args(self, node: Any) -> Any:
        """Returns the arguments by position of a node, with expressions for nodes."""
        return self._retrieve_args(node.args)

    def _retrieve_args(self, value: Any) -> Any:
        if isinstance(value, tuple | list):
            return type(value)(self._retrieve_args(item) for item in value)
        if isinstance(value, dict):
            return {key: self._retrieve_args(item) for key, item in value.items()}
        return self.env.get(value, value) if _is_node(value) else value


def _is_node(value: Any) -> bool:
    return type(value).__name__ == "Node" and type(value).__module__.startswith("torch.fx")


def _nodes_of(graph_module: Any) -> Iterator[Any]:
    """Yields the calls of a graph in the order in which they are read: those of a branch where it is used."""
    for node in graph_module.graph.nodes:
        if node.op != "call_function":
            continue
        for inner in node.all_input_nodes:
            if inner.op == "get_attr" and hasattr(getattr(graph_module, str(inner.target), None), "graph"):
                yield from _nodes_of(getattr(graph_module, str(inner.target)))
        yield node


def _tensors_of(node: Any) -> list[Any]:
    """Returns the nodes that are tensors among the arguments, in order, those of a list one by one."""
    import torch

    found = []

    def note(value: Any) -> None:
        if isinstance(value, tuple | list):
            for item in value:
                note(item)
        elif _is_node(value) and isinstance(value.meta.get("val"), torch.Tensor):
            found.append(value)

    note([*node.args, *node.kwargs.values()])
    return found


def own_converters(program: Any, converters: Mapping[str, Any]) -> dict[str, Any]:
    """Returns converters by target in Sunmao's form. Those for a name without a namespace ("add.Tensor") are in
    upstream's form."""
    made = {name: converter for name, converter in converters.items() if name.count(".") != 1}
    queues: dict[str, list[Any]] = {}
    for node in _nodes_of(program.graph_module):
        name = getattr(node.target, "__name__", "")
        if name in converters and name not in made:
            queues.setdefault(str(node.target), []).append(node)
    for target, nodes in queues.items():
        made[target] = _own_converter(converters[target.partition(".")[2]], nodes)
    return made


def _own_converter(converter: NodeConverter, nodes: list[Any]) -> Callable[[list[Any], dict[str, Any]], Any]:
    """Returns a converter that is called for these nodes, one after the other."""
    remaining = iter(nodes)

    def convert(inputs: list[Any], _attributes: dict[str, Any]) -> Any:
        node, importer = next(remaining), ExportedProgramImporter()
        given = (value for value in inputs if value is not None)
        importer.env = dict(zip(_tensors_of(node), given, strict=False))
        return converter(node, importer)

    return convert


__getattr__ = attribute_of(__name__)
