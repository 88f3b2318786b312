from sunmao.compat.relax.dpl import *
from sunmao.compat.relax.dpl import __getattr__ as __getattr__
