"""Graphs of torch.fx and of torch.compile become modules, as scripts over TVM make them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sunmao
import torch
from functorch.compile import make_boxed_func
from sunmao import tirx
from sunmao.relax.frontend import detach_params
from sunmao.relax.frontend.torch import dynamo_capture_subgraphs, from_fx, relax_dynamo
from sunmao.torch_graphs import captured
from torch import fx, nn
from torch._dynamo.backends.common import aot_autograd


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)
        self.drop, self.head = nn.Dropout(), nn.Linear(8, 4)
        self.scale = torch.tensor([1.0, 2.0, 3.0, 4.0])  # neither a parameter nor a buffer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.drop(self.norm(self.conv(x)).relu()).mean((2, 3))
        return self.head(y) * self.scale


@pytest.fixture(autouse=True)
def seed() -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)


def test_a_graph_with_its_weights() -> None:
    network = Network()
    graph = fx.symbolic_trace(network)
    module = from_fx(graph, [((2, 3, 8, 8), "float32")])
    assert all(part.training for part in graph.modules()), "the mode is as it was"
    x = torch.randn(2, 3, 8, 8)
    torch.testing.assert_close(sunmao.compile(module)(x), network.eval()(x), rtol=1e-5, atol=1e-5)


def test_variables_in_shapes_are_symbols() -> None:
    network = Network().eval()
    n = tirx.Var("n", "int64")
    module = from_fx(fx.symbolic_trace(network), [((n, 3, "size", "size"), torch.float32)])
    assert '("n", 3, "size", "size")' in module.script()
    compiled = sunmao.compile(module)
    for size in (5, 9):
        x = torch.randn(size - 4, 3, size, size)
        torch.testing.assert_close(compiled(x), network(x), rtol=1e-5, atol=1e-5)


def test_weights_beside_the_module() -> None:
    network = Network().eval()
    module = from_fx(fx.symbolic_trace(network), [((2, 3, 8, 8), "float32")], keep_params_as_input=True)
    module, params = detach_params(module)
    x = np.random.default_rng(0).standard_normal((2, 3, 8, 8), np.float32)
    got = sunmao.evaluate(module, x, *(p.numpy() for p in params["main"]))
    np.testing.assert_allclose(got, network(torch.from_numpy(x)).detach(), rtol=1e-4, atol=1e-5)


def test_weights_beside_the_module_are_in_the_order_of_their_names() -> None:
    module = from_fx(fx.symbolic_trace(Network().eval()), [((2, 3, 8, 8), "float32")], keep_params_as_input=True)
    names = dict(module["main"].attrs["sunmao.source_weights"])
    inputs = int(module["main"].attrs["num_input"])
    found = [names.get(p.name, p.name) for p in module["main"].params[inputs:]]
    assert found == sorted(found) and len(found) > 2


def test_truths_and_floats_are_results() -> None:
    def function(x: torch.Tensor) -> Any:
        return x + 1, torch.is_floating_point(x), 0.5, x.shape[0]

    got = sunmao.evaluate(from_fx(fx.symbolic_trace(function), [((3,), "float32")]), np.ones(3, "float32"))
    assert [np.asarray(x).tolist() for x in got] == [[2, 2, 2], True, 0.5, 3]
    assert [np.asarray(x).dtype for x in got] == ["float32", "bool", "float64", "int64"]


def test_what_several_results_become() -> None:
    def pair(x: torch.Tensor) -> Any:
        return x + 1, x * 2

    def one(x: torch.Tensor) -> Any:
        return (x + 1,)

    info = [((3,), "float32")]
    assert "R.Tuple(R.Tensor" in from_fx(fx.symbolic_trace(pair), info).script()
    assert "-> R.Tuple(R.Tensor" in from_fx(fx.symbolic_trace(one), info).script()
    assert "-> R.Tensor" in from_fx(fx.symbolic_trace(one), info, unwrap_unit_return_tuple=True).script()


@pytest.mark.parametrize(
    ("graph", "info", "options", "said"),
    [
        (nn.ReLU(), [((3,), "float32")], {}, "takes a graph, got a ReLU"),
        (None, [], {}, "`input_info` is of 0 inputs, and the graph has 1"),
        (None, [((3,), "float33")], {}, "'float33' is no dtype"),
        (None, [((2.5,), "float32")], {}, "2.5 is no size"),
        (None, [(3, 4, 5)], {}, "is no shape with a dtype"),
        (None, [((3,), "float32")], {"default_image_layout": "NHWC"}, "images of PyTorch are"),
    ],
)
def test_wrong_calls_say_what_is_wrong(graph: Any, info: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(sunmao.Error, match="E0034.*" + said):
        from_fx(graph or fx.symbolic_trace(nn.ReLU()), info, **options)


def test_subgraphs_of_a_call() -> None:
    def broken(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        x = a / (torch.sin(a) + 1)
        if torch.sum(b) < 1:
            b = b * -1
        return x * b

    a, b = torch.rand(10), torch.ones(10)
    module = dynamo_capture_subgraphs(broken, a, b)
    assert [v.name for v in module.get_global_vars()] == ["subgraph_0", "subgraph_1"]
    decided, x = sunmao.evaluate(module, a.numpy(), b.numpy(), function="subgraph_0")
    assert not decided
    np.testing.assert_allclose(sunmao.evaluate(module, x, b.numpy(), function="subgraph_1"), broken(a, b), rtol=1e-6)


@pytest.mark.parametrize("pipeline", [None, "default", sunmao.relax.transform.LegalizeOps()])
def test_a_pipeline_as_a_backend(pipeline: Any) -> None:
    network = Network().eval()
    made = torch.compile(network, backend=relax_dynamo(pipeline), dynamic=True)
    for rows in (3, 4):
        x = torch.randn(rows, 3, 8, 8)
        torch.testing.assert_close(made(x), network(x), rtol=1e-5, atol=1e-5)


def test_dtypes_that_numpy_lacks_go_through_a_pipeline() -> None:
    x = torch.randn(3, 4, dtype=torch.bfloat16)
    torch.testing.assert_close(torch.compile(lambda x: x * 2, backend=relax_dynamo())(x), x * 2)


def test_what_is_no_pipeline_is_refused() -> None:
    with pytest.raises(Exception, match="a int is no pipeline"):
        torch.compile(torch.sin, backend=relax_dynamo(3))(torch.ones(3))


def test_a_graph_keeps_its_own_nodes() -> None:
    graphs: list[Any] = []

    def keep(graph: Any, _examples: Any) -> Any:
        before = str(graph.graph)
        graphs.append(captured(graph))
        assert str(graph.graph) == before
        return make_boxed_func(graph.forward)

    backend = aot_autograd(fw_compiler=keep)
    torch.compile(lambda x, k: x * k + x.shape[0], backend=backend, dynamic=True)(torch.ones(3), 4)
    (made,) = graphs
    assert len(made.inputs) == 2 and len(made.numbers) == 1
