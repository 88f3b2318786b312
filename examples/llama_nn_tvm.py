"""A Llama written with relax.frontend.nn: grouped-query attention with rotary embeddings and a cache that grows,
SwiGLU, RMS norms. It takes the weights of a random model of transformers, and generates the same tokens.

python -m sunmao.as_tvm examples/llama_nn_tvm.py
"""

import math

import numpy as np
import torch
import transformers
import tvm
from tvm import relax, te, tirx
from tvm.relax.frontend import nn
from tvm.relax.frontend.nn import op
from tvm.relax.frontend.nn.llm import llama_rope

PROMPT, NEW_TOKENS = 7, 64
CONFIG = transformers.LlamaConfig(
    vocab_size=160,
    hidden_size=64,
    intermediate_size=176,
    num_hidden_layers=2,
    num_attention_heads=8,
    num_key_value_heads=2,
    max_position_embeddings=128,
    initializer_range=0.2,
    eos_token_id=None,
)
HEADS, KV_HEADS, HEAD_DIM = CONFIG.num_attention_heads, CONFIG.num_key_value_heads, CONFIG.head_dim


class RMSNorm(nn.RMSNorm):
    def __init__(self) -> None:
        super().__init__(CONFIG.hidden_size, -1, CONFIG.rms_norm_eps, bias=False)


class Mlp(nn.Module):
    def __init__(self) -> None:
        self.gate_proj = nn.Linear(CONFIG.hidden_size, CONFIG.intermediate_size, bias=False)
        self.up_proj = nn.Linear(CONFIG.hidden_size, CONFIG.intermediate_size, bias=False)
        self.down_proj = nn.Linear(CONFIG.intermediate_size, CONFIG.hidden_size, bias=False)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        return self.down_proj(op.silu(self.gate_proj(x)) * self.up_proj(x))


