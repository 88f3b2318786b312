"""Scripts given as text are data: they see only the names passed along, and no code in them is executed."""

from types import SimpleNamespace

import numpy as np
import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat import topi
from sunmao.compat.script import relax as R


def script(size: str) -> str:
    return f'@R.function\ndef main(x: R.Tensor(({size},), "float32")):\n    return x\n'


def refusal(size: str, **names: object) -> str:
    with pytest.raises(sunmao.Error) as caught:
        sunmao.parse_module(script(size), names=names)
    return f"{caught.value.code}: {caught.value.message}"


@pytest.mark.parametrize(
    "size",
    ["__import__('os').getpid()", "len('abc')", "open('x').fileno()", "eval('3')", "exit(3)", "int.from_bytes(b'a')"],
)
def test_a_text_has_no_builtins(size: str) -> None:
    assert refusal(size).startswith("E01")
    assert size.split("(")[0].split(".")[0] in refusal(size)


def test_a_module_has_none_either() -> None:
    text = "@I.ir_module\nclass M:\n    " + script("__import__('os').getpid()").replace("\n", "\n    ")
    for read in (sunmao.parse_module, tvm.script.from_source):
        with pytest.raises(Exception, match="`__import__"):
            read(text)


@pytest.mark.parametrize(
    "size",
    [
        "n.__class__.__bases__[0].__subclasses__()[0]",
        "().__class__.__bases__[0].__subclasses__()[0]",
        "f.__globals__['__builtins__']['len']('ab')",
        "m.sys.getrecursionlimit()",
        "o.n.bit_length()",
        "f(__import__('os').getpid())",
        "[n for n in f(2)][0]",
        "f(n ** n ** n)",
        "f(n << (n << 70))",
        "f([0] * 10 ** 9)",
        "'{0.__class__}'.format(n)",
        "t.format(n)",
        "t % n",
        "(lambda: 3)()",
        "f(f'{n.__class__}')",
        "(n := 4)",
        "f(**{'x': 3})",
    ],
)
def test_a_text_reaches_nothing_behind_the_names(size: str) -> None:
    names = {"n": 9, "f": lambda x: 3, "m": tvm.script.ir, "o": SimpleNamespace(n=5), "t": "{0.__class__}"}
    assert refusal(size, **names).startswith("E0")


def test_a_text_cannot_call_a_words_module() -> None:
    text = '@R.function\ndef main(x: R.Tensor((2,), "float32")):\n    return R.emit_te(T.sys.exit, x)\n'
    with pytest.raises(sunmao.Error, match="E0036.*`T` is not among the names"):
        sunmao.parse_module(text)


@pytest.mark.parametrize(
    ("size", "value"),
    [
        ("n * 2 + 1", 11),
        ("o.sizes[-1]", 7),
        ("o.sizes[f(1)]", 6),
        ("f(d['k'] // 2 if 3 < d['k'] < 9 else 1)", 2),
        ("f(n)", 5),
    ],
)
def test_a_text_computes_with_the_names(size: str, value: int) -> None:
    names = {"n": 5, "o": SimpleNamespace(sizes=[5, 6, 7]), "f": lambda x: x, "d": {"k": 4}}
    function = sunmao.parse_function(script(size), names=names)
    assert repr(function.params[0].type) == f'R.Tensor(({value},), dtype="float32")'


def test_a_text_takes_tensor_expressions_of_a_module_handed_over() -> None:
    text = '@R.function\ndef main(x: R.Tensor((4,), "float32")):\n    return R.emit_te(topi.add, x, x)\n'
    assert sunmao.parse_module(text, names={"topi": topi}).functions


def test_an_expression_of_the_program_itself_sees_its_builtins() -> None:
    sizes = [1, 2, 3]

    @R.function
    def main(x: R.Tensor((sum(sizes),), "float32")) -> R.Tensor((sum(sizes),), "float32"):
        return x

    assert repr(main.params[0].type) == 'R.Tensor((6,), dtype="float32")'


def test_shapes_and_numbers_handed_over() -> None:
    text = """
@R.function
def main(x: R.Tensor(shape, "float32")):
    y = R.reshape(x, R.shape(flat))
    return R.add(y, R.const(number, "float32"))
"""
    written = """
@R.function
def main(x: R.Tensor(("n", 4), "float32")):
    n = T.int64()
    y = R.reshape(x, R.shape([4, n]))
    return R.add(y, R.const(1.5, "float32"))
"""
    given = sunmao.parse_module(text, names={"shape": ("n", 4), "flat": [4, "n"], "number": 1.5})
    tvm.ir.assert_structural_equal(given.find("main"), sunmao.parse_module(written).find("main"))


def test_a_number_that_the_program_computes() -> None:
    value = np.float32(1.5)

    @R.function(private=True)
    def computed() -> R.Tensor((), "float32"):
        return R.const(value.item(), "float32")

    @R.function(private=True)
    def written() -> R.Tensor((), "float32"):
        return R.const(1.5, "float32")

    tvm.ir.assert_structural_equal(computed, written)
