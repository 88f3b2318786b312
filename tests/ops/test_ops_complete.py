"""Every op of the library is complete: inference, code, samples, documentation, and an error for any invalid
arguments."""

import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
import sunmao
from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.errors import Error
from test_op_refusals import REFUSALS, read_good_call

OPS = [name for name in _sunmao.op_names() if _sunmao.find_op(name)]
# Error codes that apply to every op: kinds and numbers of arguments, kinds of attributes, devices.
HOLDS_OF_EVERY_OP = ("E0201", "E0202", "E0203", "E0305", "E0317", "E0318")
MESSAGE = re.compile(r"error\[E0[23]\d\d\]: (?P<op>[\w.]+): ")

SEVERAL_WORKERS = "work of several processes, of which there is one"
CALLS = "its callee is a kernel or the host's: passes turn it into memory and calls"
MARK = "a request that a pass carries out or takes away"
WITHOUT_CODE = {
    **dict.fromkeys([name for name in OPS if name.startswith("ccl.")], SEVERAL_WORKERS),
    "dist.redistribute": SEVERAL_WORKERS,
    "dist.redistribute_replica_to_shard": SEVERAL_WORKERS,
    "dist.annotate_sharding": MARK,
    "to_vdevice": MARK,
    "hint_on_device": MARK,
    "dist.call_tir_local_view": CALLS,
    **dict.fromkeys(["call_tir", "call_tir_inplace", "call_tir_with_grad"], CALLS),
    **dict.fromkeys(["call_dps_packed", "call_pure_packed", "call_inplace_packed", "call_py_func"], CALLS),
}

NO_TENSOR = "what it takes or gives is no tensor, or it computes nothing"
WITHOUT_SAMPLES = {
    **dict.fromkeys([name for name in OPS if name.split(".")[0] in ("ccl", "dist")], SEVERAL_WORKERS),
    **dict.fromkeys([name for name in OPS if name.startswith(("call_", "invoke_"))], CALLS),
    **dict.fromkeys(["make_closure", "vm.call_tir_dyn"], CALLS),
    **dict.fromkeys(["null_value", "print", "assert_op", "builtin.alloc_tensor"], NO_TENSOR),
    **dict.fromkeys(["memory.alloc_storage", "memory.alloc_tensor", "memory.ensure_zero_offset"], NO_TENSOR),
    **dict.fromkeys(["memory.kill_storage", "memory.kill_tensor"], NO_TENSOR),
    **dict.fromkeys(["vm.alloc_storage", "vm.alloc_tensor", "vm.kill_object"], NO_TENSOR),
}


def record(name: str) -> _sunmao.Op:
    found = _sunmao.find_op(name)
    assert found is not None
    return found


def labels(name: str) -> list[str]:
    return [c.split(":")[0] for c in record(name).constraints]


def test_every_op_becomes_code_or_says_why_not() -> None:
    def has_code(op: _sunmao.Op) -> bool:
        return op.lowers or op.decomposes or op.names_sizes or op.runs_on_vm

    assert {name for name in OPS if not has_code(record(name))} == set(WITHOUT_CODE)


def test_every_op_has_samples_or_says_why_not() -> None:
    assert set(OPS) - set(_sunmao.sampled_ops()) == set(WITHOUT_SAMPLES)


@pytest.mark.parametrize("name", OPS)
def test_every_op_has_words(name: str) -> None:
    op = record(name)
    assert op.summary
    assert all(p["doc"] for p in op.params)
    assert labels(name) == [f"C{i + 1}" for i in range(len(op.constraints))]
    assert all(re.fullmatch(r"C\d+: \S.*[^.]", c) for c in op.constraints)
    assert set(re.findall(r"\bC\d+", " ".join(p["doc"] for p in op.params))) <= set(labels(name))


def test_every_constraint_has_a_refusal() -> None:
    broken = {(r.op, r.label) for table in REFUSALS.values() for r in table}
    assert [(name, label) for name in OPS for label in labels(name) if (name, label) not in broken] == []


def tensor(*shape: int | str, dtype: str = "float32") -> _sunmao.Var:
    symbols = {s: make.sym_var(s, "int64") for s in shape if isinstance(s, str)}
    dims = [symbols[d] if isinstance(d, str) else make.int_imm("int64", d) for d in shape]
    return make.var("x", make.tensor_type(make.shape(dims), dtype, len(shape), None))


def unknown(dtype: str, rank: int = -1) -> _sunmao.Var:
    return make.var("u", make.tensor_type(None, dtype, rank, None))


def number(value: float) -> _sunmao.Expr:
    whole = isinstance(value, int)
    return make.prim_value(make.int_imm("int64", int(value)) if whole else make.float_imm("float64", value))


