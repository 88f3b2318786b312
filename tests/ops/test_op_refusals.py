"""Every constraint of every op is violated by a call of tests/ops, whose corrected form is accepted."""

import re
from pathlib import Path

import pytest
import sunmao
from op_tables import FAMILIES, Refusal
from sunmao import _sunmao
from sunmao.errors import Error

CHOICE = re.compile(r"\{(.*?) -> (.*?)\}")
MODULE = """
@I.ir_module
class Module:
    I.module_global_infos({{"vdevice": [I.vdevice({{"kind": "llvm"}}, 0, "global"), I.vdevice("cuda")]}})

    @T.prim_func
    def kernel(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.evaluate(0)

    @R.function(pure=False)
    def main({params}):
        cls = Module
        {call}
        return R.tuple()
"""


def parameters(refusal: Refusal, args: str) -> dict[str, str]:
    bare = re.sub(r'"[^"]*"', "", args)
    return {name: t for name, t in refusal.types.items() if re.search(rf"(?<![\w.]){name}(?![\w=])", bare)}


def parse(refusal: Refusal, side: int) -> _sunmao.Module:
    """Parses the module with the bad (1) or the good (2) side of each choice."""
    args = CHOICE.sub(lambda m: m[side], refusal.args)
    params = ", ".join(f"{name}: {t}" for name, t in parameters(refusal, args).items())
    return sunmao.parse_module(MODULE.format(params=params, call=f"_ = R.{refusal.op}({args})"))


def bad_types(refusal: Refusal) -> list[str]:
    """Returns the tensor types of the bad call, which the diagnostic must show."""
    args = CHOICE.sub(lambda m: m[1], refusal.args)
    return [t.removeprefix("R.") for t in parameters(refusal, args).values() if t.startswith("R.Tensor")]


def read_good_call(refusal: Refusal) -> _sunmao.Call | None:
    """Returns the corrected call as a node."""
    main = parse(refusal, 2).find("main")
    assert isinstance(main, _sunmao.Function)
    assert isinstance(main.body, _sunmao.SeqExpr)
    values = [binding.value for block in main.body.blocks for binding in block.bindings]
    calls = [v for v in values if isinstance(v, _sunmao.Call) and isinstance(v.callee, _sunmao.Op)]
    return next((c for c in calls if c.callee.name.removeprefix("relax.") == refusal.op), None)


REFUSALS = {family: table.refusals for family, table in FAMILIES.items()}


def constraints() -> set[tuple[str, str]]:
    found = ((name, _sunmao.find_op(name)) for name in _sunmao.op_names())
    return {(name, c.split(":")[0]) for name, op in found if op for c in op.constraints}


def test_every_constraint_has_a_refusal_and_every_refusal_a_constraint() -> None:
    lines = {(r.op, r.label) for table in REFUSALS.values() for r in table}
    assert sorted(constraints() - lines) == []
    assert sorted(lines - constraints()) == []


def test_a_table_is_named_after_the_file_of_its_records() -> None:
    records = Path(__file__).parents[2] / "src" / "ops"
    for family, table in FAMILIES.items():
        text = (records / f"{family}.cpp").read_text()
        assert "(OpTable& ops) {" in text, family
        assert table.meanings or table.refusals, family


@pytest.mark.parametrize("family", REFUSALS)
def test_refusals(family: str) -> None:
    wrong = [complaint for refusal in REFUSALS[family] for complaint in complaints(refusal)]
    assert not wrong, "\n".join(wrong)


def complaints(refusal: Refusal) -> list[str]:
    """Returns what an invalid call's diagnostic lacks; ideally nothing."""
    where = f"{refusal.op} {refusal.label} | {refusal.args}"
    found = []
    if not CHOICE.search(refusal.args):
        found.append(f"{where}: nothing shows what would be right")
    try:
        parse(refusal, 2)
    except Error as error:
        found.append(f"{where}: the good call is refused: {error}")
    try:
        text = parse(refusal, 1).script()
    except Error as error:
        expected = [f"error[{refusal.code}]: {refusal.op}: ", refusal.words, *bad_types(refusal)]
        found += [f"{where}: `{words}` is not in\n{error}" for words in expected if words not in str(error)]
    else:
        found.append(f"{where}: the bad call is taken:\n{text}")
    return found


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("R.sqrt((x,))", "error[E0201]: sqrt: `x` must be a tensor, got Tuple"),
        ("R.concat(R.shape([1]))", "error[E0201]: concat: `tensors` must be a tuple, got Shape((1,))"),
        ("R.zeros(x, 'int8')", "error[E0201]: zeros: `shape` must be a shape, got Tensor"),
        ("R.zeros([3, -1], 'int8')", "error[E0203]: zeros: a dimension of `shape` cannot be -1"),
        ("R.nn.softmax(x, axis='a')", "error[E0203]: nn.softmax: attribute `axis` must be an integer, got a string"),
        ("R.sort(x, descending=0.5)", "error[E0203]: sort: attribute `descending` must be a bool, got a number"),
        ("R.sort(x, descending=None)", "error[E0203]: sort: attribute `descending` must be a bool, got None"),
        ("R.add(x, y)", "error[E0305]: add: operands sit on different devices: llvm:0 and cuda:0"),
    ],
)
def test_what_holds_of_every_op(expression: str, words: str) -> None:
    params = 'x: R.Tensor((2, 3), "float32", "llvm"), y: R.Tensor((2, 3), "float32", "cuda")'
    with pytest.raises(Error) as caught:
        sunmao.parse_module(MODULE.format(params=params, call=f"_ = {expression}"))
    assert words in str(caught.value)


def test_a_diagnostic_shows_all_arguments_of_an_op_that_takes_any_number() -> None:
    call = '_ = R.call_inplace_packed("f", x, y, inplace_indices=[5], ty_args=[R.Any])'
    params = 'x: R.Tensor((2, 3), "float32"), y: R.Tensor((4,), "int8")'
    with pytest.raises(Error) as caught:
        sunmao.parse_module(MODULE.format(params=params, call=call))
    assert 'Tensor((2, 3), "float32")' in str(caught.value)
    assert 'Tensor((4,), "int8")' in str(caught.value)
