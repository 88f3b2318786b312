from sunmao.compat.testing import *
from sunmao.compat.testing import __getattr__ as __getattr__
