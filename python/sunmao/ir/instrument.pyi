from sunmao.compat.ir.instrument import *
from sunmao.compat.ir.instrument import __getattr__ as __getattr__
