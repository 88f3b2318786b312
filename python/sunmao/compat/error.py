"""Upstream's exception classes, by the classes that stand for them."""

from sunmao.compat.missing import attribute_of
from sunmao.errors import InternalError, ScriptError

DiagnosticError = ScriptError
TVMError = RuntimeError

__all__ = ["DiagnosticError", "InternalError", "TVMError"]

__getattr__ = attribute_of(__name__)
