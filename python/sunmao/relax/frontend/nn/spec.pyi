from sunmao.compat.relax.frontend.nn.spec import *
from sunmao.compat.relax.frontend.nn.spec import __getattr__ as __getattr__
