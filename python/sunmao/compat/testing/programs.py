"""Helpers for tests of programs: comparisons, fixtures, running."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 1e-7, verbose: bool = True) -> None:
    """Fails unless both have the same shape and nearly equal values; tensors are accepted."""
    actual, desired = np.asanyarray(actual), np.asanyarray(desired)
    np.testing.assert_allclose(actual.shape, desired.shape)
    np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol, verbose=verbose)


def device_enabled(target: Any) -> bool:
    """Returns whether code for `target` can run on this machine."""
    return str(target).split()[0] == "llvm"


def main() -> None:
    """Runs the tests of the calling program."""
    import pytest

    sys.exit(pytest.main([sys.argv[0], *sys.argv[1:]]))


def parameter(*values: Any, ids: Any = None, by_dict: dict[str, Any] | None = None) -> Any:
    """Makes a fixture that runs each test once for each value."""
    import pytest

    if by_dict is not None:
        values, ids = tuple(by_dict.values()), list(by_dict)

    @pytest.fixture(params=list(values), ids=ids)
    def value(request: Any) -> Any:
        return request.param

    return value


def fixture(func: Any = None, *, cache_return_value: bool = False) -> Any:
    """Makes a pytest fixture."""
    import pytest

    decorate = pytest.fixture(scope="session" if cache_return_value else "function")
    return decorate(func) if func is not None else decorate
