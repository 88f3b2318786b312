"""Sizes that can be compared only at run time: both engines reject those that disagree."""

import numpy as np
import pytest
import sunmao
from one_function import module_of

# Each case: the call, its parameters, sizes that agree, and sizes that do not agree.
CASES = [
    ("R.matmul(x, w)", "x: (b, k), w: (16, 32)", "2,16 16,32", "2,17 16,32"),
    ("R.matmul(x, w)", "x: (b, k), w: (16, 32)", "2,16 16,32", "2,10 16,32"),
    ("R.matmul(x, w)", "x: (a, b, k), w: (c, l, n)", "2,3,4 2,4,5", "2,3,4 3,4,5"),
    ("R.add(x, y0)", "x: (n,), y0: (m,)", "3 3", "3 4"),
    ("R.add(x, y0)", "x: (n,), y0: (m,)", "3 3", "1 4"),
    ("R.where(R.greater(x, y0), x, y0)", "x: (n,), y0: (m,)", "3 3", "4 3"),
    ("R.reshape(x, R.shape([2, 3]))", "x: (n,)", "6", "7"),
    ("R.reshape(x, R.shape([2, 3]))", "x: (n, m)", "3,2", "3,3"),
    ("R.broadcast_to(x, R.shape([2, 3]))", "x: (n,)", "3", "2"),
    ("R.broadcast_to(x, R.shape([2, 3]))", "x: (n,)", "1", "0"),
    ("R.concat((x, z), axis=1)", "x: (a, n), z: (b, m)", "2,3 2,5", "2,3 4,5"),
    ("R.stack((x, z))", "x: (n,), z: (m,)", "3 3", "3 2"),
    ("R.linear(x, w, c)", "x: (b, k), w: (n, l), c: (m,)", "2,3 4,3 4", "2,3 4,3 5"),
    ("R.nn.conv2d(x, w)", "x: (n, c, 8, 8), w: (o, d, 3, 3)", "1,2,8,8 4,2,3,3", "1,3,8,8 4,2,3,3"),
    ("R.nn.layer_norm(x, g, h, axes=[-1])", "x: (n, c), g: (d,), h: (e,)", "2,5 5 5", "2,5 4 5"),
    (
        "R.nn.attention(q, k, v)",
        "q: (b, s, 2, 4), k: (c, t, 2, 4), v: (d, u, 2, 4)",
        "1,3,2,4 1,5,2,4 1,5,2,4",
        "1,3,2,4 1,5,2,4 1,6,2,4",
    ),
    ("R.squeeze(x, axis=[1])", "x: (n, m)", "5,1", "5,2"),
    ('R.nn.pad(x, [1, 0, 1, 1], pad_mode="replicate")', "x: (n, m)", "1,3", "1,0"),
    ('R.nn.pad(x, [0, 0, 2, 1], pad_mode="reflect")', "x: (n, m)", "1,3", "1,2"),
    ("R.nn.pixel_shuffle(x, upscale_factor=2)", "x: (1, c, 2, 2)", "1,4,2,2", "1,5,2,2"),
    ("R.squeeze(x, axis=[1])", "x: (n, m)", "5,1", "5,0"),
    (
        "R.nn.deform_conv2d(x, o, w, groups=2)",
        "x: (1, c, 3, 3), o: (1, 8, 2, 2), w: (f, d, 2, 2)",
        "1,2,3,3 1,8,2,2 4,1,2,2",
        "1,2,3,3 1,8,2,2 5,1,2,2",
    ),
    ("R.split(x, 4, axis=0)[3]", "x: (n, m)", "8,2", "5,2"),
    ("R.image.resize2d(x, R.shape([2, 2]))", "x: (1, 2, h, w)", "1,2,3,3", "1,2,0,3"),
    (
        "R.grad.avg_pool2d_backward(g, x, pool_size=2)",
        "g: (a, b, h, w), x: (c, d, 4, 4)",
        "1,2,3,3 1,2,4,4",
        "1,2,3,4 1,2,4,4",
    ),
    ("R.grad.take_backward(g, x, R.const([1, 0, 1]), axis=0)", "g: (n, m), x: (5, k)", "3,4 5,4", "3,0 5,4"),
    ("R.vision.get_valid_counts(x, score_threshold=0.0)[1]", "x: (n, m, k)", "1,3,2", "1,3,0"),
    ('R.einsum((x, z), subscripts="ij,jk->ik")', "x: (a, b), z: (c, d)", "2,3 3,4", "2,3 4,4"),
]


