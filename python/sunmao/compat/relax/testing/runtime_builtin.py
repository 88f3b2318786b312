"""Codes that builtins on shapes take: how an expected size is given, and how a size is made."""

from enum import IntEnum

from sunmao.compat.missing import attribute_of


class MatchShapeCode(IntEnum):
    """What `vm.builtin.match_shape` does with a dimension."""

    ASSERT_EQUAL_TO_IMM = 0
    STORE_TO_HEAP = 1
    NO_OP = 2
    ASSERT_EQUAL_TO_LOAD = 3


class MakeShapeCode(IntEnum):
    """Where `vm.builtin.make_shape` takes a dimension from."""

    USE_IMM = 0
    LOAD_SHAPE = 1


__getattr__ = attribute_of(__name__)
