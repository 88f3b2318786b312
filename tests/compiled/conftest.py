"""Long tables of cases are run in part, unless `--whole` asks for all of them."""

from zlib import crc32

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--whole", action="store_true", help="run all cases of tables of which else a part is run")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--whole", default=False):
        return
    chosen, left = [], []
    for item in items:
        mark = item.get_closest_marker("part")
        # By name, so that which cases these are depends on no order and varies along each axis of the table.
        (left if mark and crc32(item.name.encode()) % mark.args[0] else chosen).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = chosen
