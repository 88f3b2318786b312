"""Evaluation of expressions in script text, with the names that the caller passes. There are no builtins, no private
attributes, and only functions that the caller passes can be called. This is no sandbox for values that are dangerous by
themselves."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from types import AsyncGeneratorType, CodeType, CoroutineType, FrameType, GeneratorType, ModuleType, TracebackType
from typing import Any

# Limit on the length of a repeated list or text, and on the number of bits in the result of a power or a shift.
_MOST = 1 << 16

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: dict[type[ast.AST], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
_COMPARE: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_INSIDES = (FrameType, CodeType, TracebackType, GeneratorType, CoroutineType, AsyncGeneratorType)


class Refused(Exception):
    """An expression is not allowed in script text; the message is the reason."""


def evaluate_expression(text: str, names: Mapping[str, Any], words: Mapping[str, Callable[..., Any]]) -> Any:
    """Returns the value of an expression over `names`. `words` are dotted names that may be called, too. Raises
    NameError when the root name is unknown, `Refused` for expressions that are not allowed."""
    tree = ast.parse(text, mode="eval").body
    root = _root(tree)
    if isinstance(root, ast.Name) and root.id not in names and _dotted(_callee(tree)) not in words:
        raise NameError(root.id)
    return _Evaluation(names, words).value(tree)


class _Evaluation:
    def __init__(self, names: Mapping[str, Any], words: Mapping[str, Callable[..., Any]]) -> None:
        self.names = names
        self.words = words

    def value(self, e: ast.expr) -> Any:
        method: Callable[[Any], Any] | None = getattr(self, f"of_{type(e).__name__}", None)
        if method is None:
            raise Refused(f"`{ast.unparse(e)}` is no expression that a text may hold")
        return method(e)

    def of_Constant(self, e: ast.Constant) -> Any:
        return e.value

    def of_Name(self, e: ast.Name) -> Any:
        if e.id not in self.names:
            raise Refused(f"`{e.id}` is not among the names that are handed over")
        return self.names[e.id]

    def of_Attribute(self, e: ast.Attribute) -> Any:
        if e.attr.startswith("_"):
            raise Refused(f"`{e.attr}` is a private attribute")
        owner = self.value(e.value)
        if isinstance(owner, (str, *_INSIDES)):
            raise Refused(f"`{e.attr}` of a {type(owner).__name__} is not for texts")
        found = getattr(owner, e.attr)
        inside = isinstance(owner, ModuleType) and getattr(found, "__name__", "").startswith(owner.__name__ + ".")
        if isinstance(found, _INSIDES) or (isinstance(found, ModuleType) and not inside):
            raise Refused(f"`{ast.unparse(e)}` leads out of what is handed over")
        return found

    def of_Call(self, e: ast.Call) -> Any:
        word = _dotted(e.func)
        if word in self.words:
            callee = self.words[word]
        elif isinstance(e.func, ast.Name):
            callee = self.of_Name(e.func)
        else:
            raise Refused(f"`{ast.unparse(e.func)}` is called, which is not itself among the names handed over")
        if any(keyword.arg is None for keyword in e.keywords):
            raise Refused(f"`{ast.unparse(e)}` spreads a dict")
        return callee(*self._items(e.args), **{str(k.arg): self.value(k.value) for k in e.keywords})

    def of_BinOp(self, e: ast.BinOp) -> Any:
        a, b = self.value(e.left), self.value(e.right)
        if isinstance(e.op, ast.Mult) and _times(a, b) > _MOST:
            raise Refused(f"`{ast.unparse(e)}` is longer than {_MOST}")
        if isinstance(e.op, ast.Mod) and isinstance(a, str | bytes):
            raise Refused(f"`{ast.unparse(e)}` formats a text")
        if isinstance(a, int) and isinstance(b, int) and _bits(e.op, a, b) > _MOST:
            raise Refused(f"`{ast.unparse(e)}` has more than {_MOST} bits")
        apply = _BINARY.get(type(e.op))
        if apply is None:
            raise Refused(f"`{ast.unparse(e)}` is no expression that a text may hold")
        return apply(a, b)

    def of_UnaryOp(self, e: ast.UnaryOp) -> Any:
        return _UNARY[type(e.op)](self.value(e.operand))

    def of_BoolOp(self, e: ast.BoolOp) -> Any:
        stops_at = isinstance(e.op, ast.Or)
        value: Any = None
        for operand in e.values:
            value = self.value(operand)
            if bool(value) is stops_at:
                break
        return value

    def of_Compare(self, e: ast.Compare) -> Any:
        value: Any = True
        left = self.value(e.left)
        for op, operand in zip(e.ops, e.comparators, strict=True):
            right = self.value(operand)
            compare = _COMPARE.get(type(op))
            if compare is None:
                raise Refused(f"`{ast.unparse(e)}` is no comparison that a text may hold")
            value = compare(left, right)
            if len(e.ops) > 1 and not value:
                break
            left = right
        return value

    def of_IfExp(self, e: ast.IfExp) -> Any:
        return self.value(e.body if self.value(e.test) else e.orelse)

    def of_Subscript(self, e: ast.Subscript) -> Any:
        return self.value(e.value)[self.value(e.slice)]

    def of_Slice(self, e: ast.Slice) -> slice:
        return slice(*(None if part is None else self.value(part) for part in (e.lower, e.upper, e.step)))

    def of_Tuple(self, e: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self._items(e.elts))

    def of_List(self, e: ast.List) -> list[Any]:
        return self._items(e.elts)

    def of_Dict(self, e: ast.Dict) -> dict[Any, Any]:
        if any(key is None for key in e.keys):
            raise Refused(f"`{ast.unparse(e)}` spreads a dict")
        return {self.value(k): self.value(v) for k, v in zip(e.keys, e.values, strict=True) if k is not None}

    def _items(self, items: list[ast.expr]) -> list[Any]:
        out: list[Any] = []
        for item in items:
            if isinstance(item, ast.Starred):
                out.extend(self.value(item.value))
            else:
                out.append(self.value(item))
        return out


def _callee(e: ast.expr) -> ast.expr:
    return e.func if isinstance(e, ast.Call) else e


def _root(e: ast.expr) -> ast.expr:
    while isinstance(e, ast.Attribute | ast.Subscript | ast.Call):
        e = e.func if isinstance(e, ast.Call) else e.value
    return e


def _dotted(e: ast.expr) -> str:
    """Returns a dotted name such as `R.emit_te`; empty for other expressions."""
    return ast.unparse(e) if isinstance(e, ast.Attribute) and isinstance(e.value, ast.Name) else ""


def _times(a: Any, b: Any) -> int:
    """Returns the length of a repeated sequence; 0 when the operands are no sequence and number."""
    for sequence, times in ((a, b), (b, a)):
        if isinstance(sequence, str | bytes | list | tuple) and isinstance(times, int):
            return len(sequence) * times
    return 0


def _bits(op: ast.operator, a: int, b: int) -> int:
    """Returns a bound on the bits of the result of a power or left shift; 0 for other operations."""
    if isinstance(op, ast.LShift):
        return a.bit_length() + b
    return a.bit_length() * b if isinstance(op, ast.Pow) else 0
