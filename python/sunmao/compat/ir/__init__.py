"""Nodes, modules, passes, and comparison by structure."""

from sunmao._sunmao import GlobalInfo
from sunmao.compat.ir import attrs, base, compare, container, module, op, supply, transform, type
from sunmao.compat.ir import expr as expr
from sunmao.compat.ir import instrument as instrument
from sunmao.compat.ir.attrs_class import Attrs, DictAttrs
from sunmao.compat.ir.compare import assert_structural_equal, structural_equal, structural_hash
from sunmao.compat.ir.container import Array, Map
from sunmao.compat.ir.expr import Range, is_prim_expr, is_prim_var
from sunmao.compat.ir.global_info import DummyGlobalInfo, VDevice, dummy_global_info, vdevice
from sunmao.compat.ir.kinds import make_node
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.op_attr import register_op_attr
from sunmao.compat.ir.op_class import Op
from sunmao.compat.ir.serial import load_json, save_json
from sunmao.compat.ir.type import FuncType, PrimType, TupleType, Type
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.expr import BaseFunc, Call, Expr, GlobalVar, Var
from sunmao.compat.spans import SequentialSpan, SourceName, Span
from sunmao.compat.tirx.pointer import PointerType
from sunmao.compat.tirx.scalar_classes import PrimExpr

BaseExpr = RelaxExpr = Expr
Node = object

__all__ = [
    "Array",
    "Attrs",
    "BaseExpr",
    "BaseFunc",
    "Call",
    "DictAttrs",
    "DummyGlobalInfo",
    "Expr",
    "FuncType",
    "GlobalInfo",
    "GlobalVar",
    "IRModule",
    "Map",
    "Node",
    "Op",
    "PointerType",
    "PrimExpr",
    "PrimType",
    "Range",
    "RelaxExpr",
    "SequentialSpan",
    "SourceName",
    "Span",
    "TupleType",
    "Type",
    "VDevice",
    "Var",
    "assert_structural_equal",
    "attrs",
    "base",
    "compare",
    "container",
    "dummy_global_info",
    "expr",
    "instrument",
    "is_prim_expr",
    "is_prim_var",
    "load_json",
    "make_node",
    "module",
    "op",
    "register_op_attr",
    "save_json",
    "structural_equal",
    "structural_hash",
    "supply",
    "transform",
    "type",
    "vdevice",
]

__getattr__ = attribute_of(__name__)
