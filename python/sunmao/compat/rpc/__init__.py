"""Running on other machines; none of its functions is here, and programs run where they are loaded."""

from sunmao.compat.missing import attribute_of

__getattr__ = attribute_of(__name__)
