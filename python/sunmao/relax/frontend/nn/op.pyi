from sunmao.compat.relax.frontend.nn.op import *
from sunmao.compat.relax.frontend.nn.op import __getattr__ as __getattr__
