"""Writes docs/coverage.md: the ops that implement each core ATen overload and each op of ONNX's default domain.

Usage: op_coverage.py [--check]: with --check nothing is written, and the exit status is 1 when the page is out of date.
Fails when a table names an unknown op, and, if torch and onnx are installed, when it misses one of theirs.
"""

import argparse
import importlib
import importlib.util
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "coverage.md"
TABLES = ROOT / "tools" / "coverage"
NAMED_OP = re.compile(r"\bR\.([a-z]\w*(?:\.[a-z]\w*)*)")

MARKED = r"`R.\1`"

HEAD = """# Coverage

Written by `tools/op_coverage.py` from the tables in `tools/coverage/`, whose ops are checked against the records. They
say what carries each op of a model: an op of the library, or a composition of them. Which of these the front ends read
today is in `docs/frontends.md`.
"""


def named_ops(text: str) -> list[str]:
    return NAMED_OP.findall(text)


def read(name: str) -> dict[str, str]:
    table: dict[str, str] = tomllib.loads((TABLES / f"{name}.toml").read_text("utf-8"))
    return table


def unknown_ops(table: dict[str, str], known: set[str]) -> list[str]:
    """Returns the op names in the table that have no record."""
    return sorted({op for text in table.values() for op in named_ops(text)} - known)


def core_aten_overloads() -> set[str]:
    import torch

    found = set()
    for full in torch._C._dispatch_get_all_op_names():
        namespace, _, rest = full.partition("::")
        name, _, overload = rest.partition(".")
        packet = getattr(torch.ops.aten, name, None) if namespace == "aten" else None
        op = getattr(packet, overload or "default", None)
        if op is not None and torch.Tag.core in op.tags:
            found.add(f"{name}.{overload or 'default'}")
    return found


def onnx_ops() -> set[str]:
    from onnx import defs

    return {schema.name for schema in defs.get_all_schemas() if not schema.domain}


def differences(name: str, table: dict[str, str]) -> list[str]:
    """Returns the ops in which the library `name` and the table differ; empty when the library is not installed."""
    library = {"aten": "torch", "onnx": "onnx"}[name]
    if importlib.util.find_spec(library) is None:
        return []
    theirs = core_aten_overloads() if name == "aten" else onnx_ops()
    return sorted(theirs ^ set(table))


def page(tables: dict[str, dict[str, str]]) -> str:
    titles = {"aten": "Core ATen overloads", "onnx": "ONNX, default domain"}
    parts = [HEAD]
    for name, table in tables.items():
        direct = sum(1 for text in table.values() if re.fullmatch(NAMED_OP.pattern, text))
        refused = sum(1 for text in table.values() if text.startswith("refused"))
        parts.append(
            f"\n## {titles[name]}\n\n{len(table)} in all: {direct} are one op, {refused} are refused by name.\n"
        )
        rows = [f"| `{op}` | {NAMED_OP.sub(MARKED, text)} |" for op, text in sorted(table.items())]
        parts.append("\n| op | carried by |\n|---|---|\n" + "\n".join(rows) + "\n")
    return "".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    sys.path.insert(0, str(ROOT / "python"))
    from sunmao import _sunmao

    tables = {name: read(name) for name in ("aten", "onnx")}
    findings = []
    for name, table in tables.items():
        findings += [f"{name}.toml names R.{op}, which is no op" for op in unknown_ops(table, set(_sunmao.op_names()))]
        findings += [f"{name}.toml and the library differ in {op}" for op in differences(name, table)]
    text = page(tables)
    if check and not findings and PAGE.read_text("utf-8") != text:
        findings.append("docs/coverage.md is out of date: run tools/op_coverage.py")
    for finding in findings:
        print(finding)
    if not check and not findings:
        PAGE.write_text(text, "utf-8")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
