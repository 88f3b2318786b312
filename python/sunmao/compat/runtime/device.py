"""Devices, numbered as in DLPack. Programs may name any device in hints and types; the runtime supports the CPU
only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.missing import unsupported

# Maps each device name to DLPack's device type and to the target kind for which code is generated.
KINDS = {
    "cpu": (1, "llvm"),
    "cuda": (2, "cuda"),
    "opencl": (4, "opencl"),
    "vulkan": (7, "vulkan"),
    "metal": (8, "metal"),
    "rocm": (10, "rocm"),
    "webgpu": (15, "webgpu"),
    "hexagon": (16, "hexagon"),
}
_NAMES = {number: name for name, (number, _) in KINDS.items()}
_ALIASES = {"llvm": "cpu", "c": "cpu", "cl": "opencl", "nvptx": "cuda", **{str(n): name for n, name in _NAMES.items()}}


@dataclass(frozen=True)
class Device:
    """A device: its kind and number."""

    device_type: int = 1
    index: int = 0
    # Programs pass devices on to functions of Python as they are.
    __sunmao_opaque__: ClassVar[bool] = True

    def dlpack_device_type(self) -> int:
        return self.device_type

    @property
    def device_id(self) -> int:
        return self.index

    @property
    def type(self) -> str:
        return _NAMES.get(self.device_type, f"device {self.device_type}")

    @property
    def exist(self) -> bool:
        """Returns whether the runtime supports the device."""
        return self.type == "cpu" and self.index == 0

    def __sunmao_value__(self) -> _sunmao.VDevice:
        """Returns the virtual device that the device denotes in scripts and attributes."""
        if self.type not in KINDS:
            raise unsupported(f"a virtual device for {self}", f"there are {', '.join(KINDS)}")
        return _sunmao.make.vdevice(KINDS[self.type][1], self.index, "global")

    def sync(self) -> None:
        """Waits for work on the device; does nothing, since work on the CPU is synchronous."""

    def __str__(self) -> str:
        return f"{self.type}:{self.index}"


def device(name: str | int, index: int = 0) -> Device:
    """`device("cuda")`, `device("cpu:0")`, `device("llvm")`."""
    kind, _, number = str(name).partition(":")
    kind = _ALIASES.get(kind, kind)
    if kind not in KINDS:
        raise unsupported(f"the device `{name}`", f"there are {', '.join(KINDS)}")
    return Device(KINDS[kind][0], int(number) if number else index)


def device_from_target(target: Any) -> Device:
    """Returns the device on which code for a target runs."""
    return device(str(getattr(getattr(target, "kind", target), "name", target)).split()[0])


@checked
def need_cpu(place: Device | None) -> None:
    """Fails (E0032) for a device other than the CPU."""
    if place is not None and place.type != "cpu":
        raise unsupported(f"a tensor on {place}", "the runtime computes on `tvm.cpu()`")


def cpu(index: int = 0) -> Device:
    return Device(1, index)


def cuda(index: int = 0) -> Device:
    return Device(2, index)


def opencl(index: int = 0) -> Device:
    return Device(4, index)


def vulkan(index: int = 0) -> Device:
    return Device(7, index)


def metal(index: int = 0) -> Device:
    return Device(8, index)


def rocm(index: int = 0) -> Device:
    return Device(10, index)


def webgpu(index: int = 0) -> Device:
    return Device(15, index)


def hexagon(index: int = 0) -> Device:
    return Device(16, index)
