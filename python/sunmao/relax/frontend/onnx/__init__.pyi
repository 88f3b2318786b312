from sunmao.compat.relax.frontend.onnx import *
from sunmao.compat.relax.frontend.onnx import __getattr__ as __getattr__
