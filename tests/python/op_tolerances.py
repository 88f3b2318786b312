"""How far a result may lie from the reference: relative to the value, or to 1 below it, by dtype; more for some ops."""

BY_DTYPE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-13}

# Sums and powers round in their own order; NumPy's own functions of float32 are a few units in the last place off.
FACTORS = {
    "power": 8, "cumprod": 8, "prod": 8, "variance": 8, "std": 8, "nn.layer_norm": 32, "nn.rms_norm": 8, "tan": 8,
    "image.resize2d": 16, "image.resize3d": 16,
    "nn.conv3d": 8, "nn.gelu_tanh": 4, "nn.softplus": 4, "log_add_exp": 4, "nn.log_softmax": 4,
}  # fmt: skip


def tolerance(op: str, dtype: str) -> float:
    return BY_DTYPE[dtype] * FACTORS.get(op, 1)
