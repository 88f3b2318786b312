from sunmao.compat.runtime import *
from sunmao.compat.runtime import __getattr__ as __getattr__
