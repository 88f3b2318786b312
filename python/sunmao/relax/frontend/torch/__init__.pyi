from sunmao.compat.relax.frontend.torch import *
from sunmao.compat.relax.frontend.torch import __getattr__ as __getattr__
