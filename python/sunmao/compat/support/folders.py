"""Temporary directories."""

from __future__ import annotations

import os
import shutil
import tempfile
from types import TracebackType

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of


@checked
class TempDirectory:
    """A directory that is removed with its content when it is left, at `remove()`, or with the object."""

    def __init__(self, custom_path: str | None = None, keep_for_debug: bool = False) -> None:
        if custom_path is not None:
            os.makedirs(custom_path, exist_ok=True)
        self.path: str = custom_path or tempfile.mkdtemp(prefix="sunmao-")
        self._is_kept = keep_for_debug

    @property
    def temp_dir(self) -> str:
        return self.path

    def remove(self) -> None:
        if not self._is_kept:
            shutil.rmtree(self.path, ignore_errors=True)

    def relpath(self, name: str) -> str:
        """Returns the path of a file in the directory."""
        return os.path.join(self.path, name)

    def __truediv__(self, name: str) -> str:
        return self.relpath(name)

    def listdir(self) -> list[str]:
        return os.listdir(self.path)

    def __enter__(self) -> TempDirectory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def __del__(self) -> None:
        if shutil.rmtree is not None:  # None while the interpreter exits
            self.remove()


@checked
def tempdir(custom_path: str | None = None, keep_for_debug: bool = False) -> TempDirectory:
    return TempDirectory(custom_path, keep_for_debug)


@checked
def is_source_path(path: str) -> bool:
    """Returns whether the path is that of a file of C or C++ source."""
    return os.path.splitext(path)[1] in (".cc", ".cpp", ".c", ".cu")


@checked
def which(exec_name: str) -> str | None:
    """Returns the path of a program; None when there is none of that name."""
    return shutil.which(exec_name)


__getattr__ = attribute_of(__name__)
