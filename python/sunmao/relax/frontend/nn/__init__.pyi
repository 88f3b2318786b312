from sunmao.compat.relax.frontend.nn import *
from sunmao.compat.relax.frontend.nn import __getattr__ as __getattr__
