"""The effects: order of input and output, and caches of keys and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.checked import checked
from sunmao.compat.ir.type import TensorType
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.compat.relax.frontend.nn.effect import Effect
from sunmao.compat.relax.frontend.nn.parameter import get_default_dtype
from sunmao.compat.relax.frontend.nn.tensor import Tensor, current_builder, dims_of
from sunmao.errors import fail


class IOEffect(Effect):
    """The order of prints and calls of `debug_func`: each takes the effect and gives the next one."""

    def __init__(self) -> None:
        self.effect: _sunmao.Var | None = None

    def emit_init(self, _name_hint: str, builder: BlockBuilder) -> list[_sunmao.Var]:
        return [builder.emit(relax_op.null_value(), "_io")]

    def create(self, _name_hint: str) -> list[_sunmao.Var]:
        return [make.var("_io", make.any_type())]

    def set_state(self, state_vars: Sequence[_sunmao.Var]) -> None:
        (self.effect,) = state_vars

    def finalize(self) -> list[_sunmao.Var]:
        left, self.effect = self.effect, None
        assert left is not None
        return [left]


class KVCache(Effect):
    """A cache of rows of `unit_shape`, for the keys or the values of a layer. It has room for `init_seq_len` rows at
    first, and grows."""

    @checked
    def __init__(self, init_seq_len: int, unit_shape: Sequence[int], dtype: str | None = None) -> None:
        self.init_seq_len = init_seq_len
        self.unit_shape = [int(size) for size in unit_shape]
        self.dtype = get_default_dtype() if dtype is None else dtype
        self.cache: Any = None

    def emit_init(self, name_hint: str, builder: BlockBuilder) -> list[_sunmao.Var]:
        room = make.shape(dims_of([self.init_seq_len, *self.unit_shape]))
        create = relax_op.call_pure_packed(
            "vm.builtin.attention_kv_cache_create",
            relax_op.zeros(room, self.dtype),
            room,
            make.prim_value(make.int_imm("int64", 0)),
            ty_args=make.any_type(),
        )
        return [builder.emit(create, name_hint.replace(".", "_"))]

    def create(self, name_hint: str) -> list[_sunmao.Var]:
        return [make.var(name_hint, make.any_type())]

    def set_state(self, state_vars: Sequence[_sunmao.Var]) -> None:
        (self.cache,) = state_vars

    def finalize(self) -> list[_sunmao.Var]:
        left, self.cache = self.cache, None
        return [left]

    @checked
    def to(self, dtype: str | None = None) -> None:
        self.dtype = dtype or self.dtype

    @checked
    def view(self, seq_len: int | _sunmao.Scalar) -> Tensor:
        """Returns all rows, of which there are `seq_len` (E0506)."""
        shape = make.shape(dims_of([seq_len, *self.unit_shape]))
        found = relax_op.call_pure_packed(
            "vm.builtin.attention_kv_cache_view", self._state(), shape, ty_args=TensorType(shape, self.dtype)
        )
        return Tensor(_expr=current_builder().emit(found))

    @checked
    def append(self, new_element: Tensor) -> None:
        """Adds rows, of shape (n, *unit_shape), behind those that there are."""
        if new_element.dtype != self.dtype:
            raise fail("E0034", f'KVCache.append: the cache is of "{self.dtype}", got {new_element!r}',
                       "convert it by `astype`, or make the cache of this dtype")  # fmt: skip
        added = relax_op.call_inplace_packed(
            "vm.builtin.attention_kv_cache_append",
            self._state(),
            new_element._expr,
            inplace_indices=[0],
            ty_args=make.any_type(),
        )
        self.cache = current_builder().emit(added)

    def _state(self) -> Any:
        if self.cache is None:
            help = "a module that is exported holds it as an attribute, or in a ModuleList"
            raise fail("E0039", "a KVCache is used that is no part of the module being exported", help)
        return self.cache


__getattr__ = attribute_of(__name__)
