from sunmao.compat.ir import *
from sunmao.compat.ir import __getattr__ as __getattr__
