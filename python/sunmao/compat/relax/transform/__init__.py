"""Passes of the graph level, under upstream's names."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.transform.combine import CombineParallelMatmul
from sunmao.compat.relax.transform.legalize import FoldConstant, LegalizeOps
from sunmao.compat.relax.transform.partition import FuseOpsByPattern, FusionPattern, PatternCheckContext
from sunmao.compat.relax.transform.passes import (
    BindSymbolicVars,
    ConvertLayout,
    DataflowBlockPass,
    FunctionPass,
    LazyTransformParams,
    Normalize,
    UpdateParamStructInfo,
    UpdateParamType,
    VMBuiltinLower,
    dataflowblock_pass,
    find_pass,
    function_pass,
)
from sunmao.compat.relax.transform.tuning import (
    MetaScheduleApplyDatabase,
    MetaScheduleTuneIRMod,
    MetaScheduleTuneTIR,
)

__getattr__ = attribute_of(__name__, find_pass)
