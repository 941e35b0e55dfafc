"""How do images look that weather, cameras or files have spoilt?"""

from biases_jax.corruptions.registry import get

__all__ = ["get"]
