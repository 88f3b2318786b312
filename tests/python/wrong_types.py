"""Calls all of the mirrored API with arguments of wrong types; a separate program, since it may crash.

Allowed outcomes are an error with a code, or a TypeError that is more specific than a missing attribute. Prints every
other outcome on a line, and finally the number of calls.
"""

import contextlib
import importlib
import inspect
import io
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import numpy as np
import sunmao.compat as tvm
from sunmao.compat import relax, te, tirx
from sunmao.errors import Error

WRONG = (None, 3, "x", object())
PUBLIC = (
    "ir", "ir.transform", "ir.instrument", "relax", "relax.analysis", "relax.transform", "relax.dpl", "relax.op.calls",
    "relax.expr_functor", "relax.testing", "relax.testing.transform", "relax.binding_rewrite", "runtime", "tirx",
    "tirx.stmt_functor", "te", "topi", "topi.nn", "target", "ffi",
)  # fmt: skip
# Modules and names of the API that only serve its implementation and are not called by the test.
HELPERS = ("sunmao.compat.checked", "sunmao.compat.convert", "sunmao.compat.ir.pass_options")
SKIPPED = ("is_node_method", "Map")
# Operators to call besides named methods.
OPERATORS = (
    "__add__",
    "__mul__",
    "__getitem__",
    "__call__",
    "__contains__",
    "__setitem__",
    "__eq__",
    "__lt__",
    "__or__",
)
# Exceptions that Python's protocols for indexing and look-up require, and those of a builder that is in the wrong
# state.
PROTOCOL = (IndexError, KeyError, RuntimeError)
MODULE = """
@I.ir_module
class M:
    @T.prim_func
    def k(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("b"):
                v = T.axis.spatial(8, i)
                B[v] = A[v] + T.float32(1)
    @R.function
    def main(x: R.Tensor(("n", 8), "float32"), y: R.Tensor(("n", 8), "float32")):
        with R.dataflow():
            z = R.add(x, y)
            R.output(z)
        return z
"""

Call = tuple[str, Callable[..., Any], Callable[..., Any]]


def functions() -> Iterator[Call]:
    """Yields the functions of the modules: name, function, and the callable that has its signature."""
    seen = set()
    for path in PUBLIC:
        module = importlib.import_module(f"sunmao.compat.{path}")
        for name, found in sorted(vars(module).items()):
            is_ours = callable(found) and getattr(found, "__module__", "").startswith("sunmao.compat")
            is_enum = isinstance(found, type) and issubclass(found, Enum)  # enums behave as in Python
            is_helper = getattr(found, "__module__", "") in HELPERS or name in SKIPPED or name.startswith("_")
            if is_ours and not is_enum and not is_helper and id(found) not in seen:
                seen.add(id(found))
                made = vars(found).get("make") if isinstance(found, type) else None
                yield f"{path}.{name}", found, made.__func__ if isinstance(made, staticmethod) else found


def instances() -> Iterator[tuple[str, Callable[[], Any]]]:
    module = tvm.script.from_source(MODULE)
    function, kernel = module["main"], module["k"]
    yield "IRModule", module.clone
    yield "Function", lambda: function
    yield "Var", lambda: function.params[0]
    yield "Type", lambda: function.params[0].ty
    yield "Block", lambda: function.body.blocks[0]
    yield "Binding", lambda: function.body.blocks[0].bindings[0]
    yield "Call", lambda: function.body.blocks[0].bindings[0].value
    yield "SeqExpr", lambda: function.body
    yield "Tuple", lambda: relax.Tuple([function.params[0]])
    yield "ShapeExpr", lambda: relax.ShapeExpr([1, 2])
    yield "Constant", lambda: relax.const(1)
    yield "GlobalVar", lambda: module.get_global_var("main")
    yield "Op", lambda: tvm.ir.Op.get("relax.add")
    yield "PrimFunc", lambda: kernel
    yield "Stmt", lambda: kernel.body
    yield "Buffer", lambda: next(iter(kernel.buffer_map.values()))
    yield "SymVar", lambda: tirx.Var("n", "int64")
    yield "Scalar", lambda: tirx.Var("n", "int64") + 1
    yield "BlockBuilder", relax.BlockBuilder
    yield "PassContext", tvm.transform.PassContext
    yield "Pass", relax.transform.FoldConstant
    yield "Sequential", lambda: tvm.transform.Sequential([])
    yield "Pattern", relax.dpl.wildcard
    yield "runtime.Tensor", lambda: tvm.runtime.tensor(np.zeros(3, "float32"))
    yield "te.Tensor", lambda: te.placeholder((3,))
    yield "PyExprVisitor", relax.PyExprVisitor
    yield "PyExprMutator", relax.PyExprMutator


def methods() -> Iterator[Call]:
    for what, make in instances():
        for name in dir(type(make())):
            # A visitor method for one node kind requires nodes of that kind.
            is_handler = name.startswith("visit_") and name.endswith("_")
            if (name.startswith("_") and name not in OPERATORS) or is_handler:
                continue
            if callable(getattr(make(), name, None)):
                yield f"{what}.{name}", lambda *args, m=make, n=name: getattr(m(), n)(*args), getattr(make(), name)


def counts(function: Callable[..., Any]) -> list[int]:
    """Returns the numbers of arguments to try: the required ones, and all."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [0, 1, 2, 3]
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in by_place)
    more = [needed + 1] if any(p.kind == p.VAR_POSITIONAL for p in parameters) else []
    return sorted({needed, len(by_place), *more})


def complaint(function: Callable[..., Any], args: list[Any]) -> str:
    """Returns what is wrong with the outcome of a call, or an empty string."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            function(*args)
    except (Error, *PROTOCOL) as error:
        return "" if str(error) and "std::" not in str(error) else f"{type(error).__name__}: {error}"
    except TypeError as error:
        return f"TypeError: {error}" if "object has no" in str(error) else ""
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main() -> None:
    made = 0
    for name, function, described in [*functions(), *methods()]:
        for count in counts(described):
            for value in WRONG:
                made += 1
                print(f"{name}({value!r} × {count})", file=sys.stderr)  # the last line names a crash
                found = complaint(function, [value] * count)
                if found:
                    print(f"{name}({value!r} × {count}): {found}")
    print(made)


if __name__ == "__main__":
    main()
