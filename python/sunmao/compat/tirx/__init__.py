"""The loop level: scalars, statements, functions."""

import importlib
from typing import Any

from sunmao.compat.missing import attribute_of
from sunmao.compat.tirx import analysis, op, operators, scalar_classes, stmt_functor
from sunmao.compat.tirx import scalar_classes as expr
from sunmao.compat.tirx.buffer import (
    Buffer,
    BufferLoad,
    BufferRegion,
    MatchBufferRegion,
    decl_buffer,
    is_buffer_var,
)
from sunmao.compat.tirx.index_map import IndexMap
from sunmao.compat.tirx.iter_var import IterVar
from sunmao.compat.tirx.pointer import BufferType, PointerType
from sunmao.compat.tirx.prim_func import PrimFunc
from sunmao.compat.tirx.reducer import CommReducer
from sunmao.compat.tirx.scalar_classes import (
    Broadcast,
    Cast,
    FloatImm,
    IntImm,
    Let,
    Not,
    PrimExpr,
    Ramp,
    Select,
    SizeVar,
    StringImm,
    Var,
)
from sunmao.compat.tirx.stmt import (
    AllocBuffer,
    AssertStmt,
    AttrStmt,
    Bind,
    Block,
    BlockRealize,
    BufferStore,
    DeclBuffer,
    Evaluate,
    For,
    ForKind,
    IfThenElse,
    LetStmt,
    SBlock,
    SBlockRealize,
    SeqStmt,
    Stmt,
    While,
)

globals().update(scalar_classes.BINARY_CLASSES)


def _find(name: str) -> Any:
    """Returns `build`, whose module imports this one, or an intrinsic."""
    if name == "build":
        return importlib.import_module("sunmao.compat.relax.vm_build").build_kernels
    return op.find(name)


__getattr__ = attribute_of(__name__, _find)
