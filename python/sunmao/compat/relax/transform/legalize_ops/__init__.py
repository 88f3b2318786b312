"""Legalization of ops by programs."""

import sys

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.transform.legalize_ops import registration

# Upstream calls the module that is named `registration` here `common`.
common = registration
sys.modules[f"{__name__}.common"] = registration

__getattr__ = attribute_of(__name__)
