"""The pattern language: patterns of expressions and dataflow blocks, and rewriting of what they match."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.dpl import pattern as pattern
from sunmao.compat.relax.dpl.context import PatternContext
from sunmao.compat.relax.dpl.kinds import (
    AndPattern,
    AttrPattern,
    CallPattern,
    ConstantPattern,
    DataflowVarPattern,
    DataTypePattern,
    DFConstraint,
    DFPattern,
    ExprPattern,
    ExternFuncPattern,
    FunctionPattern,
    GlobalVarPattern,
    NotPattern,
    OrPattern,
    PatternSeq,
    PrimArrPattern,
    SameShapeConstraint,
    ShapePattern,
    TupleGetItemPattern,
    TuplePattern,
    TypePattern,
    UnorderedTuplePattern,
    VarPattern,
    WildcardPattern,
)
from sunmao.compat.relax.dpl.rewrite import (
    ExprPatternRewriter,
    OrRewriter,
    PatternMatchingRewriter,
    rewrite_bindings,
    rewrite_call,
)
from sunmao.compat.relax.dpl.shorthand import (
    has_attr,
    has_dtype,
    is_call_dps_packed,
    is_call_packed,
    is_call_tir,
    is_const,
    is_dfv,
    is_expr,
    is_gv,
    is_op,
    is_shape,
    is_tuple,
    is_tuple_get_item,
    is_var,
    make_fused_bias_activation_pattern,
    reject,
    wildcard,
)

__getattr__ = attribute_of(__name__)
