"""Architectures of transformers: two layers of hidden size 32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from models import Built, Outputs, add, lively, model, token_model, tokens
from torch import nn
from vision_ops import torchvision

TEXT: dict[str, Any] = {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
SMALL = TEXT | {"intermediate_size": 37, "max_position_embeddings": 64, "pad_token_id": 0}
GROUPED = SMALL | {"num_key_value_heads": 2, "head_dim": 8}
EXPERTS = GROUPED | {"num_experts_per_tok": 2, "moe_intermediate_size": 16}

# name -> (prefix of the classes, or that of the configuration and the model's class, configuration)
DECODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama_eager": ("Llama", GROUPED | {"attn_implementation": "eager"}),
    "gpt2_eager": (
        "GPT2:GPT2LMHeadModel",
        {"vocab_size": 99, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "attn_implementation": "eager"},
    ),
    "mistral": ("Mistral", GROUPED | {"sliding_window": 4}),
    "qwen2": ("Qwen2", SMALL | {"num_key_value_heads": 2}),
    "qwen3": ("Qwen3", GROUPED),
    "gemma": ("Gemma", GROUPED),
    "gemma2": ("Gemma2", GROUPED | {"sliding_window": 4}),
    "gemma3": ("Gemma3Text:Gemma3ForCausalLM", GROUPED | {"sliding_window": 4}),
    "phi": ("Phi", SMALL),
    "phi3": ("Phi3", SMALL | {"num_key_value_heads": 2}),
    "olmo2": ("Olmo2", SMALL),
    "cohere": ("Cohere", SMALL | {"num_key_value_heads": 2}),
    "granite": ("Granite", SMALL | {"num_key_value_heads": 2}),
    "stablelm": ("StableLm", SMALL | {"num_key_value_heads": 2}),
    "gpt_neox": ("GPTNeoX", SMALL),
    "gptj": ("GPTJ", {"vocab_size": 99, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "rotary_dim": 4}),
    "opt": (
        "OPT",
        {k: v for k, v in SMALL.items() if k != "intermediate_size"} | {"ffn_dim": 37, "word_embed_proj_dim": 32},
    ),
    "bloom": ("Bloom", {"vocab_size": 99, "hidden_size": 32, "n_layer": 2, "n_head": 4}),
    "falcon": ("Falcon", TEXT | {"multi_query": True, "alibi": False}),
    "mixtral": ("Mixtral", GROUPED | {"num_local_experts": 4, "num_experts_per_tok": 2, "intermediate_size": 32}),
    "qwen3_moe": ("Qwen3Moe", EXPERTS | {"num_experts": 4}),
    "mamba": ("Mamba", {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "state_size": 4}),
}
ENCODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "albert": ("Albert", SMALL | {"embedding_size": 16}),
    "electra": ("Electra", SMALL | {"embedding_size": 16}),
    "roberta": ("Roberta", SMALL),
    "deberta_v2": ("DebertaV2", SMALL | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}),
    "modernbert": ("ModernBert", SMALL | {"local_attention": 8, "cls_token_id": 1, "sep_token_id": 2}),
    "mpnet": ("MPNet", SMALL),
    "fnet": ("FNet", {k: v for k, v in SMALL.items() if k != "num_attention_heads"}),
    "convbert": ("ConvBert", SMALL | {"embedding_size": 32}),
    "squeezebert": ("SqueezeBert", SMALL | {"embedding_size": 32, "intermediate_size": 64}),
}
VISION: dict[str, tuple[str, dict[str, Any]]] = {
    "vit_of_transformers": ("ViT", SMALL | {"image_size": 32, "patch_size": 8}),
    "dinov2": ("Dinov2", SMALL | {"image_size": 32, "patch_size": 8}),
    "segformer": (
        "Segformer",
        {"hidden_sizes": [8, 8, 16, 16], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 1, 2, 2]},
    ),
    "convnextv2": ("ConvNextV2", {"hidden_sizes": [8, 16, 16, 24], "depths": [1, 1, 1, 1]}),
    "resnet_of_transformers": ("ResNet", {"embedding_size": 8, "hidden_sizes": [8, 16, 16, 24], "depths": [1] * 4}),
    "regnet_of_transformers": ("RegNet", {"embedding_size": 8, "hidden_sizes": [8, 16, 16, 32], "depths": [1] * 4}),
}


def _library() -> Any:
    torchvision()
    import transformers

    return transformers


def make(prefix: str, suffix: str, options: dict[str, Any]) -> nn.Module:
    library = _library()
    prefix, _, whole = prefix.partition(":")
    config = getattr(library, f"{prefix}Config")(**{k: v for k, v in options.items() if k != "attn_implementation"})
    if "attn_implementation" in options:
        config._attn_implementation = options["attn_implementation"]
    made: nn.Module = getattr(library, whole or prefix + suffix)(config)
    return made


def _decoder(prefix: str, options: dict[str, Any]) -> Built:
    return token_model(make(prefix, "ForCausalLM", options), "logits", use_cache=False)


def _encoder(prefix: str, options: dict[str, Any]) -> Built:
    return token_model(make(prefix, "Model", options))


def _vision(prefix: str, options: dict[str, Any]) -> Built:
    module = Outputs(lively(make(prefix, "Model", options)), ["pixel_values"], ["last_hidden_state"]).eval()
    shapes = ({0: torch.export.Dim("batch", min=1, max=8)},)
    return Built(module, (torch.randn(2, 3, 32, 32),), {}, shapes, [(torch.randn(3, 3, 32, 32),)])


def _add_all(table: dict[str, tuple[str, dict[str, Any]]], build: Callable[[str, dict[str, Any]], Built]) -> None:
    for name, (prefix, options) in table.items():
        add("transformers", name, lambda p=prefix, o=options, b=build: b(p, o))


_add_all(DECODERS, _decoder)
_add_all(ENCODERS, _encoder)
_add_all(VISION, _vision)


def encoder_decoder(inner: nn.Module) -> Built:
    inputs = ["input_ids", "decoder_input_ids"]
    module = Outputs(lively(inner), inputs, ["logits"], use_cache=False).eval()
    batch = torch.export.Dim("batch", min=1, max=8)
    shapes = ({0: batch}, {0: batch})
    return Built(module, (tokens(2, 8), tokens(2, 6)), {}, shapes, [(tokens(3, 8), tokens(3, 6))])


@model("transformers")
def bart() -> Built:
    sides = {f"{side}_{key}": value for side in ("encoder", "decoder") for key, value in
             {"layers": 2, "attention_heads": 4, "ffn_dim": 37}.items()}  # fmt: skip
    options = {"vocab_size": 99, "d_model": 32, "max_position_embeddings": 64, "pad_token_id": 1}
    return encoder_decoder(make("Bart", "ForConditionalGeneration", options | sides))


@model("transformers")
def t5() -> Built:
    options = {"vocab_size": 99, "d_model": 32, "d_kv": 8, "d_ff": 37, "num_layers": 2, "num_heads": 4}
    return encoder_decoder(make("T5", "ForConditionalGeneration", options | {"decoder_start_token_id": 0}))


@model("transformers")
def whisper() -> Built:
    sides = {f"{side}_{key}": value for side in ("encoder", "decoder") for key, value in
             {"layers": 2, "attention_heads": 4, "ffn_dim": 64}.items()}  # fmt: skip
    options = {"vocab_size": 99, "d_model": 32, "num_mel_bins": 16, "max_source_positions": 30, "pad_token_id": 0}
    options |= {"max_target_positions": 20, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
    inner = make("Whisper", "ForConditionalGeneration", options | sides)
    module = Outputs(lively(inner), ["input_features", "decoder_input_ids"], ["logits"], use_cache=False).eval()
    return Built(module, (torch.randn(2, 16, 60), tokens(2, 6)))


@model("transformers")
def clip() -> Built:
    library = _library()
    small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 37}
    text = small | {"vocab_size": 99, "max_position_embeddings": 16, "eos_token_id": 98, "bos_token_id": 0}
    config = library.CLIPConfig(
        text_config=text, vision_config=small | {"image_size": 32, "patch_size": 8}, projection_dim=16
    )
    outputs = ["logits_per_image", "text_embeds", "image_embeds"]
    module = Outputs(lively(library.CLIPModel(config)), ["input_ids", "pixel_values"], outputs).eval()
    ids = tokens(2, 8)
    ids[:, -1] = 98
    return Built(module, (ids, torch.randn(2, 3, 32, 32)))


@model("transformers")
def wav2vec2() -> Built:
    options: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    options |= {"intermediate_size": 37}
    options |= {"conv_dim": [8, 8, 8], "conv_kernel": [10, 3, 3], "conv_stride": [5, 2, 2], "vocab_size": 32}
    options |= {"num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 2}
    inner = make("Wav2Vec2", "Model", options)
    module = Outputs(lively(inner), ["input_values"], ["last_hidden_state"]).eval()
    return Built(module, (torch.randn(2, 400),))


@model("transformers")
def detr() -> Built:
    library = _library()
    sides = {f"{side}_{key}": value for side in ("encoder", "decoder") for key, value in
             {"layers": 1, "attention_heads": 2, "ffn_dim": 32}.items()}  # fmt: skip
    backbone = library.ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1] * 4, out_features=["stage4"]
    )
    config = library.DetrConfig(
        use_timm_backbone=False, backbone=None, backbone_config=backbone, d_model=32, num_queries=5, **sides
    )
    inner = lively(library.DetrForObjectDetection(config))
    return Built(Outputs(inner, ["pixel_values"], ["logits", "pred_boxes"]).eval(), (torch.randn(1, 3, 64, 64),))


@model("transformers")
def encodec() -> Built:
    library = _library()
    config = library.EncodecConfig(
        num_filters=4, hidden_size=16, codebook_size=16, upsampling_ratios=[4, 2], num_lstm_layers=1, codebook_dim=16
    )
    inner = lively(library.EncodecModel(config))

    class Reconstruction(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder: Any = inner.encoder
            self.decoder: Any = inner.decoder

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.decoder(self.encoder(x))

    return Built(Reconstruction().eval(), (torch.randn(1, 1, 320),))


class StepWithCache(nn.Module):
    """One step of a decoder whose cache of fixed size is a pair of tensors by layer, in and out."""

    def __init__(self, inner: nn.Module, cache: Any, layers: int) -> None:
        super().__init__()
        self.inner, self.cache, self.layers = inner, cache, layers
        for i in range(layers):
            self.register_buffer(f"key{i}", cache.layers[i].keys.clone())
            self.register_buffer(f"value{i}", cache.layers[i].values.clone())
            self.register_buffer(f"length{i}", cache.layers[i].cumulative_length.clone())

    def forward(self, ids: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        for i in range(self.layers):
            layer = self.cache.layers[i]
            layer.keys, layer.values = getattr(self, f"key{i}"), getattr(self, f"value{i}")
            layer.cumulative_length = getattr(self, f"length{i}")
        result = self.inner(input_ids=ids, past_key_values=self.cache, cache_position=position, use_cache=True)
        return result.logits


@model("transformers")
def llama_static_cache() -> Built:
    library = _library()
    inner = lively(make("Llama", "ForCausalLM", GROUPED)).eval()
    cache = library.StaticCache(config=inner.config, max_cache_len=16)
    with torch.no_grad():
        inner(input_ids=tokens(1, 4), past_key_values=cache, cache_position=torch.arange(4), use_cache=True)
    return Built(StepWithCache(inner, cache, 2).eval(), (tokens(1, 1), torch.tensor([4])))
