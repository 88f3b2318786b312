"""Workers in processes of their own; none of its classes is here."""

from sunmao.compat.missing import attribute_of

__getattr__ = attribute_of(__name__)
