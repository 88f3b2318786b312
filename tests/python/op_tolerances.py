"""How far a result may lie from the reference: relative to the value, or to 1 below it, by dtype; more for some ops."""

# About four times half a unit in the last place of 1.
BY_DTYPE = {
    "float8_e5m2": 0.5,
    "float8_e4m3fn": 0.25,
    "bfloat16": 1.6e-2,
    "float16": 2e-3,
    "float32": 2e-6,
    "float64": 1e-13,
}

# Sums and powers round in their own order; NumPy's own functions of float32 are a few units in the last place off.
FACTORS = {
    "power": 8, "cumprod": 8, "prod": 8, "variance": 8, "std": 8, "nn.layer_norm": 32, "nn.rms_norm": 8, "tan": 8,
    "image.resize2d": 16, "image.resize3d": 16,
    "nn.conv3d": 8, "nn.gelu_tanh": 4, "nn.softplus": 4, "log_add_exp": 4, "nn.log_softmax": 4,
}  # fmt: skip

# Sums of 8-bit floats round where they stand, which may be far above the result.
FACTORS_OF_8_BITS = {"nn.conv1d": 8, "nn.conv2d": 8, "nn.conv3d": 8, "image.affine_grid": 4}


def tolerance(op: str, dtype: str) -> float:
    factor = FACTORS_OF_8_BITS.get(op, 1) if dtype.startswith("float8") else 1
    return BY_DTYPE[dtype] * FACTORS.get(op, 1) * factor
