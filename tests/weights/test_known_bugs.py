"""Known bugs of lifting: each test fails until its bug is fixed."""

import pytest
import sunmao
from sunmao import _sunmao

HEAD = "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tirx as T\n\n"

MUTUAL_RECURSION = """
@I.ir_module
class Module:
    @R.function(private=True)
    def a(w: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        cls = Module
        if c:
            r = cls.b(w, R.const(False, "bool"))
        else:
            r = R.exp(w)
        s = R.builtin.stop_lift_params(r)
        return s

    @R.function(private=True)
    def b(w: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        cls = Module
        r = cls.a(w, c)
        return r

    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        cls = Module
        p = cls.a(w, R.const(True, "bool"))
        q = cls.b(w, R.const(True, "bool"))
        z = R.add(R.add(x, p), q)
        return z
"""

SIZE_OF_ANOTHER_WEIGHT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1,), "float32"), w: R.Tensor(("n",), "float32"), v: R.Tensor((1,), "float32")):
        R.func_attr({"num_input": 1})
        n = T.int64()
        y = R.broadcast_to(v, R.shape([n]))
        z = R.add(x, y)
        return z
"""


def lifted(text: str, **arguments: object) -> _sunmao.Module:
    return sunmao.run_pass(sunmao.parse_module(HEAD + text), "lift-transform-params", **arguments)


@pytest.mark.xfail(strict=True, reason="the search caches a function of a cycle as free of obstacles too early")
def test_an_obstacle_in_a_cycle_of_calls_holds_for_each_function_of_it() -> None:
    main = lifted(MUTUAL_RECURSION).find("main")
    assert isinstance(main, _sunmao.Function)
    assert [p.name for p in main.params] == ["x", "w"]


@pytest.mark.xfail(strict=True, reason="symbols in shape arguments of calls are not followed to the weights")
def test_a_prepared_weight_comes_from_the_weight_whose_size_it_has() -> None:
    transform = lifted(SIZE_OF_ANOTHER_WEIGHT).find("main_transform_params")
    assert isinstance(transform, _sunmao.Function)
    assert transform.attrs["sunmao.prepared_from"] == {"y": ["w", "v"]}
