"""State that a model keeps from call to call, in sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from sunmao import _sunmao
from sunmao.arrays import NumPyArray, to_numpy, to_tensor
from sunmao.errors import fail
from sunmao.paths import PathLike, as_path
from sunmao.signature import ValueInfo, values_of


class Stateful:
    """A model whose calls, if it was compiled with `keep_state=True`, read and change the state of one session. Its
    functions (`model["decode"]`) share it. One call at a time: threads have sessions of their own (E0916)."""

    def __init__(self, loaded: _sunmao.LoadedModel) -> None:
        self._loaded = loaded
        self._kept = values_of(loaded.states)
        self._session = loaded.session() if self._kept else None

    @property
    def kept_states(self) -> tuple[ValueInfo, ...]:
        """Returns what sessions keep; empty for a model that keeps nothing. Sizes that calls may change are symbols."""
        return self._kept

    def session(self) -> Self:
        """Returns the same model with a state of its own, which begins with the first values."""
        self._stateful()
        return self._with(self._loaded.session())

    def copy(self) -> Self:
        """Returns the same model with a state of its own, which begins as a copy of this one's: a fork."""
        return self._with(self._stateful().copy())

    def reset_state(self) -> None:
        """Gives all states their first values."""
        self._stateful().reset()

    def state(self) -> dict[str, NumPyArray]:
        """Returns copies of the states, by name."""
        session = self._stateful()
        return {info.name: to_numpy(session.get(info.name)) for info in self._kept}

    def set_state(self, values: Mapping[str, Any]) -> None:
        """Gives states copies of these arrays, one after another; the others stay."""
        session = self._stateful()
        if not isinstance(values, Mapping):
            raise fail("E0034", f"`values`: a {type(values).__name__} is no dictionary", "pass arrays by name")
        for name, value in values.items():
            if not isinstance(name, str):
                raise fail("E0034", f"`values`: {name!r} is no name of a state", "names are texts")
            session.set(name, to_tensor(value, f"state `{name}`"))

    def save_state(self, path: PathLike) -> None:
        """Writes the states to a safetensors file, atomically."""
        self._stateful().save(self._output(path))

    def load_state(self, path: PathLike) -> None:
        """Reads the states from such a file; a file that does not fit changes nothing."""
        self._stateful().load(as_path(path, "path"))

    def _output(self, value: PathLike) -> str:
        return as_path(value, "path")

    def _stateful(self) -> _sunmao.Session:
        if self._session is None:
            raise fail("E0034", "the model keeps no state", "compile a model that has state with `keep_state=True`")
        return self._session

    def __copy__(self) -> Self:
        return self.copy() if self._session else self._with(None)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()

    def _with(self, session: _sunmao.Session | None) -> Self:
        other = self._same()
        other._session = session
        return other

    def _same(self) -> Self:
        """Returns the model in another object, with the same session."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other
