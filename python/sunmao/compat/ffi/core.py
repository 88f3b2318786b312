"""Values of the runtime: texts are Python's own."""

from sunmao.compat.missing import attribute_of

String = str
Object = object

__all__ = ["Object", "String"]

__getattr__ = attribute_of(__name__)
