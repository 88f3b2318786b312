"""Forms of modules that `from_exported_program` gives, on which scripts over TVM depend; and sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sunmao
import torch
from sunmao import relax
from sunmao.relax.frontend.torch import from_exported_program
from torch import nn


def imported(module: nn.Module, *args: Any, **options: bool) -> Any:
    return from_exported_program(torch.export.export(module.eval(), args), **options)


@pytest.mark.parametrize(
    ("layer", "shape", "call"),
    [
        (nn.Linear(8, 4), (2, 8), "R.matmul("),
        (nn.Conv1d(3, 4, 3), (1, 3, 8), "R.nn.conv1d("),
        (nn.Conv2d(3, 4, 3), (1, 3, 8, 8), "R.nn.conv2d("),
        (nn.ConvTranspose2d(3, 4, 3), (1, 3, 8, 8), "R.nn.conv2d_transpose("),
    ],
)
def test_products_state_the_dtype_of_float32(layer: nn.Module, shape: tuple[int, ...], call: str) -> None:
    x = torch.randn(shape)
    module = imported(layer, x)
    (line,) = [line for line in module.script().splitlines() if call in line]
    assert line.endswith('out_dtype="float32")')
    np.testing.assert_allclose(sunmao.evaluate(module, x.numpy())[0], layer(x).detach().numpy(), rtol=1e-5, atol=1e-5)


def test_other_dtypes_stay_those_of_the_operands() -> None:
    x = torch.randn(2, 8, dtype=torch.bfloat16)
    assert "out_dtype" not in imported(nn.Linear(8, 4).to(torch.bfloat16), x).script()


class Axes(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.unsqueeze(-1).squeeze(-2)


def test_axes_are_as_the_program_states_them() -> None:
    x = torch.randn(3, 1)
    text = imported(Axes(), x).script()
    assert "R.expand_dims(x, axis=[-1])" in text and "axis=[-2]" in text
    np.testing.assert_array_equal(sunmao.evaluate(imported(Axes(), x), x.numpy())[0], Axes()(x).numpy())


class Writer(nn.Module):
    """Writes to its argument and to a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count.add_(1)
        return x.mul_(2) + self.count


def test_results_are_those_of_the_program_alone() -> None:
    with pytest.warns(sunmao.CompileWarning, match="the program writes to `x`, `count`"):
        module = imported(Writer(), torch.randn(3))
    x = np.asarray([1.0, 2.0, 3.0], np.float32)
    (result,) = sunmao.evaluate(module, x)
    np.testing.assert_array_equal(result, x * 2 + 1)


class OnlyWrites(nn.Module):
    def forward(self, x: torch.Tensor) -> None:
        x.mul_(2)


def test_what_is_written_is_the_result_where_there_is_no_other() -> None:
    module = imported(OnlyWrites(), torch.randn(3))
    (result,) = sunmao.evaluate(module, np.ones(3, np.float32))
    np.testing.assert_array_equal(result, np.full(3, 2, np.float32))


class SparseWeight(nn.Module):
    def __init__(self, layout: torch.layout) -> None:
        super().__init__()
        self.register_buffer("weight", torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]).to_sparse(layout=layout))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.matmul(self.weight, x)


class Again(SparseWeight):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.matmul(self.weight.to_sparse(layout=torch.sparse_csr), x).sum()


@pytest.mark.parametrize("module", [SparseWeight(torch.sparse_coo), SparseWeight(torch.sparse_csr),
                                    Again(torch.sparse_csr)], ids=["coo", "csr", "again"])  # fmt: skip
def test_sparse_weights_are_dense_ones(module: nn.Module) -> None:
    x = torch.randn(3, 2)
    read = imported(module, x)
    dense = module.weight.to_dense()
    want = dense @ x if type(module) is SparseWeight else (dense @ x).sum()
    np.testing.assert_allclose(sunmao.evaluate(read, x.numpy())[0], want.numpy(), rtol=1e-6)


class SparseProducts(nn.Module):
    def forward(self, c: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.sparse.mm(a, b), torch.sparse.addmm(c, a, b, beta=0.5, alpha=2.0)


def test_sparse_arguments_are_dense_ones() -> None:
    c, a, b = torch.randn(4, 2), torch.relu(torch.randn(4, 3)), torch.randn(3, 2)
    module = imported(SparseProducts(), c, a.to_sparse(), b)
    product, total = sunmao.evaluate(module, c.numpy(), a.numpy(), b.numpy())
    np.testing.assert_allclose(product, (a @ b).numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(total, (0.5 * c + 2 * (a @ b)).numpy(), rtol=1e-5, atol=1e-6)


def test_parts_of_sparse_tensors_are_refused() -> None:
    class Values(SparseWeight):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.weight.values().sum() + x

    with pytest.raises(sunmao.Error, match="aten.values"):
        imported(Values(torch.sparse_csr), torch.randn(3))


def test_biases_come_first_in_sums() -> None:
    module, params = relax.frontend.detach_params(
        imported(nn.Linear(8, 4), torch.randn(2, 8), keep_params_as_input=True)
    )
    assert [tuple(p.shape) for p in params["main"]] == [(4, 8), (4,)]
    assert "R.add(p_bias, lv" in module.script() or "R.add(bias, lv" in module.script()


class Sums(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.cat([x + y, x + 1], 1) + torch.cond(x.sum() > 0, lambda a: a + 3, lambda a: a + 4, (y[0, 0],))


def test_converters_in_upstreams_form() -> None:
    seen = []

    def subtract(node: Any, importer: Any) -> Any:
        x, y = importer.retrieve_args(node)
        seen.append(tuple(type(value).__name__ for value in (x, y)))
        assert importer.env[node.args[0]] is x and len(importer.shape_of(x)) in (0, 2)
        return importer.block_builder.emit(
            relax.op.subtract(x, y if isinstance(y, relax.Expr) else relax.const(y, "float32"))
        )

    x, y = torch.ones(2, 3), torch.full((2, 3), 5.0)
    program = torch.export.export(Sums(), (x, y))
    module = from_exported_program(program, custom_convert_map={"add.Tensor": subtract})
    assert seen.count(("Var", "Var")) == 2 and len(seen) == 5
    (result,) = sunmao.evaluate(module, x.numpy(), y.numpy())
    want = torch.cat([x - y, x - 1], 1) - (y[0, 0] - 3)
    np.testing.assert_array_equal(result, want.numpy())


def test_builders_of_converters_say_what_they_lack() -> None:
    def convert(node: Any, importer: Any) -> Any:
        return importer.block_builder.emit_te(None)

    with pytest.raises(sunmao.Error, match="E0030.*no `emit_te`"):
        from_exported_program(
            torch.export.export(nn.ReLU(), (torch.ones(2),)), custom_convert_map={"relu.default": convert}
        )
