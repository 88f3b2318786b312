"""relax.frontend.nn: what is wrong with a module or a spec is said when it is exported."""

from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao.compat.relax.frontend import nn
from sunmao.compat.relax.frontend.nn import op, spec

X = spec.Tensor([2, 4], "float32")


class Model(nn.Module):
    """A module whose method is given to it."""

    def __init__(self, method: Any = lambda x: x, **parts: Any) -> None:
        self.method = method
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, x: nn.Tensor, y: Any = None) -> Any:
        return self.method(x)


def exported(method: Any = lambda x: x, given: Any = None, debug: bool = False, **parts: Any) -> Any:
    return Model(method, **parts).export_tvm({"forward": {"x": X} if given is None else given}, debug=debug)


SPECS = [
    ({"x": X, "z": X}, r"E0034\]: spec of `forward`: there is no argument `z`"),
    ({}, r"E0034\]: spec of `forward`: nothing says what `x` is"),
    ({"x": "float"}, r"E0034\]: spec of `x`: 'float' is no spec of an argument"),
    ({"x": spec.Tensor(["n * 2"], "float32")}, r"E0034\]: `n \* 2` is no name of a symbol"),
    ({"x": (X, 3)}, r"E0034\]: spec of `x_1`: 3 is no spec of an argument"),
    ({"x": X, "$": {"param_mode": "all"}}, r"E0034\]: spec: `param_mode` is 'all'"),
    ({"x": X, "$": {"mode": "plain"}}, r"E0034\]: .*unknown modes \['mode'\]"),
    ([X], r"E0034\]: spec of `forward`: a dict of arguments is needed"),
]


@pytest.mark.parametrize(("given", "message"), SPECS)
def test_specs(given: Any, message: str) -> None:
    with pytest.raises(sunmao.Error, match=message) as error:
        exported(given=given)
    assert "help" in str(error.value)


def test_specs_of_modules() -> None:
    with pytest.raises(sunmao.Error, match=r"E0034\]: spec: the module Model has no method `prefill`"):
        Model().export_tvm({"prefill": {"x": X}})
    with pytest.raises(sunmao.Error, match=r"E0034\]: a spec is a dict of methods, got a list"):
        Model().export_tvm([X])
    with pytest.raises(sunmao.Error, match=r"E0034.*`shape`"):
        spec.Tensor(3, "float32")
    with pytest.raises(sunmao.Error, match=r"E0034\]: spec.Object: the class int is not derived from nn.Object"):
        spec.Object(int)


METHODS = [
    (lambda x: op.matmul(x, x), r"E0311\]: matmul: inner dimensions differ"),
    (lambda x: op.reshape(x, [3]), r"E03.*reshape"),
    (lambda x: op.add(x, 1), r"E0034\]: add: `b` takes Tensor, got int"),
    (lambda x: x + "1", r"E0034\]: add: `b` takes Tensor, got str"),
    (lambda x: op.gelu(x, "erf"), r"E0034\]: gelu: `approximate` is 'erf'"),
    (lambda x: op.scaled_dot_product_attention(x, x, x, attn_mask=x), r"E0032\]: scaled_dot_product_attention"),
    (lambda x: op.interpolate(x), r"E0034\]: interpolate takes a size or a scale factor"),
    (lambda x: op.tensor_expr_op(lambda t: 1, "f", [x]), r"E0034\]: a function for emit_te gives tensors"),
    (lambda x: op.extern("f", [x, {}], x), r"E0034\]: a function of the host takes tensors"),
    (lambda x: op.extern("f", [x], [x, 3]), r"E0034\]: `out` takes tensors like the results, got a int"),
    (
        lambda x: nn.ExternModule({"f": lambda a: None})["f"](x),
        r"E0034\]: `out` takes tensors like the results, got a NoneType",
    ),
    (lambda x: op.group_norm(x, 2, None, None, channel_axis=7), r"E0034\]: group_norm: `channel_axis` is 7"),
    (
        lambda x: nn.llm.llama_rope(op.reshape(x, [1, 1, 4, 2]), 2, 1e4, 1.0, 2, 1, {}, 4),
        r"E0034\]: llama_rope: 4 channels",
    ),
    (lambda x: op.print_(x), r"E0039\]: .*without debugging"),
    (lambda x: 1.0, r"E0034\]: a method of a module returns tensors, got a float"),
    (lambda x: nn.llm.llama_rope(x, 2, 1e4, 1.0, 1, 1, {}), r"E0034\]: llama_rope: 3 heads"),
    (lambda x: nn.KVCache(2, [4]).append(x), r"E0039\]: a KVCache is used that is no part"),
    (lambda x: nn.Attention(4)(x, mask=x), r"E0032"),
]