ARGUMENTS: dict[str, _sunmao.Expr] = {
    "a tensor of unknown rank": unknown("float32"),
    "a tensor of unknown dtype": unknown(""),
    "a tensor of unknown shape": unknown("float32", 2),
    "a tensor of rank 0": tensor(),
    "a vector": tensor(3),
    "an empty tensor": tensor(0, 3),
    "a tensor of symbolic shape": tensor("n", "n"),
    "a tensor of integers": tensor(2, 3, dtype="int64"),
    "a tensor of truths": tensor(2, 3, dtype="bool"),
    "a tensor of rank 5": tensor(1, 2, 3, 4, 5),
    "a tuple": make.var("t", make.tuple_type([make.any_type()])),
    "a tuple of a tensor": make.tuple([tensor(2, 3)]),
    "an empty tuple": make.tuple([]),
    "a nested tuple": make.tuple([make.tuple([])]),
    "a shape": make.shape([make.int_imm("int64", 2)]),
    "a negative shape": make.shape([make.int_imm("int64", -2)]),
    "a symbolic shape": make.shape([make.sym_var("m", "int64")]),
    "an unknown shape": make.var("s", make.unknown_shape_type(-1)),
    "one": number(1),
    "a negative number": number(-1),
    "a fraction": number(0.5),
    "a scalar": make.var("p", make.prim_type("int64")),
    "a text": make.string("x"),
    "a dtype": make.dtype("int8"),
    "anything": make.var("o", make.any_type()),
    "a function": make.extern("f"),
}
ATTRIBUTES: list[Any] = [
    None, True, -1, 0, 7, 10**12, -(10**12), 1.5, math.nan, "", "x", "float32", "NCHW", [], [0], [-1], [1, 2, 3],
    ["a"], [None], {},
]  # fmt: skip


def any_call(op: _sunmao.Op) -> _sunmao.Call:
    """Returns a call of an op that accepts nearly anything."""
    for argument in ARGUMENTS.values():
        try:
            return make.call(op, [argument] * op.num_inputs, {}, [])
        except Error:
            continue
    raise AssertionError(f"no call of {op.name} is known: give it a refusal, a constraint or samples")


def good_calls(name: str) -> Iterator[_sunmao.Call]:
    """Yields valid calls of an op: corrected forms of its invalid calls, or samples."""
    seen: set[str] = set()
    for refusal in (r for table in REFUSALS.values() for r in table if r.op == name):
        call = read_good_call(refusal)
        if call is not None and str(call) not in seen:
            seen.add(str(call))
            yield call
    if name in _sunmao.sampled_ops():
        yield _sunmao.sample_op(name, 1)[0]
    elif not seen:
        yield any_call(record(name))


def variants(call: _sunmao.Call) -> Iterator[tuple[str, list[_sunmao.Expr], dict[str, Any]]]:
    """Yields the call with one argument or attribute replaced, with an extra argument, and with too few."""
    args = [make.prim_value(a) if isinstance(a, _sunmao.Scalar) else a for a in call.args]
    attrs = dict(call.attrs)
    for what, value in ARGUMENTS.items():
        for i in range(len(args)):
            yield f"argument {i} is {what}", [*args[:i], value, *args[i + 1 :]], attrs
        yield f"all arguments are {what}", [value] * len(args), attrs
    for i in range(len(args)):
        yield f"{i} arguments", args[:i], attrs
    yield "one argument more", [*args, tensor(2)], attrs
    for attr in attrs:
        for value in ATTRIBUTES:
            yield f"{attr} is {value!r}", args, {**attrs, attr: value}


def free_vars(args: list[_sunmao.Expr]) -> list[_sunmao.Var]:
    found: list[_sunmao.Var] = []
    for a in args:
        inner = free_vars(list(a.fields)) if isinstance(a, _sunmao.Tuple) else [a] if isinstance(a, _sunmao.Var) else []
        found += [v for v in inner if v not in found]
    return found


def typed(op: _sunmao.Op, args: list[_sunmao.Expr], attrs: dict[str, Any], call: _sunmao.Call) -> _sunmao.Call | None:
    """Returns the call, or None when inference rejects it with an error that names the op."""
    try:
        made = make.call(op, args, attrs, list(call.type_args))
    except Error as error:
        said = MESSAGE.match(str(error))
        assert said, str(error)
        assert op.name.removeprefix("relax.") == said["op"]
        assert op.constraints or error.code in HOLDS_OF_EVERY_OP, f"no constraint says so: {error}"
        return None
    assert made.type is not None
    return made


def lower(call: _sunmao.Call) -> None:
    """Lowers a call to loops; insufficiently known arguments must give an error with a code."""
    result = make.var("y", None)
    body = make.sequence([make.block([make.binding(result, call, None)])], result)
    module = sunmao.parse_module("@I.ir_module\nclass Module:\n    pass\n")
    module = module.with_function("main", make.function(free_vars(list(call.args)), body, None, True, {}))
    try:
        sunmao.run_pass(sunmao.run_pass(module, "normalize"), "legalize-ops")
    except Error as error:
        assert error.code.startswith(("E02", "E03"))


@pytest.mark.parametrize("name", OPS)
def test_whatever_an_op_is_given_it_gets_a_type_or_a_coded_error(name: str) -> None:
    op = record(name)
    for count, call in enumerate(good_calls(name)):
        for what, args, attrs in variants(call):
            try:
                made = typed(op, args, attrs, call)
                if made is not None and count == 0 and op.is_pure:
                    lower(made)
            except Exception as error:
                raise AssertionError(f"{name} where {what}: {error}") from error
