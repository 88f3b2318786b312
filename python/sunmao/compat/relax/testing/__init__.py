"""Helpers for tests of graph-level programs."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.testing import ast_printer, nn
from sunmao.compat.relax.testing.ast_printer import dump_ast

__all__ = ["ast_printer", "dump_ast", "nn"]

__getattr__ = attribute_of(__name__)
