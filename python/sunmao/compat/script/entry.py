"""What upstream calls the words for types in scripts."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.script.annotation import Annotation
from sunmao.compat.script.types import TypeName

TypeProxy = Annotation
TensorProxy = TypeName

__all__ = ["TensorProxy", "TypeProxy"]

__getattr__ = attribute_of(__name__)
