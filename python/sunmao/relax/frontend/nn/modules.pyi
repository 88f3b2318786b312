from sunmao.compat.relax.frontend.nn.modules import *
from sunmao.compat.relax.frontend.nn.modules import __getattr__ as __getattr__
