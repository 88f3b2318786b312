"""Sunmao: compiles a deep-learning model into one small file, and runs it.

>>> import sunmao
>>> model = sunmao.compile("mlp.onnx")
>>> y = model(x)
>>> model.save("mlp.sunmao")
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
from sunmao.errors import Error, InternalError
from sunmao.evaluation import PoisonedRun, evaluate, evaluate_poisoned
from sunmao.model import Dim, Model, ValueInfo, compile, load
from sunmao.passes import facts, passes, run_pass
from sunmao.reading import parse_function, parse_module, read_model

__version__ = version()

import sunmao.compat as _compat  # noqa: F401  nodes have upstream's names from the start

__all__ = [
    "Dim",
    "Error",
    "Expr",
    "Function",
    "InternalError",
    "Model",
    "Module",
    "PoisonedRun",
    "Type",
    "ValueInfo",
    "Work",
    "__version__",
    "compile",
    "evaluate",
    "evaluate_poisoned",
    "first_difference",
    "facts",
    "get_threads",
    "load",
    "parse_function",
    "parse_module",
    "passes",
    "read_model",
    "run_pass",
    "set_threads",
    "structural_equal",
    "structural_hash",
]
