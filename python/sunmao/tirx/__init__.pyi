from sunmao.compat.tirx import *
from sunmao.compat.tirx import __getattr__ as __getattr__
