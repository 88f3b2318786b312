"""Upstream's exception classes, mapped to Sunmao's."""

from sunmao.compat.missing import attribute_of
from sunmao.errors import Error, ScriptError

DiagnosticError = ScriptError
# Programs for upstream catch InternalError, which failed checks raise there; here failed checks raise errors with a
# code.
InternalError = Error
TVMError = RuntimeError

__all__ = ["DiagnosticError", "InternalError", "TVMError"]

__getattr__ = attribute_of(__name__)
