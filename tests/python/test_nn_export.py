"""relax.frontend.nn: the functions that methods become, with their inputs, effects and weights."""

from typing import Any

import numpy as np
import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat import tirx
from sunmao.compat.relax.frontend import nn
from sunmao.compat.relax.frontend.nn import op, spec
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T


class Cached(nn.Module):
    """A product with a weight, of rows that a cache has collected."""

    def __init__(self) -> None:
        self.weight = nn.Parameter((4, "m"))
        self.cache = nn.KVCache(2, [4])

    def forward(self, x: nn.Tensor, total: tirx.Var) -> nn.Tensor:
        self.cache.append(x)
        return op.matmul(self.cache.view(total), self.weight)


ARGS: dict[str, Any] = {"x": spec.Tensor(["n", 4], "float32"), "total": int}


@I.ir_module
class Expected:
    @R.function
    def _initialize_effect() -> R.Tuple(R.Any):
        with R.dataflow():
            zeros = R.zeros(R.shape([2, 4]), dtype="float32")
            cache = R.call_pure_packed(
                "vm.builtin.attention_kv_cache_create", zeros, R.shape([2, 4]), R.prim_value(0), ty_args=(R.Any,)
            )
            lv = (cache,)
            gv = lv
            R.output(gv)
        return gv

    @R.function
    def forward(
        x: R.Tensor(("n", 4), "float32"),
        total: R.Shape(["t"]),
        cache: R.Any,
        weight: R.Tensor((4, "m"), "float32"),
    ) -> R.Tuple(R.Tensor(("t", "m"), "float32"), R.Tuple(R.Any)):
        R.func_attr({"num_input": 3})
        t = T.int64()
        with R.dataflow():
            after = R.call_inplace_packed(
                "vm.builtin.attention_kv_cache_append", cache, x, inplace_indices=[0], ty_args=(R.Any,)
            )
            rows = R.call_pure_packed(
                "vm.builtin.attention_kv_cache_view", after, R.shape([t, 4]), ty_args=(R.Tensor((t, 4), "float32"),)
            )
            y = R.matmul(rows, weight)
            gv = (y, (after,))
            R.output(gv)
        return gv


def test_inputs_then_effects_then_weights() -> None:
    module, params = Cached().export_tvm({"forward": ARGS})
    tvm.ir.assert_structural_equal(module, Expected)
    assert [name for name, _ in params] == ["weight"]
    assert [p.name for p in module["forward"].params] == ["x", "total", "cache", "weight"]


class Two(nn.Module):
    """Two parts with weights and effects, in containers."""

    def __init__(self) -> None:
        self.parts = nn.ModuleList([Cached(), Cached()])
        self.scales = nn.ParameterDict({"last": nn.Parameter(("m",))})

    def forward(self, x: nn.Tensor, total: tirx.Var) -> tuple[nn.Tensor, nn.Tensor]:
        op.print_(x)
        first = self.parts[0](x, total)
        return first * self.scales["last"], self.parts[1](x, total)


WEIGHTS = ["parts.0.weight", "parts.1.weight", "scales.last"]
EFFECTS = ["_io", "parts.0.cache", "parts.1.cache"]


@pytest.mark.parametrize("param_mode", ["plain", "packed"])
@pytest.mark.parametrize("effect_mode", ["plain", "packed"])
def test_weights_and_effects_in_their_order(param_mode: str, effect_mode: str) -> None:
    module, params = Two().export_tvm(
        {"forward": {**ARGS, "$": {"param_mode": param_mode, "effect_mode": effect_mode}}}, debug=True
    )
    assert [name for name, _ in params] == WEIGHTS
    forward = module["forward"]
    effects = EFFECTS if effect_mode == "plain" else ["packed_effects"]
    weights = WEIGHTS if param_mode == "plain" else ["packed_params"]
    assert [p.name for p in forward.params] == ["x", "total", *effects, *weights]
    assert forward.attrs["num_input"] == 2 + len(effects)
    text = forward.script()
    assert text.count("attention_kv_cache_append") == 2 and text.count("invoke_debug_func") == 1
    assert "-> R.Tuple(R.Tuple(R.Tensor" in text and "R.Tuple(R.Any, R.Any, R.Any)):" in text
    assert tvm.relax.analysis.well_formed(module)


def test_a_symbol_of_several_weights_is_one() -> None:
    module, _ = Two().export_tvm({"forward": ARGS | {"$": {}}}, debug=True)
    names = [s.name for s in sunmao._sunmao.defined_symbolic_vars(module["forward"])]
    assert sorted(names) == ["m", "n", "total"]


