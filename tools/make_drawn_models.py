"""Makes the files of tools/drawn_models.py (`make drawn-models`), in the differential environment.

A graph is what torch.onnx writes, without weights, value infos and metadata. Outputs are PyTorch's, with the weights
that the demo draws, and ONNX Runtime must agree. Output is reproducible with the same package versions.
"""

# mypy: disable-error-code="import-not-found, import-untyped, misc, no-any-return, no-untyped-call, attr-defined"

import io
import json
import math
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from drawn_models import NETWORKS, draw_input, place, weights, write_onnx, write_pt2
from make_models import safetensors
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "differential"))
from real_models import Plain  # noqa: E402
from vision_ops import torchvision  # noqa: E402

SEED = 20240601
Made = tuple[str, nn.Module, dict[str, Any]]


def mobilenet() -> Made:
    model = torchvision().models.mobilenet_v3_small().eval()
    for part in list(model.modules()):
        if isinstance(part, nn.Sequential) and len(part) > 1 and isinstance(part[1], nn.BatchNorm2d):
            part[0], part[1] = fuse_conv_bn_eval(part[0], part[1]), nn.Identity()
    return "MobileNetV3 small, an image of 224 × 224", model, {"shape": [1, 3, 224, 224]}


def bert() -> Made:
    torchvision()
    from transformers import BertConfig, BertModel

    size: dict[str, Any] = {"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4}
    config = BertConfig(vocab_size=8192, intermediate_size=1024, **size)
    what = {"shape": [1, 32], "below": config.vocab_size}
    return "BERT with 4 layers of 256, 32 tokens", Plain(BertModel(config, add_pooling_layer=False)).eval(), what


def convnext() -> Made:
    """Widths of 40 to 320, with the blocks and norms of the larger ones."""
    from torchvision.models.convnext import CNBlockConfig, ConvNeXt

    blocks = [CNBlockConfig(a, b, n) for a, b, n in ((40, 80, 2), (80, 160, 2), (160, 320, 6), (320, None, 2))]
    return "ConvNeXt with widths of 40 to 320", ConvNeXt(blocks).eval(), {"shape": [1, 3, 64, 64]}


def linear(rank: int) -> Made:
    """On an input of that rank."""
    return f"Linear(128, 512) on rank {rank}", nn.Linear(128, 512), {"shape": [2, 3, 2, 2, 128][5 - rank :]}


def spread(name: str, parameter: torch.Tensor) -> tuple[float, float]:
    """Returns middle and reach of the numbers of a parameter."""
    if "layer_scale" in name:
        return 0.3, 0.1
    if parameter.ndim < 2:
        return (1.0 if name.endswith("weight") else 0.0), 0.1
    fan_in = math.prod(parameter.shape[1:])
    return 0.0, 1.0 if "embeddings" in name else math.sqrt(3 / fan_in)


def fill(model: nn.Module, rows: list[dict[str, Any]]) -> None:
    parameters = dict(model.named_parameters())
    for name, array in weights(SEED, rows).items():
        row = next(row for row in rows if row["name"] == name)
        value = torch.from_numpy(array)
        parameters[row["parameter"]].data.copy_(value.T if row["transposed"] else value)


def settle(model: nn.Module, rows: list[dict[str, Any]], x: torch.Tensor) -> None:
    """Sets the reach of the weights of convolutions so that what they give has a standard deviation of one."""
    by_parameter = {row["parameter"]: row for row in rows}

    def after(name: str, given: torch.Tensor) -> torch.Tensor:
        factor = float(f"{1 / max(float(given.std()), 1e-3):.2g}") if given.numel() > given.shape[1] else 1.0
        row = by_parameter[f"{name}.weight"]
        row["reach"] = float(f"{row['reach'] * factor:.4g}")
        return given * factor

    hooks = [
        part.register_forward_hook(lambda _part, _args, given, name=name: after(name, given))
        for name, part in model.named_modules()
        if isinstance(part, nn.Conv2d)
    ]
    with torch.no_grad():
        model(x)
    for hook in hooks:
        hook.remove()


def export(model: nn.Module, x: torch.Tensor) -> onnx.ModelProto:
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        path = Path(folder) / "model.onnx"
        exporter: Any = torch.onnx.export
        exporter(model, (x,), path, dynamo=True, verbose=False, input_names=["x"], output_names=["y"])
        return onnx.load(path)


def match(proto: onnx.ModelProto, model: nn.Module) -> list[dict[str, Any]]:
    """Returns a row for each initialiser that is a parameter of the model, as it is or transposed."""
    rows = []
    for tensor in proto.graph.initializer:
        value = onnx.numpy_helper.to_array(tensor)
        if value.size < 2 or value.dtype != np.float32:
            continue
        for name, parameter in model.named_parameters():
            own = parameter.detach().numpy()
            transposed = own.shape != value.shape or not np.array_equal(own, value)
            if np.array_equal(own.T if transposed and own.ndim == 2 else own, value):
                middle, reach = spread(name, parameter)
                row = {"name": tensor.name, "shape": list(value.shape), "middle": middle, "reach": reach}
                rows.append({**row, "parameter": name, "transposed": transposed})
                break
    return rows


def strip(proto: onnx.ModelProto, name: str, rows: list[dict[str, Any]]) -> None:
    """Takes out data of weights, metadata with paths, and shapes that a reader works out."""
    del proto.metadata_props[:], proto.graph.metadata_props[:], proto.graph.value_info[:]
    proto.doc_string = proto.graph.doc_string = ""
    for part in [*proto.graph.node, *proto.graph.initializer, *proto.graph.input, *proto.graph.output]:
        del part.metadata_props[:]
        part.doc_string = ""
    sizes = [4 * math.prod(row["shape"]) for row in rows]
    places = dict(zip([row["name"] for row in rows], zip(place(sizes), sizes, strict=True), strict=True))
    for tensor in proto.graph.initializer:
        if tensor.name in places:
            tensor.ClearField("raw_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
            del tensor.external_data[:]
            begin, size = places[tensor.name]
            for key, value in (("location", f"{name}.onnx.data"), ("offset", str(begin)), ("length", str(size))):
                tensor.external_data.add(key=key, value=value)


def write_recipe(name: str, title: str, what: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    def kept(row: dict[str, Any]) -> dict[str, Any]:
        differs = row["name"] != row["parameter"] or row["transposed"]
        return {k: row[k] for k in ("name", "shape", "middle", "reach", *(("parameter", "transposed") * differs))}

    lines = [json_line(kept(row)) for row in rows]
    head = f'{{"title": {json_line(title)}, "seed": {SEED}, "input": {json_line(what)},\n "weights": [\n  '
    (NETWORKS / f"{name}.json").write_text(head + ",\n  ".join(lines) + "\n]}\n")


def json_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def write_program(model: nn.Module, x: torch.Tensor, name: str, rows: list[dict[str, Any]]) -> None:
    """Writes the .pt2 without the data of the weights that are drawn, and without places in source files."""
    program = torch.export.export(model, (x,))
    for node in program.graph.nodes:
        for key in ("stack_trace", "from_node", "nn_module_stack"):
            node.meta.pop(key, None)
    program._example_inputs = None
    whole = io.BytesIO()
    torch.export.save(program, whole)
    drawn = {row["parameter"] for row in rows}
    with zipfile.ZipFile(whole) as saved, zipfile.ZipFile(NETWORKS / f"{name}.pt2", "w") as kept:
        table = next(entry for entry in saved.namelist() if entry.endswith("/model_weights_config.json"))
        config = json.loads(saved.read(table))["config"]
        left_out = {f"{table.rpartition('/')[0]}/{config[p]['path_name']}" for p in drawn}
        for entry in saved.namelist():
            if entry not in left_out:
                kept.writestr(zipfile.ZipInfo(entry), saved.read(entry), zipfile.ZIP_DEFLATED, 9)


def make(name: str, made: Made, has_program: bool = False) -> None:
    title, model, what = made
    x = torch.from_numpy(draw_input(SEED, what))
    for parameter in model.parameters():  # no two alike, for initialisers to be recognised
        parameter.data.copy_(torch.randn_like(parameter))
    proto = export(model, x)
    rows = match(proto, model)
    fill(model, rows)
    settle(model, rows, x)
    fill(model, rows)
    strip(proto, name, rows)
    (NETWORKS / f"{name}.onnx").write_bytes(proto.SerializeToString(deterministic=True))
    write_recipe(name, title, what, rows)
    with torch.no_grad():
        expected = model(x).numpy()
    with tempfile.TemporaryDirectory() as folder:
        session = onnxruntime.InferenceSession(write_onnx(name, Path(folder)), providers=["CPUExecutionProvider"])
        other = session.run(None, {"x": x.numpy()})[0]
    np.testing.assert_allclose(expected, other, rtol=1e-4, atol=1e-5 * float(np.abs(expected).max()))
    (NETWORKS / f"{name}.safetensors").write_bytes(safetensors({"output.0": expected}))
    if has_program:
        write_program(model, x, name, rows)
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            again = torch.export.load(write_pt2(name, Path(folder))).module()(x).numpy()
        np.testing.assert_array_equal(expected, again)
    left = sum(t.ByteSize() for t in proto.graph.initializer if t.data_location != onnx.TensorProto.EXTERNAL)
    sizes = [path.stat().st_size for path in sorted(NETWORKS.glob(f"{name}.*"))]
    total = sum(p.numel() for p in model.parameters())
    print(f"{name}: files of {sizes} bytes; {left} bytes of other constants; {total} parameters")
    print(f"  {sum(math.prod(r['shape']) for r in rows)} drawn; outputs {expected.mean():.3g} ± {expected.std():.3g}")


def main() -> None:
    warnings.simplefilter("ignore")
    NETWORKS.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    make("mobilenet", mobilenet())
    make("bert", bert())
    make("convnext", convnext(), has_program=True)
    for rank in range(1, 6):
        make(f"linear_{rank}", linear(rank), has_program=True)


if __name__ == "__main__":
    main()
