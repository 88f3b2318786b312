"""Modules of python/sunmao import each other without circles, wherever in a module an import stands; and from the
module that defines a thing, never from a package above the one that asks."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "python"
Graph = dict[str, dict[str, int]]


def modules_of(root: Path) -> dict[str, Path]:
    """The modules below a folder by their names; a package by its own."""
    parts = {path: path.relative_to(root).with_suffix("").parts for path in sorted(root.glob("sunmao/**/*.py"))}
    return {".".join(names).removesuffix(".__init__"): path for path, names in parts.items()}


def imports_of(name: str, path: Path, modules: dict[str, Path]) -> Iterator[tuple[str, int]]:
    """What a module imports, at any level and under any condition, with the lines. `from p import m` imports `p.m`
    where that is a module, else `p`. The packages that a name stands in are loaded as well, and count as no import."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                is_module = full in modules or full == "sunmao._sunmao"  # the extension
                yield full if is_module else base, node.lineno


def graph_of(modules: dict[str, Path]) -> Graph:
    """For each module those of the others that it imports, each with the line of the first import."""
    graph: Graph = {}
    for name, path in modules.items():
        found = graph.setdefault(name, {})
        for target, line in imports_of(name, path, modules):
            if target in modules and target != name:
                found.setdefault(target, line)
    return graph


def find_circle(graph: Graph) -> list[str]:
    """Modules of which each imports the next, the last one the first; empty where there is no circle."""
    done: set[str] = set()
    for start in graph:
        path: list[str] = []
        work = [(start, False)]
        while work:
            name, is_left = work.pop()
            if is_left:
                done.add(path.pop())
            elif name in path:
                return path[path.index(name) :]
            elif name not in done:
                path.append(name)
                work += [(name, True), *((target, False) for target in graph[name])]
    return []


def shown(graph: Graph, circle: list[str]) -> str:
    steps = zip(circle, [*circle[1:], *circle[:1]], strict=True)
    return "\n".join(f"{name}:{graph[name][target]} imports {target}" for name, target in steps)


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = graph_of(modules_of(ROOT))
    assert len(graph) > 100
    circle = find_circle(graph)
    assert not circle, shown(graph, circle)


def test_no_module_imports_from_a_package_that_it_stands_in() -> None:
    graph = graph_of(modules_of(ROOT))
    wrong = [f"{name}:{line}" for name, found in graph.items() for t, line in found.items() if name.startswith(t + ".")]
    assert not wrong, wrong


@pytest.mark.parametrize(
    ("files", "circle"),
    [
        ({"a": "", "b": "import sunmao.a"}, []),
        ({"a": "import sunmao.b", "b": "import sunmao.c", "c": "import sunmao.b"}, ["b", "c"]),
        ({"a": "def f():\n    from sunmao import b", "b": "from sunmao.a import f"}, ["a", "b"]),
        ({"a": "if TYPE_CHECKING:\n    from . import b", "b": "from .a import f"}, ["a", "b"]),
        ({"a": "from sunmao._sunmao import make", "b": "from .a import f", "c": "from sunmao import a, b"}, []),
    ],
)
def test_a_circle_is_found_at_any_level(tmp_path: Path, files: dict[str, str], circle: list[str]) -> None:
    (tmp_path / "sunmao").mkdir()
    for name, text in {"__init__": "", **files}.items():
        (tmp_path / "sunmao" / f"{name}.py").write_text(text)
    assert find_circle(graph_of(modules_of(tmp_path))) == [f"sunmao.{name}" for name in circle]