def test_sizes_of_weights_may_be_expressions() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            n = tirx.Var("n", "int64")
            self.one = nn.Parameter((n, 4))
            self.two = nn.Parameter((4, 2 * n + 1))

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return op.matmul(op.matmul(x, self.one), self.two)

    module, _ = Model().export_tvm({"forward": {"x": spec.Tensor(["b", "c"], "float32")}})
    assert tvm.relax.analysis.well_formed(module)
    text = module["forward"].script()
    assert 'one: R.Tensor(("n", 4)' in text and 'two: R.Tensor((4, "n * 2 + 1")' in text.replace("2 * n", "n * 2")


def test_an_export_leaves_the_module_as_it_was() -> None:
    model = Two()
    before = [(name, parameter._expr) for name, parameter in model.named_parameters()]
    exports = [model.export_tvm({"forward": ARGS}, debug=True)[0] for _ in range(2)]
    tvm.ir.assert_structural_equal(*exports)
    assert all(parameter._expr is old for (_, old), parameter in zip(before, model.parameters(), strict=True))


def test_a_spec_is_read_and_not_changed() -> None:
    given = {"forward": {**ARGS, "$": {"param_mode": "packed"}}}
    for _ in range(2):
        module, _ = Cached().export_tvm(given)
        assert [p.name for p in module["forward"].params][-1] == "packed_params"


class Pairs(nn.Module):
    def forward(self, pair: Any, held: nn.Object, sizes: Any = None) -> Any:
        assert isinstance(pair, list) and isinstance(pair[1], tuple) and isinstance(held, nn.Object)
        x, (y, n) = pair
        return [op.reshape(x + y, [n, 2]), held]


def test_nested_arguments_and_objects() -> None:
    x = spec.Tensor(["a", 2], "float32")
    module, _ = Pairs().export_tvm({"forward": {"pair": [x, (x, int)], "held": spec.Object(nn.Object)}})
    text = module["forward"].script()
    assert 'R.Tuple(R.Tensor((a, 2), dtype="float32"), R.Shape([' in text.replace('"a"', "a")
    assert "held: R.Any" in text and tvm.relax.analysis.well_formed(module)


def test_methods_are_functions_of_their_own() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            self.linear = nn.Linear(4, 4, bias=False)

        def double(self, x: nn.Tensor) -> nn.Tensor:
            return self.linear(x) * 2

        def twice(self, x: nn.Tensor) -> nn.Tensor:
            return self.linear(self.linear(x))

    x = {"x": spec.Tensor(["n", 4], "float32")}
    module, _ = Model().export_tvm({"double": x, "twice": x})
    assert sorted(v.name_hint for v in module.get_global_vars()) == ["double", "twice"]
    weight, rows = np.arange(16, dtype="float32").reshape(4, 4), np.ones((3, 4), "float32")
    model = sunmao.compile(module, weights={"linear.weight": weight})
    np.testing.assert_allclose(model["double"](rows), rows @ weight.T * 2)
    np.testing.assert_allclose(model["twice"](rows), rows @ weight.T @ weight.T)


def test_ops_between_workers_and_memory_without_contents() -> None:
    class Model(nn.Module):
        def forward(self, x: nn.Tensor) -> Any:
            every = op.ccl_allgather(op.ccl_allreduce(x, "max", in_group=False), 3)
            return op.ccl_broadcast_from_worker0(every), op.empty([2, 3], "int8")

    @R.function
    def expected(x: R.Tensor((2, 3), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.ccl.allreduce(x, op_type="max", in_group=False)
            b = R.ccl.allgather(a, num_workers=3)
            c = R.ccl.broadcast_from_worker0(b)
            d = R.builtin.alloc_tensor(R.shape([2, 3]), R.dtype("int8"), R.prim_value(0))
            gv = (c, d)
            R.output(gv)
        return gv

    module, _ = Model().export_tvm({"forward": {"x": spec.Tensor([2, 3], "float32")}})
    tvm.ir.assert_structural_equal(module["forward"], expected.with_attr("global_symbol", "forward"))


def test_constants_are_narrowed_as_numbers_are() -> None:
    assert nn.Tensor.from_const(np.ones(3)).dtype == "float32"
    assert nn.Tensor.from_const(np.ones(3, "int64")).dtype == "int32"
    assert nn.Tensor.from_const(np.ones(3, "float16")).dtype == "float16"
    assert repr(nn.Tensor.from_scalar(1, "int8")) == 'Tensor([], "int8")'
