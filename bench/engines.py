"""The engines that `make bench` compares: how each loads a model and calls it. Their packages are imported late."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
Array = np.ndarray[Any, Any]
Call = Callable[[], Sequence[Any]]


@dataclass(frozen=True)
class Files:
    """The files of a model, in all forms; of a symbolic one, at one of its sizes."""

    folder: Path
    name: str
    size: str = ""

    def form(self, suffix: str) -> Path:
        return self.folder / f"{self.name}.{suffix}"

    def bytes_of(self, *suffixes: str) -> int:
        return sum(self.form(s).stat().st_size for s in suffixes if self.form(s).exists())

    def at_size(self) -> Files:
        """The files of the size alone: inputs and outputs, and of a symbolic model that with numbers for symbols."""
        return Files(self.folder, f"{self.name}.{self.size}") if self.size else self


@dataclass(frozen=True)
class Engine:
    """`load` returns what runs the model on the inputs with so many threads; `deployed` are the forms that it reads.
    `modules` are imported before time is taken."""

    title: str
    package: str
    modules: tuple[str, ...]
    load: Callable[[Files, Sequence[Array], int], Call]
    deployed: tuple[str, ...]
    by_default: bool = True

    def reads(self, files: Files) -> bool:
        """Tells whether there is a form of the model for the engine; artifacts are made when it starts."""
        return "torch" not in self.modules or any(files.form(form).exists() for form in ("pt", "pt2"))

    def import_modules(self, facts: Mapping[str, Any]) -> None:
        sys.path[:0] = [str(ROOT / folder) for folder in ("python", "tests/differential")]
        for name in self.modules:
            importlib.import_module(name)
        if "torch" in self.modules:
            importlib.import_module("vision_ops").torchvision()
            for name in facts["classes_from"]:
                importlib.import_module(name)

    def version(self) -> str:
        return importlib.metadata.version(self.package) if self.package else ""


def load_sunmao(files: Files, inputs: Sequence[Array], threads: int) -> Call:
    sunmao: Any = importlib.import_module("sunmao")
    model = sunmao.load(files.form("sunmao"), threads=threads)

    def call() -> Sequence[Any]:
        out = model(*inputs)
        return out if isinstance(out, tuple) else (out,)

    return call


def load_constant(files: Files, inputs: Sequence[Array], threads: int) -> Call:
    return load_sunmao(files.at_size(), inputs, threads)


def load_torch(files: Files, inputs: Sequence[Array], threads: int) -> Call:
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(threads)
    return torch_call(torch, torch_module(torch, files), [torch.from_numpy(a) for a in inputs])


def torch_module(torch: Any, files: Files) -> Any:
    """Loads the module, or the exported program where that is the only form."""
    if files.form("pt").exists():
        return torch.load(files.form("pt"), weights_only=False)
    return torch.export.load(files.form("pt2")).module()


def torch_call(torch: Any, module: Any, tensors: Sequence[Any]) -> Call:
    def call() -> Sequence[Any]:
        with torch.inference_mode():
            out = module(*tensors)
        return out if isinstance(out, tuple) else (out,)

    return call


def load_compiled(files: Files, inputs: Sequence[Array], threads: int, **options: Any) -> Call:
    """Loads a module and compiles it anew by torch.compile with these options: what earlier runs left is not used."""
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(threads)
    torch._dynamo.reset()
    config: Any = importlib.import_module("torch._inductor.config")
    config.force_disable_caches = True
    module = torch.compile(torch_module(torch, files), **options)
    call = torch_call(torch, module, [torch.from_numpy(a) for a in inputs])
    call()  # compiles
    return call


def load_torch_compile(files: Files, inputs: Sequence[Array], threads: int) -> Call:
    return load_compiled(files, inputs, threads)


def load_frozen(files: Files, inputs: Sequence[Array], threads: int) -> Call:
    return load_compiled(files, inputs, threads, options={"freezing": True})


def load_backend(files: Files, inputs: Sequence[Array], threads: int) -> Call:
    backend: Any = importlib.import_module("sunmao.torch_backend").backend
    return load_compiled(files, inputs, threads, backend=backend, options={"cache": False})


def load_onnxruntime(files: Files, inputs: Sequence[Array], threads: int) -> Call:
    ort: Any = importlib.import_module("onnxruntime")
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    session = ort.InferenceSession(str(files.form("onnx")), options, providers=["CPUExecutionProvider"])
    feeds = dict(zip([i.name for i in session.get_inputs()], inputs, strict=True))
    return lambda: list(session.run(None, feeds))


def load_openvino(files: Files, inputs: Sequence[Array], threads: int) -> Call:
    openvino: Any = importlib.import_module("openvino")
    core = openvino.Core()
    settings = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    compiled = core.compile_model(core.read_model(str(files.form("onnx"))), "CPU", settings)
    request, count = compiled.create_infer_request(), len(compiled.outputs)
    feeds = dict(enumerate(inputs))

    def call() -> Sequence[Any]:
        result = request.infer(feeds, share_inputs=True, share_outputs=True)
        return [result[i] for i in range(count)]

    return call


ENGINES = {
    "sunmao": Engine("Sunmao", "", ("sunmao",), load_sunmao, ("sunmao",)),
    "constant": Engine("Sunmao, constant", "", ("sunmao",), load_constant, ("sunmao",), by_default=False),
    "torch": Engine("PyTorch", "torch", ("torch",), load_torch, ("pt",)),
    "onnxruntime": Engine("ONNX Runtime", "onnxruntime", ("onnxruntime",), load_onnxruntime, ("onnx", "onnx.data")),
    "openvino": Engine("OpenVINO", "openvino", ("openvino",), load_openvino, ("onnx", "onnx.data")),
    "compile": Engine("torch.compile", "torch", ("torch",), load_torch_compile, ("pt",), by_default=False),
    "frozen": Engine("torch.compile, freezing", "torch", ("torch",), load_frozen, ("pt",), by_default=False),
    "backend": Engine("torch.compile by Sunmao", "", ("torch", "sunmao"), load_backend, ("pt",), by_default=False),
}
