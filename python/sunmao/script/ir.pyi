from sunmao.compat.script.ir import *
from sunmao.compat.script.ir import __getattr__ as __getattr__
