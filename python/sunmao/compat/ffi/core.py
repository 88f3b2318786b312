"""Values of the runtime; strings are Python strings."""

from sunmao.compat.missing import attribute_of

String = str
Object = object

__all__ = ["Object", "String"]

__getattr__ = attribute_of(__name__)
