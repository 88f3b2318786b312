"""A headless Chromium, and pages to open in it."""

import time
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from sunmao_binary import sunmao

WIDTH, HEIGHT = 1500, 950
READY = 30  # seconds


class Browser:
    """Opens pages and looks at them as a person would: by what is drawn, clicks and keys."""

    def __init__(self) -> None:
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        options.add_argument(f"--window-size={WIDTH},{HEIGHT}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))

    def open(self, page: Path) -> None:
        self.driver.get(f"file://{page}")
        end = time.monotonic() + READY
        while not self.run("return document.body.dataset.ready"):
            assert time.monotonic() < end, self.messages()
            time.sleep(0.02)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def messages(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def find(self, selector: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        return self.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)

    def details(self) -> str:
        return self.find("#details").text

    def boxes(self, panel: int = 0) -> list[str]:
        """The titles of the boxes of a panel."""
        selector = f".panel:nth-child({panel + 1}) .box > text:not(.sub)"
        return self.texts(selector)

    def rects(self, selector: str) -> list[list[float]]:
        """Left, top, right and bottom of all elements."""
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].map((e) => e.getBoundingClientRect())"
            ".map((r) => [r.left, r.top, r.right, r.bottom])",
            selector,
        )

    def click_drawn(self, selector: str, last: bool = False) -> None:
        """Clicks the first element that matches, or the last one, also where another one is drawn over it."""
        self.run(
            "const found = [...document.querySelectorAll(arguments[0])];"
            "found.at(arguments[1] ? -1 : 0).dispatchEvent(new MouseEvent('click', {bubbles: true}))",
            selector,
            last,
        )

    def click(self, selector: str) -> None:
        self.driver.execute_script("arguments[0].scrollIntoView?.()", self.find(selector))
        self.find(selector).click()


def make_page(page: Path, *arguments: object) -> Path:
    result = sunmao("view", *arguments, "-o", page)
    assert result.returncode == 0, result.stderr
    return page
