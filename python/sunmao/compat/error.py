"""Upstream's exception classes, by the classes that stand for them."""

from sunmao.compat.missing import attribute_of
from sunmao.errors import Error, ScriptError

DiagnosticError = ScriptError
# A failed check of upstream is a coded error here.
InternalError = Error
TVMError = RuntimeError

__all__ = ["DiagnosticError", "InternalError", "TVMError"]

__getattr__ = attribute_of(__name__)
