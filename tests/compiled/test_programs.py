"""Programs with loops, branches and recursion run from an artifact, without a compiler, as the evaluator runs them."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao

HEAD = """
from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
"""


def check(text: str, tmp_path: Path, *inputs: Any) -> Any:
    """Returns what the saved artifact gives, after comparing it with the evaluator."""
    module = sunmao.script.from_source(HEAD + text)
    path = tmp_path / "program.sunmao"
    sunmao.compile(module).save(path)
    loaded = sunmao.load(path)
    want, got = sunmao.evaluate(module, *inputs), loaded(*inputs)
    pairs = zip(got, want, strict=True) if isinstance(want, tuple | list) else [(got, want)]
    for a, b in pairs:
        assert np.asarray(a).dtype == np.asarray(b).dtype and np.asarray(a).shape == np.asarray(b).shape
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5, atol=1e-6)
    return got


FIB = """
    @R.function(private=True)
    def fib(n: R.Tensor((), "int64")) -> R.Tensor((), "int64"):
        c = R.less(n, R.const(2, "int64"))
        if c:
            r = n
        else:
            a = Module.fib(R.subtract(n, R.const(1, "int64")))
            b = Module.fib(R.subtract(n, R.const(2, "int64")))
            r = R.add(a, b)
        return r

    @R.function
    def main(n: R.Tensor((), "int64")) -> R.Tensor((), "int64"):
        r = Module.fib(n)
        return r
