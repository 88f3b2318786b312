"""Sunmao: compiles a deep-learning model into one small file, and runs it.

>>> import sunmao
>>> model = sunmao.compile("mlp.onnx")  # or a .pt2 file, a script
>>> y = model(x)
>>> model.save("mlp.sunmao")
>>> model = sunmao.load("mlp.sunmao")

A PyTorch module is compiled on an example, and called as it was:

>>> model = sunmao.compile(module.eval(), x, dims={"x": {0: "batch"}})
>>> y = model(x)  # torch tensors for torch tensors

What is where:

compile, load, Model    compiling, loading, running; `help(sunmao.Model)` lists what a model has
Model.profile, Profile  where the time of a run goes
Error, CompileWarning   what is wrong, with a code; what the compiler tells of a model
custom_op, CustomOp     ops that Sunmao does not know, and what computes them
set_threads             how many threads a run may use
get_include, get_cmake_dir, get_pkgconfig_dir    for C and C++ programs that embed the runtime of an installed package
parse_module, Module    modules as values: `print(module)` is a script, which `parse_module` reads
run_pass, passes        the compiler's passes, one by one
evaluate, validate      the slow reference, and passes checked against it
check, Check            the layers of a compiled model checked against a reference
relax, script, transform, ir, tirx, runtime, testing    the API of TVM Relax, for programs that read, write and rewrite
                        modules; `python -m sunmao.as_tvm program.py` runs those that import `tvm`

`python -m sunmao --help` is the command line. The docs folder begins with docs/python.md.
"""

from typing import TYPE_CHECKING, Any

from sunmao import finder as _finder

if TYPE_CHECKING:
    from sunmao._sunmao import (
        Expr,
        Function,
        Module,
        Type,
        Work,
        first_difference,
        get_threads,
        set_threads,
        structural_equal,
        structural_hash,
    )
    from sunmao.checking import Check, check
    from sunmao.compat import ir, relax, runtime, script, testing, tirx, transform
    from sunmao.compile_warnings import CompileWarning
    from sunmao.compiling import compile, load
    from sunmao.custom_ops import CustomOp, custom_op
    from sunmao.embedding import get_cmake_dir, get_include, get_pkgconfig_dir
    from sunmao.errors import Error, InternalError
    from sunmao.evaluation import PoisonedRun, evaluate, evaluate_poisoned
    from sunmao.model import Model
    from sunmao.pass_list import facts, passes, run_pass
    from sunmao.profile import Profile
    from sunmao.reading import parse_function, parse_module, read_model
    from sunmao.signature import Dim, ValueInfo
    from sunmao.validation import ValidatedPass, Validation, validate

    __version__: str

_finder.serve_named()

# Where names are from. A module is loaded when one of its names is used for the first time, so that `import sunmao`
# takes no time by itself.
_HOMES = {
    "sunmao._sunmao": "Expr Function Module Type Work first_difference get_threads set_threads structural_equal "
    "structural_hash",
    "sunmao.checking": "Check check",
    "sunmao.compile_warnings": "CompileWarning",
    "sunmao.compiling": "compile load",
    "sunmao.custom_ops": "CustomOp custom_op",
    "sunmao.embedding": "get_cmake_dir get_include get_pkgconfig_dir",
    "sunmao.errors": "Error InternalError",
    "sunmao.evaluation": "PoisonedRun evaluate evaluate_poisoned",
    "sunmao.model": "Model",
    "sunmao.pass_list": "facts passes run_pass",
    "sunmao.profile": "Profile",
    "sunmao.reading": "parse_function parse_module read_model",
    "sunmao.signature": "Dim ValueInfo",
    "sunmao.validation": "ValidatedPass Validation validate",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

# Names that are about values of the IR, to whose classes sunmao.compat adds operators and methods (`script`, `show`).
_ABOUT_VALUES = {
    *("Expr", "Function", "Module", "Type"),
    *("evaluate", "evaluate_poisoned", "parse_function", "parse_module", "read_model", "run_pass", "validate"),
    *("first_difference", "structural_equal", "structural_hash"),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in (*_finder.NAMED, "compat", "errors"):
        return import_module(f"sunmao.{name}")
    if name == "__version__":
        value = import_module("sunmao._sunmao").version()
    elif name in _HOME_OF:
        if name in _ABOUT_VALUES:
            import_module("sunmao.compat")
        value = getattr(import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module 'sunmao' has no attribute {name!r}", name=name, obj=import_module("sunmao"))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "Check",
    "CompileWarning",
    "CustomOp",
    "Dim",
    "Error",
    "Expr",
    "Function",
    "InternalError",
    "Model",
    "Module",
    "PoisonedRun",
    "Profile",
    "Type",
    "ValidatedPass",
    "Validation",
    "ValueInfo",
    "Work",
    "__version__",
    "check",
    "compile",
    "custom_op",
    "evaluate",
    "evaluate_poisoned",
    "first_difference",
    "facts",
    "get_cmake_dir",
    "get_include",
    "get_pkgconfig_dir",
    "get_threads",
    "ir",
    "load",
    "parse_function",
    "parse_module",
    "passes",
    "read_model",
    "relax",
    "run_pass",
    "runtime",
    "script",
    "set_threads",
    "structural_equal",
    "structural_hash",
    "testing",
    "tirx",
    "transform",
    "validate",
]
