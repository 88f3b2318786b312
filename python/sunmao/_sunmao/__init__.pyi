"""Sunmao's compiler and runtime, as the package `sunmao` uses them."""

import enum
import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, overload

import numpy.typing
from sunmao._sunmao import make as make

def version() -> str: ...

class DType:
    """The type of one element, by its name in scripts."""

    def __init__(self, arg: str, /) -> None: ...
    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def code(self) -> int:
        """The code of the family of types, as DLPack's."""

    @property
    def bits(self) -> int: ...
    @property
    def lanes(self) -> int: ...

class Tensor:
    """
    A tensor that shares memory with another library's array, or with a result.
    """

    @staticmethod
    def from_array(array: Any, dtype: str | None = None, writable: bool = False) -> Tensor: ...
    @staticmethod
    def empty(dtype: str, shape: Sequence[int]) -> Tensor:
        """A tensor of zeros."""

    def view(self, shape: Sequence[int], dtype: str, offset: int = 0) -> Tensor:
        """A tensor in the same memory, from a byte of it on."""

    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def is_contiguous(self) -> bool: ...
    def numpy(self) -> numpy.typing.NDArray[Any]:
        """
        The same memory as a NumPy array; dtypes that NumPy lacks come as unsigned integers. Elements of less than a byte are copied, a byte each.
        """

    def assign(self, bytes: Any) -> None:
        """
        Sets elements of less than a byte from an array of uint8 of the same shape, a byte each.
        """

    def contiguous(self) -> Tensor: ...
    def __dlpack__(self, **options: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

def is_intrinsic(name: str) -> bool:
    """Whether scripts know `T.<name>(…)`."""

def takes_dtype_first(name: str) -> bool: ...

class Span:
    """A place in a text."""

    @property
    def name(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def end_column(self) -> int: ...

class Scalar:
    """An expression over numbers and symbols."""

    @property
    def dtype(self) -> str: ...
    @property
    def span(self) -> Span | None: ...
    def __repr__(self) -> str: ...

class SymVar(Scalar):
    """A symbol, such as a dimension that is known at run time."""

    @property
    def name(self) -> str: ...
    @property
    def pointee(self) -> tuple[str, str]:
        """Of a handle: the dtype that it points to (empty: any), and the memory."""

class IntImm(Scalar):
    """An integer."""

    @property
    def value(self) -> int: ...

class FloatImm(Scalar):
    """A floating-point number."""

    @property
    def value(self) -> float: ...

class StringImm(Scalar):
    """A text."""

    @property
    def value(self) -> str: ...

class Binary(Scalar):
    """An operation on two scalars."""

    @property
    def op(self) -> str: ...
    @property
    def a(self) -> Scalar: ...
    @property
    def b(self) -> Scalar: ...

class Not(Scalar):
    """The negation of a condition."""

    @property
    def a(self) -> Scalar: ...

class Cast(Scalar):
    """A scalar as another dtype."""

    @property
    def value(self) -> Scalar: ...

class Select(Scalar):
    """One of two scalars."""

    @property
    def condition(self) -> Scalar: ...
    @property
    def true_value(self) -> Scalar: ...
    @property
    def false_value(self) -> Scalar: ...

class Ramp(Scalar):
    """base, base + stride, …"""

    @property
    def base(self) -> Scalar: ...
    @property
    def stride(self) -> Scalar: ...
    @property
    def lanes(self) -> Scalar: ...

class Broadcast(Scalar):
    """One scalar in every lane."""

    @property
    def value(self) -> Scalar: ...
    @property
    def lanes(self) -> Scalar: ...

class Let(Scalar):
    """A scalar with a name inside another."""

    @property
    def var(self) -> SymVar: ...
    @property
    def value(self) -> Scalar: ...
    @property
    def body(self) -> Scalar: ...

class ScalarCall(Scalar):
    """A call of an intrinsic."""

    @property
    def name(self) -> str: ...
    @property
    def args(self) -> list[Scalar]: ...

class IndexMap:
    """A map of indices, for layouts."""

    @property
    def inputs(self) -> list[SymVar]: ...
    @property
    def outputs(self) -> list[Scalar]: ...
    def apply(self, at: Sequence[Scalar]) -> list[Scalar]: ...

def fold(op: str, a: Scalar, b: Scalar) -> Scalar | None:
    """The result on known numbers, else None."""

class Analyzer:
    """Canonical forms, ranges and proofs of scalars."""

    def __init__(self) -> None: ...
    def assume(self, var: SymVar, lo: int, hi: int) -> None:
        """Both ends included."""

    def simplify(self, scalar: Scalar) -> Scalar: ...
    def can_prove_equal(self, a: Scalar, b: Scalar) -> bool: ...
    def can_prove(self, condition: Scalar) -> bool: ...
    def range(self, scalar: Scalar) -> tuple[int, int]:
        """The least and the largest value; the ends of int64 stand for no bound."""

class GlobalInfo:
    """What a module says of the world around it."""

class VDevice(GlobalInfo):
    """A virtual device."""

    @property
    def target(self) -> str: ...
    @property
    def id(self) -> int: ...
    @property
    def memory_scope(self) -> str: ...

class DummyGlobalInfo(GlobalInfo):
    """A global info that carries nothing."""

class Type:
    """What is known of a value before it is computed."""

    @property
    def span(self) -> Span | None:
        """Where it comes from."""

    def __repr__(self) -> str: ...

class AnyType(Type):
    """Nothing is known."""

class PrimType(Type):
    """A scalar."""

    @property
    def dtype(self) -> str: ...
    @property
    def value(self) -> Scalar | None: ...

class ShapeType(Type):
    """A shape."""

    @property
    def values(self) -> list[Scalar] | None: ...
    @property
    def ndim(self) -> int: ...

class TensorType(Type):
    """A tensor; `shape` is None and `ndim` -1 where they are not known."""

    @property
    def shape(self) -> Expr | None: ...
    @property
    def dtype(self) -> str: ...
    @property
    def vdevice(self) -> VDevice | None: ...
    @property
    def ndim(self) -> int: ...

class TupleType(Type):
    """A tuple."""

    @property
    def fields(self) -> list[Type]: ...

class CallableType(Type):
    """A function; `params` is None where its result alone is known."""

    @property
    def params(self) -> list[Type] | None: ...
    @property
    def result(self) -> Type: ...
    @property
    def is_pure(self) -> bool: ...

class Expr:
    """An expression; it never changes."""

    @property
    def type(self) -> Type | None:
        """None where it is not known yet."""

    @property
    def span(self) -> Span | None:
        """Where it comes from."""

    def script(self, show_types: bool = True) -> str:
        """The text of it; a function prints as a script of its own."""

    def show(self) -> None:
        """Prints the text."""

    def __repr__(self) -> str: ...

class Var(Expr):
    """A variable; two of the same name are two."""

    @property
    def name(self) -> str: ...
    @property
    def is_dataflow(self) -> bool: ...

class GlobalVar(Expr):
    """A function of the module, by name."""

    @property
    def name(self) -> str: ...

class Constant(Expr):
    """Data inside the module."""

    @property
    def data(self) -> Tensor: ...

class ShapeExpr(Expr):
    """A shape."""

    @property
    def values(self) -> list[Scalar]: ...

class PrimValue(Expr):
    """A scalar."""

    @property
    def value(self) -> Scalar: ...

class StringLiteral(Expr):
    """A text."""

    @property
    def value(self) -> str: ...

class DTypeLiteral(Expr):
    """A dtype."""

    @property
    def value(self) -> DType: ...

class Op(Expr):
    """An op of the library."""

    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def is_pure(self) -> bool: ...
    @property
    def allocates(self) -> bool:
        """Whether each call returns an object of its own."""

    @property
    def constraints(self) -> list[str]:
        """What inference checks: C1: …"""

    @property
    def lowers(self) -> bool:
        """Whether it becomes one kernel."""

    @property
    def decomposes(self) -> bool:
        """Whether simpler ops take its place."""

    @property
    def runs_on_vm(self) -> bool:
        """Whether the virtual machine has an instruction for it."""

    @property
    def names_sizes(self) -> bool:
        """Whether `name-sizes` gives the result sizes that data decides."""

    @property
    def has_lowering(self) -> bool: ...
    @property
    def params(self) -> list[dict[str, Any]]:
        """
        Parameters in order: name, doc, kind (tensor, tuple, shape, value, func, attr, variadic, list), attr (of an attribute: any, bool, int, float, string, dtype, ints), has_default, default.
        """

class Tuple(Expr):
    """A tuple."""

    @property
    def fields(self) -> list[Expr]: ...

class TupleGetItem(Expr):
    """A field of a tuple."""

    @property
    def tuple(self) -> Expr: ...
    @property
    def index(self) -> int: ...

class Call(Expr):
    """A call of an op or a function."""

    @property
    def callee(self) -> Expr: ...
    @property
    def args(self) -> list[Expr]: ...
    @property
    def attrs(self) -> dict[str, Any]: ...
    @property
    def type_args(self) -> list[Type]: ...

class Binding:
    """A variable and its value; `cast_type` is a claim that is checked."""

    @property
    def var(self) -> Var: ...
    @property
    def value(self) -> Expr: ...
    @property
    def cast_type(self) -> Type | None: ...
    @property
    def span(self) -> Span | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class BindingBlock:
    """Bindings in order."""

    @property
    def bindings(self) -> list[Binding]: ...
    @property
    def is_dataflow(self) -> bool: ...
    @property
    def span(self) -> Span | None: ...
    def __repr__(self) -> str: ...

class SeqExpr(Expr):
    """Blocks, and what they compute."""

    @property
    def blocks(self) -> list[BindingBlock]: ...
    @property
    def body(self) -> Expr: ...

class If(Expr):
    """A choice between two sequences."""

    @property
    def condition(self) -> Expr: ...
    @property
    def then_branch(self) -> SeqExpr: ...
    @property
    def else_branch(self) -> SeqExpr: ...

class BaseFunc(Expr):
    """A function of either level."""

    @property
    def attrs(self) -> dict[str, Any]: ...
    def with_attr(self, name: str, value: object | None) -> BaseFunc:
        """The function with an attribute more, or another value of it."""

    def without_attr(self, name: str) -> BaseFunc: ...

class Function(BaseFunc):
    """A function of the graph level."""

    @property
    def params(self) -> list[Var]: ...
    @property
    def body(self) -> SeqExpr: ...
    @property
    def result_type(self) -> Type | None:
        """The type of what it returns."""

    @property
    def is_pure(self) -> bool: ...

class ExternFunc(BaseFunc):
    """A function that is found at run time."""

    @property
    def name(self) -> str: ...

def find_op(name: str) -> Op | None:
    """The op of this name, or None."""

def op_names() -> list[str]: ...
def set_custom_op(
    name: str,
    is_pure: bool | None,
    allocates: bool | None,
    infer: Callable[[Call], Type],
    normalize: Callable[[Call], Expr] | None,
    validate: Callable[[Call], Any] | None,
) -> None:
    """Adds an op of the program's own, or says anew what it does."""

def remove_custom_op(name: str) -> None:
    """Calls of the op cannot be made from here on."""

class Buffer:
    """Memory with a shape."""

    @property
    def name(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> list[Scalar]: ...
    @property
    def strides(self) -> list[Scalar]: ...
    @property
    def elem_offset(self) -> Scalar | None: ...
    @property
    def align(self) -> int: ...
    @property
    def offset_factor(self) -> int: ...
    @property
    def axis_separators(self) -> list[int]: ...
    @property
    def data(self) -> SymVar | None: ...
    @property
    def scope(self) -> str: ...
    @property
    def span(self) -> Span | None: ...
    def __repr__(self) -> str: ...

class BufferLoad(Scalar):
    """An element of a buffer."""

    @property
    def buffer(self) -> Buffer: ...
    @property
    def indices(self) -> list[Scalar]: ...
    @property
    def predicate(self) -> Scalar | None: ...

class KernelStage:
    """A buffer and what fills it."""

    def __init__(self, out: Buffer, axes: Sequence[SymVar], value: Scalar) -> None: ...
    def over(
        self,
        reduced: Sequence[SymVar],
        extents: Sequence[Scalar],
        init: Scalar,
        left: SymVar,
        right: SymVar,
        combined: Scalar,
    ) -> KernelStage:
        """
        The stage as a reduction: `combined` says what `left` and `right` become.
        """

def kernel(name: str, inputs: Sequence[Buffer], outputs: Sequence[Buffer], stages: Sequence[KernelStage]) -> PrimFunc:
    """
    A function of the loop level: parameters are the inputs, then the outputs.
    """

class KernelUse:
    """A kernel applied to buffers, one for each of its buffer parameters."""

    def __init__(self, kernel: PrimFunc, buffers: Sequence[Buffer]) -> None: ...

def join_kernels(inputs: Sequence[Buffer], outputs: Sequence[Buffer], kernels: Sequence[KernelUse]) -> PrimFunc:
    """Joins kernels into one function that runs them in order."""

def kernel_of(call: Call) -> BaseFunc | None:
    """Lowers a call by the record of its op."""

def size_demands(call: Call) -> list[tuple[Scalar, Scalar]]:
    """
    Pairs of sizes that must be equal for the call to be right, where nothing says that they are.
    """

class Stmt:
    """A statement of the loop level."""

    @property
    def span(self) -> Span | None: ...
    def __repr__(self) -> str: ...

class BufferStore(Stmt):
    """An element of a buffer gets a value."""

    @property
    def buffer(self) -> Buffer: ...
    @property
    def value(self) -> Scalar: ...
    @property
    def indices(self) -> list[Scalar]: ...
    @property
    def predicate(self) -> Scalar | None: ...

class Evaluate(Stmt):
    """A scalar for its effect."""

    @property
    def value(self) -> Scalar: ...

class SeqStmt(Stmt):
    """Statements in order."""

    @property
    def seq(self) -> list[Stmt]: ...

class AssertStmt(Stmt):
    """A condition that must hold."""

    @property
    def condition(self) -> Scalar: ...
    @property
    def message(self) -> str: ...
    @property
    def error_kind(self) -> str: ...

class For(Stmt):
    """A loop."""

    @property
    def loop_var(self) -> SymVar: ...
    @property
    def min(self) -> Scalar: ...
    @property
    def extent(self) -> Scalar: ...
    @property
    def kind(self) -> str: ...
    @property
    def thread(self) -> str: ...
    @property
    def body(self) -> Stmt: ...
    @property
    def annotations(self) -> dict[str, Any]: ...

class While(Stmt):
    """A loop under a condition."""

    @property
    def condition(self) -> Scalar: ...
    @property
    def body(self) -> Stmt: ...

class IfThenElse(Stmt):
    """One of two statements."""

    @property
    def condition(self) -> Scalar: ...
    @property
    def then_case(self) -> Stmt: ...
    @property
    def else_case(self) -> Stmt | None: ...

class Bind(Stmt):
    """A name for a scalar in what follows."""

    @property
    def var(self) -> SymVar: ...
    @property
    def value(self) -> Scalar: ...
    @property
    def body(self) -> Stmt | None: ...

class AllocBuffer(Stmt):
    """A buffer that exists in what follows."""

    @property
    def buffer(self) -> Buffer: ...
    @property
    def body(self) -> Stmt | None: ...
    @property
    def annotations(self) -> dict[str, Any]: ...

class DeclBuffer(Stmt):
    """Another name for memory."""

    @property
    def buffer(self) -> Buffer: ...
    @property
    def body(self) -> Stmt | None: ...

class AttrStmt(Stmt):
    """A remark on a statement."""

    @property
    def node(self) -> Any: ...
    @property
    def attr_key(self) -> str: ...
    @property
    def value(self) -> Scalar: ...
    @property
    def body(self) -> Stmt: ...

class IterVar:
    """An axis of a block."""

    @property
    def var(self) -> SymVar: ...
    @property
    def dom(self) -> tuple[Scalar, Scalar]: ...
    @property
    def kind(self) -> str: ...
    def __repr__(self) -> str: ...

class SBlock(Stmt):
    """What is computed at one point of its axes."""

    @property
    def name_hint(self) -> str: ...
    @property
    def iter_vars(self) -> list[IterVar]: ...
    @property
    def reads(self) -> list[tuple[Buffer, list[tuple[Scalar, Scalar]]]]: ...
    @property
    def writes(self) -> list[tuple[Buffer, list[tuple[Scalar, Scalar]]]]: ...
    @property
    def init(self) -> Stmt | None: ...
    @property
    def body(self) -> Stmt: ...
    @property
    def match_buffers(self) -> list[tuple[Buffer, tuple[Buffer, list[tuple[Scalar, Scalar]]]]]: ...
    @property
    def alloc_buffers(self) -> list[Buffer]: ...
    @property
    def annotations(self) -> dict[str, Any]: ...

class SBlockRealize(Stmt):
    """A block at the values of its axes."""

    @property
    def iter_values(self) -> list[Scalar]: ...
    @property
    def predicate(self) -> Scalar: ...
    @property
    def block(self) -> SBlock: ...

class PrimFunc(BaseFunc):
    """A function of the loop level."""

    @property
    def params(self) -> list[SymVar]:
        """The handles and scalars that it takes."""

    @property
    def buffer_map(self) -> dict[SymVar, Buffer]:
        """The buffers behind the handles."""

    @property
    def body(self) -> Stmt: ...
    @property
    def ret_type(self) -> Type | None: ...

@overload
def with_names(node: Stmt, names: list[tuple[SymVar | Buffer, str]]) -> Stmt:
    """The same in which those symbols and buffers are called so."""

@overload
def with_names(node: PrimFunc, names: list[tuple[SymVar | Buffer, str]]) -> PrimFunc: ...
@overload
def substitute(stmt: Stmt, values: dict[SymVar, Scalar]) -> Stmt: ...
@overload
def substitute(stmt: Scalar, values: dict[SymVar, Scalar]) -> Scalar: ...
@overload
def substitute(type: Type, symbols: dict[SymVar, Scalar]) -> Type: ...
@overload
def substitute(scalar: Scalar, symbols: dict[SymVar, Scalar]) -> Scalar: ...
@overload
def post_order(node: Stmt) -> list[Stmt | Scalar]:
    """All nodes, parts before the whole."""

@overload
def post_order(node: Scalar) -> list[Stmt | Scalar]: ...
def complete_regions(stmt: Stmt) -> Stmt:
    """The same with the regions found that blocks left open."""

def root_block(body: Stmt, alloc_buffers: Sequence[Buffer]) -> Stmt:
    """The block that scripts leave out, around `body`."""

def has_blocks(stmt: Stmt) -> bool:
    """Whether blocks stand in it."""

class NameSupply:
    """Names that differ."""

    def __init__(self) -> None: ...
    def fresh(self, hint: str) -> str: ...
    def reserve(self, name: str) -> None: ...

class FunctionWriter:
    """Builds functions one binding at a time, in normal form."""

    def __init__(self) -> None: ...
    def begin_block(self) -> None: ...
    def begin_dataflow_block(self) -> None: ...
    def end_block(self) -> BindingBlock: ...
    @property
    def in_dataflow(self) -> bool: ...
    def begin_function(self) -> None: ...
    def end_function(self) -> None: ...
    def enter_dataflow(self) -> None: ...
    def leave_dataflow(self) -> None: ...
    def finish_body(self, output: Expr) -> SeqExpr: ...
    def emit(self, value: Expr, hint: str = "") -> Var: ...
    def emit_output(self, value: Expr, hint: str = "") -> Var: ...
    def match_cast(self, value: Expr, type: Type, hint: str = "") -> Var: ...
    def append(self, binding: Binding) -> None: ...
    def value_of(self, var: Var) -> Expr | None: ...
    def normalize(self, expr: Expr) -> Expr: ...
    def unique_name(self, hint: str) -> str: ...
    def add_function(self, hint: str, func: BaseFunc) -> GlobalVar: ...
    @property
    def module(self) -> Module: ...
    @module.setter
    def module(self, arg: Module, /) -> None: ...

def fresh_copy(function: Function) -> Function:
    """The function with fresh variables and symbols."""

class FunctionEntry:
    @property
    def var(self) -> GlobalVar: ...
    @property
    def func(self) -> BaseFunc: ...

class Module:
    """Functions by name. A value: every change gives another module."""

    def __init__(self) -> None: ...
    @property
    def functions(self) -> list[FunctionEntry]:
        """All functions, each with its variable."""

    def find(self, name: str) -> BaseFunc | None:
        """The function of this name, or None."""

    def find_var(self, name: str) -> GlobalVar | None:
        """The variable of the function of this name."""

    @property
    def attrs(self) -> dict[str, Any]:
        """Attributes of the module."""

    @property
    def global_infos(self) -> dict[str, list[GlobalInfo]]:
        """What the module says of devices, by kind."""

    @overload
    def with_function(self, name: str, func: BaseFunc) -> Module:
        """The module with another function of this name, or one more."""

    @overload
    def with_function(self, var: GlobalVar, func: BaseFunc) -> Module:
        """The module with another function of this variable, or one more."""

    def without_function(self, name: str) -> Module:
        """The module without the function of this name."""

    def with_global_infos(self, infos: Mapping[str, Sequence[GlobalInfo]]) -> Module:
        """The module with these infos in place of its own."""

    def with_attrs(self, attrs: dict[str, Any]) -> Module:
        """The module with these attributes in place of its own."""

    def same_as(self, other: Module) -> bool:
        """Whether both are one value: nothing was changed between them."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def script(self, show_types: bool = True) -> str:
        """The module as text, which `parse_module` reads."""

    def show(self) -> None:
        """Prints the text."""

    def __repr__(self) -> str: ...

@overload
def structural_equal(a: Module, b: Module, map_free: bool = False, skip_tensor_content: bool = False) -> bool: ...
@overload
def structural_equal(a: Expr, b: Expr, map_free: bool = False, skip_tensor_content: bool = False) -> bool: ...
@overload
def structural_equal(a: Type, b: Type, map_free: bool = False, skip_tensor_content: bool = False) -> bool: ...
@overload
def structural_equal(a: Scalar, b: Scalar, map_free: bool = False, skip_tensor_content: bool = False) -> bool: ...
@overload
def structural_equal(a: Stmt, b: Stmt, map_free: bool = False, skip_tensor_content: bool = False) -> bool:
    """
    Whether both are the same up to the names of variables. With `map_free` also free variables may differ, with `skip_tensor_content` the data of constants.
    """

@overload
def first_difference(a: Module, b: Module, map_free: bool = False, skip_tensor_content: bool = False) -> str: ...
@overload
def first_difference(a: Expr, b: Expr, map_free: bool = False, skip_tensor_content: bool = False) -> str: ...
@overload
def first_difference(a: Type, b: Type, map_free: bool = False, skip_tensor_content: bool = False) -> str: ...
@overload
def first_difference(a: Scalar, b: Scalar, map_free: bool = False, skip_tensor_content: bool = False) -> str: ...
@overload
def first_difference(a: Stmt, b: Stmt, map_free: bool = False, skip_tensor_content: bool = False) -> str:
    """
    Where two values differ first, as text; empty when they are structurally equal.
    """

@overload
def structural_hash(a: Module, map_free: bool = False, skip_tensor_content: bool = False) -> int: ...
@overload
def structural_hash(a: Expr, map_free: bool = False, skip_tensor_content: bool = False) -> int: ...
@overload
def structural_hash(a: Type, map_free: bool = False, skip_tensor_content: bool = False) -> int: ...
@overload
def structural_hash(a: Scalar, map_free: bool = False, skip_tensor_content: bool = False) -> int: ...
@overload
def structural_hash(a: Stmt, map_free: bool = False, skip_tensor_content: bool = False) -> int:
    """A hash that is the same for what is structurally equal."""

def underlined(text: str) -> str:
    """Each line of the text, and below it a line of `^`."""

@overload
def script_with_constants(node: Module, options: dict[str, Any]) -> tuple[str, list[Tensor]]:
    """
    The text, and the data that it refers to by number. Options: show_types, declare_free, syntax_sugar, module_alias, indent_spaces.
    """

@overload
def script_with_constants(node: Expr, options: dict[str, Any]) -> tuple[str, list[Tensor]]: ...
@overload
def script_of(node: Type, options: dict[str, Any]) -> str: ...
@overload
def script_of(node: Scalar, options: dict[str, Any]) -> str: ...
@overload
def script_of(node: Binding, options: dict[str, Any]) -> str: ...
@overload
def script_of(node: BindingBlock, options: dict[str, Any]) -> str: ...
@overload
def script_of(node: Stmt, options: dict[str, Any]) -> str: ...
@overload
def script_of(node: IterVar, options: dict[str, Any]) -> str: ...
@overload
def script_of(node: Buffer, options: dict[str, Any]) -> str: ...
def script_of_range(range: tuple[Scalar, Scalar], options: dict[str, Any]) -> str: ...
def script_of_region(region: tuple[Buffer, list[tuple[Scalar, Scalar]]], options: dict[str, Any]) -> str: ...
def script_of_view(view: tuple[Buffer, tuple[Buffer, list[tuple[Scalar, Scalar]]]], options: dict[str, Any]) -> str: ...
def script_of_value(value: Any, options: dict[str, Any]) -> str:
    """An attribute's value."""

class Macro:
    """
    A macro outside of the script that is read: its text, and what answers for names.
    """

    def __init__(
        self, text: str, file: str, resolve: Callable[[str, int, dict[str, Any], bool], tuple[Any] | None] | None
    ) -> None: ...

def parse_module(
    text: str,
    name: str = "<script>",
    resolve: Callable[[str, int, dict[str, Any], bool], tuple[Any] | None] | None = None,
    constants: Sequence[Tensor] = [],
) -> Module:
    """
    Reads a module in script form. `resolve(expression, line, names, wants_index_map)` is asked for names that the script does not bind; `names` has the scalars behind those that it does.
    """

def parse_function(
    text: str,
    name: str = "<script>",
    resolve: Callable[[str, int, dict[str, Any], bool], tuple[Any] | None] | None = None,
    constants: Sequence[Tensor] = [],
) -> BaseFunc: ...
def read_model(
    path: str | os.PathLike[str],
    weights_path: str = "",
    keep_state: bool = False,
    dims: dict[str, tuple[int, int]] = {},
    custom: dict[str, Any] = {},
    ops: Sequence[Module] = [],
) -> tuple[Module, dict[str, Tensor], dict[str, Tensor], list[str]]:
    """
    Reads an ONNX, .pt2 or script file: the module, its weights and states by name, and notes. With `keep_state` random numbers come from a state. `dims` has the ranges that symbols will be compiled for, `custom` converters by op, and `ops` modules with custom ops.
    """

def read_ops(paths: Sequence[str]) -> tuple[list[Module], list[tuple[str, bytes]]]:
    """
    Custom ops in files: modules of scripts, and object files with their names.
    """

def read_tensors(path: str | os.PathLike[str]) -> dict[str, Tensor]:
    """The tensors of a safetensors file by name."""

class ReturnForm(enum.Enum):
    """What `main` returns for its results."""

    PLAIN = 0

    TUPLE = 1

    BOUND_TUPLE = 2

    BOUND = 3

    BOUND_AGAIN = 4

def frontend_rows() -> list[dict[str, Any]]:
    """What the front ends read: a row for each converter."""

def read_onnx(
    data: bytes,
    name: str,
    folder: str,
    custom: dict[str, Any] = {},
    returns: ReturnForm = ...,
    keep_initializers: bool = False,
    ops: Sequence[Module] = [],
    upstream_form: bool = False,
) -> tuple[Module, dict[str, Tensor], dict[str, Tensor], list[str]]:
    """
    Reads an ONNX model in memory: the module, its weights and states by name, and notes. With `keep_initializers` all initialisers are parameters, with `upstream_form` it is as TVM's importer writes it. `ops` are modules with custom ops.
    """

def write_onnx(module: Module, weights: dict[str, Tensor]) -> tuple[bytes, str]:
    """Writes a model as an ONNX file: its bytes, or what stands in the way."""

ONNX_WRITER_OPSET: int = 23

def onnx_writer_rows() -> list[tuple[str, str]]:
    """
    The ops that are written to ONNX files, with the ops there that they become.
    """

def read_exported_program(
    graph: bytes,
    weights: dict[str, Tensor],
    name: str,
    custom: dict[str, Any] = {},
    returns: ReturnForm = ...,
    keep_state: bool = False,
    ops: Sequence[Module] = [],
    upstream_form: bool = False,
) -> tuple[Module, dict[str, Tensor], dict[str, Tensor], list[str]]:
    """
    Reads a program of torch.export from its JSON: the module, its weights and states by name, and notes. With `keep_state` random numbers come from a state, with `upstream_form` it is as TVM's importer writes it. `ops` are modules with custom ops.
    """

def free_vars(expr: Expr) -> list[Var]: ...
def bound_vars(expr: Expr) -> list[Var]: ...
def all_vars(expr: Expr) -> list[Var]: ...
def used_vars(expr: Expr) -> list[Var]: ...
def open_unused_host_calls(module: Module) -> Module:
    """
    The module with results of any type where nothing uses that of a pure call of a function of the host.
    """

def all_global_vars(expr: Expr) -> list[GlobalVar]: ...
def called_global_vars(expr: Expr) -> list[GlobalVar]: ...
def defined_symbolic_vars(expr: Expr) -> list[SymVar]: ...
def free_symbolic_vars(expr: Expr) -> list[SymVar]: ...
def name_to_binding(expr: Expr) -> dict[str, list[Binding]]: ...
def var_to_value(expr: Expr) -> dict[Var, Expr]: ...
def use_def_chains(block: BindingBlock) -> list[tuple[Var, list[Var]]]: ...
def base_check(base: Type, derived: Type) -> int:
    """0 disjoint, 1 not known statically, 2 dimensions are open, 3 subsumed."""

def common_type(a: Type, b: Type) -> Type: ...
def static_type(type: Type) -> Type: ...
def fits(type: Type, dtype: str, sizes: Sequence[int]) -> bool:
    """
    Whether a tensor of this dtype and these sizes is of the type. Symbols accept any size.
    """

def erase_to_well_defined(type: Type, symbols: dict[SymVar, Scalar], vars: dict[Var, Expr]) -> Type: ...
def derive_call_result(signature: CallableType, args: Sequence[Expr]) -> Type: ...
def definable_symbols(type: Type) -> list[SymVar]: ...
def free_symbols(type: Type) -> list[SymVar]: ...
def non_negative_scalars(type: Type) -> list[Scalar]: ...
def find_impure_call(expr: Expr, own_name: Expr | None = None, module: Module | None = None) -> Expr | None: ...
def detect_recursion(module: Module) -> list[list[GlobalVar]]: ...
def computable_at_compile_time(function: Function) -> list[Var]: ...
def remove_all_unused(expr: Expr, module: Module | None = None) -> Expr: ...
def with_known_calls(function: Function, module: Module) -> Function: ...
def inline_functions(function: Function, functions: Mapping[str, Function]) -> Function: ...
def param_named(function: Function, name: str) -> str:
    """The parameter that a name means: one in the model's file, or its own."""

def bind_params(function: Function, values: dict[Var, Expr]) -> Function: ...
def bind_symbols(function: Function, symbols: dict[SymVar, Scalar]) -> Function: ...
def find_symbols(function: Function, name: str) -> list[SymVar]: ...
def update_param_type(module: Module, update: Callable[[Var], Type | None]) -> Module: ...
def describe_memory(module: Module) -> str: ...
def live_ranges(block: BindingBlock) -> dict[Var, tuple[int, int]]: ...
def value_aliases(
    block: BindingBlock, inputs: Sequence[Var]
) -> tuple[dict[Var, set[int]], dict[int, list[set[int]]]]: ...
def inplace_chances(
    block: BindingBlock, inputs: Sequence[Var]
) -> tuple[list[tuple[int, list[int]]], list[tuple[int, list[int]]]]: ...
def inplace_call(module: Module, call: Call, place: int) -> tuple[Call, Module]: ...
def has_reshape_pattern(func: PrimFunc) -> bool: ...
def with_computed_results(module: Module) -> Module:
    """
    Functions whose stated result their bodies contradict state what the bodies give.
    """

@overload
def check_well_formed(module: Module, check_types: bool) -> None:
    """Fails with all findings when the module is not well formed."""

@overload
def check_well_formed(function: Function, check_types: bool) -> None: ...

class Pattern:
    """What a caller looks for in an expression; it never changes."""

    @property
    def kind(self) -> str:
        """The class in upstream's words: `CallPattern`."""

    @property
    def parts(self) -> dict[str, Any]:
        """What it is made of, by upstream's names."""

    def duplicate(self) -> Pattern:
        """Another pattern of the same parts."""

class PatternUse:
    """What `consumer` stands for reads what `producer` stands for."""

    def __init__(self, producer: Pattern, consumer: Pattern, operand: int, is_only: bool) -> None: ...

class PatternGraph:
    """Patterns, and what ties them together."""

    def __init__(self, uses: Sequence[PatternUse], same_shape: Sequence[Sequence[Pattern]]) -> None: ...

def match_expr(pattern: Pattern, expr: Expr, values: dict[Var, Expr]) -> dict[Pattern, Expr] | None: ...
def match_block(graph: PatternGraph, block: BindingBlock) -> dict[Pattern, Expr] | None: ...
def rewrite_calls(
    pattern: Pattern,
    rewrite: Callable[[Expr, dict[Pattern, Expr]], Expr],
    function: Function,
    possible_tuples: bool = False,
) -> Function: ...
def partition(
    module: Module,
    patterns: Sequence[
        tuple[str, Pattern, Callable[[dict[Pattern, Expr], Expr, list[Binding], Function], dict[str, Any] | None]]
    ],
    bind_constants: bool,
    annotate_codegen: bool,
    entry_functions: Sequence[str],
) -> Module: ...
def rewrite_bindings(
    graph: PatternGraph, rewrite: Callable[[dict[Pattern, Expr], dict[Var, Expr]], dict[Var, Expr]], function: Function
) -> Function: ...
def passes() -> list[dict[str, Any]]:
    """What can be run by name, in the order of the pipeline."""

def facts() -> list[tuple[str, str]]:
    """What passes may need and ensure: names, and when each holds."""

def find_plans(kernel: PrimFunc, target: str = "host") -> list[list[str]]:
    """
    The plans of a kernel's groups of statements that have a choice: what its attribute `sunmao.plans` chooses from.
    """

def run_pass(
    module: Module,
    name: str,
    config: dict[str, Any] = {},
    opt_level: int = 2,
    target: str = "host",
    arguments: dict[str, Any] = {},
) -> Module: ...
def explain_pass(module: Module, name: str, arguments: dict[str, Any] = {}) -> list[str]:
    """
    Why the pass does what it does to this module, a line each; the module stays as it is.
    """

def convert_layout(module: Module, choose: Callable[[Call], dict[str, list[str]]]) -> Module:
    """
    The pass `convert-layout` where `choose` says for each call what is wanted.
    """

def combine_parallel_matmul(module: Module, check: Callable[[Expr, list[Expr], list[Expr]], Any]) -> Module:
    """
    Products of one left operand become one product, where `check(input, right operands, biases)` says so.
    """

def rename_functions(module: Module, names: Mapping[str, str]) -> Module:
    """
    Every function under the name that `names` gives it, references included.
    """

class Validation:
    """Compares what a module's functions give before and after passes."""

    def check(self, name: str, arguments: dict[str, Any], before: Module, after: Module) -> None: ...
    def report(self) -> tuple[list[tuple[str, bool, list[str], list[str]]], dict[str, str], list[str]]:
        """
        Of each pass its text, whether it changed the module, the functions that gave the same, and those whose numbers change on purpose; functions that were not validated, with the reasons; all of it in lines.
        """

def validation(weights: Mapping[str, Tensor], seed: int) -> Validation: ...
def parse_passes(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Passes and their arguments, as `sunmao opt --passes` takes them."""

def validate_pipeline(
    module: Module, weights: Mapping[str, Tensor], seed: int, target: str
) -> tuple[list[tuple[str, bool, list[str], list[str]]], dict[str, str], list[str]]:
    """
    The passes of `compile`, compared one by one. The report is that of `Validation`.
    """

class Kernels:
    """The compiled loop-level functions of a module."""

    def run(self, function: str, args: list[Any]) -> Any:
        """Calls a loop-level function on tensors, which it fills, and integers."""

class Operand:
    """
    An argument of an instruction: a register, an integer, a constant or a function.
    """

    @staticmethod
    def register(number: int) -> Operand: ...
    @staticmethod
    def immediate(value: int) -> Operand: ...
    @staticmethod
    def constant(number: int) -> Operand: ...
    @property
    def is_register(self) -> bool: ...
    @property
    def value(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

NOWHERE: int = -1

MACHINE_STATE: int = -2

class RegisterBuilder:
    """Makes programs on registers."""

    def __init__(self, tensor: Any, shape: Any) -> None: ...
    def declare(self, name: str) -> None: ...
    def function(self, name: str) -> Operand: ...
    def constant(self, value: Any) -> Operand: ...
    def begin_function(self, name: str, params: Sequence[str]) -> None: ...
    def end_function(self) -> None: ...
    def emit_call(self, callee: str, args: Sequence[Operand], target: int) -> None: ...
    def emit_return(self, result: int) -> None: ...
    def emit_goto(self, offset: int) -> None: ...
    def emit_if(self, condition: int, offset: int) -> None: ...
    def with_loop_forms(self, module: Module) -> Module:
        """
        The module with what its graph-level functions compute on registers as loop-level functions.
        """

    def add_functions(self, module: Module) -> None:
        """Adds the graph-level functions of a lowered module."""

class ProgramValue:
    """
    A value that a program gave and only a program can use: a function of its own.
    """

class RegisterMachine:
    """Runs a program on registers."""

    def __init__(self, builder: RegisterBuilder, kernels: Kernels | None) -> None: ...
    @property
    def functions(self) -> list[str]: ...
    def params(self, name: str) -> list[str]: ...
    def text(self) -> str: ...
    def builder_calls(self) -> str: ...
    def statistics(self) -> str: ...
    def call(self, function: str, args: Iterable[Any], find: Callable[[str], Any], instrument: Any) -> Any: ...
    def invoke(self, function: Any, args: Iterable[Any], find: Callable[[str], Any], instrument: Any) -> Any: ...

def is_builtin(name: str) -> bool:
    """Whether the virtual machine has a builtin of that name."""

def call_builtin(name: str, args: Iterable[Any], tensor: Any, shape: Any) -> Any:
    """Calls a builtin of the virtual machine."""

def join_abandoned() -> None: ...

class StoredWeights:
    """The weights in an artifact's memory."""

    def name_of(self, tensor: Tensor) -> str | None:
        """The name of the weight that has the memory of this tensor."""

class Compiled:
    """An artifact in memory, and what it was made of."""

    @property
    def module(self) -> Module:
        """As bytecode and kernels were made of it."""

    def kernels(self, threads: int = 0) -> Kernels:
        """The kernels of an artifact that has all of them."""

    @property
    def artifact(self) -> bytes: ...
    @property
    def stored_weights(self) -> StoredWeights:
        """The artifact's weights."""

    @property
    def timings(self) -> list[tuple[str, float, bool]]:
        """Of each pass: name, milliseconds, whether it changed anything."""

    @property
    def notes(self) -> list[str]:
        """What the caller is told of the artifact."""

    @property
    def summary(self) -> str:
        """What the compilation did, in a few lines."""

    @property
    def size(self) -> int: ...
    def save(self, path: str) -> None: ...
    def load(self, threads: int = 0, weights: str = "", cache: str = "") -> LoadedModel: ...

class VmBuild:
    """A module that is built for a virtual machine."""

    @property
    def compiled(self) -> Compiled | None:
        """
        The module as bytecode; None where it must run as instructions on registers.
        """

    @property
    def notes(self) -> list[str]:
        """What the caller is told: of instructions on registers, why."""

    def check_is_bytecode(self) -> None:
        """Fails (E1020) where the module is no bytecode."""

def build_for_vm(module: Module, targets: Sequence[str], unroll: Mapping[str, int]) -> VmBuild:
    """
    Compiles a module for a virtual machine, and decides which engine runs it.
    """

def with_kernel_entries(module: Module) -> Module:
    """
    The module with a graph-level function for each loop-level one, if it has only those.
    """

def take_weights(
    module: Module, own: Mapping[str, Tensor], given: Mapping[str, Tensor], origin: str, is_file: bool
) -> dict[str, Tensor]:
    """
    The weights of a module by its parameters: `given` ones, by either name, before its `own`.
    """

def with_symbol_names(module: Module, names: Mapping[str, str]) -> Module:
    """The module with other names for symbols of `main`, by their own."""

def with_named_axes(module: Module, axes: Sequence[tuple[str, int, str]]) -> Module:
    """
    The module with names for the symbols that are sizes of inputs along axes.
    """

def compile(
    module: Module,
    weights: Mapping[str, Tensor],
    targets: Sequence[str],
    dims: Mapping[str, tuple[int, int]],
    bind_weights: bool = True,
    opt_level: int = 3,
    disabled: Set[str] = ...,
    verify_each: bool = False,
    kernels_alone: bool = False,
    prepare_at_load: bool = False,
    unroll: Mapping[str, int] = {},
    keep_state: bool = False,
    states: Mapping[str, Tensor] = {},
    objects: Sequence[tuple[str, bytes]] = [],
    precision: str = "float32",
    tuning: str = "",
) -> Compiled: ...
def tune(
    module: Module, path: str, target: str, most_plans: int, most_plans_of_kernel: int, names: Sequence[str]
) -> None:
    """
    Measures plans of the module's kernels, on inputs that are made up, and adds them to a file.
    """

def with_tuning(module: Module, path: str) -> Module:
    """
    The module with the plans of a file, which its kernels take when it is compiled.
    """

class LibraryFile:
    """A library on disk: an artifact with texts and tensors beside it."""

    def __init__(self, path: str) -> None: ...
    def text(self, name: str) -> bytes | None:
        """The content of an entry; None where there is none."""

    @property
    def has_artifact(self) -> bool: ...
    def tensor(self, name: str, dtype: str, shape: Sequence[int]) -> Tensor:
        """A tensor of the file, `<entry>:<name>`."""

    def compiled(self, module: Module) -> Compiled:
        """The artifact, compiled from this module."""

def write_library(
    path: str, compiled: Compiled | None, texts: Mapping[str, str], constants: Mapping[str, Tensor]
) -> None:
    """
    Writes a library: the entries of an artifact, texts by name of their entry, and constants.
    """

class Session:
    """A session that keeps the state of a model from run to run."""

    def run(self, function: str, inputs: Sequence[Tensor]) -> list[Tensor]: ...
    def profile(self, function: str, inputs: Sequence[Tensor], repeat: int = 0) -> str:
        """The same as of a model; the state stays as it is."""

    def copy(self) -> Session:
        """A session that goes on with copies of the state."""

    def reset(self) -> None:
        """Gives all states their first values."""

    def save(self, path: str) -> None:
        """Writes the states to a safetensors file."""

    def load(self, path: str) -> None:
        """Reads the states from such a file."""

    def get(self, state: str) -> Tensor:
        """A copy of a state's value."""

    def set(self, state: str, value: Tensor) -> None:
        """Gives a state this value."""

class LoadedModel:
    """An artifact that is ready to run."""

    @property
    def signatures(self) -> dict[str, dict[str, list[dict[str, Any]]]]:
        """Inputs and outputs by function."""

    @property
    def isa(self) -> str: ...
    @property
    def manifest(self) -> str: ...
    @property
    def host_functions(self) -> list[str]:
        """Names of the functions that it calls in the program that runs it."""

    def register_function(self, name: str, function: Callable[..., Any], tensor: Any, shape: Any, op: int = 0) -> None:
        """
        Gives it a function that it calls, with tensors and shapes in these classes; the kernel at the address `op` in its place, unless that is 0.
        """

    @property
    def states(self) -> list[dict[str, Any]]:
        """What sessions keep: name, dtype and dimensions."""

    def session(self) -> Session:
        """A new session, with the first values of the states."""

    def run(self, function: str, inputs: Sequence[Tensor]) -> list[Tensor]: ...
    def call(self, function: str, inputs: list[Any], find: Callable[[str], Any], tensor: Any, shape: Any) -> list[Any]:
        """
        Runs a function on tensors, and on objects where it takes them. `find` gives functions of the host by name.
        """

    def release_memory(self) -> None:
        """Frees the sessions that are kept for the next runs."""

    @property
    def kept_sessions(self) -> int:
        """How many sessions are kept for the next runs."""

    def profile(self, function: str, inputs: Sequence[Tensor], repeat: int = 0) -> str:
        """
        Runs `repeat` times, or for a second, and returns where the time went, as JSON.
        """

    def save(self, path: str) -> None:
        """Writes the artifact that was loaded from memory."""

    @property
    def artifact(self) -> bytes:
        """The artifact that was loaded from memory."""

    def write_weights(self, path: str) -> None:
        """Writes the weights that its functions take, prepared as they are."""

def load(
    path: str, threads: int = 0, verify_weights: bool = False, isa: str = "", weights: str = "", cache: str = ""
) -> LoadedModel: ...
def load_bytes(artifact: bytes, threads: int = 0, isa: str = "", weights: str = "", cache: str = "") -> LoadedModel:
    """Loads an artifact of these bytes."""

def set_threads(count: int) -> None:
    """
    Sets how many threads a run may use, in the whole process, from the next run on; 0 restores the default: SUNMAO_NUM_THREADS, or the number of processors that the process may use.
    """

def get_threads() -> int:
    """How many threads a run may use."""

def evaluate(module: Module, function: str, args: list[Any]) -> Any:
    """What a function of the module gives, by the reference evaluator."""

class Work:
    """A call that a run has made."""

    @property
    def function(self) -> str:
        """The function that makes it."""

    @property
    def binding(self) -> str:
        """
        The variable that holds the result; empty where the function returns it.
        """

    @property
    def callee(self) -> str:
        """The op, the kernel or the function of the host."""

    @property
    def place(self) -> str: ...
    def __repr__(self) -> str: ...

def evaluate_poisoned(
    module: Module, function: str, args: list[Any], poisoned: Sequence[int]
) -> tuple[Any, list[Work], list[Work]]:
    """
    What a function gives, the calls that saw none of the arguments `poisoned`, and those that saw no argument.
    """

def sampled_ops() -> list[str]:
    """The ops that have samples."""

def sample_op(
    name: str, seed: int, dtype: DType | None = None, every_kind: bool = False
) -> tuple[Call, Module, list[Tensor]]:
    """
    A call of an op drawn by a seed, a module whose `main` computes it, and the values of its parameters. `dtype` is that of the tensors whose dtype the sample leaves open, with `every_kind` even where it asks for a float, an integer or a bool.
    """

def run_command_line(arguments: Sequence[str]) -> int:
    """
    Runs a command, with the program's name first; returns the exit status.
    """
