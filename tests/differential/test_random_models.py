"""Random numbers of models: their distributions, against PyTorch's; and their seeds, constant or in the state of
sessions."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import sunmao
import torch
from onnx import TensorProto, helper
from torch import Tensor
from torch.nn import functional

SUNMAO = Path(__file__).parents[2] / "build" / "release" / "bin" / "sunmao"
COUNT = 20_000
STATE = "random.seed"


class Fn(torch.nn.Module):
    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self.fn = fn

    def forward(self, *args: Tensor) -> Any:
        return self.fn(*args)


def compiled(fn: Callable[..., Any], *args: Tensor, **options: Any) -> Any:
    return sunmao.compile(Fn(fn), args, threads=1, **options)


def steps(x: Any) -> Any:
    """Returns quantiles."""
    return np.quantile(np.asarray(x, np.float64).ravel(), np.linspace(0.05, 0.95, 19))


ZEROS = torch.zeros(COUNT)
RATES = torch.linspace(0, 1, 5).repeat(COUNT // 5, 1)
WEIGHTS = torch.tensor([[1.0, 2.0, 0.0, 5.0]]).repeat(COUNT // 4, 1)
DRAWS: dict[str, tuple[Callable[[Tensor], Tensor], Tensor]] = {
    "rand": (lambda x: torch.rand(COUNT), ZEROS),
    "randn": (lambda x: torch.randn(COUNT), ZEROS),
    "randn float64": (lambda x: torch.randn(COUNT, dtype=torch.float64), ZEROS),
    "randn float16": (lambda x: torch.randn(COUNT, dtype=torch.float16), ZEROS),
    "randint": (lambda x: torch.randint(-3, 10**6, (COUNT,)), ZEROS),
    "randint of a size": (lambda x: torch.randint(x.shape[0], (COUNT,)), ZEROS),
    "random_": (lambda x: (x * 1).random_(), ZEROS),
    "random_ of integers": (lambda x: x.long().random_(), ZEROS),
    "randperm": (lambda x: torch.randperm(COUNT)[: COUNT // 2], ZEROS),
    "normal": (lambda x: torch.normal(x, 3.0), torch.linspace(-2, 2, COUNT)),
    "normal of deviations": (lambda x: torch.normal(2.0, x), torch.linspace(0, 2, COUNT)),
    "normal of both": (lambda x: torch.normal(x, x), torch.linspace(0, 2, COUNT)),
    "uniform_": (lambda x: (x * 1).uniform_(-5, 2), ZEROS),
    "exponential_": (lambda x: (x * 1).exponential_(2.5), ZEROS),
    "geometric_": (lambda x: (x * 1).geometric_(0.01), ZEROS),
    "log_normal_": (lambda x: (x * 1).log_normal_(0.5, 0.75), ZEROS),
    "cauchy_": (lambda x: (x * 1).cauchy_(1.0, 0.5), ZEROS),
    "gumbel": (lambda x: functional.gumbel_softmax(x.view(-1, 2)), ZEROS),
    "dropout": (lambda x: torch.dropout(x, 0.4, True), torch.linspace(1, 2, COUNT)),
    "alpha dropout": (lambda x: torch.alpha_dropout(x, 0.4, True), torch.linspace(1, 2, COUNT)),
    "rrelu": (lambda x: torch.rrelu(x, 0.1, 0.9, training=True), torch.linspace(-1, 1, COUNT)),
    "bernoulli of a tensor": (lambda x: torch.bernoulli(x).mean(0), RATES),
    "bernoulli": (lambda x: torch.bernoulli(x, 0.3).mean(0), RATES),
    "multinomial": (lambda x: torch.multinomial(x, 2).sum(1).float(), WEIGHTS),
    "multinomial again": (lambda x: torch.multinomial(x, 2, True).sum(1).float(), WEIGHTS),
}


@pytest.mark.parametrize("form", ["raw", "core"])
@pytest.mark.parametrize("name", DRAWS)
def test_a_distribution(name: str, form: str) -> None:
    """19 quantiles lie where those of draws of PyTorch's do."""
    fn, x = DRAWS[name]
    program = torch.export.export(Fn(fn), (x,))
    if form == "core":
        program = program.run_decompositions()
    got = np.asarray(sunmao.compile(program, threads=1)(x))
    torch.manual_seed(1)
    want = [fn(x) for _ in range(8)]
    assert got.shape == tuple(want[0].shape)
    assert str(got.dtype) == str(want[0].dtype).removeprefix("torch.")
    draws = np.array([steps(w.numpy()) for w in want])
    spread = np.maximum(draws.max(0) - draws.min(0), 1e-2 * np.ptp(draws))
    assert (np.abs(steps(got) - draws.mean(0)) < 1.5 * spread + 1e-6).all()


