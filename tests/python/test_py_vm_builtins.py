"""Builtins of the virtual machine, called by name."""

from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao.compat import runtime
from sunmao.compat.relax.testing.runtime_builtin import MakeShapeCode, MatchShapeCode
from sunmao.compat.runtime import ShapeTuple
from sunmao.compat.runtime.registry import get_global_func


def builtin(name: str) -> Any:
    return get_global_func(f"vm.builtin.{name}")


def tensor(values: Any, dtype: str = "float32") -> runtime.Tensor:
    return runtime.tensor(np.array(values, dtype))


def test_only_known_builtins_are_found() -> None:
    with pytest.raises(sunmao.Error, match="E0034"):
        builtin("no_such")
    assert get_global_func("vm.builtin.no_such", allow_missing=True) is None


def test_tensors_and_tuples_come_back_as_they_are() -> None:
    x, y = tensor([1]), tensor([2])
    assert builtin("tuple_getitem")([x, y], 1) is y
    assert builtin("make_tuple")(x, 3) == [x, 3]
    with pytest.raises(sunmao.Error, match=r"E0506.*no field 2"):
        builtin("tuple_getitem")([x, y], 2)
    with pytest.raises(sunmao.Error, match=r"E0505.*argument 0 must be a tuple"):
        builtin("tuple_getitem")(x, 0)


def test_views_and_copies() -> None:
    x = tensor([[1, 2, 3], [4, 5, 6]])
    assert builtin("shape_of")(x) == (2, 3)
    assert builtin("reshape")(x, ShapeTuple((3, 2))).numpy().tolist() == [[1, 2], [3, 4], [5, 6]]
    assert builtin("to_device")(x, 1, 0).numpy().tolist() == x.numpy().tolist()
    assert builtin("tensor_to_shape")(tensor([2, 3], "int64")) == (2, 3)
    assert builtin("read_if_cond")(tensor(0, "bool")) == 0
    with pytest.raises(sunmao.Error, match=r"E0506.*reshape"):
        builtin("reshape")(x, ShapeTuple((4,)))
    storage = builtin("alloc_storage")(ShapeTuple((4,)), 0, "float32")
    assert builtin("alloc_tensor")(storage, 8, ShapeTuple((2,)), "float32").shape == (2,)
    for offset, message in ((12, "outside"), (-4, "outside"), (2, "do not begin at byte 2")):
        with pytest.raises(sunmao.Error, match=rf"E0506.*{message}"):
            builtin("alloc_tensor")(storage, offset, ShapeTuple((2,)), "float32")
    with pytest.raises(sunmao.Error, match=r"E0507.*no device of the kind 2"):
        builtin("to_device")(x, 2, 0)


def test_sizes_are_matched_and_made_by_a_heap() -> None:
    m, k = MatchShapeCode, MakeShapeCode
    heap = runtime.tensor(np.zeros(4, "int64"))
    match, make = builtin("match_shape"), builtin("make_shape")
    match(ShapeTuple((5, 6)), heap, 2, m.STORE_TO_HEAP, 3, m.NO_OP, 0, "")
    assert heap.numpy().tolist() == [0, 0, 0, 5]
    assert make(heap, 2, k.LOAD_SHAPE, 3, k.USE_IMM, 9) == (5, 9)
    match(tensor(np.zeros((5, 1))), heap, 2, m.ASSERT_EQUAL_TO_LOAD, 3, m.ASSERT_EQUAL_TO_IMM, 1, "")
    with pytest.raises(RuntimeError, match=r"E0905.*x match_cast: dimension 0 must be 5, got 4"):
        match(ShapeTuple((4,)), heap, 1, m.ASSERT_EQUAL_TO_LOAD, 3, "x")
    with pytest.raises(RuntimeError, match=r"E0905.*expected 1 dimensions"):
        match(ShapeTuple((4, 4)), heap, 1, m.NO_OP, 0, "x")
    with pytest.raises(sunmao.Error, match=r"E0506.*no slot 4 in a heap of 4"):
        make(heap, 1, k.LOAD_SHAPE, 4)
    with pytest.raises(sunmao.Error, match=r"E0506.*no way 7"):
        match(ShapeTuple((4,)), heap, 1, 7, 0, "")
    with pytest.raises(sunmao.Error, match=r"E0505.*argument 3 must be an integer, got no argument"):
        match(ShapeTuple((4,)), heap, 1)


