"""Writes docs/ops.md, the table of all ops, from the records of the op library.

Usage: op_docs.py [--check]: with --check nothing is written, and the exit status is 1 when the page is out of date.
"""

import argparse
import sys
import types
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sunmao._sunmao import Op

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "ops.md"

# Titles of op families, keyed by the first op of the family in registration order; a family ends before the first op of
# the next.
FAMILIES = {
    "acos": "Functions of one tensor",
    "nn.relu": "Activations",
    "add": "Functions of two tensors",
    "ewise_fma": "Functions of three tensors",
    "full": "Making tensors",
    "astype": "Dtypes",
    "permute_dims": "Order and shape",
    "concat": "Joining and splitting",
    "repeat": "Repeating",
    "take": "Reading at indices",
    "scatter_elements": "Writing at indices",
    "layout_transform": "Layouts",
    "strided_slice": "Slices",
    "argmax": "Places",
    "sum": "Reductions",
    "cumprod": "Scans",
    "sort": "Order of elements",
    "unique": "Sets",
    "matmul": "Products",
    "linalg.det": "Systems of equations",
    "linalg.qr": "Factorisations of matrices",
    "nn.conv1d": "Convolutions",
    "nn.max_pool1d": "Pooling",
    "nn.layer_norm": "Normalisation",
    "nn.attention": "Attention",
    "nn.rnn": "Recurrent layers",
    "nn.cross_entropy_with_logits": "Losses",
    "nn.pad": "Other layers",
    "image.resize2d": "Images",
    "vision.roi_align": "Detection",
    "quantize": "Quantisation",
    "sliding_window": "Signals",
    "nn.embedding_bag": "Bags, bins and columns",
    "multinomial_from_uniform": "Sampling and random numbers",
    "grad.no_grad": "Gradients",
    "ccl.allreduce": "Several devices",
    "call_tir": "Calls of functions",
    "builtin.stop_lift_params": "Marks, shapes and effects",
    "builtin.alloc_tensor": "Memory",
    "inspect.tensor_dtype_code": "Facts of tensors",
    "expand_dims": "Changes of shape",
}

HEAD = """# Ops

Written by `tools/op_docs.py` from the records in `src/ops/`. Scripts write `R.` before each name. What the numbers are
in the corners (overflow, NaN, empty axes) is in [ir.md](ir.md).

A parameter with `=` may be left out. An attribute is known when compiling; the other parameters are expressions. `C1`
and so on are what inference checks: what breaks one is an error when the call is made, and the parameter says which
ones concern it.

What holds of every op stands here once: a tensor, tuple or shape is given where one is asked for (E0201), in the number
that is asked for (E0202), attributes are of the kind of their default (E0203), dimensions that a shape gives are not
below 0 (E0203), and tensors that are computed on together lie on one device (E0305).

*Becomes* says what becomes of a call. A *kernel* is one loop-level function. *Simpler ops* take its place. An
*instruction* is run by the virtual machine itself; *effect* says that it is not pure. Of an op whose result has sizes
that data decides, the pass `name-sizes` makes *ops that state its sizes*. Where nothing is said, the record gives no
code: the pipeline deals with it, or it is there to be typed, printed and rewritten.
"""


def find_ops() -> dict[str, "Op"]:
    """Returns all ops in registration order. The package is replaced by an empty one, so that only the extension
    runs."""
    package = types.ModuleType("sunmao")
    package.__path__ = [str(ROOT / "python" / "sunmao")]
    sys.modules["sunmao"] = package
    from sunmao import _sunmao

    found = {name: _sunmao.find_op(name) for name in _sunmao.op_names()}
    return {name: op for name, op in found.items() if op is not None}


def outcome(op: "Op") -> str:
    words = {
        "kernel": op.lowers,
        "simpler ops": op.decomposes,
        "ops that state its sizes": op.names_sizes,
        "instruction": op.runs_on_vm,
        "effect": not op.is_pure,
    }
    return ", ".join(word for word, holds in words.items() if holds)


def parameter_line(param: dict[str, Any]) -> str:
    name = f"`{param['name']} = {param['default']!r}`" if param["has_default"] else f"`{param['name']}`"
    kind = {"attr": "attribute, ", "variadic": "any number, ", "list": "list, "}.get(param["kind"], "")
    return f"- {name}: {kind}{param['doc']}"


def heading_lines(group: list[tuple[str, "Op"]]) -> list[str]:
    if len(group) == 1:
        name, op = group[0]
        becomes = f" Becomes: {outcome(op)}." if outcome(op) else ""
        return [f"### `{name}`", "", f"{op.summary.rstrip('.')}.{becomes}"]
    rows = [f"| `{name}` | {op.summary.rstrip('.')} | {outcome(op)} |" for name, op in group]
    return ["| op | is | becomes |", "|---|---|---|", *rows]


def group_lines(group: list[tuple[str, "Op"]]) -> list[str]:
    """Returns the lines for ops that share parameters and constraints."""
    lines = heading_lines(group)
    first = group[0][1]
    if first.params:
        lines += ["", *map(parameter_line, first.params)]
    if first.constraints:
        lines += ["", f"Checked: {'; '.join(first.constraints)}."]
    return [*lines, ""]


def page_text(ops: dict[str, "Op"]) -> str:
    missing = FAMILIES.keys() - ops.keys()
    if missing:
        sys.exit(f"no such op begins a family: {', '.join(sorted(missing))}")
    members: dict[str, list[tuple[str, Op]]] = {title: [] for title in FAMILIES.values()}
    title = FAMILIES[next(iter(ops))]
    for name, op in ops.items():
        title = FAMILIES.get(name, title)
        members[title].append((name, op))
    lines = [HEAD]
    for title, family in members.items():
        lines += [f"## {title}", ""]
        for _, group in groupby(family, key=lambda entry: (entry[1].params, entry[1].constraints)):
            lines += group_lines(list(group))
    return "\n".join(lines).rstrip() + "\n"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--page", type=Path, default=PAGE, help="the file that is written or compared")
    args = parser.parse_args(argv)
    text = page_text(find_ops())
    if not args.check:
        args.page.write_text(text)
        return 0
    if args.page.is_file() and args.page.read_text() == text:
        return 0
    print(f"{args.page} is out of date: run tools/op_docs.py")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
