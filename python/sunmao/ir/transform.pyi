from sunmao.compat.ir.transform import *
from sunmao.compat.ir.transform import __getattr__ as __getattr__
