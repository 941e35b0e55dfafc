"""What do ImageNet classifiers rely on, and how do they generalise?"""

from biases_jax.version import __version__

__all__ = ["__version__"]
