"""Cases of images, detection and signals."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto
from onnx_case import Case, T, W

PIXELS = T(1, 2, 4, 6)
ORT: dict[str, Any] = {"engine": "ort"}


def ints(*values: int) -> W:
    return W(value=np.array(values, "int64"))


def floats(*values: float) -> W:
    return W(value=np.array(values, "float32"))


def number(value: float, dtype: str = "int64") -> W:
    return W(value=np.array(value, dtype))


def _sizes(
    *sizes: int, x: T = PIXELS, opset: int = 19, engine: Any = "reference", dynamic: Any = None, **attrs: Any
) -> Case:
    return Case([x, None, None, ints(*sizes)], opset=opset, attrs=attrs, engine=engine, dynamic=dynamic)


def _scales(
    *scales: float, x: T = PIXELS, opset: int = 19, engine: Any = "reference", dynamic: Any = None, **attrs: Any
) -> Case:
    return Case([x, None, floats(*scales)], opset=opset, attrs=attrs, engine=engine, dynamic=dynamic)


COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric")
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
RESIZED = [
    *[_sizes(1, 2, 8, 9, mode=m, coordinate_transformation_mode=c) for m in ("linear", "cubic") for c in COORDINATES],
    *[_sizes(1, 2, 3, 4, mode=m, coordinate_transformation_mode=c) for m in ("linear", "cubic") for c in COORDINATES],
    *[
        _sizes(1, 2, 7, 9, mode="nearest", nearest_mode=m, coordinate_transformation_mode=c)
        for m in NEAREST
        for c in COORDINATES[2:4]
    ],
    *[
        _scales(1, 1, 2, 2, mode="nearest", nearest_mode=m, coordinate_transformation_mode=c)
        for m in NEAREST
        for c in COORDINATES
    ],
    *[
        _scales(1, 1, 0.6, 1.3, mode=m, coordinate_transformation_mode=c)
        for m in ("linear", "cubic")
        for c in COORDINATES
    ],
    # Which pixel is the nearest is decided in float32; the reference divides in float64, where 3 / float32(0.6) is
    # below 5.
    *[
        _scales(1, 1, 0.6, 1.3, mode="nearest", coordinate_transformation_mode=c, engine=engine)
        for c, engine in zip(COORDINATES, ("ort", "ort", "reference", "ort", "ort"), strict=True)
    ],
    *[
        _scales(1, 1, 1.7, 0.6, mode="nearest", nearest_mode="floor", coordinate_transformation_mode=c, **ORT)
        for c in ("asymmetric", "half_pixel")
    ],
    _sizes(1, 2, 1, 1, mode="linear", coordinate_transformation_mode="pytorch_half_pixel"),
    _sizes(1, 2, 8, 9, mode="cubic", cubic_coeff_a=-0.5),
    _sizes(1, 2, 8, 9, mode="cubic", exclude_outside=1),
    _sizes(1, 2, 3, 4, mode="linear", antialias=1),
    _sizes(1, 2, 3, 4, mode="cubic", antialias=1),
    _sizes(1, 2, 3, 9, mode="cubic", antialias=1, exclude_outside=1),
    _sizes(8, 9, mode="linear", axes=[2, 3]),
    _sizes(9, 8, mode="linear", axes=[-1, -2], engine="ort"),
    _scales(2, 3, mode="linear", axes=[3, 2]),
    _sizes(8, 8, mode="linear", axes=[2, 3], keep_aspect_ratio_policy="not_larger"),
    _sizes(7, 8, mode="linear", axes=[2, 3], keep_aspect_ratio_policy="not_smaller"),
    _sizes(7, 8, mode="nearest", axes=[2, 3], keep_aspect_ratio_policy="not_larger"),
    Case(
        [PIXELS, floats(0, 0, 0.2, 0.1, 1, 1, 0.8, 1.2), None, ints(1, 2, 3, 5)],
        opset=13,
        attrs={"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 7.0},
    ),
    Case(
        [PIXELS, floats(0.4, 0.6, 0.6, 0.8), None, ints(3, 3)],
        opset=19,
        attrs={"mode": "cubic", "coordinate_transformation_mode": "tf_crop_and_resize", "axes": [2, 3]},
    ),
    Case([PIXELS, floats(), floats(1, 1, 2, 2)], opset=11, attrs={"mode": "linear"}),
    Case(
        [PIXELS, floats(), floats(), ints(1, 2, 7, 9)],
        opset=11,
        attrs={"mode": "nearest", "coordinate_transformation_mode": "tf_half_pixel_for_nn"},
        **ORT,
    ),
    _sizes(1, 2, 9, x=T(1, 2, 6), mode="linear"),
    _sizes(1, 2, 3, 7, 5, x=T(1, 2, 2, 4, 6), mode="linear"),
    _sizes(1, 2, 2, 7, 5, x=T(1, 2, 2, 4, 6), mode="linear"),
    _sizes(1, 8, 9, 2, x=T(1, 4, 6, 2), mode="linear"),
    _sizes(3, 2, 8, 9, mode="linear"),
    _sizes(1, 2, 8, 9, x=T(1, 2, 4, 6, dtype=np.uint8, high=200), mode="nearest"),
    _scales(1, 1, 2, 2, mode="linear", dynamic={0: {0: "n", 2: "h"}}),
    _sizes(1, 2, 8, 9, mode="linear", dynamic={0: {2: "h", 3: "w"}}),
]
OLD = [Case([PIXELS, floats(1, 1, 2, 2)], opset=10, attrs={"mode": mode}, **ORT) for mode in ("nearest", "linear")] + [
    Case([PIXELS, floats(1, 1, 0.6, 0.6)], opset=10, attrs={"mode": "nearest"}, **ORT),
    Case([PIXELS, floats(1, 1, 0.5, 1.5)], opset=10, attrs={"mode": "linear"}, **ORT),
]

GRID = T(1, 3, 4, 2, low=-1.3, high=1.3)
BOXES = np.array(
    [[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]]],
    "float32",
)
CENTRES = np.array(
    [[[0.5, 0.5, 1, 1], [0.5, 0.6, 1, 1], [0.5, 0.4, 1, 1], [0.5, 10.5, 1, 1], [0.5, 10.6, 1, 1], [0.5, 100.5, 1, 1]]],
    "float32",
)
SCORES = np.array([[[0.9, 0.75, 0.6, 0.95, 0.5, 0.3], [0.1, 0.8, 0.2, 0.3, 0.95, 0.4]]], "float32")
ROIS = T(value=np.array([[0, 0, 4, 4], [1.5, 0.5, 6, 5], [2, 2, 3, 3]], "float32"))
BATCHES = W(value=np.array([0, 1, 0]))


def _kept(boxes: np.ndarray, *limits: W | None, **attrs: Any) -> Case:
    return Case([T(value=boxes), T(value=SCORES), *limits], opset=11, attrs=attrs, engine="ort")


def _spectra(opset: int, x: T, length: int | None = None, axis: int | None = None, **attrs: int) -> Case:
    inputs: list[T | None] = [x, None if length is None else number(length)]
    if opset >= 20 and axis is not None:
        inputs.append(number(axis))
    if opset < 20 and axis is not None:
        attrs["axis"] = axis
    return Case(inputs, opset=opset, attrs=attrs)


def _windows() -> list[Case]:
    found = [Case([number(size)], opset=17, attrs={"periodic": p}) for size in (8, 9) for p in (0, 1)]
    return [
        *found,
        Case([number(10)], opset=17),
        Case([number(6, "int32")], opset=17, attrs={"output_datatype": int(TensorProto.DOUBLE)}),
    ]


CASES = {
    "Resize": [*RESIZED, *OLD],
    "Upsample": [
        Case([PIXELS], opset=7, attrs={"scales": [1.0, 1.0, 2.0, 3.0]}, **ORT),
        Case([PIXELS], opset=7, attrs={"scales": [1.0, 1.0, 2.0, 1.5], "mode": "linear"}, **ORT),
        Case([PIXELS, floats(1, 1, 2, 3)], opset=9, **ORT),
        Case([PIXELS, floats(1, 1, 2, 2)], opset=9, attrs={"mode": "linear"}, dynamic={0: {0: "n", 2: "h"}}, **ORT),
    ],
    "GridSample": [
        *[
            Case(
                [T(1, 2, 4, 5), GRID],
                opset=20,
                attrs={"mode": mode, "padding_mode": padding, "align_corners": corners},
                **ORT,
            )
            for mode in ("linear", "nearest", "cubic")
            for padding in ("zeros", "border", "reflection")
            for corners in (0, 1)
        ],
        *[
            Case([T(1, 2, 4, 5), GRID], opset=16, attrs={"mode": mode}, **ORT)
            for mode in ("bilinear", "nearest", "bicubic")
        ],
        Case([T(1, 2, 4, 5), GRID], opset=16),
        Case([T(1, 2, 3, 4, 5), T(1, 2, 3, 2, 3, low=-1, high=1)], opset=20),
        Case(
            [T(1, 2, 3, 4, 5), T(1, 2, 3, 2, 3, low=-1, high=1)],
            opset=22,
            attrs={"mode": "nearest", "align_corners": 1},
        ),
        Case([T(1, 2, 4, 5), GRID], opset=20, dynamic={0: {0: "n", 2: "h"}, 1: {0: "n"}}),
    ],
    "AffineGrid": [
        *[Case([T(2, 2, 3), ints(2, 3, 4, 5)], opset=20, attrs={"align_corners": c}) for c in (0, 1)],
        *[Case([T(2, 3, 4), ints(2, 3, 4, 5, 6)], opset=20, attrs={"align_corners": c}) for c in (0, 1)],
        Case([T(2, 2, 3), ints(2, 3, 4, 5)], opset=20),
    ],
    "NonMaxSuppression": [
        _kept(BOXES, ints(3), floats(0.5), floats(0.0)),
        _kept(BOXES, ints(2), floats(0.5), floats(0.4)),
        _kept(BOXES, ints(9), floats(0.9)),
        _kept(BOXES[..., [2, 3, 0, 1]], ints(3), floats(0.5), floats(0.0)),
        _kept(CENTRES, ints(3), floats(0.5), floats(0.0), center_point_box=1),
        _kept(BOXES, number(3), number(0.5, "float32"), number(0.0, "float32")),
        _kept(BOXES, ints(3)),
    ],
    "RoiAlign": [
        Case(
            [T(2, 3, 8, 8), ROIS, BATCHES], opset=16, attrs={"output_height": 3, "output_width": 2, "sampling_ratio": 2}
        ),
        Case(
            [T(2, 3, 8, 8), ROIS, BATCHES],
            opset=10,
            attrs={"output_height": 3, "output_width": 2, "spatial_scale": 0.5},
            **ORT,
        ),
        Case(
            [T(2, 3, 8, 8), ROIS, BATCHES],
            opset=22,
            attrs={"coordinate_transformation_mode": "output_half_pixel", "sampling_ratio": 2},
        ),
        Case(
            [T(2, 3, 8, 8), ROIS, BATCHES],
            opset=22,
            attrs={"output_height": 2, "output_width": 2},
            dynamic={0: {2: "h"}},
        ),
    ],
    "MaxRoiPool": [
        Case(
            [T(2, 3, 8, 8), W(value=np.array([[0, 0, 0, 4, 4], [1, 1, 2, 7, 7]], "float32"))],
            opset=7,
            attrs={"pooled_shape": [2, 3]},
            **ORT,
        ),
        Case(
            [T(2, 3, 8, 8), W(value=np.array([[0, 0, 0, 8, 8]], "float32"))],
            opset=7,
            attrs={"pooled_shape": [2, 2], "spatial_scale": 0.5},
            **ORT,
        ),
    ],
    "DFT": [
        *[_spectra(opset, T(2, 10, 1)) for opset in (17, 20)],
        *[_spectra(opset, T(2, 10, 1), onesided=1) for opset in (17, 20)],
        *[_spectra(opset, T(2, 10, 2), inverse=1) for opset in (17, 20)],
        *[_spectra(opset, T(2, 10, 2), length=length) for opset in (17, 20) for length in (6, 16)],
        *[_spectra(opset, T(10, 4, 2), axis=0) for opset in (17, 20)],
        _spectra(20, T(2, 10, 4, 2), axis=-3),
        Case([T(2, 10, 1)], opset=20, dynamic={0: {0: "n"}}),
    ],
    "STFT": [
        Case([T(1, 32, 1), number(8), W(16)], opset=17),
        Case([T(2, 32, 1), number(8), None, number(16)], opset=17),
        Case([T(1, 32, 2), number(8), W(16)], opset=17, attrs={"onesided": 0}),
        Case([T(1, 32, 1), number(8), W(16), number(16)], opset=17, attrs={"onesided": 0}),
        Case([T(2, 32, 1), number(8), W(16)], opset=17, dynamic={0: {0: "n"}}),
    ],
    "HannWindow": _windows(),
    "HammingWindow": _windows(),
    "BlackmanWindow": _windows(),
    "MelWeightMatrix": [
        Case([number(8), number(16), number(8192), number(0.0, "float32"), number(4096.0, "float32")], opset=17),
        Case([number(5), number(64), number(16000), number(20.0, "float32"), number(8000.0, "float32")], opset=17),
    ],
}
