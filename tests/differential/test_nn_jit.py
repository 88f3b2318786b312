"""relax.frontend.nn: compiled modules on torch tensors, against the same layers of PyTorch and of transformers."""

from __future__ import annotations

from typing import Any

import pytest
import sunmao
import torch
from sunmao import relax, tirx
from sunmao.compat import register_global_func
from sunmao.relax.frontend import nn
from sunmao.relax.frontend.nn import op, spec
from vision_ops import torchvision

torch.manual_seed(0)


def close(got: Any, expected: torch.Tensor, rtol: float = 1e-4) -> None:
    assert isinstance(got, torch.Tensor)
    torch.testing.assert_close(got, expected.detach(), rtol=rtol, atol=1e-5)


def with_weights(own: nn.Module, theirs: torch.nn.Module) -> nn.Module:
    own.load_state_dict(theirs.state_dict())
    return own


LAYERS: dict[str, tuple[Any, Any, tuple[int, ...]]] = {
    "linear": (nn.Linear(4, 5), torch.nn.Linear(4, 5), (2, 3, 4)),
    "linear without a bias": (nn.Linear(4, 5, bias=False), torch.nn.Linear(4, 5, bias=False), (2, 4)),
    "conv1d": (nn.Conv1D(4, 6, 3, 2, 1, groups=2), torch.nn.Conv1d(4, 6, 3, 2, 1, groups=2), (2, 4, 9)),
    "conv2d": (nn.Conv2D(3, 4, [3, 2], 1, 1, 2), torch.nn.Conv2d(3, 4, (3, 2), 1, 1, 2), (1, 3, 8, 7)),
    "conv3d": (nn.Conv3D(2, 4, 2, groups=2), torch.nn.Conv3d(2, 4, 2, groups=2), (1, 2, 4, 5, 3)),
    "conv transpose": (nn.ConvTranspose1D(4, 3, 3, 2, 1, 1), torch.nn.ConvTranspose1d(4, 3, 3, 2, 1, 1), (2, 4, 5)),
    "layer norm": (nn.LayerNorm(6), torch.nn.LayerNorm(6), (2, 3, 6)),
    "layer norm as it is": (nn.LayerNorm(6, 1e-5, False), torch.nn.LayerNorm(6, 1e-5, False), (2, 6)),
    "group norm": (nn.GroupNorm(2, 6), torch.nn.GroupNorm(2, 6), (2, 6, 5)),
    "group norm as it is": (nn.GroupNorm(3, 6, affine=False), torch.nn.GroupNorm(3, 6, affine=False), (2, 6, 4)),
    "rms norm": (nn.RMSNorm(6, -1, bias=False), torch.nn.RMSNorm(6, 1e-5), (2, 3, 6)),
    "activations": (nn.ModuleList([nn.GELU(), nn.SiLU(), nn.ReLU()]),
                    torch.nn.Sequential(torch.nn.GELU(), torch.nn.SiLU(), torch.nn.ReLU()), (3, 4)),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name: str) -> None:
    own, theirs, shape = LAYERS[name]
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter)
    dims = [f"n{i}" if i == 0 else size for i, size in enumerate(shape)]
    compiled = with_weights(own, theirs).jit({"forward": {"x": spec.Tensor(dims, "float32")}})
    for batch in (shape[0], 5):
        x = torch.randn(batch, *shape[1:])
        close(compiled["forward"](x), theirs(x))


def test_embeddings() -> None:
    theirs = torch.nn.Embedding(10, 4)
    own = with_weights(nn.Embedding(10, 4), theirs)
    compiled = own.jit({"forward": {"x": spec.Tensor(["n", 3], "int64")}})
    rows = torch.randint(10, (2, 3))
    close(compiled["forward"](rows), theirs(rows))


def test_attention() -> None:
    """Of diffusion models, to the states of an encoder."""
    own = nn.Attention(query_dim=16, cross_attention_dim=12, heads=2, dim_head=8, norm_num_groups=4)
    weights = {name: torch.randn(parameter.shape) for name, parameter in own.named_parameters()}
    own.load_state_dict(weights)
    states, encoded = torch.randn(2, 5, 16), torch.randn(2, 3, 12)
    compiled = own.jit({"forward": {"hidden_states": spec.Tensor([2, 5, 16], "float32"),
                                    "encoder_hidden_states": spec.Tensor([2, 3, 12], "float32")}})  # fmt: skip
    norm = torch.nn.functional.group_norm(
        states.transpose(1, 2), 4, weights["group_norm.weight"], weights["group_norm.bias"]
    ).transpose(1, 2)
    sources = {"q": norm, "k": encoded, "v": encoded}
    heads = [(sources[p] @ weights[f"to_{p}.weight"].T).view(2, -1, 2, 8).transpose(1, 2) for p in "qkv"]
    found = torch.nn.functional.scaled_dot_product_attention(*heads).transpose(1, 2).reshape(2, 5, 16)
    close(compiled["forward"](states, encoded), found @ weights["to_out.0.weight"].T + weights["to_out.0.bias"], 1e-3)


