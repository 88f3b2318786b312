"""Models that call functions of the program that runs them, and whose callers pass and get shapes and numbers:
artifacts give what the evaluator gives, and say what is wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao

X = np.array([3, -1, 4, -2], "float32")

SIZES = """
@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 4), "float32"), s: R.Shape(["n", "m"]), k: R.Prim(value="k")
    ) -> R.Tuple(R.Tensor(("n", "m"), "float32"), R.Tuple(R.Shape(["m", "n + k"]), R.Prim(value="n * m"))):
        n = T.int64()
        m = T.int64()
        k = T.int64()
        y = R.sum(x, axis=[1], keepdims=True)
        z = R.broadcast_to(y, R.shape([n, m]))
        return (z, (R.shape([m, n + k]), R.prim_value(n * m)))
    @R.function
    def open(s: R.Shape(ndim=2)) -> R.Tensor(ndim=2, dtype="float32"):
        z = R.zeros(s, "float32")
        return z
    @R.function(private=True)
    def half(s: R.Shape(["a", "b"])) -> R.Shape(["a // 2", "b // 2"]):
        a = T.int64()
        b = T.int64()
        return R.shape([a // 2, b // 2])
    @R.function
    def calls(s: R.Shape(["a", "b"])) -> R.Shape(["a // 2", "b // 2"]):
        t = Module.half(s)
        return t
    @R.function
    def read(x: R.Tensor((3,), "int32")) -> R.Shape(ndim=3):
        s = R.tensor_to_shape(x)
        return s
"""


def flat(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [leaf for field in value for leaf in flat(field)]
    return [np.asarray(value)]


@pytest.mark.parametrize(
    ("function", "args"),
    [
        ("main", [np.ones((3, 4), "float32"), [3, 2], 5]),
        ("main", [np.ones((3, 4), "float32"), [3, 2], 0]),
        ("open", [[2, 3]]),
        ("open", [[0, 3]]),
        ("calls", [[7, 8]]),
        ("read", [np.array([4, 0, 7], "int32")]),
    ],
)
@pytest.mark.parametrize("opt_level", [0, 3])
def test_callers_pass_and_get_sizes(function: str, args: list[Any], opt_level: int) -> None:
    module = sunmao.parse_module(SIZES)
    got = sunmao.compile(module, opt_level=opt_level)[function](*args)
    wanted = flat(sunmao.evaluate(module, *args, function=function))
    for one, other in zip(flat(got), wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("function", "args", "code", "words"),
    [
        ("main", [np.ones((3, 4), "float32"), [2, 2], 5], "E0905", "input `s` has 2 on axis 0, expected `n` = 3"),
        ("open", [[2, -3]], "E0911", "input `s` holds the size -3"),
        ("open", [[2, 3, 4]], "E0904", "input `s` holds 3 sizes, expected 2"),
        ("open", [np.ones((2,), "float32")], "E0903", "input `s` is float32, expected int64"),
        ("read", [np.array([4, -1, 7], "int32")], "E0911", "-1"),
    ],
)
def test_sizes_that_do_not_fit(function: str, args: list[Any], code: str, words: str) -> None:
    with pytest.raises(sunmao.Error, match=words) as caught:
        sunmao.compile(sunmao.parse_module(SIZES))[function](*args)
    assert caught.value.code == code


HOST = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), "float32"), s: R.Shape(["n", "m"])):
        n = T.int64()
        m = T.int64()
        y = R.add(x, x)
        z = R.call_packed(
            "scale", y, (R.shape([n, m]), n + 1, (y,)), R.str('of "2"'), R.prim_value(2.5), R.prim_value(-3),
            sinfo_args=R.Tensor((n, 4), "float32"),
        )
        w = R.call_pure_packed("parts", z, sinfo_args=R.Tuple(R.Tensor((n, 4), "float32"), R.Shape([2, 3])))
        u = R.call_dps_packed("fill", (z,), out_sinfo=R.Tensor((n, 2), "float32"))
        q = w[0]
        r = R.add(q, R.const(1.0, "float32"))
        return (r, u)
    @R.function(pure=False)
    def open(x: R.Tensor((4,), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        z = R.call_packed("positive", x, sinfo_args=R.Tensor(ndim=1, dtype="float32"))
        w = R.multiply(z, z)
        return w
    @R.function(pure=False)
    def counted(x: R.Tensor((4,), "float32")) -> R.Tensor(ndim=2, dtype="float32"):
        n = T.int64()
        told = R.call_packed("rows", x, sinfo_args=R.Prim("int64"))
        rows = R.match_cast(told, R.Prim(value=n))
        z = R.full(R.shape([n, n + 1]), R.const(2.0, "float32"), "float32")
        return z
    @R.function(pure=False)
    def last(x: R.Tensor((4,), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        z = R.call_packed("positive", x, sinfo_args=R.Tensor(ndim=1, dtype="float32"))
        return z
    @R.function(pure=False)
    def loop(i: R.Tensor((), "int64"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        c = R.less(i, R.const(3, "int64"))
        if c:
            j = R.add(i, R.const(1, "int64"))
            y = R.call_packed("increase", x, sinfo_args=R.Tensor((4,), "float32"))
            _ = R.call_packed("note", j)
            out = Module.loop(j, y)
        else:
            out = x
        return out
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> sunmao.Model:
    path = tmp_path_factory.mktemp("host") / "host.sunmao"
    sunmao.compile(sunmao.parse_module(HOST)).save(path)
    return sunmao.load(path)


def test_functions_are_listed(model: sunmao.Model) -> None:
    assert model.host_functions == ["scale", "parts", "fill", "positive", "rows", "increase", "note"]


def test_arguments_and_results_of_every_kind(model: sunmao.Model) -> None:
    seen: list[Any] = []

    def scale(*args: Any) -> Any:
        seen.extend(args)
        return args[0] * 2

    def fill(z: Any, out: Any) -> None:
        out[:] = z[:, :2]

    model.register_function("scale", scale)
    model.register_function("parts", lambda z: (z + 1, (2, 3)))
    model.register_function("fill", fill)
    r, u = model["main"](np.ones((3, 4), "float32"), [3, 7])
    np.testing.assert_array_equal(r, np.full((3, 4), 6, "float32"))
    np.testing.assert_array_equal(u, np.full((3, 2), 4, "float32"))
    y, (shape, size, (again,)), text, factor, count = seen
    np.testing.assert_array_equal(y, np.full((3, 4), 2, "float32"))
    np.testing.assert_array_equal(again, y)
    assert (shape, size, text, factor, count) == ((3, 7), 4, 'of "2"', 2.5, -3)


@pytest.mark.parametrize("x", [X, -X, np.zeros(4, "float32")])
def test_results_are_as_large_as_the_function_makes_them(model: sunmao.Model, x: Any) -> None:
    model.register_function("positive", lambda x: x[x > 0])
    np.testing.assert_array_equal(model["open"](x), x[x > 0] ** 2)
    np.testing.assert_array_equal(model["last"](x), x[x > 0])


def test_a_number_of_a_function_is_a_size(model: sunmao.Model) -> None:
    x = np.ones(4, "float32")
    for rows in (3, 0, 5):
        model.register_function("rows", lambda x, rows=rows: rows)
        np.testing.assert_array_equal(model["counted"](x), np.full((rows, rows + 1), 2, "float32"))
    model.register_function("rows", lambda x: -2)
    with pytest.raises(sunmao.Error, match="data decides a size, and it is -2") as caught:
        model["counted"](x)
    assert caught.value.code == "E0911"


NUMBERS = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def told(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        m = R.call_packed("rows", x, sinfo_args=R.Prim("int64"))
        _ = R.match_cast(m, R.Prim(value=n + 1))
        return x
    @R.function
    def given(x: R.Tensor(("n",), "float32"), m: R.Prim("int64")):
        n = T.int64()
        k = T.int64()
        a = R.match_cast(m, R.Prim(value=k))
        b = R.match_cast(m, R.Prim(value=n))
        z = R.zeros(R.shape([k]), "float32")
        return z
    @R.function(pure=False)
    def both(x: R.Tensor(("n",), "float32")):
        a = T.int64()
        b = T.int64()
        told = R.call_packed("sizes", x, sinfo_args=R.Tuple(R.Prim("int64"), R.Prim("int64")))
        _ = R.match_cast(told, R.Tuple(R.Prim(value=a), R.Prim(value=b)))
        z = R.zeros(R.shape([a, b]), "float32")
        return z
"""


def test_numbers_are_checked_where_nothing_uses_them() -> None:
    model = sunmao.compile(sunmao.parse_module(NUMBERS))
    x = np.ones(3, "float32")
    model.register_function("rows", lambda x: 4)
    model.register_function("sizes", lambda x: (2, 5))
    np.testing.assert_array_equal(model["told"](x), x)
    assert model["given"](x, 3).shape == (3,)
    assert model["both"](x).shape == (2, 5)
    model.register_function("rows", lambda x: 3)
    for call in (lambda: model["told"](x), lambda: model["given"](x, 4)):
        with pytest.raises(sunmao.Error) as caught:
            call()
        assert caught.value.code == "E0905"


def test_loops_call_functions_in_order(model: sunmao.Model) -> None:
    seen: list[int] = []
    model.register_function("increase", lambda x: x + 1)
    model.register_function("note", lambda i: seen.append(int(i)))
    np.testing.assert_array_equal(model["loop"](0, X), X + 3)
    assert seen == [1, 2, 3]


def test_what_a_function_keeps_stays(model: sunmao.Model) -> None:
    kept: list[Any] = []

    def increase(x: Any) -> Any:
        kept.append(x)
        return x + 1

    model.register_function("increase", increase)
    model.register_function("note", lambda i: None)
    model["loop"](0, X)
    for i, x in enumerate(kept):
        np.testing.assert_array_equal(x, X + i)


def test_a_function_may_run_its_model(model: sunmao.Model) -> None:
    model.register_function("positive", lambda x: x[x > 0])
    model.register_function("increase", lambda x: x + float(model["last"](x).shape[0]))
    model.register_function("note", lambda i: None)
    np.testing.assert_array_equal(model["loop"](2, X), X + 2)


def raises(_: Any) -> Any:
    raise KeyError("no such row")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: x[None], "result 0 of the host's function `positive` has rank 2, expected 1"),
        (lambda x: x.astype("int8"), "result 0 of the host's function `positive` is int8, expected float32"),
        (lambda x: None, "the host's function `positive` failed: it gave a nothing, expected a tensor"),
        (lambda x: object(), "a object is no value of a program"),
    ],
)
def test_results_that_do_not_fit(model: sunmao.Model, function: Callable[[Any], Any], words: str) -> None:
    model.register_function("positive", function)
    with pytest.raises(sunmao.Error, match=words) as caught:
        model["last"](X)
    assert caught.value.code == "E0923"


