"""NumPy results of operators, `topi.testing`, against values worked out by hand."""

import numpy as np
import pytest
import sunmao
from sunmao.compat.topi import testing

DATA = np.arange(24, dtype="float32").reshape(2, 3, 4)


def same(found: np.ndarray, expected: object) -> None:
    np.testing.assert_allclose(found, np.asarray(expected), rtol=1e-6, atol=1e-6)


def test_a_slice_goes_to_an_end_or_takes_a_size() -> None:
    same(testing.strided_slice_python(DATA, [0, 2], [2, 0], [1, -1]), DATA[:, 2:0:-1])
    same(testing.strided_slice_python(DATA, [1, 1], [1, -1], None, slice_mode="size"), DATA[1:2, 1:])
    same(testing.strided_slice_python(DATA, [1], [3], [2], axes=[2]), DATA[:, :, 1:3:2])
    same(testing.slice_axis_python(DATA, 1, 1), DATA[:, 1:])
    with pytest.raises(sunmao.Error, match="E0034.*slice_mode"):
        testing.strided_slice_python(DATA, [0], [1], None, slice_mode="start")


def test_a_slice_is_set_in_a_copy() -> None:
    found = testing.strided_set_python(DATA, np.float32(-1), [0, 1], [1, 2], None)
    assert (found == -1).sum() == 4 and (DATA >= 0).all()


def test_gathers_along_an_axis_and_by_places() -> None:
    same(testing.gather_python(DATA, 2, np.array([[[3], [0]]])), [[[3], [4]]])
    same(testing.gather_nd_python(DATA, np.array([[0, 1], [2, 0]])), [DATA[0, 2], DATA[1, 0]])


def test_one_hot_puts_its_axis_where_it_is_asked_to() -> None:
    same(testing.one_hot(np.array([2, 0]), 5, 1, 3, -1, "int32"), [[1, 1, 5], [5, 1, 1]])
    same(testing.one_hot(np.array([2, 0]), 5, 1, 3, 0, "int32"), [[1, 5], [1, 1], [5, 1]])


def test_blocks_go_to_depth_and_back() -> None:
    image = np.arange(16, dtype="float32").reshape(1, 1, 4, 4)
    deep = testing.space_to_depth_python(image, 2)
    same(deep[0, :, 0, 0], [0, 1, 4, 5])
    same(testing.depth_to_space_python(deep, 2), image)
    same(testing.depth_to_space_python(np.arange(8).reshape(1, 8, 1, 1), 2, "CRD")[0, 1], [[4, 5], [6, 7]])


def test_elements_are_set_apart() -> None:
    same(testing.dilate_python(np.array([[1, 2], [3, 4]]), [1, 2], 9), [[1, 9, 2], [3, 9, 4]])


def test_an_affine_grid_has_its_corners_at_one() -> None:
    twice = np.array([[[2, 0, 1], [0, 1, 0]]], "float32")
    found = testing.affine_grid_python(twice, (2, 3))
    same(found, [[[[-1, 1, 3], [-1, 1, 3]], [[-1, -1, -1], [1, 1, 1]]]])


def test_norms_have_the_mean_and_scale_they_state() -> None:
    gamma, beta = np.full(4, 2, "float32"), np.full(4, 1, "float32")
    found = testing.layer_norm_python(DATA, gamma, beta, [2], epsilon=0)
    same(found.mean(2), np.ones((2, 3)))
    same(found.std(2), np.full((2, 3), 2))
    channels = np.array([1, 2, 3], "float32")
    same(testing.instance_norm_python(DATA, channels, None, [2], epsilon=0).std(2), [[1, 2, 3]] * 2)
    grouped = testing.group_norm_python(DATA, np.ones(4, "float32"), None, 2, 2, [1], epsilon=0)
    same(grouped[:, :, :2].mean((1, 2)), [0, 0])
    same(grouped[:, :, 2:].std((1, 2)), [1, 1])
    same(testing.rms_norm_python(np.array([[3.0, 4.0]]), np.array([1.0, 2.0]), [1], 0) * np.sqrt(12.5), [[3, 8]])
    same(testing.l2_normalize_python(np.array([[3.0, 4.0]]), 0, [1]), [[0.6, 0.8]])
    same(testing.l2_normalize_python(np.array([0.0, 2.0]), 16), [0, 0.5])


