"""The default pipeline for GPUs."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.backend.stages import (
    dataflow_lower_passes,
    finalize_passes,
    get_default_pipeline,
    legalize_passes,
    library_dispatch_passes,
)

__getattr__ = attribute_of(__name__)
