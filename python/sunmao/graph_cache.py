"""Compiled graphs on disk, by content: what one process compiles, others load."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import tempfile
from pathlib import Path
from typing import Any, Self

from sunmao import _sunmao
from sunmao.compile_warnings import warn_all

_MOST_BYTES = 1 << 30  # the oldest graphs beyond this go when one is added
_ENVIRONMENT = "SUNMAO_CACHE_DIR"


def _without_origins(value: Any) -> Any:
    """Returns the graph's JSON without where its nodes come from in Python code."""
    if isinstance(value, dict):
        return {key: _without_origins(part) for key, part in value.items() if key != "metadata"}
    return [_without_origins(part) for part in value] if isinstance(value, list) else value


def _compiler() -> str:
    """Returns what tells one build of the compiler from another."""
    state = os.stat(_sunmao.__file__)
    return f"{_sunmao.version()} {state.st_size} {state.st_mtime_ns}"


def _machine() -> str:
    """Returns what tells one processor's instructions from another's."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line for line in lines if line.startswith(("flags", "Features"))), platform.machine())


def graph_key(graph: bytes, *options: Any) -> str:
    """Returns the name of a graph that is compiled with these options for this machine."""
    said = json.dumps(_without_origins(json.loads(graph)), sort_keys=True)
    text = json.dumps([_compiler(), _machine(), *options])
    return hashlib.sha256(f"{text}\n{said}".encode()).hexdigest()


class GraphCache:
    """A folder of artifacts. What cannot be read or written is as good as absent: a compilation replaces it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of(cls, wanted: bool | str) -> Self | None:
        """Returns the cache in a folder, or in the usual one; None for False."""
        if wanted is False:
            return None
        if isinstance(wanted, str):
            return cls(Path(wanted))
        usual = os.environ.get(_ENVIRONMENT) or Path.home() / ".cache" / "sunmao"
        return cls(Path(usual) / "graphs")

    def find(self, key: str) -> bytes | None:
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return data

    def forget(self, key: str) -> None:
        with contextlib.suppress(OSError):
            self._path(key).unlink()

    def keep(self, key: str, artifact: bytes) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._folder, suffix=".new", delete=False) as file:
                try:
                    file.write(artifact)
                    os.replace(file.name, self._path(key))
                except BaseException:
                    os.unlink(file.name)
                    raise
        except OSError as error:
            warn_all([f"the compiled graph is not kept for other processes: {error}"])
            return
        self._drop_oldest()

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.sunmao"

    def _drop_oldest(self) -> None:
        with contextlib.suppress(OSError):
            files = [(path.stat(), path) for path in self._folder.glob("*.sunmao")]
            total = 0
            for state, path in sorted(files, key=lambda file: file[0].st_mtime, reverse=True):
                total += state.st_size
                if total > _MOST_BYTES:
                    path.unlink()
