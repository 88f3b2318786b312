# Calls for their effect.
@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")) -> R.Any:
    R.print(x, format="x = {}")
    _ = R.print(x)
    y = R.call_packed("my.func", x, R.str("text"), R.dtype("float16"), ty_args=R.Tensor((2,), "float32"))
    z = R.call_packed("my.other", y)
    return z
