from sunmao.compat.relax.frontend.nn.core import *
from sunmao.compat.relax.frontend.nn.core import __getattr__ as __getattr__
