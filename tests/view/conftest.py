"""One headless Chromium for all tests of pages."""

from collections.abc import Iterator

import pytest
from chromium import Browser


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    browser = Browser()
    yield browser
    browser.driver.quit()


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    chromium.messages()
    yield chromium
    assert chromium.messages() == []
