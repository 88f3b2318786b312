"""What a compilation tells of a model that is no error: Python warnings of a class of their own."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class CompileWarning(UserWarning):
    """What the compiler tells of a model: that it is in training mode, that weights grow, that random numbers are the
    same in each run, that a size has a range which was not asked for, that it does not run as bytecode.

    `warnings.simplefilter("ignore", sunmao.CompileWarning)` turns them off, "error" makes them exceptions.
    """


def warn_all(notes: Iterable[str]) -> None:
    """Warns of each note once, at the line that called this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    for note in dict.fromkeys(notes):
        warnings.warn(note, CompileWarning, stacklevel=level)
