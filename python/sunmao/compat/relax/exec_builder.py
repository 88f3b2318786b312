"""ExecBuilder: programs of instructions on registers, which a VirtualMachine runs."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.programs import RegisterProgram
from sunmao.compat.relax.vm_executable import VMExecutable
from sunmao.compat.runtime.containers import ShapeTuple
from sunmao.compat.runtime.tensors import Tensor
from sunmao.errors import fail

_Operand = _sunmao.Operand


class FunctionScope:
    """`with builder.function(name):`, which ends the function when it is left."""

    def __init__(self, builder: _sunmao.RegisterBuilder) -> None:
        self._builder = builder

    def __enter__(self) -> FunctionScope:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._builder.end_function()


@checked
class ExecBuilder:
    """Emits instructions: `r` names a register, `imm` an integer, `c` a constant, `f` a function."""

    def __init__(self) -> None:
        self.native = _sunmao.RegisterBuilder(Tensor, ShapeTuple)
        self.kernels: _sunmao.Compiled | None = None
        self.source: _sunmao.Module | None = None
        self.loop_forms: set[str] = set()  # functions that say in loops what the instructions do

    def r(self, idx: int) -> _sunmao.Operand:
        if idx < 0:
            raise fail("E0034", f"ExecBuilder.r: registers are numbered from 0, got {idx}")
        return _Operand.register(idx)

    def imm(self, value: int) -> _sunmao.Operand:
        return _Operand.immediate(value)

    def c(self, idx: int) -> _sunmao.Operand:
        return _Operand.constant(idx)

    def f(self, name: str) -> _sunmao.Operand:
        """Returns a function as an argument; it must have been declared or made."""
        return self.native.function(name)

    def void_arg(self) -> _sunmao.Operand:
        """Returns the register that holds nothing."""
        return _Operand.register(_sunmao.NOWHERE)

    def vm_state(self) -> _sunmao.Operand:
        """Returns the state of the machine, the first argument of builtins that need it."""
        return _Operand.register(_sunmao.MACHINE_STATE)

    def declare_function(self, func_name: str) -> None:
        self.native.declare(func_name)

    def function(self, func_name: str, num_inputs: int = 0, param_names: Sequence[str] | None = None) -> FunctionScope:
        """Begins a function, whose inputs are in the registers from 0 on."""
        names = [f"x{i}" for i in range(num_inputs)] if param_names is None else list(param_names)
        if len(names) != num_inputs:
            raise fail("E0034", f"`{func_name}` has {num_inputs} inputs, and {len(names)} names are given")
        self.native.begin_function(func_name, names)
        return FunctionScope(self.native)

    def convert_constant(self, const: Any) -> _sunmao.Operand:
        """Returns a value as an argument: integers as they are, others as constants, equal ones as the same."""
        return self.native.constant(const)

    def emit_call(self, name: str, args: Sequence[Any] | None = None, dst: Any = None) -> None:
        """Emits a call by name; its result goes to the register `dst`."""
        given = [self._operand(arg) for arg in args or ()]
        self.native.emit_call(name, given, _sunmao.NOWHERE if dst is None else _number(dst, "emit_call"))

    def emit_ret(self, result: Any) -> None:
        self.native.emit_return(_number(result, "emit_ret"))

    def emit_goto(self, pc_offset: int) -> None:
        """Emits a jump by so many instructions from here."""
        self.native.emit_goto(pc_offset)

    def emit_if(self, cond: Any, false_offset: int) -> None:
        """Emits a jump by so many instructions from here if the condition does not hold."""
        self.native.emit_if(_number(cond, "emit_if"), false_offset)

    def get(self) -> VMExecutable:
        """Returns the program, after checking it."""
        return VMExecutable(RegisterProgram(self.native, self.kernels, self.source))

    def _operand(self, arg: Any) -> _sunmao.Operand:
        if isinstance(arg, _Operand):
            return arg
        if isinstance(arg, tuple):
            return self.native.constant(ShapeTuple(arg))
        if isinstance(arg, Tensor | str):
            return self.native.constant(arg)
        help = "say r(i), imm(i), c(i), f(name), or convert_constant(value)"
        raise fail("E0034", f"emit_call: {arg!r} is no argument of an instruction", help)


def _number(register: Any, what: str) -> int:
    if not isinstance(register, _Operand) or not register.is_register:
        raise fail("E0034", f"{what}: expected a register, got {register!r}", "say r(i)")
    return register.value


__getattr__ = attribute_of(__name__)
