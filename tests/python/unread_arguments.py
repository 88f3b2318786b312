"""Finds parameters that the functions of a file accept but never read.

A parameter is read if its value is used: in a call, result, attribute or condition. It is unread if it is deleted,
stands alone as a statement, or is assigned to a variable that is never read; of `**named` some name must be examined
beyond those fetched individually, or a misspelt one would be ignored.
"""

import ast
from collections.abc import Iterator

# Special methods that are checked. Python itself calls all other special methods and chooses their arguments.
_OWN = ("__init__", "__call__", "__new__")
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def functions_of(tree: ast.AST) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield node


def unread(function: Function) -> list[str]:
    """Returns the unread parameters; none for an empty function or one that Python itself calls."""
    name = getattr(function, "name", "")
    if name.startswith("__") and name.endswith("__") and name not in _OWN:
        return []
    body = function.body if isinstance(function.body, list) else [function.body]
    if all(_says_nothing(part) for part in body):
        return []
    reads = _Reads(body)
    args = function.args
    plain = [*args.posonlyargs, *args.args, *args.kwonlyargs, *([args.vararg] if args.vararg else [])]
    wrong = [p.arg for p in plain if not reads.reads(p.arg)]
    if args.kwarg and not reads.reads_all_of(args.kwarg.arg):
        wrong.append(f"**{args.kwarg.arg}")
    return [name for name in wrong if not name.lstrip("*").startswith("_") and name not in ("self", "cls", "mcs")]


def _says_nothing(part: ast.AST) -> bool:
    """Returns whether the statement is a docstring, `...` or `pass`."""
    return isinstance(part, ast.Pass) or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))


class _Reads:
    """The reads of names in a body, including nested functions."""

    def __init__(self, body: list[ast.stmt] | list[ast.expr]) -> None:
        self._nodes = [node for part in body for node in ast.walk(part)]
        self._parents = {id(child): node for node in self._nodes for child in ast.iter_child_nodes(node)}
        self._outer = {id(part) for part in body}

    def reads(self, name: str) -> bool:
        return any(self._goes_on(load, frozenset({name})) for load in self._loads(name))

    def reads_all_of(self, name: str) -> bool:
        return any(self._goes_on(load, frozenset({name})) and not self._fetches(load) for load in self._loads(name))

    def _loads(self, name: str) -> list[ast.Name]:
        return [n for n in self._nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]

    def _goes_on(self, load: ast.AST, seen: frozenset[str]) -> bool:
        """Returns whether the value is used other than in a variable that is never read."""
        node = load
        while id(node) not in self._outer:
            parent = self._parents[id(node)]
            if isinstance(parent, ast.Expr):  # a statement without a call has no effect
                return False
            if isinstance(parent, ast.Assign | ast.AnnAssign) and node is parent.value:
                return self._some_is_read(parent, seen)
            if not isinstance(parent, ast.Tuple | ast.List | ast.Starred):
                return True
            node = parent
        return isinstance(node, ast.expr)  # the result of a lambda

    def _some_is_read(self, assign: ast.Assign | ast.AnnAssign, seen: frozenset[str]) -> bool:
        targets = assign.targets if isinstance(assign, ast.Assign) else [assign.target]
        parts = [e for t in targets for e in (t.elts if isinstance(t, ast.Tuple | ast.List) else [t])]
        for part in parts:
            if not isinstance(part, ast.Name):
                return True
            if part.id not in seen and any(self._goes_on(n, seen | {part.id}) for n in self._loads(part.id)):
                return True
        return False

    def _fetches(self, load: ast.Name) -> bool:
        """Returns whether only one entry is examined: `named.get("a")`, `named.pop("a")`, `named["a"]`, `"a" in
        named`."""
        parent = self._parents[id(load)]
        if isinstance(parent, ast.Attribute):
            return parent.attr in ("get", "pop")
        if isinstance(parent, ast.Compare):
            return isinstance(parent.left, ast.Constant)
        return isinstance(parent, ast.Subscript) and isinstance(parent.slice, ast.Constant)
