"""The option of the tests of ops."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "samples of each op that are compared with NumPy; a tenth of it, one at least, for bounds in each dtype"
    parser.addoption("--samples", type=int, default=6, help=text)
    text = "the first of these samples; where it is not 0, what is compared for one sample alone is left out"
    parser.addoption("--first-sample", type=int, default=0, help=text)
