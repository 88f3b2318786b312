"""Cases of sequences and of optional values: whole models, since their values are no tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper
from onnx_case import Case, T

A, B = T(2, 3), T(2, 3)


def _model(
    nodes: list[Any],
    inputs: int,
    outputs: list[str],
    kinds: dict[str, int] | None = None,
    rows: list[int] | None = None,
    **constants: Any,
) -> Any:
    def model() -> Any:
        given = [
            helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT, [(rows or [2] * inputs)[i], 3])
            for i in range(inputs)
        ]
        taken = [helper.make_tensor_value_info(o, (kinds or {}).get(o, TensorProto.FLOAT), None) for o in outputs]
        tensors = [helper.make_tensor(k, TensorProto.INT64, np.shape(v), np.ravel(v)) for k, v in constants.items()]
        graph = helper.make_graph(nodes, "case", given, taken, tensors)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)

    return model


def _node(op: str, inputs: str, outputs: str, **attrs: Any) -> Any:
    return helper.make_node(op, ["" if i == "_" else i for i in inputs.split()], outputs.split(), **attrs)


def _built(
    *nodes: Any, outputs: str = "y", kinds: dict[str, int] | None = None, engine: Any = "reference", **constants: Any
) -> Case:
    chain = [_node("SequenceConstruct", "x0 x1", "s"), *nodes]
    return Case([A, B], model=_model(chain, 2, outputs.split(), kinds, **constants), engine=engine)


def _split(op_attrs: dict[str, Any], read: str = "at", **constants: Any) -> Case:
    split = _node("SplitToSequence", "x0 sizes" if "sizes" in constants else "x0", "s", **op_attrs)
    last = _node("SequenceAt", "s at", "y") if read == "at" else _node("ConcatFromSequence", "s", "y", axis=0)
    return Case(
        [T(5, 3)], model=_model([split, last], 1, ["y"], rows=[5], **({"at": 1} if read == "at" else {}), **constants)
    )


LENGTH = {"y": TensorProto.INT64}
CASES = {
    "SequenceConstruct": [_built(_node("SequenceAt", "s i", "y"), i=0), _built(_node("SequenceAt", "s i", "y"), i=-1)],
    "SequenceAt": [_built(_node("SequenceAt", "s i", "y"), i=1), _built(_node("SequenceAt", "s i", "y"), i=-2)],
    "SequenceEmpty": [
        Case(
            [A],
            model=_model(
                [
                    _node("SequenceEmpty", "", "e"),
                    _node("SequenceInsert", "e x0", "s"),
                    _node("SequenceAt", "s i", "y"),
                ],
                1,
                ["y"],
                i=0,
            ),
        ),
        Case(
            [A],
            model=_model(
                [
                    _node("SequenceEmpty", "", "e"),
                    _node("SequenceLength", "e", "n"),
                    _node("Identity", "n", "y"),
                    _node("Identity", "x0", "z"),
                ],
                1,
                ["y", "z"],
                LENGTH,
            ),
        ),
    ],
    "SequenceInsert": [
        _built(_node("SequenceInsert", "s x1", "t"), _node("SequenceAt", "t i", "y"), i=2),
        _built(_node("SequenceInsert", "s x1 at", "t"), _node("ConcatFromSequence", "t", "y", axis=0), at=0),
        _built(_node("SequenceInsert", "s x1 at", "t"), _node("ConcatFromSequence", "t", "y", axis=0), at=-1),
        _built(
            _node("SequenceInsert", "s x1 at", "t"), _node("ConcatFromSequence", "t", "y", axis=0), at=2, engine="ort"
        ),
    ],
    "SequenceErase": [
        _built(_node("SequenceErase", "s", "t"), _node("SequenceAt", "t i", "y"), i=0),
        _built(_node("SequenceErase", "s at", "t"), _node("SequenceAt", "t i", "y"), i=0, at=0),
        _built(_node("SequenceErase", "s at", "t"), _node("SequenceAt", "t i", "y"), i=0, at=-1),
    ],
    "SequenceLength": [
        _built(_node("SequenceLength", "s", "y"), _node("SequenceAt", "s i", "z"), outputs="y z", kinds=LENGTH, i=0),
    ],
    "ConcatFromSequence": [
        _built(_node("ConcatFromSequence", "s", "y", axis=0)),
        _built(_node("ConcatFromSequence", "s", "y", axis=-1)),
        _built(_node("ConcatFromSequence", "s", "y", axis=1, new_axis=1)),
    ],
    "SplitToSequence": [
        _split({}),
        _split({"keepdims": 0}),
        _split({"axis": 1}),
        _split({"axis": 0}, sizes=[1, 4]),
        _split({"axis": 0}, sizes=2),
        _split({"axis": -1, "keepdims": 0}, read="concat"),
    ],
    "Optional": [
        Case(
            [A],
            model=_model([_node("Optional", "x0", "o"), _node("OptionalGetElement", "o", "y")], 1, ["y"]),
            reference=lambda x: x,
        )
    ],
    "OptionalGetElement": [Case([A], model=_model([_node("OptionalGetElement", "x0", "y")], 1, ["y"]))],
    "OptionalHasElement": [
        Case(
            [A],
            model=_model(
                [_node("Optional", "x0", "o"), _node("OptionalHasElement", "o", "y"), _node("Identity", "x0", "z")],
                1,
                ["y", "z"],
                {"y": TensorProto.BOOL},
            ),
        ),
        Case(
            [A],
            model=_model(
                [_node("OptionalHasElement", "", "y"), _node("Identity", "x0", "z")],
                1,
                ["y", "z"],
                {"y": TensorProto.BOOL},
            ),
        ),
    ],
}
