"""Results of operators, computed by NumPy: what tests compare with."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.topi.testing.attention import attention_python
from sunmao.compat.topi.testing.boxes import get_valid_counts_python, non_max_suppression_python
from sunmao.compat.topi.testing.elements import (
    affine_grid_python,
    depth_to_space_python,
    dilate_python,
    gather_nd_python,
    gather_python,
    one_hot,
    slice_axis_python,
    space_to_depth_python,
    strided_set_python,
    strided_slice_python,
)
from sunmao.compat.topi.testing.norms import (
    group_norm_python,
    instance_norm_python,
    l2_normalize_python,
    layer_norm_python,
    log_softmax_python,
    rms_norm_python,
    softmax_python,
)
from sunmao.compat.topi.testing.products import batch_matmul, dense

__getattr__ = attribute_of(__name__)
