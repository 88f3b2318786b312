"""What a new user tries first: one tensor, names and ranges of dimensions, and what the exporter says of them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
import torch
from sunmao import relax
from vision_ops import torchvision

X = torch.randn(4, 6)


class Add(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor | None = None) -> torch.Tensor:
        return x + (x if y is None else y)


class Positions(torch.nn.Module):
    """Has 16 positions, as a BERT has 512."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(16, 6))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.table[: x.shape[1]]


@pytest.mark.parametrize("example", [X, (X,), [X], X.numpy()])
def test_examples_of_one_argument(example: Any) -> None:
    torch.testing.assert_close(sunmao.compile(Add(), example)(X), X + X)


def test_examples_by_name() -> None:
    model = sunmao.compile(Add(), kwargs={"y": X, "x": X}, dims={"x": {0: "batch"}, "y": {0: "batch"}})
    torch.testing.assert_close(model(X[:2], X[1:3]), X[:2] + X[1:3])
    torch.testing.assert_close(model(y=X[1:3], x=X[:2]), X[:2] + X[1:3])


def test_one_example_for_two_arguments_does_not_make_them_one() -> None:
    torch.testing.assert_close(sunmao.compile(Add(), (X, X))(X, X * 2), X * 3)


def test_arguments_of_any_name_have_dimensions_too() -> None:
    class Scaled(torch.nn.Module):
        def forward(self, x: torch.Tensor, **others: torch.Tensor) -> torch.Tensor:
            return x * others["scale"]

    model = sunmao.compile(Scaled(), X, {"scale": X}, dims={"x": {0: "rows"}, "scale": {0: "rows"}})
    torch.testing.assert_close(model(X[:2], scale=X[2:]), X[:2] * X[2:])
    assert sizes(model)[0][0] == "rows"


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        (None, None, "example"),
        ({"x": X}, None, "`args`: a dictionary is no list"),
        ((X,), 3, "`kwargs`: a int is no dictionary"),
        ((X, X, X), None, "does not take the example arguments"),
    ],
)
def test_wrong_examples_are_refused(args: Any, kwargs: Any, message: str) -> None:
    with pytest.raises(sunmao.Error, match=message):
        sunmao.compile(Add(), args, kwargs)


def sizes(model: sunmao.Model) -> list[Any]:
    return [(d.symbol, d.minimum, d.maximum) if isinstance(d, sunmao.Dim) else d for d in model.inputs[0].shape]


MOST = 2**63 - 1


@pytest.mark.parametrize(
    ("dims", "low", "high"),
    [
        ({"x": {0: "batch"}}, 0, MOST),
        ({"x": {0: ("batch", 1, 9)}}, 1, 9),
        ({"x": {0: ("batch", 2, None)}}, 2, MOST),
        (({0: ("batch", 3, 9)},), 3, 9),
        ({"x": ("batch", None)}, 0, MOST),
        ({"x": {-2: "batch"}}, 0, MOST),
        ({"x": {0: torch.export.Dim("batch", min=2, max=9)}}, 2, 9),
    ],
)
def test_names_and_ranges_are_those_that_were_asked_for(dims: Any, low: int, high: int, tmp_path: Path) -> None:
    model = sunmao.compile(Add(), X, dims=dims)
    model.save(tmp_path / "m.sunmao")
    for one in (model, sunmao.load(tmp_path / "m.sunmao")):
        (name, least, most), _ = sizes(one)
        assert (name, least) == ("batch", low)
        assert most == high or most >= 2**53
    if low:
        with pytest.raises(sunmao.Error, match="`batch`|batch") as raised:
            model(X[: low - 1])
        assert raised.value.code == "E0906"


def test_a_program_keeps_the_names_of_its_export() -> None:
    program = torch.export.export(Add(), (X,), dynamic_shapes={"x": {0: torch.export.Dim("rows")}})
    assert sizes(sunmao.compile(program))[0][0] == "rows"


def test_files_are_given_names(tmp_path: Path) -> None:
    auto = {0: torch.export.Dim.AUTO}
    program = torch.export.export(Add(), (X, X + 1), dynamic_shapes={"x": auto, "y": auto})
    torch.export.save(program, tmp_path / "m.pt2")
    assert sizes(sunmao.compile(tmp_path / "m.pt2", dims={"y": {0: ("batch", 1, 8)}}))[0] == ("batch", 1, 8)
    for dims, message in (
        ({"x": {1: "width"}}, "axis 1 of `x`, .* is no symbol"),
        ({"x": {5: "width"}}, "has no axis 5"),
        ({"z": {0: "batch"}}, "there is no input `z`"),
        ({"x": {0: "a"}, "y": {0: "b"}}, "`a` and `b` are one size"),
        ({"x": {0: "a b"}}, "`a b` is no name"),
    ):
        with pytest.raises(sunmao.Error, match=message) as raised:
            sunmao.compile(tmp_path / "m.pt2", dims=dims)
        assert raised.value.code == "E0512"


