"""An instrument that compares the kernels of a running program with those of another library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.runtime.device import Device
from sunmao.compat.runtime.module import Module
from sunmao.compat.runtime.tensors import Tensor, empty
from sunmao.compat.testing.programs import assert_allclose


@checked
class LibCompareVMInstrument:
    """After each call on tensors, calls the function of the same name in the library, and compares the last tensor.
    `compare` and `skip_instrument` may be overridden."""

    def __init__(
        self, mod: Module, device: Device, verbose: bool = True, rtol: float = 1e-5, atol: float = 1e-5
    ) -> None:
        self.mod = mod
        self.device = device
        self.verbose = verbose
        self.counter = 0
        self.rtol = rtol
        self.atol = atol

    def compare(
        self, name: str, ref_args: Sequence[Tensor], new_args: Sequence[Tensor], ret_indices: Iterable[int]
    ) -> None:
        """Calls the library's function on `new_args`; its results must be those among `ref_args`."""
        self.mod.get_function(name, True)(*new_args)
        for i in ret_indices:
            assert_allclose(new_args[i].numpy(), ref_args[i].numpy(), rtol=self.rtol, atol=self.atol)
        if self.verbose:
            print(f"[{self.counter}] {name}: equal")
        self.counter += 1

    def skip_instrument(self, *_call: Any) -> bool:
        """Returns whether a call, with the arguments of an instrument, is left unchecked."""
        return False

    def __call__(self, func: Any, name: str, before_run: bool, ret_val: Any, *args: Any) -> None:
        is_checked = not before_run and bool(args) and all(isinstance(arg, Tensor) for arg in args)
        if not is_checked or not self.mod.implements_function(name, True):
            return
        if self.skip_instrument(func, name, before_run, ret_val, *args):
            return
        given = [arg.copyto(self.device) for arg in args[:-1]]
        result = empty(args[-1].shape, args[-1].dtype, self.device)
        self.compare(name, args, [*given, result], [len(args) - 1])


__getattr__ = attribute_of(__name__)
