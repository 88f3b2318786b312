"""The backend of torch.compile around the graphs: what it refuses, its options, its cache, its threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import sunmao
import torch
from sunmao import graph_cache
from sunmao.exported import graph_json
from sunmao.torch_backend import backend
from torch._export.serde import serialize
from torch_compiled import Layers, compiled, counts

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.usefixtures("fresh_graphs")


def test_what_cannot_be_compiled_runs_in_pytorch_with_one_warning() -> None:
    def noisy(x: torch.Tensor) -> torch.Tensor:
        return x + torch.rand_like(x)

    made = compiled(noisy)
    with pytest.warns(sunmao.CompileWarning, match=r"a graph of 2 ops runs in PyTorch: .*E0713.*random") as told:
        torch.manual_seed(1)
        got = made(torch.ones(4))
    assert len(told) == 1
    made(torch.ones(4))
    torch.manual_seed(1)
    torch.testing.assert_close(got, noisy(torch.ones(4)))
    assert counts() == (0, 0, 1)


def test_ops_that_no_program_has_run_in_pytorch() -> None:
    library = torch.library.Library("sunmao_tests", "FRAGMENT")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x * 2, "CompositeExplicitAutograd")
    library.impl("twice", lambda x: torch.empty_like(x), "Meta")
    with pytest.warns(sunmao.CompileWarning, match=r"(?s)a graph of 2 ops runs in PyTorch: .*sunmao_tests.twice"):
        got = compiled(lambda x: torch.ops.sunmao_tests.twice(x) + 1)(torch.ones(3))
    torch.testing.assert_close(got, torch.full((3,), 3.0))
    assert counts() == (0, 0, 1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"options": {"thread": 1}}, "'thread' is no option"),
        ({"options": {"threads": "1"}}, "`threads` is a str, expected int"),
        ({"mode": "max-autotune"}, "is a mode of inductor"),
    ],
)
def test_options_that_there_are_not_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(sunmao.Error, match=said):
        backend(None, [], **given)


def test_pytorch_finds_the_backend_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "pyproject.toml").read_text()
    group = text[text.index("[project.entry-points.torch_dynamo_backends]") :].splitlines()[1]
    name, _, target = group.replace('"', "").replace(" ", "").partition("=")
    folder = tmp_path / "sunmao_backend-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: sunmao-backend\nVersion: 1\n")
    (folder / "entry_points.txt").write_text(f"[torch_dynamo_backends]\n{name} = {target}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    (found,) = metadata.entry_points(group="torch_dynamo_backends", name="sunmao")
    assert found.load() is backend


def test_the_oldest_graphs_go_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_cache, "_MOST_BYTES", 35)
    cache = graph_cache.GraphCache(tmp_path / "graphs")
    for i, key in enumerate("abc"):
        cache.keep(key, bytes(10))
        os.utime(tmp_path / "graphs" / f"{key}.sunmao", (i, i))
    cache.find("a")  # used now
    cache.keep("d", bytes(10))
    assert [key for key in "abcd" if cache.find(key)] == ["a", "c", "d"]


_SCRIPT = """
import sys, torch
from sunmao import torch_backend
sys.path.insert(0, sys.argv[1])
from torch_compiled import Layers
torch.manual_seed(0)
made = torch.compile(Layers().eval(), backend=torch_backend.backend)
with torch.no_grad():
    total = float(made(torch.ones(3, 8))["y"].sum())
s = torch_backend.statistics
print(s.compiled, s.loaded, s.refused, total)
"""


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    def run() -> list[str]:
        command = [sys.executable, "-c", _SCRIPT, str(Path(__file__).parent)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.split()

    first, second = run(), run()
    assert first[:3] == ["1", "0", "0"] and second[:3] == ["0", "1", "0"] and first[3] == second[3]
    (file,) = (tmp_path / "cache" / "graphs").glob("*.sunmao")
    file.write_bytes(file.read_bytes()[:1000])  # a damaged file is made again
    assert run()[:3] == ["1", "0", "0"] and run()[:3] == ["0", "1", "0"]


def test_threads_share_a_graph() -> None:
    module = Layers().eval()
    made = compiled(module)
    inputs = [torch.randn(3, 8) for _ in range(8)]
    with torch.no_grad():
        made(inputs[0])
        want = [module(x)["y"] for x in inputs]
    found: list[Any] = [None] * len(inputs)

    def work(i: int) -> None:
        with torch.no_grad():
            found[i] = [made(inputs[i])["y"] for _ in range(20)]

    workers = [threading.Thread(target=work, args=(i,)) for i in range(len(inputs))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for results, expected in zip(found, want, strict=True):
        for result in results:
            torch.testing.assert_close(result, expected)


def test_programs_are_written_as_pytorch_writes_them() -> None:
    program = torch.export.export(Layers().eval(), (torch.ones(3, 8),))
    check = serialize.canonicalize
    want = serialize.serialize(program, serialize_state_dict=False, serialize_constants=False,
                               serialize_example_inputs=False).exported_program  # fmt: skip
    found: list[bytes] = []
    workers = [threading.Thread(target=lambda: found.append(graph_json(program))) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [want] * 4
    assert serialize.canonicalize is check
