"""Makes modules that hold one function with one dataflow block."""

from collections.abc import Sequence

import sunmao

HEAD = """
from tvm.script import ir as I, relax as R, tirx as T


@I.ir_module
class Module:
    @R.function
    def main({params}):
"""


def module_of(
    params: Sequence[str], lines: Sequence[str], symbols: Sequence[str] = (), inputs: int = -1
) -> sunmao.Module:
    """Makes a module from `lines`, which bind the result `y`; `symbols` are the symbols that they use.

    The parameters from `inputs` on are weights.
    """
    text = HEAD.format(params=", ".join(params))
    if inputs >= 0:
        text += f'        R.func_attr({{"num_input": {inputs}}})\n'
    text += "".join(f"        {s} = T.int64()\n" for s in symbols)
    text += "        with R.dataflow():\n"
    text += "".join(f"            {line}\n" for line in [*lines, "R.output(y)"])
    return sunmao.parse_module(text + "        return y\n")
