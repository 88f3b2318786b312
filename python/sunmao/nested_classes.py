"""Classes that arguments and results of torch modules are nested in: named tuples, dataclasses, and what is registered
with torch's pytrees. A model states them by name; nothing is imported to find one."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sunmao.errors import fail

_RETURN_TYPES = "torch.return_types."
_exported: dict[str, type] = {}  # classes of the programs that this process has exported, by name


def name_of(cls: type) -> str:
    """Returns the name that a model states for a class: the one that it is registered under, or its own."""
    pytree = _pytree()
    known = pytree.SUPPORTED_SERIALIZED_TYPES.get(cls) if pytree else None
    if known is not None and known.serialized_type_name != pytree.NO_SERIALIZED_TYPE_NAME_FOUND:
        return str(known.serialized_type_name)
    if is_return_type(cls):
        return _RETURN_TYPES + cls.__name__
    return f"{cls.__module__}.{cls.__qualname__}"


def is_return_type(cls: Any) -> bool:
    """True for the named results of PyTorch's functions, such as torch.return_types.max."""
    return isinstance(cls, type) and cls.__module__ == "torch.return_types"


def is_named_tuple(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def find_class(name: str) -> type | None:
    """Returns a class by the name that a model states, where this process has it."""
    if name in _exported:
        return _exported[name]
    pytree = _pytree()
    if pytree is not None and name in pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE:
        registered: type = pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE[name]
        return registered
    return _loaded_class(name)


def _loaded_class(name: str) -> type | None:
    """Returns a class of a module that is imported already, if it is of a kind that results are nested in."""
    module, _, attribute = name.rpartition(".")
    found = getattr(sys.modules.get(module), attribute, None)
    is_plain = isinstance(found, type) and dataclasses.is_dataclass(found)
    return found if is_plain or is_named_tuple(found) or is_return_type(found) else None


def parts_of(value: Any, name: str, context: str) -> list[Any] | None:
    """Returns what a value of the class holds; None when it is of another class. A class that is nested in another way
    than the stated one is refused (E0034)."""
    if name_of(type(value)) != name:
        return None
    pytree = _pytree()
    if pytree is not None and type(value) in pytree.SUPPORTED_NODES:
        parts, own = pytree.SUPPORTED_NODES[type(value)].flatten_fn(value)
        written = _written(pytree, type(value), own)
    elif dataclasses.is_dataclass(value):
        fields = [f.name for f in dataclasses.fields(value) if f.init]
        held = [f for f in fields if getattr(value, f) is not None]
        parts, written = [getattr(value, f) for f in held], json.dumps([held, [f for f in fields if f not in held]])
    else:
        return None
    if written != context:
        raise fail("E0034", f"a `{name}` holds {written}, and the program was exported for {context}")
    return list(parts)


def build(cls: type, context: str, parts: Sequence[Any], fields: Mapping[str, Any]) -> Any:
    """Returns an object of the class. `fields` are the parts by name, where they have names."""
    pytree = _pytree()
    try:
        if pytree is not None and cls in pytree.SUPPORTED_NODES:
            return pytree.SUPPORTED_NODES[cls].unflatten_fn(list(parts), _read(pytree, cls, context))
        stated = json.loads(context)
        return cls(**fields, **dict.fromkeys(stated[1]))
    except Exception as error:
        raise fail(
            "E0034",
            f"a `{cls.__qualname__}` cannot hold the results: {error}",
            "give it torch tensors, if it holds only those; `model.flat` returns the results one by one",
        ) from error


def _pytree() -> Any:
    """Returns torch.utils._pytree; None where PyTorch is not imported."""
    return sys.modules.get("torch.utils._pytree")


def _written(pytree: Any, cls: type, context: Any) -> str:
    known = pytree.SUPPORTED_SERIALIZED_TYPES.get(cls)
    if known is not None and known.to_dumpable_context is not None:
        return str(known.to_dumpable_context(context))
    return json.dumps(context, cls=pytree.EnumEncoder)


def _read(pytree: Any, cls: type, context: str) -> Any:
    known = pytree.SUPPORTED_SERIALIZED_TYPES.get(cls)
    if known is not None and known.from_dumpable_context is not None:
        return known.from_dumpable_context(context)
    return json.loads(context, object_hook=pytree.enum_object_hook)


def children_of(spec: Any) -> list[Any]:
    """Returns the parts of a structure of torch's pytrees."""
    return list(spec.children() if hasattr(spec, "children") else spec.children_specs)  # the latter before PyTorch 2.10


def _classes_in(spec: Any) -> Iterator[type]:
    """Yields the classes in a structure of torch's pytrees."""
    if not spec.is_leaf():
        yield spec.context if is_named_tuple(spec.context) else spec.type
    for child in children_of(spec):
        yield from _classes_in(child)


def _fields_of(cls: Any) -> str:
    """Returns the names of the fields of a class of torch.return_types."""
    return json.dumps(cls.__match_args__)


@contextmanager
def named_for_writing(specs: Sequence[Any]) -> Iterator[None]:
    """While it lasts, PyTorch can write structures whose classes have no name there; those are noted by name."""
    pytree: Any = _pytree()
    table = pytree.SUPPORTED_SERIALIZED_TYPES
    before: dict[type, Any] = {}
    with pytree._NODE_REGISTRY_LOCK:
        for cls in {c for spec in specs for c in _classes_in(spec)}:
            known = table.get(cls)
            if known is not None and known.serialized_type_name != pytree.NO_SERIALIZED_TYPE_NAME_FOUND:
                continue
            before[cls], name = known, name_of(cls)
            writes = (lambda _, cls=cls: _fields_of(cls)) if is_return_type(cls) else None
            table[cls] = pytree._SerializeNodeDef(cls, name, writes, None)
            _exported[name] = cls
        try:
            yield
        finally:
            for cls, known in before.items():
                if known is None:
                    del table[cls]
                else:
                    table[cls] = known


@contextmanager
def known_dataclasses(classes: set[type]) -> Iterator[None]:
    """While it lasts, torch's pytrees know these dataclasses, which are not registered."""
    pytree: Any = _pytree()
    for cls in classes:
        _exported[name_of(cls)] = cls
        pytree.register_dataclass(cls, serialized_type_name=name_of(cls))
    try:
        yield
    finally:
        for cls in classes:
            pytree._deregister_pytree_node(cls)


def unknown_dataclasses(value: Any) -> set[type]:
    """Returns the dataclasses in a value that torch's pytrees do not know."""
    pytree: Any = _pytree()
    found: set[type] = set()
    open_values = [value]
    while open_values:
        for leaf in pytree.tree_leaves(open_values.pop()):
            if dataclasses.is_dataclass(leaf) and not isinstance(leaf, type):
                found.add(type(leaf))
                open_values += [getattr(leaf, f.name) for f in dataclasses.fields(leaf)]
    return found
