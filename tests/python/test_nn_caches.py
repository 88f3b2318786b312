"""relax.frontend.nn: caches that grow, and functions that are called for debugging, in compiled programs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat import relax, tirx
from sunmao.compat.relax.frontend import nn
from sunmao.compat.relax.frontend.nn import op, spec
from sunmao.compat.runtime import ShapeTuple, tensor
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R


class Sums(nn.Module):
    """Two caches of the same shape, which must not be one."""

    def __init__(self) -> None:
        self.keys = nn.KVCache(1, [3])
        self.values = nn.KVCache(1, [3])

    def forward(self, x: nn.Tensor, total: tirx.Var) -> nn.Tensor:
        self.keys.append(x)
        self.values.append(x * 10)
        return op.sum(self.keys.view(total) + self.values.view(total), axis=0)


def machine(module: Any, exec_mode: str) -> relax.VirtualMachine:
    options = {"relax_pipeline": "default_build"} if exec_mode == "lowered" else {"exec_mode": exec_mode}
    return relax.VirtualMachine(relax.build(module, "llvm", **options), tvm.cpu())


@pytest.mark.parametrize("exec_mode", ["bytecode", "compiled", "lowered"])
def test_caches_grow(exec_mode: str) -> None:
    module, _ = Sums().export_tvm({"forward": {"x": spec.Tensor(["n", 3], "float32"), "total": int}})
    vm = machine(module, exec_mode)
    state, rng, rows = vm["_initialize_effect"](), np.random.default_rng(0), np.zeros((0, 3), "float32")
    for count in (2, 1, 1, 5):
        x = rng.standard_normal((count, 3)).astype("float32")
        rows = np.concatenate([rows, x])
        got, state = vm["forward"](tensor(x), ShapeTuple([len(rows)]), *state)
        np.testing.assert_allclose(got.numpy(), 11 * rows.sum(0), rtol=1e-4)
    with pytest.raises(sunmao.Error, match=r"cache is of shape \(10, 3\)"):
        vm["forward"](tensor(x[:1]), ShapeTuple([9]), *state)


def test_a_lowered_cache_says_which_function_means_its_memory() -> None:
    module, _ = Sums().export_tvm({"forward": {"x": spec.Tensor(["n", 3], "float32"), "total": int}})
    with pytest.warns(
        sunmao.CompileWarning, match="bytecode cannot express `_initialize_effect`: .* after `alloc`.*E1020"
    ):
        assert relax.build(module, "llvm", relax_pipeline="default_build").kind == "registers"


class Between(nn.Module):
    """Views its cache before and after rows are added."""

    def __init__(self) -> None:
        self.cache = nn.KVCache(1, [3])

    def forward(self, x: nn.Tensor, before: tirx.Var, after: tirx.Var) -> Any:
        old = self.cache.view(before)
        self.cache.append(x)
        new = self.cache.view(after)
        self.cache.append(x * 2)
        return op.concat([new, old], 0), op.sum(old, 0)


@pytest.mark.parametrize("exec_mode", ["compiled", "lowered"])
def test_views_have_the_rows_of_their_time(exec_mode: str) -> None:
    module, _ = Between().export_tvm({"forward": {"x": spec.Tensor(["n", 3], "float32"), "before": int, "after": int}})
    vm = machine(module, exec_mode)
    state, rows = vm["_initialize_effect"](), np.zeros((0, 3), "float32")
    for count in (2, 1, 3):
        x = np.full((count, 3), count, "float32")
        new = np.concatenate([rows, x])
        sizes = ShapeTuple([len(rows)]), ShapeTuple([len(new)])
        (both, total), state = vm["forward"](tensor(x), *sizes, *state)
        np.testing.assert_array_equal(both.numpy(), np.concatenate([new, rows]))
        np.testing.assert_array_equal(total.numpy(), rows.sum(0))
        rows = np.concatenate([new, x * 2])


class Attention(nn.Module):
    """Attends to all rows so far, with weights of its own."""

    def __init__(self) -> None:
        self.query = nn.Linear(4, 4, bias=False)
        self.keys = nn.KVCache(1, [4])
        self.values = nn.KVCache(2, [4])

    def forward(self, x: nn.Tensor, total: tirx.Var) -> nn.Tensor:
        self.keys.append(x)
        self.values.append(x * 2)
        scores = op.matmul(self.query(x), op.permute_dims(self.keys.view(total), [1, 0]))
        return op.matmul(op.softmax(scores, axis=-1), self.values.view(total))


def attended(x: Any, weight: Any, rows: Any) -> Any:
    scores = np.exp(x @ weight.T @ rows.T)
    return scores / scores.sum(-1, keepdims=True) @ (2 * rows)


@pytest.mark.parametrize("way", ["compiled", "saved", "of raw weights", "evaluated"])
@pytest.mark.parametrize("mode", ["plain", "packed"])
def test_models_hold_caches(way: str, mode: str, tmp_path: Path) -> None:
    spec_of_forward = {"x": spec.Tensor(["n", 4], "float32"), "total": int, "$": {"effect_mode": mode}}
    module, _ = Attention().export_tvm({"forward": spec_of_forward})
    rng, rows = np.random.default_rng(0), np.zeros((0, 4), "float32")
    weight = rng.standard_normal((4, 4)).astype("float32")
    model = sunmao.compile(module, weights={"query.weight": weight}, prepare="load" if "raw" in way else "compile")
    if way == "saved":
        model.save(tmp_path / "model.sunmao")
        model = sunmao.load(tmp_path / "model.sunmao")

    def step(x: Any, total: int, state: Any) -> tuple[Any, Any]:
        if way != "evaluated":
            y, *state = model["forward"](x, (total,), *state)
            return y, state
        given = [tuple(state)] if mode == "packed" else state
        return sunmao.evaluate(module, x, [total], *given, weight, function="forward")

    first = sunmao.evaluate(module, function="_initialize_effect") if way == "evaluated" else None
    state = first or model["_initialize_effect"]()
    for count in (3, 1, 1, 4):
        x = rng.standard_normal((count, 4)).astype("float32")
        rows = np.concatenate([rows, x])
        got, state = step(x, len(rows), state)
        np.testing.assert_allclose(got, attended(x, weight, rows), rtol=1e-4, atol=1e-5)
    with pytest.raises(sunmao.Error, match="E0506"):
        step(x, 1, state)


def test_what_is_no_cache_is_refused() -> None:
    module, _ = Sums().export_tvm({"forward": {"x": spec.Tensor(["n", 3], "float32"), "total": int}})
    with pytest.raises(sunmao.Error, match=r"E0505\]: .*argument 0 must be an attention cache, got nothing"):
        sunmao.compile(module)["forward"](np.ones((1, 3), "float32"), (1,), None, None)


def test_two_states_are_apart() -> None:
    module, _ = Sums().export_tvm({"forward": {"x": spec.Tensor([1, 3], "float32"), "total": int}})
    vm = machine(module, "bytecode")
    first, second = vm["_initialize_effect"](), vm["_initialize_effect"]()
    one = np.ones((1, 3), "float32")
    for count in (1, 2):
        for i, state in enumerate((first, second)):
            got, _state = vm["forward"](tensor(one * (i + 1)), ShapeTuple([count]), *state)
    np.testing.assert_array_equal(got.numpy(), [44, 44, 44])


@I.ir_module
class Adds:
    @R.function
    def main(held: R.Any, x: R.Tensor((2,), "float32")):
        with R.dataflow():
            after = R.call_inplace_packed("test.nn.add", held, x, inplace_indices=[0], ty_args=(R.Any,))
            result = (after, R.add(x, x))
            R.output(result)
        return result


@pytest.mark.parametrize("exec_mode", ["bytecode", "compiled"])
def test_an_object_of_the_caller_is_changed_where_it_is(exec_mode: str) -> None:
    tvm.register_global_func("test.nn.add", lambda held, x: held.copyfrom(held.numpy() + x.numpy()), True)
    held = tensor(np.zeros(2, "float32"))
    got, _ = machine(Adds, exec_mode)["main"](held, tensor(np.ones(2, "float32")))
    assert got is held
    np.testing.assert_array_equal(held.numpy(), [1, 1])


class Noted(nn.Module):
    def forward(self, x: nn.Tensor, n: tirx.Var) -> nn.Tensor:
        op.debug_func("test.nn.note", x, 1, 2.5, "text", n)
        y = x * 2
        op.debug_func("test.nn.note", y, 2, 0.5, "more", n + 1)
        op.print_(y)
        return y


def test_debug_functions_are_called_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Any] = []
    tvm.register_global_func("test.nn.note", lambda line, x, *rest: seen.append((line, x.numpy(), *rest)), True)
    module, _ = Noted().export_tvm({"forward": {"x": spec.Tensor([2], "float32"), "n": int}}, debug=True)
    vm = machine(module, "bytecode")
    result, state = vm["forward"](tensor(np.ones(2, "float32")), ShapeTuple([7]), *vm["_initialize_effect"]())
    np.testing.assert_array_equal(result.numpy(), [2, 2])
    assert [entry[2:] for entry in seen] == [(1, 2.5, "text", 7), (2, 0.5, "more", 8)]
    assert [entry[1].tolist() for entry in seen] == [[1, 1], [2, 2]]
    lines = [int(line.rpartition(":")[2]) for line, *_ in seen]
    assert all("test_nn_caches.py:" in line for line, *_ in seen) and lines[1] == lines[0] + 2
    assert "test_nn_caches.py:" in capsys.readouterr().out and len(state) == 1


def test_functions_of_the_host_write_results() -> None:
    def twice(x: Any, factor: int, out: Any) -> None:
        out.copyfrom(x.numpy() * factor)

    class Model(nn.Module):
        def forward(self, x: nn.Tensor) -> nn.Tensor:
            module = nn.ExternModule({"test.nn.twice": lambda a, n: nn.Tensor.placeholder(a.shape, a.dtype)})
            return module["test.nn.twice"](x, 2) + op.extern("test.nn.twice", [x, 5], x)

    tvm.register_global_func("test.nn.twice", twice, True)
    module, _ = Model().export_tvm({"forward": {"x": spec.Tensor(["n"], "float32")}})
    got = machine(module, "bytecode")["forward"](tensor(np.arange(3, dtype="float32"))).numpy()
    np.testing.assert_array_equal(got, np.arange(3) * 7)