@pytest.mark.parametrize(("method", "message"), METHODS)
def test_methods(method: Any, message: str) -> None:
    with pytest.raises(sunmao.Error, match=message):
        exported(method)
    exported()  # the failed export has left nothing behind


def test_parts_that_the_module_does_not_hold() -> None:
    hidden = [nn.Linear(4, 4)]
    with pytest.raises(sunmao.Error, match=r"(?s)E0034\]: `forward` uses `param.*nn.ModuleList"):
        exported(lambda x: hidden[0](x), layers=hidden)
    cache = nn.KVCache(2, [4])

    def method(x: nn.Tensor) -> nn.Tensor:
        cache.append(x)
        return cache.view(2)

    with pytest.raises(sunmao.Error, match=r"(?s)E0034\]: `forward` uses `cache`.*effect_mode"):
        exported(method, {"x": X, "$": {"effect_mode": "none"}}, cache=cache)


def test_names_that_are_not_unique() -> None:
    parts = nn.ModuleDict({"a.b": nn.Linear(4, 4, bias=False), "a": nn.ModuleDict({"b": nn.Linear(4, 4, bias=False)})})
    with pytest.raises(sunmao.Error, match=r"E0034\]: two parameters or effects are called `parts.a.b.weight`"):
        exported(parts=parts)


def test_a_cache_of_another_dtype() -> None:
    cache = nn.KVCache(2, [4], "float16")
    with pytest.raises(sunmao.Error, match=r'E0034\]: KVCache.append: the cache is of "float16"'):
        exported(cache.append, cache=cache)


def test_ops_outside_of_an_export() -> None:
    x = nn.Tensor.placeholder((2, 2), "float32")
    with pytest.raises(sunmao.Error, match=r"E0039\]: an op of `nn` is used while no function is built"):
        op.relu(x)
    with pytest.raises(sunmao.Error, match=r"E0039\]: no module is exported now"):
        nn.add_extern(nn.ExternModule({}))
    with pytest.raises(sunmao.Error, match=r"E0034\]: nn.Tensor: a tensor of known shape is needed"):
        nn.Tensor(_expr=sunmao._sunmao.make.var("x", sunmao._sunmao.make.any_type()))


def test_an_export_within_an_export() -> None:
    with pytest.raises(sunmao.Error, match=r"E0039\]: a module is exported while another one is"):
        exported(lambda x: exported())


def test_effects_that_say_nothing() -> None:
    with pytest.raises(sunmao.Error, match=r"E0034\]: the effect Effect has no `emit_init`"):
        exported(effect=nn.Effect())


def test_sizes_that_a_run_refuses() -> None:
    model = nn.Linear(4, 3)
    module, _ = model.export_tvm({"forward": {"x": spec.Tensor(["n", 4], "float32")}})
    compiled = sunmao.compile(module, weights={"weight": np.ones((3, 4), "float32"), "bias": np.ones(3, "float32")})
    assert compiled(np.ones((5, 4), "float32")).shape == (5, 3)
    with pytest.raises(sunmao.Error, match="E09"):
        compiled(np.ones((5, 3), "float32"))


def test_external_modules() -> None:
    def method(x: nn.Tensor) -> nn.Tensor:
        twice = nn.ExternModule({"test.nn.twice": lambda a, n: nn.Tensor.placeholder(a.shape, a.dtype)})
        nn.add_extern(twice)
        with pytest.raises(sunmao.Error, match=r"E0034\]: two external modules have the function `test.nn.twice`"):
            nn.add_extern(twice)
        with pytest.raises(sunmao.Error, match=r"E0034\]: .*has no function `f`"):
            twice["f"]
        return twice["test.nn.twice"](x, 2)

    with pytest.raises(sunmao.Error, match=r"E0034\]: the module uses external modules"):
        exported(method)
    module, _, extern = Model(method).export_tvm({"forward": {"x": X}}, allow_extern=True)
    assert [list(each.symbols) for each in extern] == [["test.nn.twice"]]
    assert 'R.call_dps_packed("test.nn.twice", (x, 2)' in module.script()
