"""docs/README.md lists every page once, by kind."""

import re

from sunmao_binary import ROOT

DOCS = ROOT / "docs"
INDEX = (DOCS / "README.md").read_text()


def test_every_page_is_listed_once() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", INDEX) if link.endswith(".md")]
    assert sorted(links) == sorted(path.name for path in DOCS.glob("*.md") if path.name != "README.md")


def test_kinds_and_folders() -> None:
    assert re.findall(r"^## (.+)$", INDEX, re.MULTILINE) == ["Start", "How to", "Reference", "Explanation"]
    folders = [link for link in re.findall(r"\]\(([^)#]+)\)", INDEX) if not link.endswith(".md")]
    assert folders and all((DOCS / folder).is_dir() for folder in folders)
