"""docs/nn.md: its program runs, and the names that it lists are there."""

import re
from pathlib import Path

import numpy as np
import pytest
import sunmao
from sunmao.compat.relax.frontend import nn

PAGE = (Path(__file__).parents[2] / "docs" / "nn.md").read_text("utf-8")


def test_its_program_runs() -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {"__name__": "program"}
    exec(compile(program, "docs/nn.md", "exec"), names)
    assert isinstance(names["y"], np.ndarray) and names["y"].shape == (3, 16)


def test_names_that_it_lists() -> None:
    rows = [row for row in PAGE.splitlines() if row.startswith("| `")]
    for names, _ in (row.strip("| ").split(" | ") for row in rows):
        for name in re.findall(r"`([\w.]+)`", names):
            found = nn
            for part in name.removeprefix("nn.").split("."):
                found = getattr(found, part)
    assert len(rows) == 7


@pytest.mark.parametrize("name", ["ObjectModule", "SourceModule"])
def test_what_it_says_is_missing(name: str) -> None:
    with pytest.raises(sunmao.Error, match="E0030"):
        getattr(nn, name)
