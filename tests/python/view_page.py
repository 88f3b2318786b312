"""Makes pages with `sunmao view`, and reads the data of those that it or `sunmao size` wrote."""

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

from sunmao_binary import sunmao

HEAD = "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tirx as T\n\n"


def page_data(path: Path) -> Any:
    found = re.search(r'id="data">([A-Za-z0-9+/=]*)</script>', path.read_text())
    assert found
    return json.loads(zlib.decompress(base64.b64decode(found[1])))


def function_of(side: Any, name: str = "main") -> Any:
    return next(f for f in side["functions"] if f["name"] == name)


def check_folds(function: Any) -> None:
    """Each node is in one group; boxes of a group do not overlap; each edge has a curve between its ends."""
    folds = function["folds"]
    members = [m for fold in folds for m in fold["m"]]
    assert sorted(m for m in members if m >= 0) == list(range(len(function["nodes"])))
    assert sorted(-m - 1 for m in members if m < 0) == list(range(1, len(folds)))
    for fold in folds:
        count = len(fold["m"]) + len(fold["i"]) + len(fold["o"])
        assert len(fold["c"]) == 2 * count and len(fold["b"]) == 2 * len(fold["m"])
        boxes = [(*fold["c"][2 * i : 2 * i + 2], *fold["b"][2 * i : 2 * i + 2]) for i in range(len(fold["m"]))]
        for i, (x, y, w, h) in enumerate(boxes):
            assert x - w / 2 >= 0 and x + w / 2 <= fold["w"] + 1 and y - h / 2 >= 0 and y + h / 2 <= fold["h"] + 1
            for a, b, c, d in boxes[:i]:
                assert abs(x - a) >= (w + c) / 2 - 1 or abs(y - b) >= (h + d) / 2 - 1
        assert len(fold["e"]) == len(fold["k"])
        for (source, target), curve in zip(fold["e"], fold["k"], strict=True):
            assert len(curve) >= 8 and len(curve) % 6 == 2 and max(source, target) < count


def edges_of(function: Any) -> set[tuple[str, str]]:
    """The edges of a function between names of nodes."""
    nodes = function["nodes"]
    return {(nodes[i]["n"], n["n"]) for n in nodes for i in n["i"]}


def view(page: Path, *arguments: object) -> list:
    result = sunmao("view", *arguments, "-o", page)
    assert result.returncode == 0, result.stderr
    return page_data(page)["sides"]


def script(path: Path, body: str) -> Path:
    path.write_text(HEAD + body)
    return path


def module(params: str, *lines: str) -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f"@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n{body}"


def pairs_of(side: dict) -> dict[str, dict]:
    """The pairs of `main` by the names of its nodes."""
    main = function_of(side)
    return {n["n"]: p for n, p in zip(main["nodes"], main["pairs"], strict=True)}
