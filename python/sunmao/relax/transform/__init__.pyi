from sunmao.compat.relax.transform import *
from sunmao.compat.relax.transform import __getattr__ as __getattr__