def tensors(sizes: str) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [random.standard_normal([int(n) for n in one.split(",")]).astype("float32") for one in sizes.split()]


def untyped(call: str, params: str) -> sunmao.Module:
    typed = []
    for name, dims in (one.split(": (") for one in params.rstrip(")").split("), ")):
        shape = ", ".join(d if d.isdigit() else f'"{d}"' for d in dims.rstrip(",)").split(", "))
        typed.append(f'{name}: R.Tensor(({shape},), "float32")')
    return module_of(typed, [f"y = {call}"])


@pytest.mark.parametrize(("call", "params", "good", "bad"), CASES)
def test_sizes_that_agree_run_and_others_are_refused(call: str, params: str, good: str, bad: str) -> None:
    module = untyped(call, params)
    model = sunmao.compile(module)
    np.testing.assert_allclose(model(*tensors(good)), sunmao.evaluate(module, *tensors(good)), rtol=1e-5, atol=1e-6)
    for run in (model, lambda *args: sunmao.evaluate(module, *args)):
        with pytest.raises(sunmao.Error) as caught:
            run(*tensors(bad))
        assert caught.value.code == "E0905"


def test_the_message_names_the_sizes_and_both_values() -> None:
    model = sunmao.compile(untyped("R.matmul(x, w)", "x: (b, k), w: (16, 32)"))
    with pytest.raises(sunmao.Error, match=r"`k` must be `16`, got 17 \(axis 1 of `x`\) and 16"):
        model(*tensors("2,17 16,32"))


def test_a_cast_that_a_script_states_is_checked_in_compiled_code() -> None:
    cast = 'y = R.match_cast(x, R.Tensor(("k", 4), "float32"))'
    module = module_of(['x: R.Tensor(("n", "m"), "float32")'], [cast])
    model = sunmao.compile(module)
    x = tensors("3,4")[0]
    np.testing.assert_array_equal(model(x), x)
    with pytest.raises(sunmao.Error, match="`m` must be `4`, got 5"):
        model(tensors("3,5")[0])
    with pytest.raises(sunmao.Error, match="E0905"):
        sunmao.evaluate(module, tensors("3,5")[0])


def test_a_result_of_another_size_than_stated_is_refused() -> None:
    module = sunmao.parse_module("""
from tvm.script import relax as R

@R.function
def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")) -> R.Tensor(("n",), "float32"):
    z = R.exp(y)
    return z
""")
    model = sunmao.compile(module)
    assert model(*tensors("3 3")).shape == (3,)
    for run in (model, lambda *args: sunmao.evaluate(module, *args)):
        with pytest.raises(sunmao.Error) as caught:
            run(*tensors("3 4"))
        assert caught.value.code == "E0905"


def test_buffers_of_a_kernel_of_the_script_are_checked() -> None:
    module = sunmao.parse_module("""
from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def twice(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("b"):
                v = T.axis.spatial(8, i)
                B[v] = A[v] * T.float32(2)

    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.twice, (x,), out_ty=R.Tensor((8,), "float32"))
            R.output(y)
        return y
""")
    model = sunmao.compile(module)
    x = tensors("8")[0]
    np.testing.assert_array_equal(model(x), x * 2)
    with pytest.raises(sunmao.Error, match="`n` must be `8`, got 7"):
        model(tensors("7")[0])