class Attention(nn.Module):
    def __init__(self) -> None:
        self.qkv_proj = nn.Linear(CONFIG.hidden_size, (HEADS + 2 * KV_HEADS) * HEAD_DIM, bias=False)
        self.o_proj = nn.Linear(HEADS * HEAD_DIM, CONFIG.hidden_size, bias=False)
        self.k_cache = nn.KVCache(16, [KV_HEADS, HEAD_DIM])
        self.v_cache = nn.KVCache(16, [KV_HEADS, HEAD_DIM])

    def forward(self, x: nn.Tensor, total: tirx.Var) -> nn.Tensor:
        _, length, _ = x.shape
        qkv = op.reshape(self.qkv_proj(x), [1, length, HEADS + 2 * KV_HEADS, HEAD_DIM])
        q, k, v = llama_rope(qkv, total, rope_theta(), 1.0, HEADS, KV_HEADS, {})
        self.k_cache.append(op.squeeze(k, 0))
        self.v_cache.append(op.squeeze(v, 0))
        keys, values = (
            op.permute_dims(op.repeat(cache.view(total), HEADS // KV_HEADS, axis=1), [1, 0, 2])
            for cache in (self.k_cache, self.v_cache)
        )
        queries = op.permute_dims(op.squeeze(q, 0), [1, 0, 2]) / math.sqrt(HEAD_DIM)
        scores = op.matmul(queries, op.permute_dims(keys, [0, 2, 1]))
        found = op.matmul(op.softmax(op.tensor_expr_op(causal, "causal", [scores]), axis=-1), values)
        return self.o_proj(op.reshape(op.permute_dims(found, [1, 0, 2]), [1, length, HEADS * HEAD_DIM]))


def causal(scores: te.Tensor) -> te.Tensor:
    """Leaves each query the keys up to its own position; the last query has the last position."""
    heads, length, total = scores.shape

    def at(h: tirx.Var, i: tirx.Var, j: tirx.Var) -> tirx.PrimExpr:
        return tirx.Select(j <= i + (total - length), scores[h, i, j], tirx.min_value("float32"))

    return te.compute((heads, length, total), at, name="causal")


class Layer(nn.Module):
    def __init__(self) -> None:
        self.input_layernorm = RMSNorm()
        self.self_attn = Attention()
        self.post_attention_layernorm = RMSNorm()
        self.mlp = Mlp()

    def forward(self, x: nn.Tensor, total: tirx.Var) -> nn.Tensor:
        x = x + self.self_attn(self.input_layernorm(x), total)
        return x + self.mlp(self.post_attention_layernorm(x))


class Body(nn.Module):
    def __init__(self) -> None:
        self.embed_tokens = nn.Embedding(CONFIG.vocab_size, CONFIG.hidden_size)
        self.layers = nn.ModuleList([Layer() for _ in range(CONFIG.num_hidden_layers)])
        self.norm = RMSNorm()

    def forward(self, tokens: nn.Tensor, total: tirx.Var) -> nn.Tensor:
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x, total)
        return self.norm(x)


class Llama(nn.Module):
    def __init__(self) -> None:
        self.model = Body()
        self.lm_head = nn.Linear(CONFIG.hidden_size, CONFIG.vocab_size, bias=False)

    def prefill(self, tokens: nn.Tensor, total_seq_len: tirx.Var) -> nn.Tensor:
        return self.lm_head(op.tensor_expr_op(last, "last", [self.model(tokens, total_seq_len)]))

    def decode(self, tokens: nn.Tensor, total_seq_len: tirx.Var) -> nn.Tensor:
        return self.lm_head(self.model(tokens, total_seq_len))


def last(x: te.Tensor) -> te.Tensor:
    _, length, width = x.shape
    return te.compute((1, 1, width), lambda b, _, d: x[b, length - 1, d], name="last")


def rope_theta() -> float:
    return float(CONFIG.rope_parameters["rope_theta"])


def renamed(weights: dict[str, torch.Tensor]) -> dict[str, np.ndarray]:
    """Returns the weights of transformers under the names above: three products become one."""
    found = {name: weight.detach().numpy() for name, weight in weights.items()}
    for i in range(CONFIG.num_hidden_layers):
        prefix = f"model.layers.{i}.self_attn"
        parts = [found.pop(f"{prefix}.{part}_proj.weight") for part in "qkv"]
        found[f"{prefix}.qkv_proj.weight"] = np.concatenate(parts)
    return found


class Generator:
    """The compiled model with its caches, and with weights that are prepared once for both functions."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        llama = Llama()
        llama.load_state_dict(weights)
        module, params = llama.export_tvm(
            {
                name: {
                    "tokens": nn.spec.Tensor([1, length], "int32"),
                    "total_seq_len": int,
                    "$": {"effect_mode": "packed"},
                }
                for name, length in (("prefill", "seq_len"), ("decode", 1))
            }
        )
        module = relax.transform.LiftTransformParams(shared_transform=True)(module)
        self.vm = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
        self.weights = self.vm["transform_params"]([param.data for _, param in params])
        self.caches = self.vm["_initialize_effect"]()
        self.length = 0

    def step(self, function: str, tokens: list[int]) -> int:
        """Returns the most likely token after these."""
        self.length += len(tokens)
        given = tvm.runtime.tensor(np.array([tokens], "int32"))
        total = tvm.runtime.ShapeTuple([self.length])
        logits, self.caches = self.vm[function](given, total, self.caches, *self.weights)
        return int(logits.numpy().argmax())

    def generate(self, prompt: list[int], count: int) -> list[int]:
        tokens = [self.step("prefill", prompt)]
        while len(tokens) < count:
            tokens.append(self.step("decode", tokens[-1:]))
        return tokens


def main() -> None:
    torch.manual_seed(0)
    theirs = transformers.LlamaForCausalLM(CONFIG).eval()
    prompt = torch.randint(CONFIG.vocab_size, (1, PROMPT))
    with torch.no_grad():
        expected = theirs.generate(prompt, max_new_tokens=NEW_TOKENS, do_sample=False)[0, PROMPT:].tolist()

    got = Generator(renamed(theirs.state_dict())).generate(prompt[0].tolist(), NEW_TOKENS)
    assert got == expected, (got, expected)
    print(f"{len(got)} tokens as those of transformers, {len(set(got))} of them different: {got[:8]} …")


if __name__ == "__main__":
    main()
