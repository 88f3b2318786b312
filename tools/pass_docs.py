"""Writes docs/passes.md, the table of all passes, from their records.

Usage: pass_docs.py [--check]: with --check nothing is written, and the exit status is 1 when the page is out of date.
"""

import argparse
import sys
import types
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "passes.md"

HEAD = """# Passes

Written by `tools/pass_docs.py` from the records in `src/passes/*pass_table.cpp`. A pass is a pure function from module
to module: it leaves its input as it is and gives the same result every time. `sunmao opt MODEL --passes NAME,...` runs
passes by name, `sunmao explain NAME` shows one of these entries.

Every pass says whether it is idempotent (twice is once). Of upstream's 57 passes without arguments 5 are not, and none
says so. The claim and those beside it are tested over the modules of all script cases, scripts, and random modules, by
`tests/unit/passes/pass_claims_test.cpp`:

- Where a pass is idempotent, no module is changed by a second run; where it is not, one is.
- A pass *needs* facts of the modules that it changes: without them it refuses some, or its result is ill-formed. With
  them the result is well-formed; the modules of which that is not yet so are listed in the test.
- What a pass *ensures* holds of all that it gives when it runs without arguments, and not of all that it is given.
- A pass keeps the *stage* that a module has reached (below), unless it says which one it breaks; some module shows it.
- Passes that *commute* give the same module in either order, and some module is changed by both.

`--verify=each` of `opt` and `compile` checks all but the last of the module at hand. `--validate=each` compares what
its functions compute before and after each pass ([the command line](command_line.md#validation)); what a pass may do to
numbers stands with it below.
"""

EFFECTS = {
    "rounds": "the same, as near as rounding leaves them",
    "reorders": "the same by the laws of real numbers; what overflows may differ",
    "infers": "the same by the laws of real numbers, of a module whose batch norms follow their moving averages",
    "changes": "change on purpose",
}

STAGES = """
## Stages

What a module may contain, from weak to strong. `--verify=each` finds the strongest stage that holds of the input, and
again of what each pass gives. The next result is verified at that stage, or at the one before the stage that its pass
breaks; `compile` demands its own stages on top (`src/compiler/pipeline.cpp`). A pass that leaves less is named, with
the finding.

| stage | what holds |
|---|---|
| `raw` | scopes, purity and devices are right; types may be missing, expressions may nest |
| `imported` | everything is typed |
| `normal` | operands are leaves |
| `legal` | calls of ops with a lowering have become `call_tir` |
| `vm-ready` | nothing is left but `call_tir`, views and what the virtual machine runs itself |
"""

LIMITS = """
## Limits

What keeps the time of passes, and of LLVM behind them, in proportion to the size of a module. Beyond a limit there are
more kernels, or more statements in one; what is computed is the same. `tools/compile_growth.py` measures how the time
grows with chains, fans and trees of thousands of ops.

| limit | how many | pass |
|---|---|---|
| kernel calls that become one | 256 (`relax.FuseOps.max_depth`) | `fuse-ops` |
| tensors that a kernel reads which becomes one with others | 63 | `fuse-ops`, with `only_kernels` |
| statements of two kernels that become one | 64 | `fuse-kernels` |
| nodes that are copied where a value is read several times | 4,096; beyond, a `T.Let` | `inline-elementwise` |
| tensors that a kernel of `concat` or `stack` puts together; more are joined in groups | 64 | `legalize-ops` |
"""

FACTS_HEAD = """
## Facts

What passes need and ensure. Each is a check of its own in `src/passes/facts.cpp`.

| fact | holds when |
|---|---|
"""


def read_records() -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """Returns the passes and the facts. The package is replaced by an empty one, so that only the extension runs."""
    package = types.ModuleType("sunmao")
    package.__path__ = [str(ROOT / "python" / "sunmao")]
    sys.modules["sunmao"] = package
    from sunmao import _sunmao

    return _sunmao.passes(), _sunmao.facts()


def in_markdown(text: str) -> str:
    return text.replace("<", "&lt;")


def names(of: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in of) or "-"


def table_row(row: dict[str, Any]) -> str:
    idempotent = "yes" if row["is_idempotent"] else "no"
    name = f"[`{row['name']}`](#{row['name']})"
    return (
        f"| {name} | {in_markdown(row['summary'])} | {idempotent} | {names(row['needs'])} | {names(row['ensures'])} |"
    )


def entry_lines(row: dict[str, Any]) -> list[str]:
    upstream = f" Upstream: `{row['compat_name']}`." if row["compat_name"] else ""
    summary = in_markdown(row["summary"])
    lines = [f"### {row['name']}", "", f"{summary[0].upper()}{summary[1:]}.{upstream}", ""]
    for name, doc, default in row["params"]:
        stated = "" if default is None or "default" in doc else f", default {default!r}"
        lines.append(f"- Parameter `{name}`: {doc}{stated}")
    lines.append("- Idempotent: " + ("yes" if row["is_idempotent"] else f"no, {row['second_run']}"))
    for title in ("needs", "ensures"):
        if row[title]:
            lines.append(f"- {title.capitalize()}: {names(row[title])}")
    lines.append(f"- Numbers: {EFFECTS[row['effect']]}")
    if row["breaks"]:
        lines.append(f"- Breaks the stage: `{row['breaks']}`")
    if row["commutes_with"]:
        lines.append(f"- Commutes with: {names(row['commutes_with'])}")
    if row["explains"]:
        lines.append(f"- Tells its reasons: `--explain {row['name']}`")
    return [*lines, ""]


def page_text(passes: list[dict[str, Any]], facts: list[tuple[str, str]]) -> str:
    lines = [HEAD, "| pass | effect | idempotent | needs | ensures |", "|---|---|---|---|---|", *map(table_row, passes)]
    lines += STAGES.rstrip().split("\n")
    lines += LIMITS.rstrip().split("\n")
    lines += [FACTS_HEAD.rstrip(), *(f"| `{name}` | {summary} |" for name, summary in facts), "", "## Each pass", ""]
    for row in passes:
        lines += entry_lines(row)
    return "\n".join(lines).rstrip() + "\n"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--page", type=Path, default=PAGE, help="the file that is written or compared")
    args = parser.parse_args(argv)
    text = page_text(*read_records())
    if not args.check:
        args.page.write_text(text)
        return 0
    if args.page.is_file() and args.page.read_text() == text:
        return 0
    print(f"{args.page} is out of date: run tools/pass_docs.py")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
