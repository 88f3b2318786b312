from sunmao.compat.relax.op import *
