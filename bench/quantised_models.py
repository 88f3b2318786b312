"""Makes the quantised models of `make bench-quantised` from the float ones of bench_models.py, into the same folder.

BASE_u8s8, BASE_s8s8   ONNX Runtime's static quantisation: Q/DQ, bytes of activations unsigned or signed, weights signed
                       and by channel
BASE_dynamic           ONNX Runtime's dynamic quantisation: scales of activations come from the activations of a call
BASE_pt2e              torchao's PT2E with the quantiser for x86: exported as .pt2, and the same graph as ONNX
"""

from __future__ import annotations

import inspect
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import exact_model
import numpy as np
import onnx
import torch
from vision_ops import torchvision

Array = np.ndarray[Any, Any]
CALIBRATIONS = 8  # inputs from which the quantisers take ranges
TOLERANCE = 1.0  # of the largest number: engines are timed whatever their sums saturate to, and the distance is shown


def calibration(args: tuple[torch.Tensor, ...]) -> Iterator[tuple[torch.Tensor, ...]]:
    """Gives inputs like those of the model: numbers of a normal distribution, tokens drawn from the model's own."""
    for _ in range(CALIBRATIONS):
        yield tuple(
            torch.randn_like(a) if a.is_floating_point() else a.flatten()[torch.randint(a.numel(), a.shape)]
            for a in args
        )


def quantise_onnx(source: Path, target: Path, way: str, args: tuple[torch.Tensor, ...]) -> None:
    """Writes the model as ONNX Runtime's quantiser makes it, after its own preparation."""
    from onnxruntime import quantization
    from onnxruntime.quantization.shape_inference import quant_pre_process

    with tempfile.TemporaryDirectory() as folder:
        whole, prepared = Path(folder) / "whole.onnx", Path(folder) / "prepared.onnx"
        onnx.save(onnx.load(source), whole)
        quant_pre_process(whole, prepared, skip_symbolic_shape=True)
        if way == "dynamic":
            quantization.quantize_dynamic(prepared, target, per_channel=True)
            return
        names = [i.name for i in onnx.load(prepared, load_external_data=False).graph.input]

        class Reader(quantization.CalibrationDataReader):  # type: ignore[misc]
            inputs = calibration(args)

            def get_next(self) -> dict[str, Array] | None:
                tensors = next(self.inputs, None)
                return None if tensors is None else dict(zip(names, [t.numpy() for t in tensors], strict=True))

        types = quantization.QuantType
        quantization.quantize_static(
            prepared,
            target,
            Reader(),
            per_channel=True,
            activation_type=types.QUInt8 if way == "u8s8" else types.QInt8,
            weight_type=types.QInt8,
        )


def quantise_pt2e(module: torch.nn.Module, args: tuple[torch.Tensor, ...], pt2: Path, onnx_file: Path) -> None:
    """Writes the exported program and the same graph as ONNX."""
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    quantiser = x86.X86InductorQuantizer().set_global(x86.get_default_x86_inductor_quantization_config())
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        # The quantiser tells calls of one module apart by what strict tracing records.
        captured = torch.export.export(module, args, strict=True).module()
        captured.graph.eliminate_dead_code()  # the quantiser fails on a layer whose result nothing uses
        captured.recompile()
        prepared = prepare_pt2e(captured, quantiser)
        for inputs in calibration(args):
            prepared(*inputs)
        program = torch.export.export(convert_pt2e(prepared), args)
        torch.export.save(program, pt2)
        exporter: Any = torch.onnx.export
        exporter(program, args, onnx_file, dynamo=True, verbose=False, external_data=False)


def weights(model: onnx.ModelProto) -> tuple[int, int]:
    """Returns the bytes of the weights, and those that a call reads: all but tables of which it looks up a few rows."""
    made_by = {output: node for node in model.graph.node for output in node.output}
    tables = set()
    for node in model.graph.node:
        if node.op_type == "Gather":
            source = made_by.get(node.input[0])
            tables |= {node.input[0]} if source is None else {*source.input}
    sizes = {w.name: onnx.numpy_helper.to_array(w).nbytes for w in model.graph.initializer}
    return sum(sizes.values()), sum(size for name, size in sizes.items() if name not in tables)


def output_step(model: onnx.ModelProto) -> float | None:
    """Returns the step of the first output, the scale of its DequantizeLinear; None where floats made the output."""
    made_by = {output: node for node in model.graph.node for output in node.output}
    constants = {w.name: w for w in model.graph.initializer}
    node = made_by.get(model.graph.output[0].name)
    while node is not None and node.op_type in ("Reshape", "Flatten", "Squeeze", "Identity", "Transpose"):
        node = made_by.get(node.input[0])
    if node is None or node.op_type != "DequantizeLinear":
        return None
    return float(onnx.numpy_helper.to_array(constants[node.input[1]]).max())


def sources(name: str) -> list[str]:
    """The steps on which the files of a model depend."""
    quantise = quantise_pt2e if name.endswith("_pt2e") else quantise_onnx
    steps: list[Any] = [calibration, quantise, weights, output_step, make_quantised]
    return [*(inspect.getsource(step) for step in steps), inspect.getsource(exact_model)]


def make_quantised(name: str, base: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Makes NAME.onnx, for PT2E NAME.pt2 as well, and NAME.npz, from the files of its base; returns its facts."""
    way = name.rpartition("_")[2]
    original, target = folder / base["name"], folder / name
    with np.load(original.with_suffix(".npz")) as recorded:
        args = tuple(torch.from_numpy(recorded[f"input{i}"]) for i in range(len(base["inputs"])))
    torch.manual_seed(0)
    file = target.with_suffix(".onnx")
    if way == "pt2e":
        torchvision()
        module = torch.load(original.with_suffix(".pt"), weights_only=False)
        quantise_pt2e(module, args, target.with_suffix(".pt2"), file)
    else:
        quantise_onnx(original.with_suffix(".onnx"), file, way, args)
    inputs = [a.numpy() for a in args]
    outputs = exact_model.run_exactly(file, inputs)
    named = {f"input{i}": a for i, a in enumerate(inputs)} | {f"output{i}": a for i, a in enumerate(outputs)}
    np.savez(target.with_suffix(".npz"), allow_pickle=False, **named)
    model = onnx.load(str(file))
    size, read = weights(model)
    return {
        **base,
        "name": name,
        "weight_bytes": size,
        "bytes_read": read,
        "classes_from": ["torchao.quantization.pt2e.quantize_pt2e"] if way == "pt2e" else [],
        "forms": ["pt2", "onnx"] if way == "pt2e" else ["onnx"],
        "output_step": output_step(model),
        "reference": "that of exact arithmetic",
        "tolerance": TOLERANCE,
    }
