"""What tools over scripts use: a script's syntax tree and its places, and values of Python expressions."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.script.core import diagnostics, doc_core, evaluator

__all__ = ["diagnostics", "doc_core", "evaluator"]

__getattr__ = attribute_of(__name__)
