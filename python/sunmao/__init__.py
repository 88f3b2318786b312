"""Sunmao: compiles a deep-learning model into one small file, and runs it.

>>> import sunmao
>>> model = sunmao.compile("mlp.onnx")
>>> y = model(x)
>>> model.save("mlp.sunmao")

Modules as programs read, write and rewrite them are in `sunmao.script`, `sunmao.relax`, `sunmao.tirx`, `sunmao.ir` and
`sunmao.transform`: the API that sunmao.compat mirrors.
"""

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
    version,
)
from sunmao.compat import finder as _finder
from sunmao.compat import ir, relax, runtime, script, testing, tirx, transform
from sunmao.errors import Error, InternalError
from sunmao.evaluation import PoisonedRun, evaluate, evaluate_poisoned
from sunmao.exported_model import ExportedModel
from sunmao.model import Model, compile, load
from sunmao.passes import facts, passes, run_pass
from sunmao.profile import Profile
from sunmao.reading import parse_function, parse_module, read_model
from sunmao.signature import Dim, ValueInfo
from sunmao.validation import ValidatedPass, Validation, validate

__version__ = version()

_finder.serve_named()

__all__ = [
    "Dim",
    "Error",
    "ExportedModel",
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
    "compile",
    "evaluate",
    "evaluate_poisoned",
    "first_difference",
    "facts",
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
