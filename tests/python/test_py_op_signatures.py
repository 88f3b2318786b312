"""Python functions of ops document their arguments: signatures and docstrings are derived from the op records."""

import inspect

import pytest
from sunmao import _sunmao
from sunmao.compat.relax import op as ops
from sunmao.compat.relax.op.builder import OpFunction, find

FUNCTIONS = [found for name in _sunmao.op_names() if isinstance(found := find(name), OpFunction)]


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (ops.nn.softmax, "(data, axis=-1)"),
        (ops.add, "(x1, x2)"),
        (ops.einsum, "(operands, subscripts)"),
        (ops.nn.leakyrelu, "(data, alpha=0.01)"),
        (ops.sum, "(x, axis=None, keepdims=False)"),
    ],
)
def test_signatures(function: OpFunction, signature: str) -> None:
    assert str(inspect.signature(function)) == signature


def test_a_required_parameter_behind_an_optional_one_is_by_name() -> None:
    parameters = inspect.signature(find("call_tir_inplace") or ops.add).parameters
    assert parameters["inplace_indices"].kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_every_op_has_a_signature_and_a_docstring(function: OpFunction) -> None:
    names = [p["name"] for p in function.__sunmao_value__().params]
    assert list(inspect.signature(function).parameters) == names
    assert function.__doc__
    assert all(f"\n{name}: " in function.__doc__ for name in names)
