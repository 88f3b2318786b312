"""Makes the models of `make bench`: real size, random weights, batch 1. Each is exported once, into build/bench/models.

python bench/bench_models.py NAME ...      one line of JSON per model, in build/bench-env
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.metadata
import inspect
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "bench" / "models"
sys.path.insert(0, str(ROOT / "tests" / "differential"))
import quantised_models  # noqa: E402
import real_models  # noqa: E402
from model_names import QUANTISED, SMALL_QUANTISED, float_base  # noqa: E402
from models import lively  # noqa: E402
from real_models import Made, Plain, image  # noqa: E402
from vision_ops import torchvision  # noqa: E402

FORMAT = 1  # of the files in FOLDER; another number makes them anew
LENGTH = 128  # tokens of the models of text
MAKERS: dict[str, Callable[[], Made]] = {}


def bench_model(maker: Callable[[], Made]) -> Callable[[], Made]:
    MAKERS[maker.__name__] = maker
    return maker


def of_torchvision(name: str, size: int = 224) -> Made:
    return getattr(torchvision().models, name)(), image(size)


def of_transformers(name: str, model: str, *args: torch.Tensor, **options: Any) -> Made:
    torchvision()
    import transformers

    config = getattr(transformers, f"{name}Config")(**options)
    return Plain(getattr(transformers, model)(config)), args or (torch.randint(0, config.vocab_size, (1, LENGTH)),)


@bench_model
def resnet50() -> Made:
    return real_models.resnet50()


@bench_model
def mobilenet_v2() -> Made:
    return of_torchvision("mobilenet_v2")


@bench_model
def mobilenet_v3() -> Made:
    return of_torchvision("mobilenet_v3_large")


@bench_model
def efficientnet_b0() -> Made:
    return of_torchvision("efficientnet_b0")


@bench_model
def regnet_y() -> Made:
    return of_torchvision("regnet_y_800mf")


@bench_model
def convnext_t() -> Made:
    return of_torchvision("convnext_tiny")


@bench_model
def convnext_t_timm() -> Made:
    torchvision()
    import timm

    return timm.create_model("convnext_tiny"), image()


@bench_model
def vit_b16() -> Made:
    return of_torchvision("vit_b_16")


@bench_model
def swin_t() -> Made:
    return of_torchvision("swin_t")


@bench_model
def bert() -> Made:
    return real_models.bert_base()


@bench_model
def distilbert() -> Made:
    return of_transformers("DistilBert", "DistilBertModel")


@bench_model
def gpt2() -> Made:
    return of_transformers("GPT2", "GPT2LMHeadModel", use_cache=False)


@bench_model
def llama() -> Made:
    """The shape of Llama with 162 million parameters."""
    size: dict[str, Any] = {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12}
    return of_transformers("Llama", "LlamaForCausalLM", num_attention_heads=12, use_cache=False, **size)


@bench_model
def whisper_tiny() -> Made:
    """The encoder, on 30 seconds of sound."""
    torchvision()
    from transformers import WhisperConfig, WhisperModel

    size: dict[str, Any] = {"d_model": 384, "encoder_layers": 4, "encoder_attention_heads": 6, "encoder_ffn_dim": 1536}
    return Plain(WhisperModel(WhisperConfig(**size)).encoder), (torch.randn(1, 80, 3000),)


@bench_model
def resnet18_64() -> Made:
    return of_torchvision("resnet18", 64)


@bench_model
def mobilenet_v2_64() -> Made:
    return of_torchvision("mobilenet_v2", 64)


@bench_model
def mobilenet_v3_64() -> Made:
    return of_torchvision("mobilenet_v3_large", 64)


@bench_model
def efficientnet_b0_64() -> Made:
    return of_torchvision("efficientnet_b0", 64)


@bench_model
def regnet_y_64() -> Made:
    return of_torchvision("regnet_y_800mf", 64)


@bench_model
def vit_small() -> Made:
    """Four layers of a vision transformer, on images of 64 by 64."""
    size: dict[str, Any] = {"image_size": 64, "patch_size": 16, "num_layers": 4, "num_heads": 4}
    return torchvision().models.VisionTransformer(**size, hidden_dim=128, mlp_dim=512), image(64)


@bench_model
def bert_small() -> Made:
    """Two layers of BERT, on 32 tokens."""
    size: dict[str, Any] = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2}
    tokens = torch.randint(0, 1000, (1, 32))
    return of_transformers("Bert", "BertModel", tokens, vocab_size=1000, intermediate_size=512, **size)


class FirstOutput(nn.Module):  # type: ignore[misc]
    """A recurrent layer without its states."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.layer(x)[0]
        return out


