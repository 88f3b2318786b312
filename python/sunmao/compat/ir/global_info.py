"""Global infos: virtual devices."""

from __future__ import annotations

import json
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.facade import Facade, extend
from sunmao.compat.missing import attribute_of


class VDevice(metaclass=Facade, native=_sunmao.VDevice):
    """A virtual device: target, device number, memory scope."""

    @staticmethod
    def make(target: Any = None, vdevice_id: int = 0, memory_scope: str = "global") -> _sunmao.VDevice:
        text = json.dumps(target) if isinstance(target, dict) else str(target or "")
        return make.vdevice(text, vdevice_id, memory_scope)


class DummyGlobalInfo(metaclass=Facade, native=_sunmao.DummyGlobalInfo):
    """A global info without contents."""

    @staticmethod
    def make() -> _sunmao.GlobalInfo:
        return make.dummy_global_info()


def dummy_global_info() -> _sunmao.GlobalInfo:
    return make.dummy_global_info()


def vdevice(target: Any = None, vdevice_id: int = 0, memory_scope: str = "global") -> _sunmao.VDevice:
    return VDevice.make(target, vdevice_id, memory_scope)


extend(
    _sunmao.GlobalInfo,
    same_as=lambda self, other: self is other,
    __eq__=lambda self, other: self is other or _equal(self, other),
    __hash__=lambda self: hash(_key(self)),
)
extend(_sunmao.VDevice, vdevice_id=property(lambda self: self.id))


def _key(info: Any) -> tuple[Any, ...]:
    return (info.target, info.id, info.memory_scope) if isinstance(info, _sunmao.VDevice) else ()


def _equal(a: Any, b: object) -> bool:
    return type(a) is type(b) and _key(a) == _key(b)


__getattr__ = attribute_of(__name__)
