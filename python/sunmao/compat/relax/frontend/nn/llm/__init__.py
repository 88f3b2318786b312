"""What language models need beside layers: rotary embeddings."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn.llm import position_embedding
from sunmao.compat.relax.frontend.nn.llm.position_embedding import llama_rope

__all__ = ["llama_rope"]

__getattr__ = attribute_of(__name__)