"""


def test_fibonacci_by_recursion(tmp_path: Path) -> None:
    for n, expected in [(0, 0), (1, 1), (15, 610)]:
        assert check(FIB, tmp_path, np.array(n)) == expected


BUBBLE_SORT = """
    @R.function(private=True)
    def one_pass(
        x: R.Tensor(("n",), "float32"), j: R.Tensor((), "int64"), last: R.Tensor((), "int64")
    ) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        c = R.less(j, last)
        if c:
            k = R.add(j, R.const(1, "int64"))
            left = R.take(x, j, axis=0)
            right = R.take(x, k, axis=0)
            is_wrong = R.greater(left, right)
            if is_wrong:
                at = R.arange(0, n, 1, dtype="int64")
                places = R.where(R.equal(at, j), k, R.where(R.equal(at, k), j, at))
                y = R.take(x, places, axis=0)
            else:
                y = x
            r = Module.one_pass(y, k, last)
        else:
            r = x
        return r

    @R.function(private=True)
    def passes(x: R.Tensor(("n",), "float32"), last: R.Tensor((), "int64")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        c = R.greater(last, R.const(0, "int64"))
        if c:
            y = Module.one_pass(x, R.const(0, "int64"), last)
            r = Module.passes(y, R.subtract(last, R.const(1, "int64")))
        else:
            r = x
        return r

    @R.function
    def main(x: R.Tensor(("n",), "float32"), last: R.Tensor((), "int64")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        r = Module.passes(x, last)
        return r
"""


@pytest.mark.parametrize("count", [1, 2, 13])
def test_bubble_sort(tmp_path: Path, count: int) -> None:
    x = np.random.default_rng(count).standard_normal(count).astype("f4")
    np.testing.assert_array_equal(check(BUBBLE_SORT, tmp_path, x, np.array(count - 1)), np.sort(x))


BEAM_SEARCH = """
    @R.function(private=True)
    def search(t: R.Tensor((), "int64"), scores: R.Tensor((3,), "float32"), tokens: R.Tensor((3, 6), "int64"),
               last: R.Tensor((3,), "int64"), table: R.Tensor((11, 11), "float32")
    ) -> R.Tuple(R.Tensor((3,), "float32"), R.Tensor((3, 6), "int64")):
        c = R.less(t, R.const(6, "int64"))
        if c:
            next = R.add(R.expand_dims(scores, 1), R.nn.log_softmax(R.take(table, last, axis=0), axis=1))
            best = R.topk(R.reshape(next, (33,)), k=3, axis=0, ret_type="both", dtype="int64")
            chosen = best[1]
            beams = R.floor_divide(chosen, R.const(11, "int64"))
            words = R.floor_mod(chosen, R.const(11, "int64"))
            kept = R.take(tokens, beams, axis=0)
            at = R.equal(R.arange(0, 6, 1, dtype="int64"), t)
            written = R.where(at, R.expand_dims(words, 1), kept)
            r = Module.search(R.add(t, R.const(1, "int64")), best[0], written, words, table)
        else:
            r = (scores, tokens)
        return r

    @R.function
    def main(table: R.Tensor((11, 11), "float32")) -> R.Tuple(R.Tensor((3,), "float32"), R.Tensor((3, 6), "int64")):
        scores = R.const([0, -1e9, -1e9], "float32")
        tokens = R.zeros((3, 6), "int64")
        last = R.zeros((3,), "int64")
        r = Module.search(R.const(0, "int64"), scores, tokens, last, table)
        return r
"""


def test_beam_search(tmp_path: Path) -> None:
    table = np.random.default_rng(0).standard_normal((11, 11)).astype("f4")
    scores, tokens = (np.asarray(r) for r in check(BEAM_SEARCH, tmp_path, table))
    log = table - np.log(np.exp(table).sum(1, keepdims=True))
    beams = [(0.0, [])]
    for _ in range(6):
        grown = [(s + log[w[-1] if w else 0, v], [*w, v]) for s, w in beams for v in range(11)]
        beams = sorted(grown, key=lambda b: -b[0])[:3]
    np.testing.assert_allclose(scores, [s for s, _ in beams], rtol=1e-5)
    np.testing.assert_array_equal(tokens, [w for _, w in beams])


DECODER = """
    @R.function(private=True)
    def decode(t: R.Tensor((), "int64"), token: R.Tensor((1,), "int64"), cache: R.Tensor(("n", 8), "float32"),
               out: R.Tensor((9,), "int64"), table: R.Tensor((7, 8), "float32")) -> R.Tensor((9,), "int64"):
        n = T.int64()
        c = R.less(t, R.const(9, "int64"))
        if c:
            entry = R.take(table, token, axis=0)
            longer = R.concat((cache, entry), axis=0)
            weights = R.nn.softmax(R.matmul(entry, R.permute_dims(longer)), axis=-1)
            context = R.tanh(R.matmul(weights, longer))
            logits = R.matmul(context, R.permute_dims(table))
            turned = R.multiply(R.sin(R.astype(t, "float32")), logits)
            best = R.astype(R.argmax(R.add(logits, turned), axis=-1), "int64")
            word = R.floor_mod(R.add(best, t), R.const(7, "int64"))
            written = R.where(R.equal(R.arange(0, 9, 1, dtype="int64"), t), word, out)
            r = Module.decode(R.add(t, R.const(1, "int64")), word, longer, written, table)
        else:
            r = out
        return r

    @R.function
    def main(prompt: R.Tensor(("n", 8), "float32"), table: R.Tensor((7, 8), "float32")) -> R.Tensor((9,), "int64"):
        n = T.int64()
        r = Module.decode(R.const(0, "int64"), R.zeros((1,), "int64"), prompt, R.zeros((9,), "int64"), table)
        return r
"""


@pytest.mark.parametrize("length", [0, 1, 5])
def test_decoder_with_a_cache_that_grows(tmp_path: Path, length: int) -> None:
    random = np.random.default_rng(length)
    prompt, table = (random.standard_normal(s).astype("f4") for s in [(length, 8), (7, 8)])
    tokens = np.asarray(check(DECODER, tmp_path, prompt, table))
    assert len(set(tokens.tolist())) > 1


SUPPRESSION = """
    @R.function(private=True)
    def suppress(
        i: R.Tensor((), "int64"), boxes: R.Tensor(("n", 4), "float32"),
        keep: R.Tensor(("n",), "bool"), count: R.Tensor((), "int64")
    ) -> R.Tensor(("n",), "bool"):
        n = T.int64()
        c = R.less(i, count)
        if c:
            is_kept = R.take(keep, i, axis=0)
            if is_kept:
                box = R.take(boxes, i, axis=0)
                low = R.maximum(R.strided_slice(boxes, [1], [0], [2]), R.strided_slice(box, [0], [0], [2]))
                high = R.minimum(R.strided_slice(boxes, [1], [2], [4]), R.strided_slice(box, [0], [2], [4]))
                sides = R.maximum(R.subtract(high, low), R.const(0, "float32"))
                both = R.prod(sides, axis=1)
                lengths = R.subtract(R.strided_slice(boxes, [1], [2], [4]), R.strided_slice(boxes, [1], [0], [2]))
                area = R.prod(lengths, axis=1)
                union = R.subtract(R.add(area, R.take(area, i, axis=0)), both)
                overlap = R.greater(both, R.multiply(union, R.const(0.3, "float32")))
                later = R.greater(R.arange(0, n, 1, dtype="int64"), i)
                left = R.logical_and(keep, R.logical_not(R.logical_and(overlap, later)))
            else:
                left = keep
            r = Module.suppress(R.add(i, R.const(1, "int64")), boxes, left, count)
        else:
            r = keep
        return r

    @R.function
    def main(boxes: R.Tensor(("n", 4), "float32"), count: R.Tensor((), "int64")) -> R.Tensor(("n",), "bool"):
        n = T.int64()
        r = Module.suppress(R.const(0, "int64"), boxes, R.ones((n,), "bool"), count)
        return r
"""


def test_non_maximum_suppression(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    corner = random.uniform(0, 1, (40, 2))
    boxes = np.concatenate([corner, corner + random.uniform(0.1, 0.5, (40, 2))], axis=1).astype("f4")
    keep = np.asarray(check(SUPPRESSION, tmp_path, boxes, np.array(40)))
    expected = np.ones(40, bool)
    area = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    for i in range(40):
        if not expected[i]:
            continue
        sides = np.minimum(boxes[:, 2:], boxes[i, 2:]) - np.maximum(boxes[:, :2], boxes[i, :2])
        both = np.prod(np.maximum(sides, 0), axis=1)
        expected &= ~((both > 0.3 * (area + area[i] - both)) & (np.arange(40) > i))
    assert 1 < keep.sum() < 40
    np.testing.assert_array_equal(keep, expected)


RESHAPED = """
    @R.function(private=True)
    def squared(x: R.Tensor((6,), "float32")) -> R.Tensor((6,), "float32"):
        r = R.multiply(x, x)
        return r

    @R.function(private=True)
    def as_rows(x: R.Tensor((6,), "float32")) -> R.Tensor((2, 3), "float32"):
        r = Module.squared(x)
        y = R.reshape(r, (2, 3))
        return y

    @R.function
    def main(x: R.Tensor((6,), "float32")) -> R.Tensor((2, 3), "float32"):
        r = Module.as_rows(x)
        return r
"""


def test_the_result_of_a_call_in_another_shape(tmp_path: Path) -> None:
    check(RESHAPED, tmp_path, np.arange(6, dtype="f4"))


SWAPPED = """
    @R.function(private=True)
    def swap(
        i: R.Tensor((), "int64"), a: R.Tensor((3,), "float32"), b: R.Tensor((3,), "float32")
    ) -> R.Tuple(R.Tensor((3,), "float32"), R.Tensor((3,), "float32"), R.Tensor((3,), "float32")):
        c = R.greater(i, R.const(0, "int64"))
        if c:
            d = R.add(a, b)
            r = Module.swap(R.subtract(i, R.const(1, "int64")), b, d)
        else:
            r = (b, a, b)
        return r

    @R.function
    def main(
        i: R.Tensor((), "int64"), a: R.Tensor((3,), "float32")
    ) -> R.Tuple(R.Tensor((3,), "float32"), R.Tensor((3,), "float32"), R.Tensor((3,), "float32")):
        r = Module.swap(i, a, a)
        return r
"""


@pytest.mark.parametrize("steps", [0, 1, 2, 25])
def test_carried_values_take_turns(tmp_path: Path, steps: int) -> None:
    check(SWAPPED, tmp_path, np.array(steps), np.array([1, 2, 3], "f4"))


ENDLESS = """
    @R.function(private=True)
    def loop(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        y = R.add(x, x)
        r = Module.loop(y)
        return r

    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        r = Module.loop(x)
        return r
"""


def test_a_signal_ends_a_loop_without_end() -> None:
    model = sunmao.compile(sunmao.script.from_source(HEAD + ENDLESS))

    def stop(*_: Any) -> None:
        raise TimeoutError("long enough")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(TimeoutError, match="long enough"):
            model(np.ones(3, "f4"))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
