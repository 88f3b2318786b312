"""Patterns under upstream's names."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.dpl.context import PatternContext as PatternContext
from sunmao.compat.relax.dpl.kinds import (
    AndPattern as AndPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    AttrPattern as AttrPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    CallPattern as CallPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    ConstantPattern as ConstantPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    DataflowVarPattern as DataflowVarPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    DataTypePattern as DataTypePattern,
)
from sunmao.compat.relax.dpl.kinds import (
    DFConstraint as DFConstraint,
)
from sunmao.compat.relax.dpl.kinds import (
    DFPattern as DFPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    ExprPattern as ExprPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    ExternFuncPattern as ExternFuncPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    FunctionPattern as FunctionPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    GlobalVarPattern as GlobalVarPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    NotPattern as NotPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    OrPattern as OrPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    PatternSeq as PatternSeq,
)
from sunmao.compat.relax.dpl.kinds import (
    PrimArrPattern as PrimArrPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    SameShapeConstraint as SameShapeConstraint,
)
from sunmao.compat.relax.dpl.kinds import (
    ShapePattern as ShapePattern,
)
from sunmao.compat.relax.dpl.kinds import (
    TupleGetItemPattern as TupleGetItemPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    TuplePattern as TuplePattern,
)
from sunmao.compat.relax.dpl.kinds import (
    TypePattern as TypePattern,
)
from sunmao.compat.relax.dpl.kinds import (
    UnorderedTuplePattern as UnorderedTuplePattern,
)
from sunmao.compat.relax.dpl.kinds import (
    VarPattern as VarPattern,
)
from sunmao.compat.relax.dpl.kinds import (
    WildcardPattern as WildcardPattern,
)
from sunmao.compat.relax.dpl.shorthand import (
    has_attr as has_attr,
)
from sunmao.compat.relax.dpl.shorthand import (
    has_dtype as has_dtype,
)
from sunmao.compat.relax.dpl.shorthand import (
    is_call_dps_packed as is_call_dps_packed,
)
from sunmao.compat.relax.dpl.shorthand import (
    is_call_packed as is_call_packed,
)
from sunmao.compat.relax.dpl.shorthand import (
    is_call_tir as is_call_tir,
)
from sunmao.compat.relax.dpl.shorthand import (
    is_const as is_const,
)
from sunmao.compat.relax.dpl.shorthand import (
    is_dfv as is_dfv,
)
from sunmao.compat.relax.dpl.shorthand import (
    is_expr as is_expr,
)
from sunmao.compat.relax.dpl.shorthand import (
    is_gv as is_gv,
)
from sunmao.compat.relax.dpl.shorthand import (
    is_op as is_op,
)
from sunmao.compat.relax.dpl.shorthand import (
    is_shape as is_shape,
)
from sunmao.compat.relax.dpl.shorthand import (
    is_tuple as is_tuple,
)
from sunmao.compat.relax.dpl.shorthand import (
    is_tuple_get_item as is_tuple_get_item,
)
from sunmao.compat.relax.dpl.shorthand import (
    is_var as is_var,
)
from sunmao.compat.relax.dpl.shorthand import (
    make_fused_bias_activation_pattern as make_fused_bias_activation_pattern,
)
from sunmao.compat.relax.dpl.shorthand import (
    reject as reject,
)
from sunmao.compat.relax.dpl.shorthand import (
    wildcard as wildcard,
)

__getattr__ = attribute_of(__name__)
