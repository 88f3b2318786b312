from sunmao.compat.relax.backend import *
from sunmao.compat.relax.backend import __getattr__ as __getattr__
