"""Torch modules, programs in memory and ONNX protos through the Python API."""

from __future__ import annotations

import subprocess
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
import sunmao
import torch
from onnx import helper
from sunmao import relax
from torch.utils import _pytree

SUNMAO = Path(__file__).resolve().parents[2] / "build" / "release" / "bin" / "sunmao"


class Nested(torch.nn.Module):
    """Takes a dictionary, gives one with a None, and counts its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(8, 4)
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x: torch.Tensor, extra: dict[str, torch.Tensor]) -> dict[str, Any]:
        self.count.add_(1)
        return {"y": self.fc(x) + extra["b"], "nothing": None, "count": self.count + 0}


def test_a_module_is_called_as_the_torch_module_is() -> None:
    module = Nested().eval()
    x, extra = torch.randn(3, 8), {"b": torch.randn(4)}
    compiled = sunmao.compile(module, (x, extra), dims={"x": {0: "batch"}, "extra": {"b": {}}})
    for batch in (3, 1, 7):
        x = torch.randn(batch, 8)
        with torch.no_grad():
            expected = module.fc(x) + extra["b"]
        got = compiled(x, extra)
        assert list(got) == ["y", "nothing", "count"]
        assert got["nothing"] is None
        np.testing.assert_allclose(got["y"], expected.numpy(), rtol=1e-5, atol=1e-6)


def test_state_is_kept_from_call_to_call_and_apart_from_the_module() -> None:
    module = Nested().eval()
    x, extra = torch.randn(2, 8), {"b": torch.zeros(4)}
    compiled = sunmao.compile(module, (x, extra))
    assert [float(compiled(x, extra)["count"][0]) for _ in range(3)] == [1, 2, 3]
    assert [state.name for state in compiled.kept_states] == ["count"]
    assert float(module.count[0]) == 0


@pytest.mark.parametrize("gradients", [True, False])
def test_a_tensor_that_is_no_buffer_is_state_as_well_when_it_is_written(gradients: bool) -> None:
    class Counts(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.calls = torch.tensor(5)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            with torch.set_grad_enabled(gradients):
                self.calls.add_(1)
            return x * self.calls

    program = torch.export.export(Counts(), (torch.ones(2),))
    compiled, module = sunmao.compile(program), program.module()
    got = [float(compiled(torch.ones(2))[0]) for _ in range(3)]
    assert got == [float(module(torch.ones(2))[0]) for _ in range(3)]
    assert got[2] == got[0] + 2


def test_a_model_in_training_mode_is_named_as_such(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 1), torch.nn.BatchNorm2d(4)).train()
    program = torch.export.export(model, (torch.randn(2, 3, 4, 4),))
    torch.export.save(program, tmp_path / "raw.pt2")
    with pytest.raises(sunmao.Error, match=r"training mode.*call model.eval\(\) before the export"):
        sunmao.compile(tmp_path / "raw.pt2")
    torch.export.save(program.run_decompositions(), tmp_path / "core.pt2")
    inspect = [SUNMAO, "inspect", tmp_path / "core.pt2"]
    said = subprocess.run(inspect, capture_output=True, text=True, check=True).stderr
    assert "exported in training mode: 1 batch norm" in said
    assert "`model.eval()`" in said


def test_arguments_nested_otherwise_are_refused() -> None:
    compiled = sunmao.compile(Nested().eval(), (torch.randn(2, 8), {"b": torch.zeros(4)}))
    with pytest.raises(sunmao.Error, match="nested"):
        compiled(torch.randn(2, 8), torch.zeros(4))


class Pair(NamedTuple):
    first: torch.Tensor
    second: torch.Tensor | None


@dataclass
class Held:
    x: torch.Tensor
    scale: float = 2.0


torch.export.register_dataclass(Held, serialized_type_name="tests.Held")
_pytree._register_namedtuple(Pair, serialized_type_name="tests.Pair")


class FromFile(torch.nn.Module):
    """Takes and gives what pytrees know; `held` is of a class that is registered as one."""

    def forward(
        self, pair: Pair, many: list[torch.Tensor], *, held: Held, by: dict[str, torch.Tensor], flag: bool = True
    ) -> dict[str, Any]:
        ordered = OrderedDict(a=by["k"] + 1, b=(many[0] * 2 if flag else many[0],))
        return {"pair": Pair(pair.first + many[1], None), "ordered": ordered, "held": Held(held.x * held.scale)}


@pytest.mark.parametrize("is_core", [False, True])
def test_a_file_is_called_as_its_module_was(tmp_path: Path, is_core: bool) -> None:
    def arguments() -> tuple[tuple[Any, ...], dict[str, Any]]:
        x = torch.randn(6, 3)
        positional = (Pair(x[0], None), [x[1], x[2]])
        return positional, {"held": Held(x[3]), "by": {"other": x[4], "k": x[5]}, "flag": True}

    args, kwargs = arguments()
    program = torch.export.export(FromFile(), args, kwargs)
    torch.export.save(program.run_decompositions() if is_core else program, tmp_path / "m.pt2")
    compiled = sunmao.compile(tmp_path / "m.pt2")
    compiled.save(tmp_path / "m.sunmao")
    for model in (compiled, sunmao.load(tmp_path / "m.sunmao")):
        args, kwargs = arguments()
        want = FromFile()(*args, **kwargs)
        held = {"x": kwargs["held"].x, "scale": 2.0}
        got = model(*args, **{**kwargs, "held": held})
        assert list(got) == ["pair", "ordered", "held"]
        np.testing.assert_array_equal(got["pair"].first, want["pair"].first)
        assert got["pair"].second is None
        np.testing.assert_array_equal(got["ordered"]["a"], want["ordered"]["a"])
        assert isinstance(got["ordered"]["b"], tuple)
        np.testing.assert_array_equal(got["ordered"]["b"][0], want["ordered"]["b"][0])
        np.testing.assert_array_equal(got["held"].x, want["held"].x)
        with pytest.raises(sunmao.Error, match="`flag` is False, expected True"):
            model(*args, **{**kwargs, "held": held, "flag": False})


def test_a_file_with_state_gives_the_next_state_behind_its_results(tmp_path: Path) -> None:
    x, extra = torch.randn(2, 8), {"b": torch.zeros(4)}
    torch.export.save(torch.export.export(Nested().eval(), (x, extra)), tmp_path / "m.pt2")
    model = sunmao.compile(tmp_path / "m.pt2")
    results, count = model(x, extra, *model.states.values())
    assert list(results) == ["y", "nothing", "count"]
    assert float(count[0]) == 1


def test_tensors_one_by_one_need_no_nesting(tmp_path: Path) -> None:
    torch.export.save(torch.export.export(torch.nn.Linear(3, 2), (torch.ones(3),)), tmp_path / "m.pt2")
    model = sunmao.compile(tmp_path / "m.pt2")
    assert model(torch.ones(3)).shape == (2,)
    assert model({"input": torch.ones(3)}).shape == (2,)


def test_a_range_of_a_dimension_is_checked() -> None:
    linear = torch.nn.Linear(8, 4).eval()
    compiled = sunmao.compile(linear, (torch.randn(4, 8),), dims={"input": {0: ("batch", 3, 6)}})
    assert compiled(torch.randn(6, 8)).shape == (6, 4)
    with pytest.raises(sunmao.Error):
        compiled(torch.randn(7, 8))


def test_a_module_without_examples_and_examples_without_a_module_are_refused() -> None:
    with pytest.raises(sunmao.Error, match="example"):
        sunmao.compile(torch.nn.Linear(2, 2))
    with pytest.raises(sunmao.Error, match="example"):
        sunmao.compile("model.onnx", (torch.zeros(2),))


def test_what_torch_refuses_to_export_is_told() -> None:
    class Refused(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x if x.sum() > 0 else -x

    with pytest.raises(sunmao.Error, match="E0712"):
        sunmao.compile(Refused(), (torch.randn(3),))


def test_what_torch_cannot_write_is_told() -> None:
    class Nested(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            def step(i: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
                def inner(j: torch.Tensor, z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
                    return j + 1, z + 1

                return i + 1, torch.while_loop(lambda j, z: j < 3, inner, (torch.tensor(0), y))[1]

            return torch.while_loop(lambda i, y: i < 2, step, (torch.tensor(0), x))[1]

    with pytest.raises(sunmao.Error, match="E0712.*PyTorch cannot write the program: getattr nodes containing tensors"):
        sunmao.compile(Nested(), (torch.zeros(3),))


def program(module: torch.nn.Module, *args: torch.Tensor) -> torch.export.ExportedProgram:
    return torch.export.export(module.eval(), args)


@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
def test_linear_of_any_rank_is_a_product_with_the_raw_weight(rank: int) -> None:
    shape = (2, 3, 2, 2, 8)[5 - rank :]
    linear = torch.nn.Linear(8, 4)
    for decompose in (False, True):
        mod = relax.frontend.torch.from_exported_program(
            program(linear, torch.randn(shape)), keep_params_as_input=True, run_ep_decomposition=decompose
        )
        mod, params = relax.frontend.detach_params(mod)
        assert [tuple(p.shape) for p in params["main"]] == [(4, 8), (4,)]
        assert "broadcast_to" not in mod.script()


def test_weights_are_handed_over_without_a_copy() -> None:
    linear = torch.nn.Linear(8, 4)
    mod = relax.frontend.torch.from_exported_program(program(linear, torch.randn(2, 8)), keep_params_as_input=True)
    _, params = relax.frontend.detach_params(mod)
    weight = np.from_dlpack(params["main"][0])
    assert weight.ctypes.data == linear.weight.data_ptr()


def test_complex_numbers_come_back_as_such_and_are_parts_one_by_one(tmp_path: Path) -> None:
    class Turn(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("turns", torch.polar(torch.ones(4), torch.rand(4)))

        def forward(self, z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            turned = z * self.turns
            return turned, turned.abs().sum(-1)

    module, z = Turn().eval(), torch.randn(3, 4, dtype=torch.complex64)
    compiled = sunmao.compile(torch.export.export(module, (z,)))
    turned, sizes = module(z)
    for given in (z, z.numpy(), torch.view_as_real(z).numpy(), z.numpy().T.copy().T):
        got = compiled(given)
        assert {type(value) for value in got} == {type(given)}
        np.testing.assert_allclose(np.asarray(got[0]), turned.numpy(), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(np.asarray(got[1]), sizes.numpy(), rtol=1e-5)
    compiled.save(tmp_path / "turn.sunmao")
    loaded = sunmao.load(tmp_path / "turn.sunmao")
    assert loaded(z)[0].dtype == torch.complex64 and loaded.flat(z)[0].shape == (3, 4, 2)


COMPLEX = {torch.complex32: np.float16, torch.complex64: np.complex64, torch.complex128: np.complex128}


@pytest.mark.parametrize("dtype", COMPLEX)
def test_a_complex_result_alone(dtype: torch.dtype) -> None:
    class Whole(torch.nn.Module):
        def forward(self, z: torch.Tensor) -> torch.Tensor:
            return torch.view_as_complex(z) * 1

    parts = torch.randn(3, 2, dtype=dtype.to_real())
    compiled = sunmao.compile(torch.export.export(Whole(), (parts,)))
    torch.testing.assert_close(compiled(parts), torch.view_as_complex(parts))
    assert compiled(parts.numpy()).dtype == COMPLEX[dtype]


def test_writes_through_views_of_complex_numbers_are_refused() -> None:
    class Write(torch.nn.Module):
        def forward(self, z: torch.Tensor) -> torch.Tensor:
            own = z * 2
            torch.view_as_real(own).add_(1)
            return own.abs()

    program = torch.export.export(Write(), (torch.randn(3, dtype=torch.complex64),))
    with pytest.raises(sunmao.Error, match="in place") as caught:
        sunmao.compile(program)
    assert caught.value.code == "E0707"


def test_forms_of_what_is_returned() -> None:
    ep = program(torch.nn.Linear(8, 4), torch.randn(2, 8))

    def read(**arguments: bool) -> str:
        text: str = relax.frontend.torch.from_exported_program(ep, **arguments).script()
        return text

    assert "return gv" in read() and "gv: R.Tuple" in read()
    assert "-> R.Tensor" in read(unwrap_unit_return_tuple=True)
    assert "gv: R.Tuple" not in read(no_bind_return_tuple=True) and "-> R.Tuple" in read(no_bind_return_tuple=True)


def test_a_custom_converter_goes_before_the_readers_own() -> None:
    def twice(inputs: list[Any], attributes: dict[str, Any]) -> Any:
        assert attributes == {}
        return relax.op.add(inputs[0], inputs[0])

    mod = relax.frontend.torch.from_exported_program(
        program(torch.nn.ReLU(), torch.randn(3)), custom_convert_map={"aten.relu.default": twice}
    )
    assert "R.add(" in mod.script() and "R.nn.relu" not in mod.script()


def proto(op: str, domain: str, **attributes: Any) -> onnx.ModelProto:
    info = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", 3]) for name in ("x", "y")]
    graph = helper.make_graph(
        [helper.make_node(op, ["x"], ["y"], domain=domain, **attributes)], "g", info[:1], info[1:]
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("my", 1)])


def test_an_onnx_proto_with_given_shapes_and_a_custom_converter() -> None:
    seen: list[dict[str, Any]] = []

    def scaled(inputs: list[Any], attributes: dict[str, Any]) -> list[Any]:
        seen.append(attributes)
        return [relax.op.multiply(inputs[0], relax.const(attributes["by"], "float32"))]

    mod = relax.frontend.onnx.from_onnx(
        proto("Scaled", "my", by=2.5, axes=[0, 1], mode="up"), {"x": (2, 3)}, custom_convert_map={"my::Scaled": scaled}
    )
    assert seen == [{"by": 2.5, "axes": [0, 1], "mode": "up"}]
    assert 'R.Tensor((2, 3), dtype="float32")' in mod.script()


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(sunmao.Error, match="ModelProto"):
        relax.frontend.onnx.from_onnx("model.onnx")
    with pytest.raises(sunmao.Error, match="torch.export"):
        relax.frontend.torch.from_exported_program(torch.nn.Linear(2, 2))


def test_tensors_of_every_kind_are_taken_or_refused() -> None:
    model = sunmao.compile(torch.nn.Identity().eval(), (torch.zeros(2),))
    negative = torch.tensor([1 + 2j, 3 - 4j]).conj().imag  # its memory holds the numbers with the other sign
    assert negative.is_neg()
    for x in (negative, torch.nn.Parameter(torch.ones(2)), torch.ones(2, requires_grad=True), torch.ones(4)[::2]):
        torch.testing.assert_close(model(x), x.detach())
    for x in (torch.ones(2).to_sparse(), torch.ones(2, device="meta")):
        with pytest.raises(sunmao.Error, match="E0034"):
            model(x)
