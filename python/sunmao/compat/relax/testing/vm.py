"""Functions `test.vm.…` that programs of tests call, and a check of saved functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.vm import VirtualMachine
from sunmao.compat.runtime.containers import convert
from sunmao.compat.runtime.device import Device
from sunmao.compat.runtime.registry import register_global_func
from sunmao.compat.runtime.tensors import Tensor, tensor
from sunmao.compat.testing.programs import assert_allclose


def move(src: Any) -> Any:
    return src


def add(a: Tensor, b: Tensor) -> Tensor:
    return tensor(a.numpy() + b.numpy())


def mul(a: Tensor, b: Tensor) -> Tensor:
    return tensor(a.numpy() * b.numpy())


def equal_zero(a: Tensor) -> Tensor:
    return tensor(np.all(a.numpy() == 0))


def subtract_one(a: Tensor) -> Tensor:
    return tensor(a.numpy() - np.asarray(1, a.dtype))


def identity_packed(a: Tensor, b: Tensor) -> None:
    b.copyfrom(a)


def tile_packed(a: Tensor, b: Tensor) -> None:
    b.copyfrom(np.tile(a.numpy(), (1, 2)))


def add_scalar(a: Any, b: Any) -> Any:
    return a + b


def get_device_id(device: Device) -> int:
    return device.index


def check_if_defined(obj: Any) -> Any:
    return convert(obj is not None)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "move": move,
    "add": add,
    "mul": mul,
    "equal_zero": equal_zero,
    "subtract_one": subtract_one,
    "identity": identity_packed,
    "tile": tile_packed,
    "add_scalar": add_scalar,
    "get_device_id": get_device_id,
    "check_if_defined": check_if_defined,
}
for _name, _function in _FUNCTIONS.items():
    register_global_func(f"test.vm.{_name}", _function)


def check_saved_func(vm: VirtualMachine, func_name: str, *inputs: Any) -> Any:
    """Calls a function, and saved with its arguments; the results must agree. Returns the first."""
    saved_name = f"{func_name}_saved"
    vm.save_function(func_name, saved_name, *inputs)
    result = vm[func_name](*inputs)
    assert_allclose(result.numpy(), vm[saved_name]().numpy(), rtol=1e-7, atol=1e-7)
    return result


__getattr__ = attribute_of(__name__)
