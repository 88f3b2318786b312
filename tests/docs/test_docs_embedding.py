"""docs/embedding.md shows parts of files that other tests build and run, and names what there is."""

import re

import pytest
from sunmao_binary import ROOT

PAGE = (ROOT / "docs" / "embedding.md").read_text()
SNIPPETS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SOURCES = {
    "cmake": ("CMakeLists.txt",),
    "cpp": ("main.cpp",),
    "c": ("embed.c", "object.c"),
}


def test_every_kind_of_snippet_is_there() -> None:
    assert {language for language, _ in SNIPPETS} == set(SOURCES)


@pytest.mark.parametrize(("language", "text"), SNIPPETS)
def test_snippet_is_part_of_a_tested_file(language: str, text: str) -> None:
    files = [(ROOT / "examples" / "project" / name).read_text() for name in SOURCES[language]]
    assert any(text in file for file in files)


def test_links_and_commands() -> None:
    links = re.findall(r"\]\(([^)]+)\)", PAGE)
    assert links and [link for link in links if not (ROOT / "docs" / link).exists()] == []
    comments = (ROOT / "examples" / "project" / "object.c").read_text()
    assert (
        "    sunmao compile mlp.onnx --emit=so -o libmlp.so\n" in PAGE and "mlp.onnx --emit=so -o libmlp.so" in comments
    )
