"""From which files are the measured weights, and are they the paper's?"""

from collections.abc import Mapping, Sequence
from typing import Any

from biases_jax.analysis import page

HEADER = ("model", "file", "sha256", "published", "weights", "licence")
OTHER = "not the paper's weights"  # a verdict of convert.fingerprint


def section(manifests: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of the files of converted checkpoints, '' if there are none."""
    if not manifests:
        return ""
    return page.section(
        "Checkpoints",
        *(page.paragraph(text, "warning") for text in doubts(manifests)),
        page.table(
            HEADER,
            [line for manifest in manifests for line in _lines(manifest)],
            "published: how much of the sum its authors published; weights: the norms "
            "of the sixteen 3x3 kernels, compared with those of the paper.",
        ),
    )


def doubts(manifests: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a sentence on each model whose numbers do not stand for its name."""
    return [
        f"{manifest['model']}: {manifest['fingerprint']['verdict']}. Its numbers do "
        "not stand for the published model."
        for manifest in manifests
        if manifest["fingerprint"]["status"] == OTHER
    ]


def _lines(manifest: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return [
        (
            manifest["model"],
            source["file"],
            source["sha256"],
            f"{source['digits']} of 64 digits" if source["digits"] else "not known",
            manifest["fingerprint"]["verdict"] if part == "backbone" else "not covered",
            manifest["licence"] or "own",
        )
        for part, source in manifest["sources"].items()
    ]
