from sunmao.compat.script.relax import *
from sunmao.compat.script.relax import __getattr__ as __getattr__