@bench_model
def lstm() -> Made:
    return FirstOutput(nn.LSTM(256, 512, num_layers=2, batch_first=True)), (torch.randn(1, LENGTH, 256),)


@bench_model
def gru() -> Made:
    return FirstOutput(nn.GRU(256, 512, num_layers=2, batch_first=True)), (torch.randn(1, LENGTH, 256),)


class UNet(nn.Module):  # type: ignore[misc]
    """Four levels of two convolutions each, with joins across."""

    def __init__(self, width: int = 32, levels: int = 4) -> None:
        super().__init__()
        widths = [width << i for i in range(levels)]
        self.down = nn.ModuleList(self._pair(a, b) for a, b in zip([3, *widths], widths, strict=False))
        self.up = nn.ModuleList(nn.ConvTranspose2d(w, w // 2, 2, 2) for w in widths[:0:-1])
        self.joined = nn.ModuleList(self._pair(w, w // 2) for w in widths[:0:-1])
        self.head = nn.Conv2d(width, 2, 1)

    @staticmethod
    def _pair(first: int, second: int) -> nn.Module:
        def conv(a: int) -> list[nn.Module]:
            return [nn.Conv2d(a, second, 3, padding=1, bias=False), nn.BatchNorm2d(second), nn.ReLU()]

        return nn.Sequential(*conv(first), *conv(second))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        kept = []
        for i, pair in enumerate(self.down):
            x = pair(nn.functional.max_pool2d(x, 2) if i else x)
            kept.append(x)
        for up, pair, other in zip(self.up, self.joined, kept[-2::-1], strict=True):
            x = pair(torch.cat([other, up(x)], 1))
        out: torch.Tensor = self.head(x)
        return out


@bench_model
def unet() -> Made:
    return UNet(), image(256)


def mlp(batch: int) -> Made:
    return nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 10)), (torch.randn(batch, 128),)


@bench_model
def mlp_1() -> Made:
    return mlp(1)


@bench_model
def mlp_64() -> Made:
    return mlp(64)


@bench_model
def softmax_1mib() -> Made:
    return nn.Softmax(dim=-1), (torch.randn(256, 1024),)


@bench_model
def layer_norm_1mib() -> Made:
    return nn.LayerNorm(1024), (torch.randn(256, 1024),)


def settled(module: nn.Module, args: tuple[torch.Tensor, ...]) -> nn.Module:
    """Gives batch norms the statistics of the inputs, so that values keep their size through the layers."""
    norms = [m for m in lively(module).eval().modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    kept = [norm.momentum for norm in norms]
    for norm in norms:
        norm.train()
        norm.momentum = 1.0
    if norms:
        with torch.no_grad():
            module(*(torch.cat([a, torch.randn_like(a)]) for a in args))
    for norm, momentum in zip(norms, kept, strict=True):
        norm.momentum = momentum
    return module.eval()


def flops(module: nn.Module, args: tuple[torch.Tensor, ...]) -> int:
    """Returns the multiplications and additions of products and convolutions, from the ops that PyTorch calls."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    # Fused attention and fused recurrent layers are not counted: both are taken apart.
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    apart = sdpa_kernel(SDPBackend.MATH), torch.backends.mkldnn.flags(enabled=False)
    with FlopCounterMode(display=False) as counter, torch.no_grad(), apart[0], apart[1]:
        module(*args)
    torch.backends.mha.set_fastpath_enabled(fast)
    return int(counter.get_total_flops())


def bytes_read(module: nn.Module) -> int:
    """Returns the bytes of weights that a call has to read: all but tables of which it looks up a few rows."""
    read = {
        tensor.data_ptr(): tensor.nbytes
        for part in module.modules()
        if not isinstance(part, nn.Embedding)
        for tensor in [*part.parameters(recurse=False), *part.buffers(recurse=False)]
    }
    return sum(read.values())


def arrays(values: Any) -> list[np.ndarray[Any, Any]]:
    return [v.detach().numpy() for v in (values if isinstance(values, (tuple, list)) else [values])]


def digest(name: str) -> str:
    """What the files of a model depend on: its maker, the steps here, and PyTorch; a quantised one's, quantisers."""
    if float_name := float_base(name):
        versions = [importlib.metadata.version(package) for package in ("onnxruntime", "torchao")]
        parts = [digest(float_name), *quantised_models.sources(name), *versions]
        return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]
    steps = [MAKERS[name], settled, flops, bytes_read, of_torchvision, of_transformers, UNet, real_models.export]
    sources = [inspect.getsource(step) for step in [*steps, getattr(real_models, name, MAKERS[name])]]
    return hashlib.sha256("".join([*sources, str(FORMAT), torch.__version__]).encode()).hexdigest()[:16]


def make(name: str) -> dict[str, Any]:
    """Makes the files of a model and NAME.json, the facts which it returns, unless they are there."""
    note = FOLDER / f"{name}.json"
    with contextlib.suppress(OSError, ValueError):
        facts: dict[str, Any] = json.loads(note.read_text())
        if facts["digest"] == digest(name):
            return facts
    base = make(float_name) if (float_name := float_base(name)) else None
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob(f"{name}.*"):
        old.unlink()
    facts = make_float(name) if base is None else quantised_models.make_quantised(name, base, FOLDER)
    facts["digest"] = digest(name)
    note.write_text(json.dumps(facts))
    return facts


def make_float(name: str) -> dict[str, Any]:
    """Makes NAME.onnx, NAME.pt2, NAME.pt (the module) and NAME.npz (inputs, PyTorch's outputs); returns their facts."""
    torch.manual_seed(0)
    module, args = MAKERS[name]()
    module = settled(module, args)
    with torch.no_grad():
        outputs = module(*args)
    named = {f"input{i}": a for i, a in enumerate(arrays(args))} | {
        f"output{i}": a for i, a in enumerate(arrays(outputs))
    }
    np.savez(FOLDER / f"{name}.npz", allow_pickle=False, **named)
    torch.save(module, FOLDER / f"{name}.pt")
    real_models.export(module, args, FOLDER / f"{name}.pt2", FOLDER / f"{name}.onnx")
    return {
        "name": name,
        "flops": flops(module, args),
        "weight_bytes": sum({t.data_ptr(): t.nbytes for t in module.state_dict().values()}.values()),
        "bytes_read": bytes_read(module),
        "classes_from": sorted({type(part).__module__ for part in module.modules()}),
        "inputs": [f"{a.dtype}{list(a.shape)}" for a in arrays(args)],
    }


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keeps what exporters print away from the lines of JSON."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def run(made: Callable[[str], dict[str, Any]], names: Iterable[str], description: str | None) -> int:
    """The program that makes models: prints a line of JSON for each that is named, its facts or why there are none."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("names", nargs="+", choices=sorted(names), metavar="NAME")
    for name in parser.parse_args().names:
        try:
            with quiet():
                facts = made(name)
        except Exception as error:
            facts = {"name": name, "error": f"{type(error).__name__}: {error}"}
        print(json.dumps(facts), flush=True)
    return 0


def main() -> int:
    return run(make, [*MAKERS, *QUANTISED, *SMALL_QUANTISED], __doc__)


if __name__ == "__main__":
    import bench_models  # classes are pickled under the name of this file

    raise SystemExit(bench_models.main())
