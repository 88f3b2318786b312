"""Building of modules. Weights are not bound: every function with a global symbol can be called, with raw weights, or
with the results of the weight transform after LiftTransformParams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.pass_options import unroll_options
from sunmao.compat.ir.transform import PassContext, Sequential
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.relax import transform
from sunmao.compat.relax.exec_builder import ExecBuilder
from sunmao.compat.relax.pipeline import get_pipeline
from sunmao.compat.relax.programs import GraphProgram, Program, RegisterProgram
from sunmao.compat.relax.vm_executable import VMExecutable
from sunmao.compat.runtime.executable import Executable
from sunmao.compat.runtime.module import KernelModule
from sunmao.compat.target import Target
from sunmao.compile_warnings import warn_all
from sunmao.errors import fail

# Lower a module to calls of kernels in explicit memory.
_STEPS = (
    "LegalizeOps",
    "RewriteDataflowReshape",
    "AttachGlobalSymbol",
    "ToNonDataflow",
    "RemovePurityChecking",
    "CallTIRRewrite",
    "LowerAllocTensor",
    "LowerRuntimeBuiltin",
    "VMShapeLower",
)
_MODES = ("bytecode", "compiled")


def _targets(target: Any) -> list[str]:
    """Returns the target as text. One that asks for C source means the host, for which code is generated at once."""
    wanted = Target(target or Target.current() or "llvm")
    return ["llvm" if str(wanted).strip() == "c" else str(wanted)]


def _unroll() -> dict[str, int]:
    return unroll_options(PassContext.current().config)


def _compile_kernels(module: _sunmao.Module, target: Any) -> _sunmao.Compiled:
    """Compiles the loop-level functions that graph-level ones call."""
    compiled = _sunmao.compile(
        module, {}, _targets(target), {}, bind_weights=False, kernels_alone=True, unroll=_unroll()
    )
    warn_all(compiled.notes)
    return compiled


def _check_mode(what: str, exec_mode: str) -> None:
    if exec_mode not in _MODES:
        raise fail("E0032", f"{what}: `exec_mode={exec_mode!r}` is not supported", f"there are {', '.join(_MODES)}")


@checked
def build(
    mod: IRModule,
    target: str | dict[str, Any] | Target | None = None,
    params: dict[str, Any] | None = None,
    relax_pipeline: str | Callable[..., Any] | None = "default",
    tir_pipeline: str | Callable[..., Any] | None = "default",
    exec_mode: str = "bytecode",
    *,
    system_lib: bool | None = None,
) -> VMExecutable:
    """Compiles `mod`, by default for the host. `relax_pipeline` and `tir_pipeline` are run first; what they leave is
    compiled to bytecode. A module that bytecode cannot express, or whose functions of Python change tensors, becomes
    instructions on registers that call one kernel each: `kind` of the result says which, and a `sunmao.CompileWarning`
    why. With `exec_mode="compiled"` such a module is refused (E1020)."""
    refuse("build", params=params, system_lib=system_lib)
    _check_mode("build", exec_mode)
    for pipeline in (relax_pipeline, tir_pipeline):
        if pipeline not in ("default", None):
            run = get_pipeline(pipeline) if isinstance(pipeline, str) else pipeline
            mod = run(mod)
    functions = [e.func for e in mod.__sunmao_module__().functions if isinstance(e.func, _sunmao.Function)]
    if not any("global_symbol" in dict(f.attrs.items()) for f in functions):
        mod = _with_steps(mod, ["AttachGlobalSymbol"])
    opened = _sunmao.open_unused_host_calls(mod.__sunmao_module__())
    if not opened.same_as(mod.__sunmao_module__()):
        # Such a call is made, as upstream does.
        mod = _with_steps(IRModule(opened), ("ToNonDataflow", "RemovePurityChecking"))
    return VMExecutable(_program(mod, target, needs_bytecode=exec_mode == "compiled"))


def _program(mod: IRModule, target: Any, needs_bytecode: bool) -> Program:
    """Returns a module as bytecode, or as instructions on registers where the compiler says that it needs them."""
    built = _sunmao.build_for_vm(mod.__sunmao_module__(), _targets(target), _unroll())
    if needs_bytecode:
        built.check_is_bytecode()
    warn_all(built.notes)
    if built.compiled is None:
        return _in_steps(mod, target)
    return GraphProgram(built.compiled, lambda: _in_steps(mod, target))


def _in_steps(mod: IRModule, target: Any) -> RegisterProgram:
    """Returns the module as instructions that call a kernel for each op, without fusion."""
    lowered = _with_steps(mod, _STEPS)
    builder = ExecBuilder()
    rest = _vmcodegen(builder, lowered)
    return RegisterProgram(builder.native, _kernels(rest.__sunmao_module__(), target), lowered.__sunmao_module__())


def _with_steps(mod: IRModule, names: Sequence[str]) -> IRModule:
    found: IRModule = Sequential([getattr(transform, name)() for name in names])(mod)
    return found


def _kernels(rest: _sunmao.Module, target: Any) -> _sunmao.Compiled | None:
    return _compile_kernels(_sunmao.with_kernel_entries(rest), target) if rest.functions else None


def _rest_of(module: _sunmao.Module) -> _sunmao.Module:
    """Returns the module without its graph-level functions."""
    for entry in module.functions:
        if isinstance(entry.func, _sunmao.Function):
            module = module.without_function(entry.var.name)
    return module


def _module_of(mod: Any) -> IRModule:
    return mod if isinstance(mod, IRModule) else IRModule.from_expr(mod)


@checked
def build_kernels(
    mod: IRModule | _sunmao.BaseFunc, target: str | dict[str, Any] | Target | None = None, pipeline: Any = None
) -> KernelModule:
    """Compiles the loop-level functions of a module, which are called on tensors that they fill."""
    refuse("build", pipeline=None if pipeline == "default" else pipeline)
    native = _module_of(mod).__sunmao_module__()
    graph = [e.var.name for e in native.functions if not isinstance(e.func, _sunmao.PrimFunc)]
    if graph:
        raise fail("E0032", f"building `{graph[0]}`, which is not of the loop level, is not supported", "relax.build")
    return KernelModule(_compile_kernels(_sunmao.with_kernel_entries(native), target))


@checked
def compile(
    mod: IRModule | _sunmao.BaseFunc, target: str | dict[str, Any] | Target | None = None, **options: Any
) -> Executable:
    """Compiles a module: a program for a VirtualMachine, or a library of its loop-level functions if it has only
    those."""
    module = _module_of(mod)
    functions = module.__sunmao_module__().functions
    if functions and all(isinstance(e.func, _sunmao.PrimFunc) for e in functions):
        pipelines = {name: options.pop(name, None) for name in ("relax_pipeline", "tir_pipeline")}
        refuse("compile", **{k: None if v == "default" else v for k, v in pipelines.items()}, **options)
        return Executable(build_kernels(module, target))
    return build(module, target, **options)


@checked
def _vmcodegen(builder: ExecBuilder, mod: IRModule, exec_mode: str = "bytecode") -> IRModule:
    """Adds the graph-level functions of a lowered module to the builder as instructions, and returns the rest of it.
    With `exec_mode="compiled"` it has functions `__vmtir__…` beside it, which say in loops what the instructions do."""
    _check_mode("_vmcodegen", exec_mode)
    native = mod.__sunmao_module__()
    builder.native.add_functions(native)
    builder.source = native
    rest = _rest_of(native)
    if exec_mode == "bytecode":
        return IRModule(rest)
    shown = builder.native.with_loop_forms(native)
    builder.loop_forms = {e.var.name for e in shown.functions} - {e.var.name for e in rest.functions}
    return IRModule(shown)


@checked
def _vmlink(
    builder: ExecBuilder, target: str | dict[str, Any] | Target | None = None, tir_mod: IRModule | None = None
) -> VMExecutable:
    """Returns the builder's program with the loop-level functions of `tir_mod`, compiled. The instructions run in both
    modes."""
    if tir_mod is not None:
        rest = tir_mod.__sunmao_module__()
        for name in builder.loop_forms:
            rest = rest.without_function(name)
        builder.kernels = _kernels(rest, target)
    return builder.get()


__getattr__ = attribute_of(__name__)
