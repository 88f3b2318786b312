"""Options of passes by name. Some are records, whose fields are known and have defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sunmao.compat.ir.attrs import Attrs
from sunmao.errors import MissingApiError, fail

# What passes read, in words.
_OPTIONS = {
    "relax.lift_transform_params.consume_params": "bool: transforms let go of each weight when it is prepared",
}
_RECORDS: dict[str, dict[str, Any]] = {
    "tirx.UnrollLoop": {
        "auto_max_step": 0, "auto_max_depth": 8, "auto_max_extent": 0, "explicit_unroll": True,
        "unroll_local_access": False,
    },
}  # fmt: skip


def pass_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options as passes read them. An AttributeError for names that are no option's, a TypeError for fields."""
    return {name: _option(name, value) for name, value in given.items()}


def _option(name: str, value: Any) -> Any:
    if name not in _OPTIONS and name not in _RECORDS:
        raise MissingApiError("E0030", f"`{name}` is no option of a pass", f"passes read {', '.join(sorted(_OPTIONS))}")
    fields = _RECORDS.get(name)
    if fields is None or isinstance(value, Attrs):
        return value
    if not isinstance(value, Mapping):
        raise MissingApiError("E0030", f"`{name}` is a record, not {value!r}", f"fields: {', '.join(fields)}")
    unknown = [key for key in value if key not in fields]
    if unknown:
        raise fail("E0032", f"`{name}` with the field `{unknown[0]}` is not supported", f"fields: {', '.join(fields)}")
    return Attrs({**fields, **value})


def listed_options() -> dict[str, dict[str, str]]:
    """What passes read, by name."""
    return {name: {"doc": doc} for name, doc in _OPTIONS.items()}


def native_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options in terms that the extension takes."""
    return {name: value.native() if isinstance(value, Attrs) else value for name, value in options.items()}
