"""The graph level: expressions, passes, building and running."""

from sunmao._sunmao import (
    BindingBlock,
    Call,
    Constant,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    SeqExpr,
    ShapeExpr,
    ShapeType,
    TensorType,
    Tuple,
    TupleGetItem,
    Type,
    Var,
)
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import transform
from sunmao.compat.relax.vm import VirtualMachine, VMExecutable, build

Executable = VMExecutable

__all__ = [
    "BindingBlock",
    "Call",
    "Constant",
    "Executable",
    "Expr",
    "ExternFunc",
    "Function",
    "GlobalVar",
    "If",
    "SeqExpr",
    "ShapeExpr",
    "ShapeType",
    "TensorType",
    "Tuple",
    "TupleGetItem",
    "Type",
    "VMExecutable",
    "Var",
    "VirtualMachine",
    "build",
    "transform",
]

__getattr__ = attribute_of(__name__)
