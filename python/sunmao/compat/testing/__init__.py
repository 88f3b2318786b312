"""Comparisons for tests."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.testing import env as env
from sunmao.compat.testing.programs import assert_allclose, device_enabled, fixture, main, parameter

__getattr__ = attribute_of(__name__)