def test_memory_that_may_not_be_written_is_not() -> None:
    fixed = np.zeros(2, "int64")
    fixed.setflags(write=False)
    with pytest.raises(sunmao.Error, match=r"E0506.*may not be written"):
        builtin("match_shape")(ShapeTuple((1,)), fixed, 1, MatchShapeCode.STORE_TO_HEAP, 0, "")


@pytest.mark.parametrize(
    ("name", "right", "wrong", "kind"),
    [
        ("check_tensor_info", (tensor([1]), 1, "float32", "c"), (tensor([1]), 2, "float32", "c"), ([], 2, "c")),
        ("check_tensor_info", (tensor([1]), -1, None, "c"), (tensor([1]), 1, "int32", "c"), ("x", 2, "c")),
        ("check_shape_info", (ShapeTuple((1,)), 1, "c"), (ShapeTuple((1,)), 3, "c"), (3, 1, "c")),
        ("check_tuple_info", ([1, 2], 2, "c"), ([1, 2], 3, "c"), (tensor([1]), 1, "c")),
    ],
)
def test_kinds_of_values_are_checked(name: str, right: Any, wrong: Any, kind: Any) -> None:
    builtin(name)(*right)
    with pytest.raises(ValueError, match=r"E0505.*c expected"):
        builtin(name)(*wrong)
    with pytest.raises(TypeError, match=r"E0037.*c expected"):
        builtin(name)(*kind)


def test_functions_and_numbers_are_checked() -> None:
    builtin("check_func_info")(lambda: 1, "c")
    builtin("check_prim_value_info")(3, "int64", "c")
    with pytest.raises(TypeError, match="E0037"):
        builtin("check_func_info")(3, "c")
    with pytest.raises(TypeError, match="E0037"):
        builtin("check_prim_value_info")(3.5, "int64", "c")


def rows(*values: int) -> runtime.Tensor:
    return tensor([[v, v] for v in values], "int32")


def first_column(cache: Any) -> Any:
    return builtin("attention_kv_cache_view")(cache).numpy()[:, 0].tolist()


def test_an_attention_cache_grows_and_views_keep_what_they_saw() -> None:
    create, append = builtin("attention_kv_cache_create"), builtin("attention_kv_cache_append")
    cache = create(rows(1), ShapeTuple((1, 2)), -1)
    seen = builtin("attention_kv_cache_view")(cache)
    for i in range(2, 7):
        cache = append(cache, rows(i))
    assert first_column(cache) == [1, 2, 3, 4, 5, 6]
    builtin("attention_kv_cache_array_popn")([cache], 5)
    builtin("attention_kv_cache_update")(cache, rows(9))
    assert first_column(cache) == [9]
    assert seen.numpy().tolist() == [[1, 1]]
    builtin("attention_kv_cache_array_clear")([cache])
    assert first_column(cache) == []


