from sunmao.compat.relax.testing import *
from sunmao.compat.relax.testing import __getattr__ as __getattr__
