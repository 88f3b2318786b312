"""Puts models with custom ops, from PyTorch, ONNX and a script, into one artifact, which a C program runs.

    python examples/custom_ops/make_artifact.py gate.o ops.sunmao
    build/release/examples/run_custom_ops ops.sunmao

It needs torch and onnx. The ops are declared once, in ops.py and gate.c.
"""

import sys
from pathlib import Path

import onnx
import sunmao
import torch
from onnx import helper
from sunmao.ir import IRModule
from sunmao.relax.frontend.onnx import from_onnx
from sunmao.relax.frontend.torch import from_exported_program

OPS = Path(__file__).parent / "ops.py"


# The ops as PyTorch knows them. Only their shapes matter to the export.
@torch.library.custom_op("mylib::swish", mutates_args=())
def swish(x: torch.Tensor, beta: float = 1.0) -> torch.Tensor:
    return x / (1 + torch.exp(-beta * x))


@torch.library.custom_op("mylib::gate", mutates_args=())
def gate(x: torch.Tensor, least: float) -> torch.Tensor:
    return torch.where(x < least, 0, x)


@torch.library.custom_op("mylib::offset", mutates_args=())
def offset(x: torch.Tensor) -> torch.Tensor:
    return x + 100  # as run_custom_ops.c has it


for op in (swish, gate, offset):
    op.register_fake(lambda x, *_: torch.empty_like(x))


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return offset(gate(swish(x, 2.0), 0.5))


def torch_module() -> IRModule:
    rows = torch.export.Dim("rows")
    program = torch.export.export(Model(), (torch.zeros(2, 3),), dynamic_shapes=({0: rows},))
    return from_exported_program(program, unwrap_unit_return_tuple=True, ops=[OPS])


def onnx_module() -> IRModule:
    nodes = [
        helper.make_node("Swish", ["x"], ["a"], domain="my.domain", beta=2.0),
        helper.make_node("Gate", ["a"], ["b"], domain="my.domain", least=0.5),
        helper.make_node("Offset", ["b"], ["y"], domain="my.domain"),
    ]
    x, y = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["rows", 3]) for name in ("x", "y"))
    versions = [helper.make_opsetid("", 18), helper.make_opsetid("my.domain", 1)]
    return from_onnx(helper.make_model(helper.make_graph(nodes, "g", [x], [y]), opset_imports=versions), ops=[OPS])


# In a script the functions of the ops are called by their names.
SCRIPT = """
    @R.function
    def from_script(x: R.Tensor(("rows", 3), "float32")) -> R.Tensor(("rows", 3), "float32"):
        cls = Ops
        a = cls.swish(x, T.float32(2))
        b = cls.gate(a, T.float32(0.5))
        return cls.offset(b)
"""


def script_module() -> sunmao.Module:
    return sunmao.parse_module(OPS.read_text() + SCRIPT)


def main(gate_object: str, path: str) -> None:
    mod = IRModule(script_module())
    for name, read in (("from_torch", torch_module()), ("from_onnx", onnx_module())):
        for var, function in read.functions_items():
            if var.name == "main":
                mod[name] = function.with_attr("global_symbol", name)
            else:
                mod[var.name] = function  # a kernel, which is the same in all
    sunmao.compile(mod, ops=[gate_object]).save(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