def test_multinomial_without_replacement_gives_each_class_once() -> None:
    got = compiled(lambda x: torch.multinomial(x, 3), WEIGHTS)(WEIGHTS)
    assert (np.sort(got, axis=1) == [0, 1, 3]).all()
    first = np.bincount(got[:, 0], minlength=4) / len(got)
    np.testing.assert_allclose(first, [1 / 8, 2 / 8, 0, 5 / 8], atol=0.03)


def test_a_permutation_leaves_no_place_more_often() -> None:
    model = compiled(lambda x: torch.stack([torch.randperm(4) for _ in range(24)]), ZEROS[:1], keep_state=True)
    seen = np.concatenate([model(ZEROS[:1]) for _ in range(100)])
    numbers, counts = np.unique(seen @ [64, 16, 4, 1], return_counts=True)
    assert len(numbers) == 24 and counts.min() > 60 and counts.max() < 140


class Trained(torch.nn.Module):
    """A transformer layer, attention with dropout, and recurrent layers, in training mode."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.25, batch_first=True)
        self.lstm = torch.nn.LSTM(8, 8, num_layers=3, dropout=0.25, batch_first=True)
        self.gru = torch.nn.GRU(8, 8, num_layers=2, dropout=0.25, bidirectional=True, batch_first=True)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return self.layer(x), self.lstm(x)[0], self.gru(x)[0]


@pytest.mark.parametrize("form", ["raw", "core"])
def test_a_model_in_training_mode(form: str) -> None:
    """Means over many rows are those of PyTorch; rows differ, though inputs do not."""
    torch.manual_seed(0)
    module = Trained().train()
    x = torch.randn(1, 5, 8).repeat(400, 1, 1)
    program = torch.export.export(module, (x,))
    if form == "core":
        program = program.run_decompositions()
    got = sunmao.compile(program, threads=1)(x)
    with torch.no_grad():
        want = program.module()(x)
    for a, b in zip(got, want, strict=True):
        # PyTorch's decomposition of recurrent layers leaves dropout out.
        assert (np.ptp(a[:, -1, 0]) > 0.02) == (np.ptp(b.numpy()[:, -1, 0]) > 0.02)
        np.testing.assert_allclose(a.mean(0), b.numpy().mean(0), atol=6 * float(b.std(0).max()) / 20 + 1e-5)
    assert np.ptp(got[0][:, -1, 0]) > 0.02


@pytest.mark.parametrize("causal", [False, True])
def test_attention_drops_weights(causal: bool) -> None:
    q, k = torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 8)
    v = torch.eye(6).expand(2, 3, 6, 6)
    attend = functional.scaled_dot_product_attention
    program = torch.export.export(Fn(lambda *a: attend(*a, dropout_p=0.4, is_causal=causal)), (q, k, v))
    got = sunmao.compile(program, threads=1)(q, k, v)
    weights = attend(q, k, v, is_causal=causal).numpy()
    kept = got != 0
    np.testing.assert_allclose(got[kept], weights[kept] / 0.6, rtol=1e-4)
    assert 0.4 < kept.sum() / (weights != 0).sum() < 0.8


X = torch.ones(64)


def twice(x: Tensor) -> tuple[Tensor, Tensor]:
    return torch.dropout(x, 0.5, True), torch.dropout(x, 0.5, True)


def test_without_kept_state_runs_draw_the_same_numbers() -> None:
    model = compiled(twice, X)
    first, second = model(X), model(X)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
    assert (first[0] != first[1]).any()  # ops of a model have seeds of their own
    assert not model.states


def different(a: Any, b: Any) -> bool:
    return any((p != q).any() for p, q in zip(a, b, strict=True))


def test_with_kept_state_each_run_draws_others(tmp_path: Path) -> None:
    model = compiled(twice, X, keep_state=True)
    assert [(s.name, tuple(s.shape), str(s.dtype)) for s in model.kept_states] == [(STATE, (), "int64")]
    assert model.state()[STATE] == 0
    runs = [model(X) for _ in range(3)]
    assert all(different(runs[i], runs[j]) for i in range(3) for j in range(i))
    model.save_state(tmp_path / "state")
    fork, following = model.copy(), model(X)
    assert not different(fork(X), following)
    model.load_state(tmp_path / "state")
    assert not different(model(X), following)
    model.reset_state()
    assert not different(model(X), runs[0])
    model.set_state({STATE: np.array(5)})
    of_five = model(X)
    assert all(different(of_five, run) for run in runs)
    model.set_state({STATE: np.array(5)})
    assert not different(model(X), of_five)


def test_seeds_in_a_row_share_no_runs() -> None:
    model = compiled(lambda x: torch.rand(4), X, keep_state=True)
    seen = set()
    for seed in range(20):
        model.set_state({STATE: np.array(seed)})
        seen |= {model(X).numpy().tobytes() for _ in range(20)}
    assert len(seen) == 400


def test_a_buffer_keeps_its_name_beside_the_seed() -> None:
    class Inner(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seed", torch.zeros(3))

    class Outer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.random = Inner()

        def forward(self, x: Tensor) -> Tensor:
            self.random.seed.add_(1)
            return torch.rand_like(x) + self.random.seed.sum() * 0

    model = sunmao.compile(Outer(), (X,), keep_state=True)
    assert sorted(s.name for s in model.kept_states) == [STATE, STATE + "_"]
    assert different([model(X)], [model(X)])
    np.testing.assert_array_equal(model.state()[STATE], [2, 2, 2])


class Loop(torch.nn.Module):
    """Sums of numbers drawn in each step, and the last of them."""

    def forward(self, x: Tensor) -> Any:
        def step(i: Tensor, y: Tensor, last: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            drawn = torch.rand_like(y)
            return i + 1, y + drawn, drawn

        _, total, last = torch.while_loop(lambda i, y, last: i < 400, step, (torch.tensor(0), x, torch.zeros_like(x)))
        return total, last


class Nested(torch.nn.Module):
    """The numbers that each of 20 * 30 steps draws."""

    def forward(self, x: Tensor) -> Any:
        def inner(j: Tensor, kept: Tensor, i: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            at = torch.arange(600).reshape(600, 1) == i * 30 + j
            return j + 1, torch.where(at, torch.rand(1, 4), kept), i.clone()

        def outer(i: Tensor, kept: Tensor) -> tuple[Tensor, Tensor]:
            _, kept, _ = torch.while_loop(lambda j, k, i: j < 30, inner, (i * 0, kept, i))
            return i + 1, kept

        return torch.while_loop(lambda i, k: i < 20, outer, (torch.tensor(0), x))[1]


def test_steps_of_a_loop_draw_other_numbers() -> None:
    x = torch.zeros(100)
    total, last = sunmao.compile(Loop(), (x,))(x)
    assert last.min() >= 0 and last.max() < 1 and len(set(last)) == 100
    # The mean of 400 numbers between 0 and 1, five standard deviations.
    assert np.abs(total / 400 - 0.5).max() < 5 / np.sqrt(12 * 400)
    model = sunmao.compile(Loop(), (x,), keep_state=True)
    assert different(model(x)[1:], model(x)[1:])
    np.testing.assert_array_equal(model.state()[STATE].shape, ())


def test_loops_in_loops_draw_other_numbers() -> None:
    x = torch.zeros(600, 4)
    kept = sunmao.compile(Nested(), (x,))(x)
    assert len(np.unique(kept)) > 2390
    assert abs(kept.mean() - 0.5) < 5 / np.sqrt(12 * 2400)


def test_an_onnx_loop_draws(tmp_path: Path) -> None:
    body = helper.make_graph(
        [
            helper.make_node("RandomNormal", [], ["drawn"], shape=[8]),
            helper.make_node("Identity", ["goes_on"], ["still"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("goes_on", TensorProto.BOOL, []),
        ],
        [
            helper.make_tensor_value_info("still", TensorProto.BOOL, []),
            helper.make_tensor_value_info("drawn", TensorProto.FLOAT, [8]),
        ],
    )
    graph = helper.make_graph(
        [helper.make_node("Loop", ["count", ""], ["rows"], body=body)],
        "g",
        [helper.make_tensor_value_info("count", TensorProto.INT64, [])],
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["n", 8])],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)]), tmp_path / "loop.onnx")
    model = sunmao.compile(tmp_path / "loop.onnx")
    rows = model(np.array(50))
    assert rows.shape == (50, 8) and len(np.unique(rows)) == 400
    assert abs(rows.mean()) < 5 / 20 and abs(rows.std() - 1) < 0.2
    np.testing.assert_array_equal(model(np.array(30)), rows[:30])


def test_a_branch_draws() -> None:
    def fn(x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, lambda y: torch.rand_like(y), lambda y: torch.rand_like(y) - 1, (x,))

    model = compiled(fn, X, keep_state=True)
    first, second, other = model(X), model(X), model(-X)
    assert first.min() >= 0 and second.min() >= 0 and other.max() < 0
    assert different([first], [second])


def graph_of(nodes: list[onnx.NodeProto], outputs: int) -> onnx.ModelProto:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [64])
    ys = [helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, [64]) for i in range(outputs)]
    graph = helper.make_graph(nodes, "g", [x], ys, [
        helper.make_tensor("ratio", TensorProto.FLOAT, [], [0.25]),
        helper.make_tensor("train", TensorProto.BOOL, [], [True]),
    ])  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])


@pytest.fixture
def drawing(tmp_path: Path) -> Path:
    nodes = [
        helper.make_node("RandomUniform", [], ["y0"], shape=[64]),
        helper.make_node("RandomNormalLike", ["x"], ["y1"]),
        helper.make_node("RandomUniform", [], ["y2"], shape=[64], seed=3.0),
        helper.make_node("Dropout", ["x", "ratio", "train"], ["y3"]),
    ]
    onnx.save(graph_of(nodes, 4), tmp_path / "draws.onnx")
    return tmp_path / "draws.onnx"


def test_ONNX_ops_without_a_seed(drawing: Path) -> None:
    x = np.ones(64, "float32")
    fixed, kept = sunmao.compile(drawing, threads=1), sunmao.compile(drawing, threads=1, keep_state=True)
    for a, b in zip(fixed(x), fixed(x), strict=True):
        np.testing.assert_array_equal(a, b)
    first, second = kept(x), kept(x)
    changes = [(a != b).any() for a, b in zip(first, second, strict=True)]
    assert changes == [True, True, False, True]  # a seed of the model stays
    np.testing.assert_array_equal(first[2], fixed(x)[2])
    assert set(np.unique(first[3])) == {np.float32(0), np.float32(4 / 3)}
    assert abs((first[3] == 0).mean() - 0.25) < 0.2


def run(*words: Any) -> str:
    """Runs `sunmao`; returns what it says."""
    return subprocess.run([SUNMAO, *words], capture_output=True, text=True, check=True).stderr


def test_notes_say_that_runs_draw_the_same(drawing: Path) -> None:
    out = drawing.with_suffix(".sunmao")
    assert "each run draws the same random numbers" in run("compile", drawing, "-o", out)
    assert "random" not in run("compile", drawing, "-o", out, "--keep-state")
    assert [s.name for s in sunmao.load(out).kept_states] == [STATE]


def test_the_state_of_a_command(drawing: Path, tmp_path: Path) -> None:
    state, outputs = tmp_path / "state.safetensors", [tmp_path / f"{name}.safetensors" for name in "ab"]
    np.save(tmp_path / "x.npy", np.ones(64, "float32"))
    for out in outputs:
        run("run", drawing, "--input", f"x={tmp_path / 'x.npy'}", "--state", state, "--output", out)
    assert outputs[0].read_bytes() != outputs[1].read_bytes()
