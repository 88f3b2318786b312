"""Linking by the host's C compiler. Libraries of compiled functions are written without it (`export_library`), and its
functions are not here."""

from sunmao.compat.missing import attribute_of

__getattr__ = attribute_of(__name__)
