from sunmao.compat.relax.frontend.nn.llm import *
from sunmao.compat.relax.frontend.nn.llm import __getattr__ as __getattr__
