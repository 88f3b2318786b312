from sunmao.compat.relax.analysis import *
from sunmao.compat.relax.analysis import __getattr__ as __getattr__
