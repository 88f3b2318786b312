from sunmao.compat.script.tirx import *
from sunmao.compat.script.tirx import __getattr__ as __getattr__
