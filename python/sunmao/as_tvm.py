"""Runs a Python program that says `import tvm` on Sunmao, unmodified.

python -m sunmao.as_tvm [--own-attributes] prog.py [arguments]
python -m sunmao.as_tvm [--own-attributes] -m module [arguments]

Comparison by structure leaves out the attributes that Sunmao's passes note for themselves on functions, as upstream's
programs do not expect them; with --own-attributes they count, as they do everywhere else.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
import traceback
from contextlib import nullcontext
from types import TracebackType

from sunmao import finder
from sunmao.compat.ir import compare
from sunmao.compat.missing import missing_attribute, upstream_name
from sunmao.errors import Error, MissingApiError, MissingModuleError, fail

OWN_ATTRIBUTES = "--own-attributes"
USAGE = f"python -m sunmao.as_tvm [{OWN_ATTRIBUTES}] (prog.py | -m module) [arguments]"


def _run(arguments: list[str]) -> None:
    if arguments[:1] == ["-m"] and len(arguments) > 1:
        sys.argv = arguments[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    if not arguments or arguments[0].startswith("-"):
        raise fail("E0035", "there is no program to run", f"the form is {USAGE}")
    if not os.path.isfile(arguments[0]):
        raise fail("E0035", f"`{arguments[0]}` is no file", f"the form is {USAGE}")
    sys.argv = arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
    runpy.run_path(arguments[0], run_name="__main__")


def _missing_api(error: BaseException) -> Error | None:
    """Returns the error with a code behind a failed look-up in the mirrored API; None for other errors."""
    if isinstance(error, MissingApiError | MissingModuleError):
        return error
    if isinstance(error, ImportError):  # `from tvm.x import y` hides what the module said
        found = re.match(r"cannot import name '(\w+)' from '(tvm|sunmao\.compat)([\w.]*)'", str(error))
        return missing_attribute(upstream_name("sunmao.compat" + found[3]), found[1]) if found else None
    if isinstance(error, AttributeError) and error.name is not None:
        kind = error.obj if isinstance(error.obj, type) else type(error.obj)
        if kind.__module__.startswith(("sunmao.compat", "sunmao._sunmao")):
            return missing_attribute(upstream_name(kind.__module__) + "." + kind.__qualname__, error.name)
    return None


def _place(trace: TracebackType | None) -> str:
    """Returns the location of the innermost line outside of Sunmao and runpy."""
    here = os.path.dirname(os.path.abspath(__file__))
    for frame in reversed(traceback.extract_tb(trace)):
        if not frame.filename.startswith((here, "<frozen")) and not frame.filename.endswith("runpy.py"):
            return f"{frame.filename}:{frame.lineno}: {(frame.line or '').strip()}"
    return ""


def main(arguments: list[str]) -> int:
    finder.install()
    own_count = arguments[:1] == [OWN_ATTRIBUTES]
    try:
        with nullcontext() if own_count else compare.leaving_out(compare.OWN_ATTRIBUTES):
            _run(arguments[own_count:])
    except Exception as error:
        coded = _missing_api(error)
        if coded is None and not (isinstance(error, Error) and error.code == "E0035"):
            raise
        place = _place(error.__traceback__)
        print(coded or error, *([f"  --> {place}"] if place else []), sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
