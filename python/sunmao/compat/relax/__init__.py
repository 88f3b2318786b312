"""The graph level: expressions, passes, building and running."""

from sunmao.compat.ir.type import AnyType, FuncType, PackedFuncType, ShapeType, TensorType, TupleType, Type
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import (
    analysis,
    backend,
    binding_rewrite,
    block_builder,
    conversions,
    dpl,
    exec_builder,
    expr,
    expr_functor,
    expr_members,
    frontend,
    op,
    pipeline,
    py_functions,
    testing,
    transform,
    type,
    vm_build,
)
from sunmao.compat.relax.binding_rewrite import DataflowBlockRewrite
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.compat.relax.conversions import convert_to_expr
from sunmao.compat.relax.exec_builder import ExecBuilder
from sunmao.compat.relax.expr import (
    BaseFunc,
    Binding,
    BindingBlock,
    Call,
    Constant,
    DataflowBlock,
    DataflowVar,
    DataTypeImm,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    MatchCast,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    StringImm,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
    const,
    extern,
    get_shape_of,
    prim_value,
)
from sunmao.compat.relax.expr_functor import ExprFunctor, PyExprMutator, PyExprVisitor
from sunmao.compat.relax.op.calls import (
    call_dps_packed,
    call_pure_packed,
    call_tir,
    call_tir_inplace,
    call_tir_with_grad,
)
from sunmao.compat.relax.pipeline import (
    default_build_pipeline,
    get_default_pipeline,
    get_pipeline,
    register_pipeline,
    zero_pipeline,
)
from sunmao.compat.relax.vm import VirtualMachine, VMInstrumentReturnKind
from sunmao.compat.relax.vm_build import build
from sunmao.compat.relax.vm_executable import VMExecutable

Executable = VMExecutable
utils = conversions
ObjectType = AnyType
ObjectStructInfo = AnyType
StructInfo = Type
TensorStructInfo = TensorType
ShapeStructInfo = ShapeType
TupleStructInfo = TupleType
FuncStructInfo = FuncType

__getattr__ = attribute_of(__name__)
