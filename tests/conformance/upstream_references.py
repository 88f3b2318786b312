"""Pytest plugin of tools/conformance.py: `tvm.topi.testing`, the references in NumPy that upstream's tests need. They
belong to tests, so Sunmao itself has no such module."""

import sys

import box_references
from sunmao.compat import topi

topi.testing = box_references  # type: ignore[attr-defined]
sys.modules[f"{topi.__name__}.testing"] = box_references
