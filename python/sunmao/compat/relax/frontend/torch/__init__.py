"""Programs of torch.export and graphs of torch.fx become modules."""

from __future__ import annotations

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.torch.dynamo import dynamo_capture_subgraphs, relax_dynamo
from sunmao.compat.relax.frontend.torch.fx_translator import from_fx
from sunmao.compat.relax.frontend.torch.programs import from_exported_program

__all__ = ["dynamo_capture_subgraphs", "from_exported_program", "from_fx", "relax_dynamo"]

__getattr__ = attribute_of(__name__)
