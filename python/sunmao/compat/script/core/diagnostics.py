"""Source: the text of a script, its syntax, and where each part of it stands."""

from __future__ import annotations

import ast
import inspect
import sys
from typing import Any

from sunmao.compat.ir.base import SourceName, Span
from sunmao.compat.missing import attribute_of


class Source:
    """The text of a Python function or class, or a text itself; lines and columns are those of its file."""

    def __init__(self, program: Any) -> None:
        if isinstance(program, str):
            self.source_name = "<str>"
            self.start_line, self.start_column = 1, 0
            self.source = self.full_source = program
            return
        self.source_name = inspect.getsourcefile(program) or "<str>"
        lines, first = inspect.getsourcelines(program)
        self.start_line = first
        self.start_column = len(lines[0]) - len(lines[0].lstrip())
        self.source = "".join(_dedented(line, self.start_column) for line in lines)
        module = inspect.getmodule(program) or sys.modules.get(getattr(program, "__module__", ""))
        try:
            self.full_source = inspect.getsource(module) if module else self.source
        except OSError:  # a module without a file
            self.full_source = self.source

    def as_ast(self) -> ast.Module:
        return ast.parse(self.source)

    def location(self, node: ast.AST) -> tuple[int, int, int, int]:
        """Line, column, last line and last column of a node, counted from 1 in the file."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end_line = getattr(node, "end_lineno", None) or line
        end_column = getattr(node, "end_col_offset", None)
        end_column = column if end_column is None else end_column
        above, before = self.start_line - 1, self.start_column + 1
        return line + above, column + before, end_line + above, end_column + before

    def to_span(self, node: ast.AST) -> Span:
        line, column, end_line, end_column = self.location(node)
        return Span(SourceName(self.source_name), line, end_line, column, end_column)


def _dedented(line: str, columns: int) -> str:
    return line[columns:] if not line[:columns].strip() else line


__getattr__ = attribute_of(__name__)