SCALES = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.bfloat16)


class Several(nn.Module):
    """Takes and gives nested values, and counts in a cache."""

    def __init__(self) -> None:
        self.weight = nn.Parameter((4,), "bfloat16")
        self.seen = nn.KVCache(1, [4], "bfloat16")

    def forward(self, pair: Any, n: tirx.Var) -> Any:
        x, (y, m) = pair
        self.seen.append(x)
        return [self.seen.view(n) * self.weight, (op.reshape(y, [m, 2]),)]


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("modes", [{}, {"param_mode": "packed", "effect_mode": "packed"}])
def test_nested_values_and_state(debug: bool, modes: dict[str, str]) -> None:
    model = Several()
    model.weight.data = SCALES
    x, y = spec.Tensor(["rows", 4], "bfloat16"), spec.Tensor([6], "int32")
    compiled = model.jit({"forward": {"pair": [x, (y, int)], "n": int, "$": modes}}, debug=debug)
    rows = torch.zeros(0, 4, dtype=torch.bfloat16)
    for count in (2, 1, 3):
        new = torch.randint(-8, 8, (count, 4)).to(torch.bfloat16)
        rows = torch.cat([rows, new])
        seen, (pairs,) = compiled["forward"]([new, (torch.arange(6, dtype=torch.int32), 3)], len(rows))
        torch.testing.assert_close(seen, rows * SCALES)
        torch.testing.assert_close(pairs, torch.arange(6, dtype=torch.int32).view(3, 2))


def test_a_pipeline_runs_before_the_compiler() -> None:
    model = nn.Linear(3, 2)
    theirs = torch.nn.Linear(3, 2)
    x = torch.randn(4, 3)
    for pipeline in ("zero", relax.get_pipeline("zero"), None):
        compiled = with_weights(model, theirs).jit({"forward": {"x": spec.Tensor([4, 3], "float32")}}, "cpu", pipeline)
        close(compiled["forward"](x), theirs(x))


def test_weights_are_prepared_once() -> None:
    class Tied(nn.Module):
        """Reads its weight as it is, and transposed."""

        def __init__(self) -> None:
            self.table = nn.Embedding(6, 4)

        def embed(self, rows: nn.Tensor) -> nn.Tensor:
            return self.table(rows)

        def scores(self, x: nn.Tensor) -> nn.Tensor:
            return op.matmul(x, op.permute_dims(self.table.weight))

    theirs = torch.nn.Embedding(6, 4)
    model = Tied()
    model.table.load_state_dict(theirs.state_dict())
    compiled = model.jit(
        {"embed": {"rows": spec.Tensor(["n"], "int64")}, "scores": {"x": spec.Tensor(["n", 4], "float32")}}
    )
    rows = torch.tensor([1, 5, 0])
    x = compiled["embed"](rows)
    close(x, theirs(rows))
    expected = (x @ theirs.weight.T).detach()
    close(compiled["scores"](x), expected)
    with torch.no_grad():
        theirs.weight.zero_()
    close(compiled["scores"](x), expected)


def test_specs_of_torch_tensors() -> None:
    class Model(nn.Module):
        def forward(self, x: nn.Tensor, n: tirx.Var) -> nn.Tensor:
            return op.reshape(x, [n, -1])

    model = Model()
    x = torch.randn(2, 6, dtype=torch.float64)
    given = spec.MethodSpec.from_torch([x, 3], model.forward)
    assert repr(given) == "MethodSpec(x: Tensor([2, 6], 'float64'), n: int)"
    close(model.jit({"forward": given})["forward"](x.t().contiguous().t(), 3), x.reshape(3, 4))
    with pytest.raises(sunmao.Error, match=r"E0034\]: `forward` takes 2 arguments, got 1"):
        spec.MethodSpec.from_torch([x], model.forward)
    with pytest.raises(sunmao.Error, match=r"E0034\]: `n` is a torch tensor or an integer, got a str"):
        spec.MethodSpec.from_torch([x, "3"], model.forward)


