"""Programs that bytecode cannot express, in a virtual machine: walked with compiled kernels."""

from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao.compat import relax, runtime, tirx
from sunmao.compat.ir import IRModule
from sunmao.compat.runtime import ShapeTuple, Tensor, registry
from sunmao.compat.script import from_source

HEAD = "from tvm.script import ir as I, relax as R, tirx as T\n"


def machine(text: str) -> relax.VirtualMachine:
    module = from_source(HEAD + text)
    if not isinstance(module, IRModule):
        module = IRModule.from_expr(module)
    return relax.VirtualMachine(relax.build(module), runtime.cpu())


def tensor(*values: float, dtype: str = "float32") -> Tensor:
    return runtime.tensor(np.array(values, dtype))
