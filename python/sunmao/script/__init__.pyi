from sunmao.compat.script import *
from sunmao.compat.script import __getattr__ as __getattr__
