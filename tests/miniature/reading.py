"""How do the project's own readers and its doctor see a drawn set?"""

from biases_jax.config import EvaluateConfig
from biases_jax.doctor import sources
from biases_jax.sources import catalog, dataset


def opened(root, source):
    """Return a source's images and labels below a data root."""
    return dataset.open_source(catalog.SOURCES[source], str(root), "")


def examined(root, source):
    """Return what the doctor finds of a source below a data root."""
    config = EvaluateConfig(data_dir=str(root), tfds_dir=str(root / "none"))
    return sources.examine(
        catalog.SOURCES[source],
        (),
        config,
        root / "manifests",
        None,
        lambda count: None,
    )
