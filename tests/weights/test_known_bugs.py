"""Known bugs of lifting: each test fails until its bug is fixed."""

import pytest
import sunmao
from sunmao import _sunmao

HEAD = "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tirx as T\n\n"

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


@pytest.mark.xfail(strict=True, reason="symbols in shape arguments of calls are not followed to the weights")
def test_a_prepared_weight_comes_from_the_weight_whose_size_it_has() -> None:
    transform = lifted(SIZE_OF_ANOTHER_WEIGHT).find("main_transform_params")
    assert isinstance(transform, _sunmao.Function)
    assert transform.attrs["sunmao.prepared_from"] == {"y": ["w", "v"]}
