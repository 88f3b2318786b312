"""A compiled torch module is called as the module is, freshly compiled and loaded from its artifact alike."""

from __future__ import annotations

import collections
import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import sunmao
import torch
from torch.utils import _pytree
from vision_ops import torchvision

X = torch.arange(6, dtype=torch.float32).reshape(2, 3)
Make = Callable[..., sunmao.Model]


@pytest.fixture(params=["compiled", "loaded", "pickled", "copied"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Compiles a module, and gives the model itself, or what it was saved, pickled or copied to."""

    def made(module: torch.nn.Module, *args: Any, **options: Any) -> sunmao.Model:
        model = sunmao.compile(module, *args, **options)
        if request.param == "loaded":
            model.save(tmp_path / "m.sunmao")
            return sunmao.load(tmp_path / "m.sunmao")
        if request.param == "pickled":
            return pickle.loads(pickle.dumps(model))
        return copy.deepcopy(model) if request.param == "copied" else model

    return made


class Function(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Any) -> Any:
        return self.function(x)


class Options(torch.nn.Module):
    def forward(
        self, x: torch.Tensor, flag: bool = True, n: int = 3, *, mode: str = "add", y: torch.Tensor | None = None
    ) -> torch.Tensor:
        x = x * n if flag else x
        y = x if y is None else y
        return x + y if mode == "add" else x - y


FORMS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((X, True, 3), {}),
    ((X,), {}),
    ((X, True), {"n": 3}),
    ((X,), {"n": 3, "mode": "add", "flag": True}),
    ((), {"n": 3, "x": X}),
    ((X,), {"y": None}),
]


@pytest.mark.parametrize("example", [0, 1, 3, 4])
def test_all_forms_of_a_call_give_what_the_module_gives(make: Make, example: int) -> None:
    model = make(Options(), *FORMS[example])
    for args, kwargs in FORMS:
        torch.testing.assert_close(model(*args, **kwargs), Options()(*args, **kwargs))


REFUSED: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    ((X, False, 3), {}, "`flag` is False, expected True"),
    ((X, True, 5), {}, "`n` is 5, expected 3"),
    ((X, 1, 3), {}, "`flag` is 1, expected True"),
    ((X, True, True), {}, "`n` is True, expected 3"),
    ((X,), {"mode": "sub"}, "`mode` is 'sub', expected 'add'"),
    ((X,), {"y": X}, "`y` is a Tensor, expected None"),
    ((None, True, 3), {}, "`x` is None, expected a tensor"),
    (("x", True, 3), {}, "`x` is 'x', expected a tensor"),
    ((), {"n": 3}, "there is no value for `x`"),
    ((X, True), {"flag": True}, "`flag` is given twice"),
    ((X,), {"scale": 2}, "no argument is called `scale`"),
    ((X, True, 3, "add"), {}, "4 arguments are given by position, and the model takes 3"),
]


@pytest.mark.parametrize("example", [0, 1])
def test_other_values_of_what_is_no_tensor_are_refused(make: Make, example: int) -> None:
    model = make(Options(), *FORMS[example])
    for args, kwargs, message in REFUSED:
        with pytest.raises(sunmao.Error, match=message) as raised:
            model(*args, **kwargs)
        assert raised.value.code == "E0034"


def test_a_value_that_is_no_default_cannot_be_left_out(make: Make) -> None:
    model = make(Options(), (X, False), {"y": X})
    torch.testing.assert_close(model(X, False, y=X), X + X)
    with pytest.raises(sunmao.Error, match=r"no value for `flag`, `y`"):
        model(X)
    with pytest.raises(sunmao.Error, match="`flag` is True, expected False"):
        model(X, True, y=X)


def test_keys_of_dictionaries_have_no_order_and_missing_ones_are_named(make: Make) -> None:
    model = make(Function(lambda d: d["a"] - d["b"]), ({"a": X, "b": X + 1},))
    torch.testing.assert_close(model({"b": X, "a": X + 2}), torch.full_like(X, 2))
    with pytest.raises(sunmao.Error, match="`x` is one without 'b' and with 'c', expected a dictionary with the keys"):
        model({"a": X, "c": X})


def test_arguments_in_one_dictionary_go_by_name(make: Make) -> None:
    torch.testing.assert_close(make(Options(), X)({"x": X, "n": 3}), Options()(X))


class Pair(NamedTuple):
    first: torch.Tensor
    second: Any


@dataclass
class Held:
    x: torch.Tensor
    scale: float = 2.0
    nothing: torch.Tensor | None = None


@dataclass
class Registered:
    x: torch.Tensor
    pair: Pair


_pytree.register_dataclass(Registered, serialized_type_name="calls.Registered")

RESULTS: dict[str, Callable[[torch.Tensor], Any]] = {
    "max": lambda x: x.max(-1),
    "sort": lambda x: x.sort(-1, descending=True),
    "slogdet": lambda x: torch.linalg.slogdet(x[:, :2]),
    "topk inside of a list": lambda x: [x.topk(2), {"k": x.cummax(0)}],
    "named tuple": lambda x: Pair(x + 1, Pair(x, None)),
    "dataclass": lambda x: Held(x + 1),
    "dataclass of dataclasses": lambda x: {"h": [Held(x, 1.5, x + 1)], "text": "a"},
    "registered dataclass": lambda x: Registered(x, Pair(x, x + 1)),
    "ordered dictionary": lambda x: collections.OrderedDict(b=x, a=(x + 1,)),
    "numbers": lambda x: (x, x.shape[0], 2.5, None, True, 7),
}


def equal(got: Any, want: Any) -> None:
    assert type(got) is type(want)
    if isinstance(want, torch.Tensor):
        torch.testing.assert_close(got, want)
    elif isinstance(want, tuple | list):
        for g, w in zip(got, want, strict=True):
            equal(g, w)
    elif isinstance(want, dict):
        assert list(got) == list(want)
        equal(list(got.values()), list(want.values()))
    elif isinstance(want, Held | Registered):
        equal(vars(got), vars(want))
    else:
        assert got == want


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_nested_as_those_of_the_module(make: Make, name: str) -> None:
    x = torch.randn(2, 3)
    equal(make(Function(RESULTS[name]), x)(x), RESULTS[name](x))


@pytest.mark.parametrize("name", ["max", "named tuple", "dataclass"])
def test_results_of_arrays_are_arrays(make: Make, name: str) -> None:
    want = RESULTS[name](X)
    got = make(Function(RESULTS[name]), X)(X.numpy())
    assert type(got) is type(want)
    first = [value[0] if isinstance(value, tuple) else value.x for value in (got, want)]
    assert isinstance(first[0], np.ndarray)
    np.testing.assert_array_equal(first[0], first[1].numpy())


def test_objects_of_classes_are_arguments(make: Make) -> None:
    model = make(Function(lambda h: h.x * h.scale), Held(X))
    torch.testing.assert_close(model(Held(X + 1)), (X + 1) * 2)
    torch.testing.assert_close(model({"x": X, "scale": 2.0}), X * 2)
    for wrong, message in (
        (Held(X, 3.0), r"`x\['scale'\]` is 3.0, expected 2.0"),
        (Held(X, 2.0, X), r"holds .*, and the program was exported for"),
        (X, "`x` is a Tensor, expected a `.*Held`"),
    ):
        with pytest.raises(sunmao.Error, match=message) as raised:
            model(wrong)
        assert raised.value.code == "E0034"
    assert Held not in _pytree.SUPPORTED_NODES


def test_a_cache_of_transformers_is_an_argument_and_a_result(make: Make) -> None:
    torchvision()
    from transformers import DynamicCache
    from transformers.integrations.executorch import register_dynamic_cache_export_support

    register_dynamic_cache_export_support()

    def grown(cache: Any) -> Any:
        cache.update(cache.layers[0].keys + 1, cache.layers[0].values + 2, 0)
        return cache

    def fresh() -> Any:
        cache = DynamicCache()
        cache.update(X[None, None], X[None, None] * 2, 0)
        return cache

    got, want = make(Function(grown), fresh())(fresh()), grown(fresh())
    assert isinstance(got, DynamicCache)
    torch.testing.assert_close(got.layers[0].keys, want.layers[0].keys)
    torch.testing.assert_close(got.layers[0].values, want.layers[0].values)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.bool, torch.int64, torch.float64])
def test_dtypes_come_back_as_they_went_in(make: Make, dtype: torch.dtype) -> None:
    x = (X - 2).to(dtype)
    got = make(Function(lambda x: x[1:]), x)(x)
    assert got.dtype == dtype
    torch.testing.assert_close(got, x[1:])


def test_everything_that_a_model_has_is_there(tmp_path: Path) -> None:
    class Counts(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(1))
            self.fc = torch.nn.Linear(3, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.count.add_(1)
            return self.fc(x) * self.count

    model = sunmao.compile(Counts().eval(), X)
    assert type(model) is sunmao.Model
    first = model(X)
    torch.testing.assert_close(model(X), first * 2)
    model.save(tmp_path / "m.sunmao")
    model.save_weights(tmp_path / "w.safetensors")
    for other in (sunmao.load(tmp_path / "m.sunmao"), model.session()):
        torch.testing.assert_close(other(X), first)
    torch.testing.assert_close(pickle.loads(pickle.dumps(model))(X), first * 3)
    assert [s.name for s in model.kept_states] == ["count"]
    assert [v.name for v in model.inputs] == ["x"]
    assert model.functions == ["main"]
    assert model.profile(X, repeat=2)["runs"] == 2
    passed = sunmao.compile(Counts().eval(), X, keep_state=False)
    _, count = passed(X, *passed.states.values())
    assert float(count[0]) == 1
