"""Schedules of the loop level."""

from sunmao.compat.missing import attribute_of

__getattr__ = attribute_of(__name__)
