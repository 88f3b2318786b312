"""Types of the graph level."""

from sunmao.compat.ir.type import AnyType, FuncType, PrimType, ShapeType, TensorType, TupleType, Type
from sunmao.compat.missing import attribute_of

ObjectType = AnyType

__all__ = ["AnyType", "FuncType", "ObjectType", "PrimType", "ShapeType", "TensorType", "TupleType", "Type"]

__getattr__ = attribute_of(__name__)