def test_an_attention_cache_refuses_what_does_not_fit() -> None:
    cache = builtin("attention_kv_cache_create")(rows(1), ShapeTuple((4, 2)), -1)
    with pytest.raises(sunmao.Error, match=r"E0506.*has no rows of"):
        builtin("attention_kv_cache_append")(cache, tensor([[1.0, 2.0]]))
    with pytest.raises(sunmao.Error, match=r"E0506.*at most"):
        wide = builtin("attention_kv_cache_create")(tensor(np.zeros((1, 0))), ShapeTuple((1, 0)), -1)
        builtin("attention_kv_cache_append")(wide, np.zeros((2**50, 0), "float32"))
    with pytest.raises(sunmao.Error, match=r"E0506.*2 rows cannot go from a cache of 1"):
        builtin("attention_kv_cache_array_popn")([cache], 2)
    with pytest.raises(sunmao.Error, match=r"E0506.*do not fit in a window of 2"):
        builtin("attention_kv_cache_window_override")(cache, rows(1, 2, 3), 2)
    with pytest.raises(sunmao.Error, match=r"E0506.*does not hold 9"):
        builtin("attention_kv_cache_create")(rows(1), ShapeTuple((4, 2)), 9)
    with pytest.raises(sunmao.Error, match=r"E0505.*an attention cache"):
        builtin("attention_kv_cache_append")(rows(1), rows(1))
    with pytest.raises(sunmao.Error, match=r"E0506.*is of shape \(1, 2\)"):
        builtin("attention_kv_cache_view")(cache, ShapeTuple((2, 2)))


@pytest.mark.parametrize("sinks", [0, 1])
def test_a_window_overrides_its_oldest_rows(sinks: int) -> None:
    cache = builtin("attention_kv_cache_create")(rows(0, 0, 0), ShapeTuple((3, 2)), 0)
    name = "attention_kv_cache_window_override" + ("_with_sinks" if sinks else "")
    for i in range(1, 6):
        cache = builtin(name)(cache, rows(i), 3, *([sinks] if sinks else []))
    assert first_column(cache) == ([1, 4, 5] if sinks else [4, 5, 3])


def test_tokens_are_drawn_by_their_probability() -> None:
    probabilities = tensor([[0.1, 0.6, 0.3]])
    draw = builtin("sample_top_p_from_prob")
    assert [draw(probabilities, 1.0, u) for u in (0.0, 0.59, 0.61, 0.89, 0.95)] == [1, 1, 2, 2, 0]
    assert [draw(probabilities, 0.5, u) for u in (0.0, 0.99)] == [1, 1]
    logits = tensor(np.log([[0.1, 0.6, 0.3]]))
    assert [builtin("sample_top_p_from_logits")(logits, t, 1.0, 0.95) for t in (1.0, 0.0)] == [0, 1]
    uniform = tensor([[0.0], [0.5], [1.0]])
    many = builtin("multinomial_from_uniform")(tensor([[0.1, 0.6, 0.3]] * 3), uniform)
    assert many.dtype == "int64"
    assert many.numpy().tolist() == [[0], [1], [2]]
    with pytest.raises(sunmao.Error, match=r"E0506.*no probability is a finite number"):
        draw(tensor([[np.nan, np.nan]]), 1.0, 0.5)
    with pytest.raises(sunmao.Error, match=r"E0505.*one row"):
        draw(tensor([[0.5, 0.5]] * 2), 1.0, 0.5)


def test_logits_are_changed_in_place() -> None:
    logits = tensor([[2.0, -2.0, 4.0]])
    tokens = tensor([[0, 1]], "int32")
    builtin("apply_repetition_penalty")(logits, tokens, 2.0)
    assert logits.numpy().tolist() == [[1.0, -4.0, 4.0]]
    builtin("apply_presence_and_frequency_penalty")(logits, tokens, tensor([[1, 2]], "int32"), 0.5, 1.0)
    assert logits.numpy().tolist() == [[-0.5, -6.5, 4.0]]
    builtin("apply_softmax_with_temperature")(logits, 2.0)
    expected = np.exp(np.array([-0.5, -6.5, 4.0]) / 2)
    np.testing.assert_allclose(logits.numpy()[0], expected / expected.sum(), rtol=1e-6)
    with pytest.raises(sunmao.Error, match=r"E0506.*no token 3 among 3"):
        builtin("apply_repetition_penalty")(logits, tensor([[3]], "int32"), 2.0)
