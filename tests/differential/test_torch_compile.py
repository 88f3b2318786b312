"""torch.compile with Sunmao as its backend gives what PyTorch gives."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import sunmao
import torch
import torch.utils._pytree as pytree
from sunmao import graph_cache, torch_backend
from sunmao.torch_backend import Statistics, backend
from torch import nn

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test has a cache of its own, and counts from zero; graphs that are refused fail it."""
    monkeypatch.setenv("SUNMAO_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(torch_backend, "statistics", Statistics())
    torch._dynamo.reset()
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", sunmao.CompileWarning)
        yield


def counts() -> tuple[int, int, int]:
    s = torch_backend.statistics
    return s.compiled, s.loaded, s.refused


def compiled(module: Any, **options: Any) -> Any:
    return torch.compile(module, backend=backend, **options)


def agree(module: Callable[..., Any], other: Callable[..., Any], *args: Any, tolerance: float = 1e-5) -> None:
    got, want = pytree.tree_flatten(other(*args)), pytree.tree_flatten(module(*args))
    assert got[1] == want[1]
    for x, y in zip(got[0], want[0], strict=True):
        torch.testing.assert_close(x, y, rtol=tolerance, atol=tolerance)


class Layers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(8, 64), nn.Linear(64, 64)
        self.register_buffer("shift", torch.ones(64))

    def forward(self, x: torch.Tensor, scale: int = 3) -> Any:
        y = self.b(self.a(x).relu()) + self.shift
        return {"rows": x.shape[0] + 1, "y": y.relu() * scale, "turned": y.t(), "x": x, "none": None}


def test_a_module_returns_what_it_returned() -> None:
    module = Layers().eval()
    x = torch.randn(3, 8)
    with torch.no_grad():
        made = compiled(module)
        agree(module, made, x)
        assert made(x)["x"] is x
    assert counts() == (1, 0, 0)


def test_sizes_and_integers_change_without_compiling_again() -> None:
    module = Layers().eval()
    made = compiled(module, dynamic=True)
    with torch.no_grad():
        for rows, scale in [(3, 5), (5, 7), (9, 2), (5, -2), (4, 0)]:
            agree(module, made, torch.randn(rows, 8), scale)
    assert counts() == (1, 0, 0)


def test_weights_that_change_are_prepared_again() -> None:
    module = Layers().eval()
    made = compiled(module)
    x = torch.randn(3, 8)
    with torch.no_grad():
        agree(module, made, x)
        module.a.weight.mul_(2)
        agree(module, made, x)
        module.load_state_dict({name: value + 1 for name, value in module.state_dict().items()})
        agree(module, made, x)
        module.b.weight.data = torch.randn(64, 64)
        agree(module, made, x)
    assert counts() == (1, 0, 0)


def test_weights_are_taken_as_they_are_where_nothing_is_frozen() -> None:
    module = Layers().eval()
    made = compiled(module, options={"freeze": False})
    x = torch.randn(3, 8)
    with torch.no_grad():
        agree(module, made, x)
        module.a.weight.data.mul_(2)  # what counts no writes
        agree(module, made, x)
    assert counts() == (1, 0, 0)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dynamic", [False, None])
def test_attention(causal: bool, dynamic: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    capture = torch_backend.captured

    def watched(module: Any, *rest: Any) -> Any:
        seen.extend(str(node.target) for node in module.graph.nodes if "attention" in str(node.target))
        return capture(module, *rest)

    def attention(x: torch.Tensor) -> torch.Tensor:
        return nn.functional.scaled_dot_product_attention(x, x * 2, x + 1, is_causal=causal)

    monkeypatch.setattr(torch_backend, "captured", watched)
    module = compiled(attention, dynamic=dynamic)
    for rows in [16, 9]:
        agree(attention, module, torch.randn(2, 4, rows, 8))
    assert set(seen) == {"aten._scaled_dot_product_flash_attention_for_cpu.default"}
    seen.clear()
    for rows in [16, 9]:
        x = torch.randn(2, 4, rows, 8)
        leaves = [x.clone().requires_grad_() for _ in range(2)]
        for call, leaf in zip([attention, module], leaves, strict=True):
            (call(leaf) ** 2).sum().backward()
        torch.testing.assert_close(leaves[0].grad, leaves[1].grad, rtol=1e-4, atol=1e-4)
    assert not seen, "its gradient is known of its parts"


def test_gradients() -> None:
    module = Layers()
    other = copy.deepcopy(module)
    made = compiled(other)
    x = torch.randn(6, 8)
    for _ in range(2):
        for m, call in ((module, module), (other, made)):
            m.zero_grad()
            call(x)["y"].sum().backward()
            torch.optim.SGD(m.parameters(), 1e-3).step()
        for p, q in zip(module.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(p, q, rtol=1e-4, atol=1e-4)
    assert counts() == (2, 0, 0)  # forward and backward


def test_statistics_of_batch_norms_are_written() -> None:
    module = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU()).train()
    other = copy.deepcopy(module)
    x = torch.randn(4, 3, 9, 9)
    with torch.no_grad():
        agree(module, compiled(other), x)
    for (name, value), found in zip(module.state_dict().items(), other.state_dict().values(), strict=True):
        torch.testing.assert_close(found, value, msg=lambda text, name=name: f"{name}: {text}")
    assert counts() == (1, 0, 0)


def test_arguments_that_a_function_writes() -> None:
    def append(cache: torch.Tensor, row: torch.Tensor, at: int) -> torch.Tensor:
        cache[at] = row * 2
        return cache.sum(0)

    made = compiled(append, dynamic=True)
    mine, theirs = torch.zeros(6, 4), torch.zeros(6, 4)
    for at in (2, 4, 5):
        row = torch.randn(4)
        torch.testing.assert_close(made(mine, row, at), append(theirs, row, at))
        torch.testing.assert_close(mine, theirs)
    assert counts()[2] == 0


def test_contiguous_arguments_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled(lambda x: x + 1)
    x = torch.randn(4, 4)
    made(x)
    taken: list[Any] = []
    convert = torch_backend.to_tensor
    monkeypatch.setattr(torch_backend, "to_tensor", lambda value: taken.append(convert(value)) or taken[-1])
    result = made(x)
    assert [t.numpy().ctypes.data for t in taken] == [x.data_ptr()]
    torch.testing.assert_close(result, x + 1)


def test_the_oldest_graphs_go_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_cache, "_MOST_BYTES", 35)
    cache = graph_cache.GraphCache(tmp_path / "graphs")
    for i, key in enumerate("abc"):
        cache.keep(key, bytes(10))
        os.utime(tmp_path / "graphs" / f"{key}.sunmao", (i, i))
    cache.find("a")  # used now
    cache.keep("d", bytes(10))
    assert [key for key in "abcd" if cache.find(key)] == ["a", "c", "d"]


def test_graphs_break() -> None:
    seen = []

    def broken(x: torch.Tensor) -> torch.Tensor:
        y = torch.sin(x) * 2
        seen.append(float(y.sum()))  # a graph break
        return y @ y.t() if seen[-1] > 0 else y + 1

    made = compiled(broken)
    agree(broken, made, torch.ones(3, 4))
    agree(broken, made, -torch.ones(3, 4))
    assert len(seen) == 4 and counts()[0] >= 2 and counts()[2] == 0


def test_complex_numbers_and_constants() -> None:
    table = torch.arange(12.0).reshape(3, 4)

    def spectrum(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.fft.rfft(x) * 2, x @ table.t() + torch.tensor([1.0, 2.0, 3.0])

    agree(spectrum, compiled(spectrum), torch.randn(5, 4))
    assert counts() == (1, 0, 0)


def test_layouts_of_arguments_do_not_matter() -> None:
    module = nn.Conv2d(3, 8, 3).eval()
    made = compiled(module)
    with torch.no_grad():
        agree(module, made, torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last))
        agree(module, made, torch.randn(2, 8, 8, 3).permute(0, 3, 1, 2)[:, :, ::2])
    assert counts()[2] == 0


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


_SCRIPT = """
import sys, torch
from sunmao import graph_cache, torch_backend
sys.path.insert(0, sys.argv[1])
from test_torch_compile import Layers
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


@pytest.mark.parametrize("name", ["bert", "resnet50", "lstm", "llama"])
def test_whole_models(name: str) -> None:
    from models import entries

    built = entries()[name].build()
    made = compiled(built.module)
    with torch.no_grad():
        got = pytree.tree_leaves(made(*built.args, **built.kwargs))
        want = pytree.tree_leaves(built.module(*built.args, **built.kwargs))
    for x, y in zip(got, want, strict=True):
        torch.testing.assert_close(x, y, rtol=1e-3, atol=1e-4)
    assert counts()[2] == 0


def test_ops_that_no_program_has_run_in_pytorch() -> None:
    library = torch.library.Library("sunmao_tests", "FRAGMENT")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x * 2, "CompositeExplicitAutograd")
    library.impl("twice", lambda x: torch.empty_like(x), "Meta")
    with pytest.warns(sunmao.CompileWarning, match=r"(?s)a graph of 2 ops runs in PyTorch: .*sunmao_tests.twice"):
        got = compiled(lambda x: torch.ops.sunmao_tests.twice(x) + 1)(torch.ones(3))
    torch.testing.assert_close(got, torch.full((3,), 3.0))
    assert counts() == (0, 0, 1)


def chunks(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x.chunk(2, -1)[1], x[:, x.shape[1] // 2 :], x.transpose(0, 2), x + 1


def views_of_a_result(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x.transpose(0, 1) + 1
    return y, y.transpose(0, 1).reshape(-1), y[:, y.shape[1] // 2 :], y.transpose(0, 1).view(x.shape[0], -1)


def views_of_complex_numbers(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    z = torch.complex(x, x + 1)
    return z, torch.view_as_real(z)[:, x.shape[1] // 2 :], z[..., 1:].mT


def repeats(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x.expand(3, *x.shape), x.unsqueeze(0).expand(x.shape[1], -1, -1, -1)


@pytest.mark.parametrize("function", [chunks, views_of_a_result, views_of_complex_numbers, repeats])
@pytest.mark.parametrize("dynamic", [False, True])
def test_views_share_the_memory_that_they_share_in_pytorch(function: Callable[..., Any], dynamic: bool) -> None:
    """They have the sizes, strides and offsets that they have there, so that more can be written through them."""
    module = compiled(function, dynamic=dynamic)
    for rows in [3, 5]:
        mine = torch.randn(rows, 4, 6)
        theirs = mine.clone()
        got, want = module(mine), function(theirs)
        for x, y in zip(got, want, strict=True):
            assert x.stride() == y.stride() and x.storage_offset() == y.storage_offset()
            torch.testing.assert_close(x, y)
        if function is not repeats:  # of which several elements are one
            for results in [got, want]:
                results[0][..., 0].fill_(7)
        torch.testing.assert_close(mine, theirs)
        for x, y in zip(got, want, strict=True):
            torch.testing.assert_close(x, y)


@pytest.mark.parametrize("dynamic", [False, True])
def test_results_have_the_order_of_eager_mode(dynamic: bool) -> None:
    def function(x: torch.Tensor, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
        turned = x.transpose(1, 2) * 2
        torch._dynamo.graph_break()
        joined = turned.transpose(1, 2).view(x.shape[0], -1)  # which is no view of a tensor in row-major order
        return joined, turned, (x + 1).transpose(0, 1), torch.relu(image), x.mT.contiguous(), torch.complex(x, x).mT

    module = compiled(function, dynamic=dynamic)
    for rows in [3, 5]:
        image = torch.randn(rows, 4, 6, 7).to(memory_format=torch.channels_last)
        args = torch.randn(rows, 4, 6), image
        got, want = module(*args), function(*args)
        for x, y in zip(got, want, strict=True):
            assert x.stride() == y.stride()
            torch.testing.assert_close(x, y)


def test_gradients_pass_through_views() -> None:
    def function(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x @ w.T
        return y, y[:, y.shape[1] // 2 :].transpose(0, 1)

    module = compiled(function, dynamic=True)
    for rows in [3, 5]:
        x, w = torch.randn(rows, 8), torch.randn(6, 8)
        grads = []
        for call in [module, function]:
            leaf, weight = x.clone().requires_grad_(), w.clone().requires_grad_()
            first, second = call(leaf, weight)
            (first.sum() + (second * second).sum()).backward()
            grads.append((first, second, leaf.grad, weight.grad))
        torch.testing.assert_close(grads[0], grads[1])