def test_softmax_of_large_numbers_is_finite() -> None:
    x = np.array([[1000.0, 1000.0 + np.log(3)]])
    same(testing.softmax_python(x), [[0.25, 0.75]])
    same(testing.log_softmax_python(x), np.log([[0.25, 0.75]]))


def test_products_repeat_a_batch_of_one_and_add_a_bias() -> None:
    x, y = np.ones((1, 2, 3)), np.arange(12.0).reshape(2, 2, 3)
    same(testing.batch_matmul(x, y), np.broadcast_to(y.sum(2)[:, None], (2, 2, 2)))
    same(testing.batch_matmul(y, y[:1], trans_x=True, trans_y=False)[0], y[0].T @ y[0])
    found = testing.dense(np.array([[1, 2]]), np.array([[3, 4], [-5, 0]]), np.array([1, 2]), True, True, "float64")
    same(found, [[12, 0]])
    assert found.dtype == "float64"


def test_attention_sees_what_causality_and_a_window_allow() -> None:
    q = k = np.zeros((1, 3, 1, 2))
    v = np.array([3.0, 6.0, 12.0]).reshape(1, 3, 1, 1)
    same(testing.attention_python(q, k, v, None, 1.0, "none").ravel(), [7, 7, 7])
    same(testing.attention_python(q, k, v, None, "none", "TopLeft").ravel(), [3, 4.5, 7])
    same(testing.attention_python(q, k, v, None, 1.0, "TopLeft", 2).ravel(), [3, 4.5, 9])
    same(testing.attention_python(q[:, :1], k, v, None, 1.0, "BottomRight").ravel(), [7])
    bias = np.array([0, 0, -np.inf])
    shared = testing.attention_python(np.zeros((1, 2, 1, 2)), *(x.swapaxes(1, 2) for x in (k, v)), bias, 1.0, "none",
                                      layout="BNSH")  # fmt: skip
    same(shared, np.full((1, 2, 1, 1), 4.5))
    with pytest.raises(sunmao.Error, match="E0034.*causal"):
        testing.attention_python(q, k, v, None, 1.0, "Left")


BOXES = np.array(
    [
        [
            [0, 0.9, 0, 0, 1, 1],
            [0, 0.8, 0, 0, 1, 0.9],
            [1, 0.7, 0, 0, 1, 1],
            [-1, 0.95, 0, 0, 1, 1],
            [0, 0.1, 4, 4, 5, 5],
            [0, 0.6, 3, 3, 2, 2],
        ]
    ],
    "float32",
)


def test_boxes_of_a_class_and_a_score_are_moved_to_the_front() -> None:
    count, boxes, places = testing.get_valid_counts_python(BOXES, 0.5)
    same(count, [4])
    same(places, [[0, 1, 2, 5, -1, -1]])
    same(boxes[0, 3:], [BOXES[0, 5], [-1] * 6, [-1] * 6])
    same(testing.get_valid_counts_python(BOXES, 0.5, id_index=-1)[0], [5])


def test_boxes_that_overlap_better_ones_are_removed() -> None:
    count, boxes, places = testing.get_valid_counts_python(BOXES, 0.5)
    kept, number = testing.non_max_suppression_python(boxes, count, places)
    same(kept, [[0, 2, 5, -1, -1, -1]])
    same(number, [[3]])
    same(testing.non_max_suppression_python(boxes, count, places, force_suppress=True)[0][0, :3], [0, 5, -1])
    same(testing.non_max_suppression_python(boxes, count, places, iou_threshold=0.95)[1], [[4]])
    same(testing.non_max_suppression_python(boxes, count, places, max_output_size=1, top_k=2)[0][0, :2], [0, -1])
    left = testing.non_max_suppression_python(boxes, count, places, return_indices=False)
    same(left[0, :, 1] > 0, [True, False, True, True, False, False])
    packed = testing.non_max_suppression_python(boxes, count, places, return_indices=False, invalid_to_bottom=True)
    same(packed[0, :3], left[0][left[0, :, 1] > 0])


def test_a_deviation_lowers_scores_instead() -> None:
    data = np.array([[[0, 0.9, 0, 0, 2, 1], [0, 0.8, 1, 0, 3, 1], [0, 0.7, 8, 8, 9, 9]]], "float32")
    out, kept, number = testing.non_max_suppression_python(
        data, np.array([3]), np.array([[4, 5, 6]]), soft_nms_sigma=0.1, score_threshold=0.01
    )
    same(kept, [[4, 6, 5]])
    same(number, [[3]])
    same(out[0, 2, 1], 0.8 * np.exp(-5 / 9))
