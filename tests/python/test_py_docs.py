"""What is public has docs, and `help(sunmao)` says where to begin."""

from __future__ import annotations

import inspect
import pydoc
import re
from typing import Any, get_type_hints

import pytest
import sunmao

_SIGNATURE = re.compile(r"^\s*(\d+\. )?`{0,2}\w+\(.*\)( -> .*)?`{0,2}$")


def says_something(value: Any) -> bool:
    """True where there is more than a signature."""
    lines = [line for line in (inspect.getdoc(value) or "").splitlines() if line.strip()]
    return any(not _SIGNATURE.match(line) and not line.startswith("Overloaded") for line in lines)


@pytest.mark.parametrize("name", [name for name in sunmao.__all__ if name != "__version__"])
def test_public_names_have_docs(name: str) -> None:
    value = getattr(sunmao, name)
    assert says_something(value)
    if inspect.isclass(value):
        own = [base for base in value.__mro__ if base.__module__.startswith("sunmao.")]
        members = {name: member for base in own for name, member in vars(base).items() if not name.startswith("_")}
        silent = [n for n, m in members.items() if (callable(m) or isinstance(m, property)) and not says_something(m)]
        assert silent == []


def test_help_says_where_to_begin() -> None:
    text = pydoc.plain(pydoc.render_doc(sunmao))
    for said in ("sunmao.compile(", "sunmao.load(", "CompileWarning", "python -m sunmao"):
        assert said in text


def test_compile_and_load_give_models() -> None:
    for function in (sunmao.compile, sunmao.load):
        assert get_type_hints(function)["return"] is sunmao.Model