def test_what_the_exporter_derives_is_taken_over_with_a_warning() -> None:
    example = torch.randn(2, 7, 6)
    with pytest.warns(sunmao.CompileWarning, match="`seq` is at most 16, which PyTorch derives") as said:
        model = sunmao.compile(Positions(), example, dims={"x": {0: "batch", 1: "seq"}})
    assert [Path(w.filename).name for w in said] == [Path(__file__).name]
    assert [s[0] for s in sizes(model)[:2]] == ["batch", "seq"]
    assert sizes(model)[1][2] == 16
    assert model(torch.randn(1, 16, 6)).shape == (1, 16, 6)
    with pytest.raises(sunmao.Error, match="seq"):
        model(torch.randn(1, 17, 6))
    with pytest.warns(sunmao.CompileWarning, match="`b` is always `a`"):
        model = sunmao.compile(Add(), (X, X), dims={"x": {0: "a"}, "y": {0: "b"}})
    assert sizes(model)[0][0] == "a"

    class Halves(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.reshape(2, -1, 6).sum(0)

    with pytest.warns(sunmao.CompileWarning, match="`batch` is always a multiple of 2"):
        model = sunmao.compile(Halves(), X, dims={"x": {0: ("batch", 2, 64)}})
    assert sizes(model)[0][0] == "batch"
    torch.testing.assert_close(model(X.repeat(2, 1)), X[:4] * 2)
    with pytest.raises(sunmao.Error):
        model(X[:3])


def test_constants_of_the_exporter_are_told_in_words_of_the_arguments() -> None:
    with pytest.raises(sunmao.Error, match=r"`batch`, axis 0 of `x`, .*specialized it to be a constant \(1\)") as one:
        sunmao.compile(Add(), X[:1], dims={"x": {0: "batch"}})
    assert "give examples with 2 or more" in one.value.help

    class Four(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * 2 if x.shape[0] == 4 else x

    with pytest.raises(sunmao.Error, match=r"axis 0 of `x`.*constant \(4\)"):
        sunmao.compile(Four(), X, dims={"x": {0: "batch"}})
    with pytest.raises(sunmao.Error, match="no example argument is called `z`"):
        sunmao.compile(Four(), X, dims={"z": {0: "batch"}})
    for dims, message in (
        ({"x": {2: "batch"}}, "`x` has no axis 2"),
        ({"x": {0: "a b"}}, "'a b' is no name"),
        ("batch", "'batch' says nothing of arguments"),
    ):
        with pytest.raises(sunmao.Error, match=message) as one:
            sunmao.compile(Add(), X, dims=dims)
        assert one.value.code == "E0034"
    with pytest.raises(sunmao.Error, match="a function is no model"):
        sunmao.compile(said_of, X)
    with pytest.raises(sunmao.Error, match="`batch` has two ranges"):
        sunmao.compile(Add(), (X, X), dims={"x": {0: ("batch", 1, 2)}, "y": {0: ("batch", 1, 3)}})


def said_of(module: torch.nn.Module, **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        sunmao.compile(module, X, **options)
    return [str(w.message) for w in said if isinstance(w.message, sunmao.CompileWarning)]


def test_what_a_compile_tells_comes_as_warnings_once_each() -> None:
    class Noisy(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + torch.rand_like(x) + torch.rand_like(x)

    noted = said_of(Noisy())
    assert len([n for n in noted if "random" in n]) == 1
    assert len(noted) == len(set(noted))
    assert said_of(Add()) == []
    with pytest.warns(sunmao.CompileWarning, match="random"):
        relax.frontend.torch.from_exported_program(torch.export.export(Noisy(), (X,)))
    batch_norm = torch.nn.BatchNorm1d(6).train()
    program = torch.export.export(batch_norm, (X,)).run_decompositions()
    with pytest.warns(sunmao.CompileWarning, match="exported in training mode"):
        sunmao.compile(program)


def test_programs_that_pytorch_cannot_decompose_are_coded_errors() -> None:
    class Split(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.ops.prims.split_dim(x, 0, 2)

    program = torch.export.export(Split(), (X,))
    with pytest.raises(sunmao.Error, match="PyTorch cannot decompose the program") as raised:
        relax.frontend.torch.from_exported_program(program)
    assert raised.value.code == "E0712"
    assert "run_ep_decomposition=False" in raised.value.help


def test_a_bert_with_named_dimensions() -> None:
    torchvision()
    from transformers import BertConfig, BertModel

    config = BertConfig(vocab_size=30, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8,
                        max_position_embeddings=32)  # fmt: skip
    module = BertModel(config).eval()
    ids = torch.randint(0, 30, (2, 7))
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    dims = {name: {0: "batch", 1: "seq"} for name in inputs}
    with pytest.warns(sunmao.CompileWarning, match="`seq` is at most 32"):
        model = sunmao.compile(module, kwargs=inputs, dims=dims)
    longer = torch.randint(0, 30, (3, 11))
    got = model(longer, torch.ones_like(longer))
    with torch.no_grad():
        want = module(longer, torch.ones_like(longer))
    assert type(got) is type(want)
    np.testing.assert_allclose(got.last_hidden_state, want.last_hidden_state, rtol=1e-4, atol=1e-5)