def test_what_a_compiled_module_refuses() -> None:
    model = nn.Linear(3, 2)
    args = {"forward": {"x": spec.Tensor([4, 3], "float32")}}
    with pytest.raises(sunmao.Error, match=r"E0520\]: parameters have no data: `weight`, `bias`"):
        model.jit(args)
    with_weights(model, torch.nn.Linear(3, 2))
    with pytest.raises(sunmao.Error, match=r"E0032\]: jit: `out_format='numpy'`"):
        model.jit(args, out_format="numpy")
    with pytest.raises(sunmao.Error, match=r"E0032"):
        model.jit(args, "cuda")
    compiled = model.jit(args)
    for call, message in (
        (lambda: compiled["backward"], r"E0037\]: the module has no method `backward`"),
        (lambda: compiled["forward"](), r"E0037\]: `forward`: 0 arguments given, expected 1"),
        (lambda: compiled["forward"]([1.0]), r"E0037\]: `forward`: `x` is a torch tensor, got a list"),
        (lambda: compiled["forward"](torch.ones(4, 2)), r"E09"),
    ):
        with pytest.raises(sunmao.Error, match=message):
            call()


def test_functions_of_the_host() -> None:
    class Model(nn.Module):
        def forward(self, x: nn.Tensor) -> nn.Tensor:
            negated = nn.ExternModule({"test.jit.negated": lambda a: nn.Tensor.placeholder(a.shape, a.dtype)})
            nn.add_extern(negated)
            return negated["test.jit.negated"](x) + 1

    args = {"forward": {"x": spec.Tensor(["n"], "float32")}}
    with pytest.raises(sunmao.Error, match=r"E0509\]: the function `test.jit.negated` is not known"):
        Model().jit(args)
    register_global_func("test.jit.negated", lambda x, out: out.copyfrom(-x.numpy()))
    x = torch.randn(5)
    close(Model().jit(args)["forward"](x), 1 - x)


ROPES: dict[str, dict[str, Any]] = {
    "default": {"rope_type": "default"},
    "llama3": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 16},
}  # fmt: skip


@pytest.mark.parametrize("name", ROPES)
def test_rotary_embeddings(name: str) -> None:
    torchvision()
    from transformers import LlamaConfig
    from transformers.models.llama import modeling_llama as llama

    class Model(nn.Module):
        def forward(self, qkv: nn.Tensor, total: tirx.Var) -> Any:
            return nn.llm.llama_rope(qkv, total, 100.0, 1.0, 4, 2, ROPES[name])

    config = LlamaConfig(hidden_size=32, num_attention_heads=4, max_position_embeddings=64,
                         rope_parameters={"rope_theta": 100.0, **ROPES[name]})  # fmt: skip
    compiled = Model().jit({"forward": {"qkv": spec.Tensor(["b", "s", 8, 8], "float32"), "total": int}})
    qkv = torch.randn(2, 5, 8, 8)
    q, k, v = compiled["forward"](qkv, 45)
    cos, sin = llama.LlamaRotaryEmbedding(config)(qkv, torch.arange(40, 45)[None])
    parts = [part.transpose(1, 2) for part in (qkv[:, :, :4], qkv[:, :, 4:6])]
    expected = [part.transpose(1, 2) for part in llama.apply_rotary_pos_emb(*parts, cos, sin)]
    for got, wanted in zip((q, k, v), (*expected, qkv[:, :, 6:]), strict=True):
        torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-4)


def test_rotary_embeddings_of_neighbours_and_of_a_part() -> None:
    torchvision()
    from transformers.models.gptj import modeling_gptj as gptj

    class Model(nn.Module):
        def forward(self, qkv: nn.Tensor, total: tirx.Var) -> Any:
            return nn.llm.llama_rope(qkv, total, 10000.0, 1.0, 2, 1, {"rope_type": "gptj"}, 4)

    compiled = Model().jit({"forward": {"qkv": spec.Tensor([1, "s", 4, 6], "float32"), "total": int}})
    qkv = torch.randn(1, 3, 4, 6)
    q = compiled["forward"](qkv, 9)[0]
    sin, cos = gptj.create_sinusoidal_positions(16, 4)[6:9][None].split(2, -1)
    expected = torch.cat([gptj.apply_rotary_pos_emb(qkv[:, :, :2, :4], sin, cos), qkv[:, :, :2, 4:]], -1)
    torch.testing.assert_close(q, expected, rtol=1e-4, atol=1e-4)


def test_scalings_of_rotary_embeddings_that_are_refused() -> None:
    with pytest.raises(sunmao.Error, match=r"E0032\]: the scaling 'yarn'"):
        nn.llm.position_embedding.switch_rope_freq_func({"rope_type": "yarn"})
    with pytest.raises(sunmao.Error, match=r"E0034\].*lacks `factor`"):
        nn.llm.position_embedding.switch_rope_freq_func({"rope_type": "llama3"})
