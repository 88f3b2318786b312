"""Writes the stub of `sunmao.compat.relax.op`: its functions with parameters, types, defaults and docstrings, from the
records of the op library.

Usage: op_stubs.py [--output FILE]: by default python/sunmao/compat/relax/op/__init__.pyi.
"""

import argparse
import ast
import functools
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from op_docs import find_ops

if TYPE_CHECKING:
    from sunmao._sunmao import Op

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "sunmao" / "compat" / "relax" / "op"

HEAD = '''"""Ops as Python functions. Written by `tools/op_stubs.py` from the records in `src/ops/`."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from sunmao._sunmao import Call, DType, Expr, IndexMap, PrimType, Scalar
from sunmao.compat.relax.op.builder import OpFamily as OpFamily
from sunmao.compat.relax.op.builder import OpFunction as OpFunction
'''

# Type aliases at the top of the stubs. KINDS maps the kind of an expression parameter to its annotation, ATTRIBUTES the
# kind of an attribute.
ALIASES = """
_Number: TypeAlias = int | float | np.number[Any]
_Operand: TypeAlias = Expr | Scalar
_Value: TypeAlias = Expr | Scalar | _Number | str | DType
_Fields: TypeAlias = Expr | Sequence[_Value]
_Shape: TypeAlias = Expr | Sequence[int | np.integer[Any] | Scalar | Expr]
_Func: TypeAlias = Expr | str
_Int: TypeAlias = int | np.integer[Any]
_Ints: TypeAlias = _Int | Sequence[_Int]
_DType: TypeAlias = str | DType | PrimType | np.dtype[Any] | type[Any]
"""
KINDS = {
    "tensor": "_Operand", "tuple": "_Fields", "shape": "_Shape", "value": "_Value", "func": "_Func",
    "variadic": "_Value", "list": "_Value | Sequence[_Value]",
}  # fmt: skip
ATTRIBUTES = {
    "any": "Any", "bool": "bool", "int": "_Int", "float": "_Number", "string": "str", "dtype": "_DType",
    "ints": "_Ints",
}  # fmt: skip


def annotation(op: str, param: dict[str, Any]) -> str:
    said = ATTRIBUTES[param["attr"]] if param["kind"] == "attr" else KINDS[param["kind"]]
    if param["kind"] == "shape" and op in ops_of_one_size():
        said += " | _Int"
    may_be_none = param["has_default"] and param["default"] is None
    return f"{said} | None" if may_be_none and said != "Any" else said


def signature(name: str, op: "Op") -> str:
    """Returns the parameters as `signature_of` in the builder gives them, with annotations."""
    parts: list[str] = []
    has_optional = has_star = False
    for p in op.params:
        said = f"{p['name']}: {annotation(name, p)}"
        if p["kind"] == "variadic":
            parts.append("*" + said)
            has_star = True
        elif p["has_default"]:
            value = p["default"]
            parts.append(
                f"{said} = {value!r}" if isinstance(value, bool | int | float | str | None) else f"{said} = ..."
            )
            has_optional = True
        else:
            if has_optional and not has_star:
                parts.append("*")
                has_star = True
            parts.append(said)
    return ", ".join(parts)


def docstring(op: "Op") -> str:
    """Returns the docstring that `docstring_of` in the builder gives."""
    lines = [f"{p['name']}: {p['doc']}" for p in op.params]
    if op.constraints:
        lines.append(f"Checked: {'; '.join(op.constraints)}.")
    words = "\n".join([op.summary, "", *lines, ""]) if lines else op.summary
    return '"""' + words.replace("\\", "\\\\") + '"""'


def function(name: str, op: "Op") -> str:
    """Returns the stub of an op's function; of an op in a family, that of a method."""
    family, _, short = name.rpartition(".")
    given = ", ".join(["self"] * bool(family) + [said for said in [signature(name, op)] if said])
    return f"def {short}({given}) -> Call:\n{textwrap.indent(docstring(op), '    ')}\n"


def functions_by_hand() -> list[str]:
    """Returns the names of hand-written functions, which replace the generated ones."""
    body = ast.parse((PACKAGE / "calls.py").read_text()).body
    return [n.name for n in body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]


@functools.cache
def ops_of_one_size() -> set[str]:
    """Returns the ops whose shape argument may be a single number, as listed in the builder."""
    said = re.search(r"^_SIZES = (.*)$", (PACKAGE / "builder.py").read_text(), re.MULTILINE)
    return set(ast.literal_eval(said[1])) if said else set()


def stub_text(ops: dict[str, "Op"]) -> str:
    by_hand = functions_by_hand()
    parts = [HEAD, *(f"from sunmao.compat.relax.op.calls import {n} as {n}\n" for n in by_hand), ALIASES]
    families: dict[str, list[str]] = {}
    for name, op in ops.items():
        family = name.rpartition(".")[0]
        if family:
            families.setdefault(family, []).append(function(name, op))
        elif name not in by_hand:
            parts.append(function(name, op))
    for family, members in families.items():
        owner = "_" + family.capitalize()
        parts += [f"class {owner}:\n" + textwrap.indent("\n".join(members), "    "), f"{family}: {owner}\n"]
    return "\n".join(parts)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=PACKAGE / "__init__.pyi", help="the file that is written")
    args = parser.parse_args(argv)
    args.output.write_text(stub_text(find_ops()))
    ruff = Path(sys.executable).with_name("ruff")
    subprocess.run([ruff, "check", "-q", "--fix", args.output], check=False)
    return subprocess.run([ruff, "format", "-q", args.output], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
