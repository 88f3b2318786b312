from sunmao.compat.relax.frontend import *
from sunmao.compat.relax.frontend import __getattr__ as __getattr__