STATED = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def host(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        z = R.call_packed("sizes", x, sinfo_args=R.Shape([n]))
        return (z, R.shape([n]))
    @R.function
    def own(s: R.Shape(["m"]), p: R.Prim(value="p")) -> R.Shape(["m"]):
        m = T.int64()
        p = T.int64()
        return R.shape([m + p])
    @R.function
    def beside(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32"), s: R.Shape(["a", "b"])):
        a = T.int64()
        b = T.int64()
        if c:
            u = R.unique(x)
            t = (u, s)
        else:
            t = (x, R.shape([b, a]))
        q = t[1]
        return q
    @R.function(pure=False)
    def together(x: R.Tensor((4,), "float32")):
        t = R.call_packed("two", x, sinfo_args=R.Tuple(R.Tensor(ndim=1, dtype="float32"), R.Shape(ndim=2)))
        b = t[1]
        return R.shape_to_tensor(b)
"""


def test_stated_sizes_of_results_hold() -> None:
    model = sunmao.compile(sunmao.parse_module(STATED))
    model.register_function("sizes", lambda x: (2,))
    assert [a.tolist() for a in model["host"](X[:2])] == [[2], [2]]
    model.register_function("sizes", lambda x: (99,))
    with pytest.raises(sunmao.Error, match="size 0 of a result of a call is 99, expected 2") as caught:
        model["host"](X[:2])
    assert caught.value.code == "E0905"
    assert model["own"]([2], 0).tolist() == [2]
    with pytest.raises(sunmao.Error, match="the result of `own`: `m [+] p` must be `m`, got 5 and 2"):
        model["own"]([2], 3)


def test_shapes_beside_tensors_whose_size_data_decides() -> None:
    model = sunmao.compile(sunmao.parse_module(STATED))
    assert model["beside"](True, X, [4, 5]).tolist() == [4, 5]
    assert model["beside"](False, X, [4, 5]).tolist() == [5, 4]
    model.register_function("two", lambda x: (x[x > 0], (5, 6)))
    assert model["together"](X).tolist() == [5, 6]
    model.register_function("two", lambda x: (x[x > 0], (5, -6)))
    with pytest.raises(sunmao.Error, match="data decides a size, and it is -6"):
        model["together"](X)
    model.register_function("two", lambda x: (x[x > 0], (5, 6, 7)))
    with pytest.raises(sunmao.Error, match="data decides more or fewer sizes"):
        model["together"](X)


def test_a_function_that_goes_may_register_another() -> None:
    model = sunmao.compile(sunmao.parse_module(STATED))

    class Chained:
        def __call__(self, x: Any) -> Any:
            return (2,)

        def __del__(self) -> None:
            model.register_function("two", print)

    model.register_function("sizes", Chained())
    model.register_function("sizes", lambda x: (2,))
    assert model["host"](X[:2])[0].tolist() == [2]


OBJECTS = """
@I.ir_module
class Module:
    @R.function(private=True)
    def scaled(x: R.Tensor((4,), "float32"), by: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.multiply(x, by)
        return y
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32"), held: R.Any, k: R.Prim("int64")):
        f = R.make_closure(Module.scaled, (x,))
        y = R.invoke_pure_closure(f, (x,), sinfo_args=R.Tensor((4,), "float32"))
        more = R.call_packed("more", held, k, sinfo_args=R.Any)
        _ = R.print(more, y, format="{} and {}")
        return (y, more)
"""


def test_objects_and_closures(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sunmao.compile(sunmao.parse_module(OBJECTS)).save(tmp_path / "objects.sunmao")
    model = sunmao.load(tmp_path / "objects.sunmao")
    model.register_function("more", lambda held, k: [*held, k])
    y, more = model(X, ["first"], 5)
    np.testing.assert_array_equal(y, X * X)
    assert more == ["first", 5]
    assert capfd.readouterr().out == "(first, 5) and [9, 1, 16, 4]\n"


def test_exceptions_come_through(model: sunmao.Model) -> None:
    model.register_function("positive", raises)
    with pytest.raises(KeyError, match="no such row"):
        model["open"](X)
    model.register_function("positive", lambda x: x[x > 0])
    assert model["open"](X).shape == (2,)


def test_functions_that_are_missing(tmp_path: Path) -> None:
    made = sunmao.compile(sunmao.parse_module(HOST))
    with pytest.raises(sunmao.Error, match="nobody has given it to the model") as caught:
        made["last"](X)
    assert caught.value.code == "E0923"
    with pytest.raises(sunmao.Error, match="the model calls no function `other` of the host") as caught:
        made.register_function("other", print)
    assert caught.value.code == "E0901"
    with pytest.raises(sunmao.Error, match="a int is no function"):
        made.register_function("note", 3)  # type: ignore[arg-type]
