"""Exports models, with inputs and the outputs that PyTorch gives for them, into build/differential/models/.

    python tests/differential/export.py [--jobs N] [NAME ...]

An export is made once for each source of its builder and version of PyTorch. One that fails is noted as well."""

from __future__ import annotations

import argparse
import copy
import hashlib
import inspect
import io
import json
import logging
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import torch
from comparing import Array
from export_files import CACHE, FORMS, save_examples
from models import Built, Entry, entries
from torch.utils import _pytree as pytree
from torch_arrays import arrays_of, tensors_of

REVISION = 1  # of this file: another one makes all exports anew
HALF = (torch.float16, torch.bfloat16)


def _sources(function: Callable[..., Any], seen: dict[str, str]) -> None:
    """Gathers the source of a function and of what it refers to in the files of this folder."""
    inner = inspect.unwrap(function)
    if getattr(inner, "__qualname__", "") in seen or not getattr(inner, "__module__", "").startswith("models"):
        return
    try:
        seen[inner.__qualname__] = inspect.getsource(inner)
    except OSError:
        return
    codes = [inner.__code__] if inspect.isfunction(inner) else []
    if inspect.isclass(inner):
        codes = [f.__code__ for f in vars(inner).values() if inspect.isfunction(f)]
    space = vars(sys.modules[inner.__module__])
    while codes:
        code = codes.pop()
        codes += [c for c in code.co_consts if inspect.iscode(c)]
        for name in code.co_names:
            value = space.get(name)
            if inspect.isfunction(value) or inspect.isclass(value):
                _sources(value, seen)
            elif isinstance(value, dict | tuple):
                seen[name] = repr(value)


def key_of(entry: Entry, form: str) -> str:
    seen: dict[str, str] = {}
    _sources(entry.builder, seen)
    defaults = repr(getattr(entry.builder, "__defaults__", None)) if "lambda" in entry.builder.__name__ else ""
    text = json.dumps([entry.name, form, defaults, seen, torch.__version__, REVISION])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def folder_of(entry: Entry, form: str) -> Path:
    return CACHE / "models" / f"{entry.name}.{form}.{key_of(entry, form)}"


def _example(built: Built, args: tuple[Any, ...], precise: torch.nn.Module | None) -> dict[str, list[Array]]:
    """Returns inputs and outputs. A copy runs, since a module may change its state."""
    kwargs = dict(built.kwargs)
    inputs = arrays_of((args, kwargs))
    with torch.no_grad():
        given, named = copy.deepcopy((args, kwargs))
        outputs = arrays_of(copy.deepcopy(built.module)(*given, **named))
        found = {"input": inputs, "output": outputs}
        if precise is not None:
            wide = pytree.tree_map(
                lambda v: v.double() if isinstance(v, torch.Tensor) and v.is_floating_point() else v, (args, kwargs)
            )
            found["precise"] = arrays_of(precise(*wide[0], **wide[1]))
    return found


def _program(built: Built, dynamic: bool) -> torch.export.ExportedProgram:
    shapes = built.dynamic_shapes if dynamic else None
    parameters = list(inspect.signature(built.module.forward).parameters.values())
    if shapes is not None and parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
        shapes = (tuple(shapes),)
    return torch.export.export(built.module, built.args, dict(built.kwargs), dynamic_shapes=shapes, strict=False)


def _write(folder: Path, built: Built, form: str) -> None:
    """Writes one form of the model."""
    if form == "onnx":
        torch.onnx.export(
            built.module, built.args, folder / "model.onnx", kwargs=dict(built.kwargs), dynamo=True, verbose=False,
            external_data=False,
        )  # fmt: skip
        return
    program = _program(built, dynamic=form == "dynamic")
    if form == "core":
        program = program.run_decompositions()
    torch.export.save(program, folder / "model.pt2")


def export(entry: Entry, form: str) -> Path:
    """Returns the folder of an export: the model's file and examples, or `skipped.txt` with the reason why not. A model
    that cannot be built or called is an error."""
    folder = folder_of(entry, form)
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    built = _built(entry)
    part = Path(tempfile.mkdtemp(prefix=".part-", dir=folder.parent))
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    said = io.StringIO()
    try:
        with redirect_stdout(said), redirect_stderr(said):
            if form == "dynamic" and built.dynamic_shapes is None:
                raise _NoForm("no dimension of this model is dynamic")
            if form in built.not_in:
                raise _NoForm(built.not_in[form])
            half = any(t.dtype in HALF for t in tensors_of((built.args, list(built.module.parameters()))))
            precise = copy.deepcopy(built.module).double() if half else None
            # Without dynamic shapes, others than those of the export do not fit, but other values do.
            same = [a for a in built.others if _shapes(a) == _shapes(built.args)]
            others = list(built.others) if form == "dynamic" else same
            examples = [_example(built, args, precise) for args in [built.args, *others]]
            _write(part, built, form)
        save_examples(part, built.tolerance, examples)
    except Exception as error:  # whatever an exporter throws means that there is no such file
        for path in part.iterdir():
            path.unlink()
        (part / "skipped.txt").write_text(f"{type(error).__name__}: {error}"[:4000])
    finally:
        logging.disable(logging.NOTSET)
    for old in folder.parent.glob(f"{entry.name}.{form}.*"):
        shutil.rmtree(old, ignore_errors=True)
    part.chmod(0o755)
    os.replace(part, folder)
    return folder


def _built(entry: Entry) -> Built:
    """Returns the model, which PyTorch has run once."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), torch.no_grad():
        built = entry.build()
        copy.deepcopy(built.module)(*copy.deepcopy(built.args), **copy.deepcopy(dict(built.kwargs)))
    return built


class _NoForm(Exception):
    """A form that a model does not have."""


def _shapes(args: Any) -> list[tuple[int, ...]]:
    return [tuple(t.shape) for t in tensors_of(args)]


def _export_all(name: str) -> str:
    torch.set_num_threads(1)
    said = []
    for form in FORMS:
        folder = export(entries()[name], form)
        reason = folder / "skipped.txt"
        said.append(f"{form}: {reason.read_text().splitlines()[0][:150]}" if reason.exists() else f"{form}: ok")
    return f"{name}: " + ", ".join(said)


def main() -> None:
    parser = argparse.ArgumentParser(description="Exports models into build/differential/models.")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or list(entries())
    with ProcessPoolExecutor(options.jobs) as pool:
        for line in pool.map(_export_all, names):
            print(line, flush=True)


if __name__ == "__main__":
    main()
