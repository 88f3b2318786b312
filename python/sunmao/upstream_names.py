"""What the mirrored API is called here and by programs."""

OWN = "sunmao.compat"
UPSTREAM = "tvm"
