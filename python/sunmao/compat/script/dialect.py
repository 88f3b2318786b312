"""Values of the dialect's names in expressions of scripts."""

from sunmao.captures import define_dialect
from sunmao.compat.script import ir, relax, tirx

_WORDS = {"R": relax, "T": tirx, "I": ir, "relax": relax, "tir": tirx, "tirx": tirx}
# Functions that script text may call: `R.emit_te`, and constructors of typed numbers for its arguments.
_NUMBERS = ("bool", "int32", "int64", "float16", "float32", "float64")
_CALLS = {
    "R.emit_te": relax.emit_te,
    "relax.emit_te": relax.emit_te,
    **{f"T.{name}": getattr(tirx, name) for name in _NUMBERS},
}

define_dialect(_WORDS, _CALLS)
