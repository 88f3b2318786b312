"""relax.frontend.nn: parameters and their data, containers, mutators, specs."""

from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao.compat.relax.frontend import nn
from sunmao.compat.relax.frontend.nn import spec


class Block(nn.Module):
    def __init__(self) -> None:
        self.linear = nn.Linear(2, 3)
        self.scales = nn.ParameterList([nn.Parameter((3,), "float16")])
        self.cache = nn.KVCache(4, [3], "float16")


class Model(nn.Module):
    dtype = "float32"

    def __init__(self) -> None:
        self.dtype = "float32"
        self.blocks = nn.ModuleDict({"a": Block(), "b": nn.ModuleList([Block(), nn.ReLU()])})
        self.last = nn.ParameterDict({"bias": nn.Parameter((3,))})


NAMES = [
    "blocks.a.linear.weight", "blocks.a.linear.bias", "blocks.a.scales.0",
    "blocks.b.0.linear.weight", "blocks.b.0.linear.bias", "blocks.b.0.scales.0", "last.bias",
]  # fmt: skip


def test_parameters_have_dotted_names() -> None:
    model = Model()
    assert [name for name, _ in model.named_parameters()] == NAMES
    assert list(model.state_dict(prefix="m.")) == ["m." + name for name in NAMES]
    assert list(model.state_dict(destination={"other": nn.Parameter((1,))})) == ["other", *NAMES]
    assert len(list(model.parameters())) == len(NAMES)


def test_dtypes_change_all_the_way_down() -> None:
    model = Model()
    model.to("float16")
    assert {parameter.dtype for parameter in model.parameters()} == {"float16"}
    assert model.dtype == "float16"
    model.to("float32")
    assert model.blocks["a"].cache.dtype == "float32"
    mixed = nn.Linear(2, 3, out_dtype="float32", dtype="float16")
    mixed.to("bfloat16")
    assert (mixed.weight.dtype, mixed.bias.dtype) == ("bfloat16", "float32")


def test_data_of_a_parameter() -> None:
    parameter = nn.Parameter(("n", 2))
    assert parameter.data is None
    array = np.arange(6, dtype="float32").reshape(3, 2)
    parameter.data = array
    array[:] = 0
    np.testing.assert_array_equal(parameter.data.numpy()[0], [0, 1])
    parameter.data = sunmao.compat.runtime.tensor(array)
    parameter.data = None
    assert parameter.data is None


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (
            np.zeros((2, 3), "float32"),
            r"E0521.*expected Tensor\(\[3, 2\].*array of shape \(2, 3\)",
        ),
        (np.zeros((3, 2)), r"E0521.*float64 array"),
        ([[1.0, 2.0]] * 3, r"E0034.*got a list"),
    ],
)
def test_data_that_does_not_fit(data: Any, code: str) -> None:
    with pytest.raises(sunmao.Error, match=code):
        nn.Parameter((3, 2)).data = data


def test_the_dtype_of_data_stays() -> None:
    parameter = nn.Parameter((1,))
    parameter.data = np.zeros(1, "float32")
    parameter.to("float32")
    with pytest.raises(sunmao.Error, match=r"E0034.*data of float32 does not become one of float16"):
        parameter.to("float16")


def test_states_are_loaded_by_name() -> None:
    model = Model()
    arrays = {name: np.full(p.shape, i, p.dtype) for i, (name, p) in enumerate(model.named_parameters())}
    assert model.load_state_dict(arrays) == ([], [])
    other = Model()
    assert other.load_state_dict(model.state_dict()) == ([], [])
    assert [int(p.data.numpy().flat[0]) for p in other.parameters()] == list(range(len(NAMES)))

    part = {"last.bias": arrays["last.bias"], "first.bias": arrays["last.bias"]}
    with pytest.raises(sunmao.Error, match=r"E0522.*`blocks.a.linear.weight`.* and 1 more, unknown are `first.bias`"):
        other.load_state_dict(part)
    assert other.load_state_dict(part, strict=False) == (NAMES[:-1], ["first.bias"])
    with pytest.raises(sunmao.Error, match=r"E0521\]: `last.bias`: the data of a parameter does not fit"):
        other.load_state_dict({"last.bias": np.zeros(4, "float32")}, strict=False)
    with pytest.raises(sunmao.Error, match=r"E0520.*`last.bias`.*has no data"):
        other.load_state_dict({"last.bias": nn.Parameter((3,))}, strict=False)


def test_default_dtypes() -> None:
    nn.core.set_default_dtype("float16")
    try:
        assert nn.Parameter((1,)).dtype == nn.KVCache(1, [1]).dtype == nn.core.get_default_dtype() == "float16"
    finally:
        nn.core.set_default_dtype("float32")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: nn.ModuleList([nn.Parameter((1,))]),
        lambda: nn.ModuleDict({"a": [nn.ReLU()]}),
        lambda: nn.ParameterList([nn.ReLU()]),
        lambda: nn.ParameterDict({1: nn.Parameter((1,))}),
        lambda: nn.ParameterList().append(np.zeros(1)),
        lambda: nn.ModuleList(3),
        lambda: nn.ModuleDict([nn.ReLU()]),
        lambda: nn.Parameter((-1,)),
        lambda: nn.Parameter((1.5,)),
        lambda: nn.Parameter((1,), "float33"),
        lambda: nn.Linear("2", [3]),
        lambda: nn.Conv1D(3, 4, 1, groups=2),
        lambda: nn.Module()(1),
    ],
)
def test_items_and_sizes_are_checked(wrong: Any) -> None:
    with pytest.raises(sunmao.Error, match=r"E0034|E0302"):
        wrong()


def test_a_module_that_contains_itself() -> None:
    model = Model()
    model.blocks["a"].back = model
    with pytest.raises(sunmao.Error, match=r"E0034.*Model contains itself, as `blocks.a.back`"):
        list(model.parameters())


class Halving(nn.Mutator):
    """Makes parameters float16, and notes what it has seen."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    def visit_param(self, name: str, node: nn.Parameter) -> nn.Parameter:
        self.seen.append(("param", name))
        return nn.Parameter(node.shape, "float16")

    def visit_effect(self, name: str, node: nn.Effect) -> nn.Effect:
        self.seen.append(("effect", name))
        return node

    def visit_modulelist(self, name: str, node: nn.ModuleList) -> Any:
        self.seen.append(("list", name))
        return self.visit(name, node)


def test_a_mutator_replaces_parts() -> None:
    model, mutator = Model(), Halving()
    assert mutator.visit("m", model) is model
    assert {parameter.dtype for parameter in model.parameters()} == {"float16"}
    assert [name for kind, name in mutator.seen if kind == "param"] == ["m." + name for name in NAMES]
    assert [(k, n) for k, n in mutator.seen if k != "param"] == [
        ("effect", "m.blocks.a.cache"), ("list", "m.blocks.b"), ("effect", "m.blocks.b.0.cache"),
    ]  # fmt: skip


def test_specs_show_what_they_say() -> None:
    class Two(nn.Module):
        def forward(self, x: nn.Tensor, n: Any, pair: Any) -> nn.Tensor:
            return x

    x = spec.Tensor([1, "n"], "float32")
    given = spec.ModuleSpec.from_raw({"forward": {"x": x, "n": int, "pair": [x, spec.Int()]}}, Two())
    shown = "forward(x: Tensor([1, n], 'float32'), n: int, pair: [Tensor([1, n], 'float32'), int])"
    assert repr(given) == f"ModuleSpec:\n  {shown}"
    assert spec.ModuleSpec.from_raw(given, Two()) is given
