"""Which parameters the functions of a file take and never read.

A parameter is read where its value goes on: into a call, a result, an attribute, a condition. It is not where it is
deleted, stands alone as a statement, or goes into a variable that nothing reads; and of `**named` some name has to be
looked at beyond those that are fetched one by one, or a misspelt one is lost.
"""

import ast
from collections.abc import Iterator

# What Python calls itself, with arguments that it chooses, but for these.
_OWN = ("__init__", "__call__", "__new__")
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def functions_of(tree: ast.AST) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield node


def unread(function: Function) -> list[str]:
    """The parameters that are not read; none of a function that has nothing but a docstring, or that Python calls."""
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
    """Whether the statement is a docstring, `...` or `pass`."""
    return isinstance(part, ast.Pass) or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))


class _Reads:
    """The reads of names in a body, functions inside of it included."""

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
        """Whether the value is used for more than a variable that nothing reads."""
        node = load
        while id(node) not in self._outer:
            parent = self._parents[id(node)]
            if isinstance(parent, ast.Expr):  # a call in between has had it
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
        """Whether one entry alone is looked at: `named.get("a")`, `named.pop("a")`, `named["a"]`, `"a" in named`."""
        parent = self._parents[id(load)]
        if isinstance(parent, ast.Attribute):
            return parent.attr in ("get", "pop")
        if isinstance(parent, ast.Compare):
            return isinstance(parent.left, ast.Constant)
        return isinstance(parent, ast.Subscript) and isinstance(parent.slice, ast.Constant)
