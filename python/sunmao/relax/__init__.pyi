from sunmao.compat.relax import *
from sunmao.compat.relax import __getattr__ as __getattr__
