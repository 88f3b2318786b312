"""Options by name that a `PassContext` holds. Some are records, whose fields are known and have defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sunmao.compat.ir.attrs_class import Attrs
from sunmao.errors import MissingApiError, fail

UNROLL_LOOP = "tirx.UnrollLoop"
# The supported options, with the descriptions that `list_configs` returns.
_OPTIONS = {
    "relax.FuseOps.max_depth": "int: the most kernel calls that `FuseOps` moves into one function, 256",
    "relax.lift_transform_params.consume_params": "bool: transforms let go of each weight when it is prepared",
    UNROLL_LOOP: "record, read by `relax.build`: a serial loop with no loop left inside is replaced by its steps where "
    "they come to `auto_max_step` statements at most, or where it has `auto_max_extent` steps at most, in up to "
    "`auto_max_depth` loops within each other; without `explicit_unroll` no loop is, also none that is marked unrolled",
}
_RECORDS: dict[str, dict[str, Any]] = {
    UNROLL_LOOP: {"auto_max_step": 0, "auto_max_depth": 8, "auto_max_extent": 0, "explicit_unroll": True},
}
# Fields of upstream's option records that have a single possible value here; other values are rejected.
_FIXED: dict[str, dict[str, Any]] = {UNROLL_LOOP: {"unroll_local_access": False}}


def pass_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options as they are read. An AttributeError for names that are no option's, a TypeError for fields."""
    return {name: _option(name, value) for name, value in given.items()}


def _option(name: str, value: Any) -> Any:
    if name not in _OPTIONS:
        raise MissingApiError("E0030", f"`{name}` is no option of a pass", f"passes read {', '.join(sorted(_OPTIONS))}")
    fields = _RECORDS.get(name)
    if fields is None or isinstance(value, Attrs):
        return value
    if not isinstance(value, Mapping):
        raise MissingApiError("E0030", f"`{name}` is a record, not {value!r}", f"fields: {', '.join(fields)}")
    fixed = _FIXED.get(name, {})
    for key, part in value.items():
        if key not in fields and (key not in fixed or part != fixed[key]):
            problem = f"`{name}` with the field `{key}` at {part!r} is not supported"
            raise fail("E0032", problem, f"fields: {', '.join(fields)}")
        if key in fields and not _fits(part, fields[key]):
            kind = "a bool" if isinstance(fields[key], bool) else "a number that is not negative"
            raise fail("E0034", f"`{name}`: the field `{key}` is {kind}, got {part!r}")
    return Attrs({**fields, **fixed, **value})


def _fits(value: Any, default: Any) -> bool:
    if isinstance(default, bool):
        return isinstance(value, bool) or value in (0, 1)
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def listed_options() -> dict[str, dict[str, str]]:
    """What is read, by name."""
    return {name: {"doc": doc} for name, doc in _OPTIONS.items()}


def native_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options in terms that the extension takes."""
    return {name: value.native() if isinstance(value, Attrs) else value for name, value in options.items()}


def unroll_options(options: Mapping[str, Any]) -> dict[str, int]:
    """Which loops a compilation replaces by their steps, by the names of the record's fields."""
    record = options.get(UNROLL_LOOP, {})
    return {name: int(record[name]) for name in _RECORDS[UNROLL_LOOP] if name in record}
