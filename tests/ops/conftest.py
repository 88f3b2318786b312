"""The option of the tests of ops."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--samples", type=int, default=10, help="samples of each op that are compared (default 10)")
