"""Writes docs/coverage.md: what the front ends read, from their tables of converters, and what is written as ONNX.

Usage: op_coverage.py [--check]: with --check nothing is written, and the exit status is 1 when the page is out of date.
Fails when a row names an op that does not exist.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "coverage.md"
NAMED_OP = re.compile(r"\bR\.([a-z]\w*(?:\.[a-z]\w*)*)")

HEAD = """# Coverage

Written by `tools/op_coverage.py` from the tables of converters in `src/frontend/`: each row is a converter. An op that
is not here is refused with all others that the model has (E0604, E0707), or read by a converter of your own
([reading models](frontends.md)). A form that a row does not read is refused with the reason, at the node.
"""

WRITTEN = """
## What is written as ONNX

{count} ops, opset {opset}. [`sunmao reduce`](trouble.md#make-it-small) writes a small model as an ONNX file where each
of its ops has a form there.

"""

TITLES = {"onnx": "ONNX", "torch": "PyTorch"}


def unknown_ops(rows: list[dict[str, Any]], known: set[str]) -> list[str]:
    """Returns the op names in the rows that have no record."""
    return sorted({op for row in rows for op in NAMED_OP.findall(row["becomes"])} - known)


def onnx_table(rows: list[dict[str, Any]]) -> list[str]:
    lines = ["| op | since opset | becomes | not read |", "|---|---|---|---|"]
    for row in rows:
        lines.append(f"| `{row['op']}` | {row['since']} | {row['becomes']} | {row['restriction']} |")
    return lines


def torch_table(rows: list[dict[str, Any]]) -> list[str]:
    lines = ["| overload | becomes | not read |", "|---|---|---|"]
    lines += [f"| `{row['op']}` | {row['becomes']} | {row['restriction']} |" for row in rows]
    return lines


def written_table(rows: list[tuple[str, str]]) -> str:
    lines = ["| op | becomes |", "|---|---|"]
    lines += [f"| `R.{op}` | {', '.join(f'`{name}`' for name in becomes.split(', '))} |" for op, becomes in rows]
    return "\n".join(lines) + "\n"


def page(rows: list[dict[str, Any]], written: list[tuple[str, str]], opset: int) -> str:
    parts = [HEAD]
    for front_end, title in TITLES.items():
        own = [row for row in rows if row["frontend"] == front_end]
        ops = {row["op"] for row in own}
        unit = "ops, opsets 7 to 28" if front_end == "onnx" else "overloads"
        table = onnx_table(own) if front_end == "onnx" else torch_table(own)
        parts.append(f"\n## {title}\n\n{len(ops)} {unit}.\n\n" + "\n".join(table) + "\n")
    parts.append(WRITTEN.format(count=len(written), opset=opset) + written_table(written))
    return "".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    sys.path.insert(0, str(ROOT / "python"))
    from sunmao import _sunmao

    rows = _sunmao.frontend_rows()
    findings = [f"a converter names R.{op}, which is no op" for op in unknown_ops(rows, set(_sunmao.op_names()))]
    text = page(rows, _sunmao.onnx_writer_rows(), _sunmao.ONNX_WRITER_OPSET)
    if check and not findings and PAGE.read_text("utf-8") != text:
        findings.append("docs/coverage.md is out of date: run tools/op_coverage.py")
    for finding in findings:
        print(finding)
    if not check and not findings:
        PAGE.write_text(text, "utf-8")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
