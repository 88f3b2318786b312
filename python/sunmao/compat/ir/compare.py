"""Structural comparison: variables correspond by position, whatever their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.ir.attrs_class import Attrs
from sunmao.compat.ir.module import IRModule
from sunmao.compat.paths import AccessPath
from sunmao.compat.runtime.tensors import Tensor
from sunmao.errors import UsageError

# Prefix of function attributes that the compiler sets for its own use.
OWN_ATTRIBUTES = "sunmao."
# Prefixes of the names of attributes that structural comparison ignores.
_left_out: list[str] = []
# Called with two values that differ by structure; a true result makes them equal for `assert_structural_equal`.
_judges: list[Callable[[Any, Any], bool]] = []
_NOTHING = make.evaluate(make.int_imm("int32", 0))
_NODES = (_sunmao.Module, _sunmao.Type, _sunmao.Expr, _sunmao.Scalar, _sunmao.Stmt)


@contextmanager
def leaving_out(prefix: str) -> Iterator[None]:
    """Context in which structural comparison and hash ignore function attributes whose names begin with `prefix`. Used
    for programs written for upstream, whose passes do not set the compiler's own attributes."""
    _left_out.append(prefix)
    try:
        yield
    finally:
        _left_out.remove(prefix)


@contextmanager
def judged_by(judge: Callable[[Any, Any], bool]) -> Iterator[None]:
    """Context in which `assert_structural_equal` accepts values of another structure that `judge` takes for equal."""
    _judges.append(judge)
    try:
        yield
    finally:
        _judges.remove(judge)


def _plain(function: Any) -> Any:
    """Returns the function without the ignored attributes."""
    for name in [name for name in function.attrs if name.startswith(tuple(_left_out))]:
        function = function.without_attr(name)
    return function


def _plain_module(module: _sunmao.Module) -> _sunmao.Module:
    for entry in module.functions:
        function = _plain(entry.func)
        if function is not entry.func:
            module = module.with_function(entry.var, function)
    return module


def _native(value: Any) -> Any:
    """Converts a value to one that the extension compares."""
    if isinstance(value, IRModule):
        return _plain_module(value.__sunmao_module__())
    if isinstance(value, _sunmao.BaseFunc):
        return _plain(value)
    if isinstance(value, _sunmao.Binding):
        value = make.block([value], False)
    if isinstance(value, _sunmao.BindingBlock):
        return make.sequence([value], make.tuple([]))
    if hasattr(value, "__sunmao_type__"):
        return value.__sunmao_type__()
    if isinstance(value, _sunmao.Buffer):
        return make.decl_buffer(value)
    if hasattr(value, "__sunmao_block__"):
        return value.__sunmao_block__()
    if isinstance(value, _sunmao.IterVar):
        return make.sblock("", [value], [], [], _NOTHING)
    if isinstance(value, _sunmao.PrimValue):
        return value.value
    return value


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False, skip_tensor_content: bool = False) -> bool:
    """Returns whether two values are structurally equal. With `map_free_vars` free variables may correspond to each
    other; with `skip_tensor_content` tensors of equal shape and dtype are equal."""

    def same(x: Any, y: Any) -> bool:
        return structural_equal(x, y, map_free_vars, skip_tensor_content)

    a, b = _native(lhs), _native(rhs)
    if any(isinstance(a, kind) and isinstance(b, kind) for kind in _NODES):
        return _sunmao.structural_equal(a, b, map_free_vars, skip_tensor_content)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        if isinstance(a, Attrs) or isinstance(b, Attrs):
            return set(a) == set(b) and all(same(a[key], b[key]) for key in a)
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return _same_tensor(a, b, skip_tensor_content)
    if isinstance(a, _NODES) or isinstance(b, _NODES):
        if isinstance(a, int | float) or isinstance(b, int | float):
            return bool(a == b)
        return False
    return bool(a == b)


def _same_tensor(a: Tensor, b: Tensor, skip_content: bool) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and (skip_content or a.numpy().tobytes() == b.numpy().tobytes())


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """Fails (E0038, a ValueError) unless the values are structurally equal, with the path of the first difference and
    both texts. Within `judged_by`, values that the judge takes for equal pass as well."""
    if structural_equal(lhs, rhs, map_free_vars):
        return
    if any(judge(lhs, rhs) for judge in _judges):
        return
    a, b = _native(lhs), _native(rhs)
    try:
        found = _sunmao.first_difference(a, b, map_free_vars)
        path, _, reason = found.partition(": ") if " " not in found.partition(": ")[0] else ("", "", found)
    except TypeError:
        path, reason = "", f"{a!r} against {b!r}"
    place = _path(a, b, path)
    error = StructuralDifference(
        "E0038",
        f"StructuralEqual check failed, caused by lhs at {place}:\n{_shown(lhs, place)}\n"
        f"and rhs at {place}:\n{_shown(rhs, place)}",
    )
    if reason:
        error.add_note(reason)
    raise error


class StructuralDifference(UsageError):
    """E0038, whose text is upstream's message."""

    def __str__(self) -> str:
        return self.message


# Matches an element of a path: an attribute name, or an index in brackets.
_STEP = re.compile(r"\.?(\w+)|\[(\d+)\]")


def _path(a: Any, b: Any, text: str) -> AccessPath:
    """Converts the path of the first difference, as the extension prints it, to an AccessPath."""
    path = AccessPath.root()
    if isinstance(a, _sunmao.PrimType) and isinstance(b, _sunmao.PrimType) and a.dtype != b.dtype:
        return path.attr("dtype")
    if isinstance(a, _sunmao.Module):
        name = text.split(".", 1)[0].split("[", 1)[0]
        found = [entry.var for entry in a.functions if entry.var.name == name]
        if found:
            path, text = path.attr("functions").map_item(found[0]), text[len(name) :]
    for name, index in _STEP.findall(text) if _STEP.match(text) else []:
        path = path.attr(name) if name else path.array_item(int(index))
    return path


def _shown(value: Any, place: AccessPath) -> str:
    """Returns the text of a value, with the part at `place` underlined if possible."""
    if not hasattr(value, "script"):
        return repr(value)
    try:
        return str(value.script(path_to_underline=[place], syntax_sugar=False))
    except TypeError:  # a text without options
        return repr(value)


def structural_hash(value: Any, map_free_vars: bool = False, skip_tensor_content: bool = False) -> int:
    """Returns a hash that is equal for structurally equal values under the same options."""

    def part(item: Any) -> int:
        return structural_hash(item, map_free_vars, skip_tensor_content)

    native = _native(value)
    if isinstance(native, _NODES):
        return int(_sunmao.structural_hash(native, map_free_vars, skip_tensor_content))
    if isinstance(native, list | tuple):
        return hash(tuple(part(item) for item in native))
    if isinstance(native, Mapping):
        return hash(tuple((key, part(item)) for key, item in native.items()))
    if isinstance(native, Tensor):
        content = b"" if skip_tensor_content else native.numpy().tobytes()
        return hash((str(native.dtype), tuple(native.shape), content))
    return hash(native)
