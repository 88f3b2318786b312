"""Partitioning for libraries: which matrix products they take."""

from collections.abc import Callable

import pytest
import sunmao
from sunmao.compat.ir.module import IRModule
from sunmao.compat.relax.analysis import well_formed
from sunmao.compat.relax.backend.cuda.cublas import partition_for_cublas
from sunmao.compat.relax.backend.cuda.cutlass import partition_for_cutlass

HEAD = """
from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @R.function
    def main({params}):
        with R.dataflow():
{lines}
            R.output({out})
        return {out}
"""


def functions(partition: Callable[[IRModule], IRModule], lines: str, out: str = "z", **params: str) -> set[str]:
    """The names of what the partition makes of a function with these parameters and bindings."""
    text = HEAD.format(
        params=", ".join(f"{name}: R.Tensor({type})" for name, type in params.items()),
        lines="\n".join(f"            {line.strip()}" for line in lines.split(";")),
        out=out,
    )
    module = partition(IRModule(sunmao.parse_module(text)))
    well_formed(module)
    return {var.name for var, _ in module.functions_items()} - {"main"}


X, W, B = '(3, 8), "float32"', '(8, 6), "float32"', '(6,), "float32"'
PRODUCT = "z = R.matmul(x, w)"
LONGEST = "t = R.permute_dims(w); y = R.matmul(x, t); u = R.add(y, b); z = R.nn.gelu(u)"


def test_the_longest_match_is_taken() -> None:
    name = "fused_relax_permute_dims_relax_matmul_relax_add_relax_nn_gelu"
    for partition, library in ((partition_for_cublas, "cublas"), (partition_for_cutlass, "cutlass")):
        assert functions(partition, LONGEST, x=X, w='(6, 8), "float32"', b=B) == {f"{name}_{library}"}


TAKEN = {
    "batches on both sides": ('(2, 3, 8), "float16"', '(2, 8, 6), "float16"'),
    "one matrix on the right": ('(2, 3, 8), "float32"', W),
    "symbolic rows": ('("n", 8), "float32"', W),
    "int8 in fours": ('(4, 8), "int8"', '(8, 4), "int8"'),
}


@pytest.mark.parametrize("name", TAKEN)
def test_products_that_are_taken(name: str) -> None:
    x, w = TAKEN[name]
    assert functions(partition_for_cublas, PRODUCT, x=x, w=w) == {"fused_relax_matmul_cublas"}
    assert functions(partition_for_cutlass, PRODUCT, x=x, w=w) == {"fused_relax_matmul_cutlass"}


LEFT = {
    "float64": ('(3, 8), "float64"', '(8, 6), "float64"'),
    "unlike batches": ('(2, 1, 3, 8), "float32"', '(2, 5, 8, 6), "float32"'),
    "a symbolic inner size": ('(3, "k"), "float32"', '("k", 6), "float32"'),
    "unknown shapes": ('ndim=2, dtype="float32"', W),
}


@pytest.mark.parametrize("name", LEFT)
def test_products_that_are_left(name: str) -> None:
    x, w = LEFT[name]
    for partition in (partition_for_cublas, partition_for_cutlass):
        assert functions(partition, PRODUCT, x=x, w=w) == set()


def test_int8_of_other_sizes_is_left() -> None:
    assert functions(partition_for_cublas, PRODUCT, x='(4, 6), "int8"', w='(6, 4), "int8"') == set()


def test_a_value_that_is_read_elsewhere_ends_a_match() -> None:
    found = functions(partition_for_cublas, "y = R.matmul(x, w); z = R.add(y, b)", "y, z", x=X, w=W, b=B)
    assert found == {"fused_relax_matmul_cublas"}


def test_a_bias_is_a_row() -> None:
    lines = "y = R.matmul(x, w); z = R.add(y, b)"
    assert functions(partition_for_cublas, lines, x=X, w=W, b=X.replace("8", "6")) == {"fused_relax_matmul_cublas"}


def test_a_residual_does_not_need_the_product() -> None:
    name = "fused_relax_matmul_relax_add_relax_add_cutlass"
    lines = "y = R.matmul(x, w); u = R.add(y, b); z = R.add(u, r)"
    assert functions(partition_for_cutlass, lines, x=X, w=W, b=B, r='(3, 6), "float32"') == {name}
    assert functions(partition_for_cutlass, lines, x=X, w=W, b=B, r='(3, 1), "float32"') == {
        "fused_relax_matmul_relax_add_cutlass"
    }
