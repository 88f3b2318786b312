"""Comparisons for tests."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from sunmao.compat.missing import attribute_of


def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 1e-7, verbose: bool = True) -> None:
    """Fails unless both have the same shape and values near each other; either may be a tensor."""
    actual, desired = np.asanyarray(actual), np.asanyarray(desired)
    np.testing.assert_allclose(actual.shape, desired.shape)
    np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol, verbose=verbose)


def device_enabled(target: Any) -> bool:
    """Whether code for `target` can run here."""
    return str(target).split()[0] == "llvm"


def main() -> None:
    """Runs the tests of the program that calls it."""
    import pytest

    sys.exit(pytest.main([sys.argv[0], *sys.argv[1:]]))


__getattr__ = attribute_of(__name__)
