"""How far are this machine's answers from PyTorch's, or from another machine's?"""

import functools
from collections.abc import Callable, Iterator
from typing import Any

from absl import logging

from biases_jax import usage
from biases_jax.models import activations, checkpoints, functions, load
from biases_jax.models.names import Reference as Model
from biases_jax.parity import (
    comparison,
    images,
    reference,
    runs,
    saved,
    subjects,
    table,
)
from biases_jax.settings import DONE, INCOMPLETE, Parity
from biases_jax.stages.request import Request
from convert import torch_network, torch_reading

NO_FILE = (
    "it is a function, without a file that PyTorch could read; compare its logits and "
    "gradient between machines, with --write_reference and --reference"
)


def run(request: Request) -> int:
    """Compare with PyTorch or an archive, or write an archive; return the exit code.

    Raises:
        app.UsageError: the flags contradict each other.
        ValueError: the archive or the images cannot be read.
    """
    asked = request.settings.parity
    _check(asked)
    if asked.framework == "torch" or not (asked.write_reference or asked.reference):
        try:
            torch_network.library()
        except ImportError as error:
            logging.error("%s; or compare with an archive (--reference)", error)
            return INCOMPLETE
    if asked.reference:
        archive = reference.read(asked.reference)
        answer = functools.partial(_with_archive, request, archive)
        return _compare(request, archive.images, answer)
    found = images.own(asked.images) if asked.images else images.default()
    if asked.write_reference:
        reference.prepare(asked.write_reference)
        return _write(request, found)
    return _compare(request, found, functools.partial(_live, request, found.pixels))


def _check(asked: Parity) -> None:
    if asked.write_reference and asked.reference:
        raise usage.error("got both --write_reference and --reference; give one")
    if asked.reference and asked.images:
        raise usage.error("got --images with --reference, which has its own; give one")
    if asked.framework == "torch" and not (asked.write_reference or asked.reference):
        raise usage.error(
            "got --framework=torch for a comparison with PyTorch itself; it is for"
            " --write_reference and --reference"
        )
    unknown = [p for p in asked.precisions if p not in runs.PRECISIONS]
    if unknown or not asked.precisions:
        raise usage.error(
            f"got precisions {unknown}, expected some of {', '.join(runs.PRECISIONS)}"
        )


def _compare(
    request: Request,
    found: images.Images,
    compare: Callable[[Model], comparison.Result],
) -> int:
    """Compare every model; print, keep and count what was found."""
    results = []

    def refuse(model, why):
        # An earlier comparison must not stand for this one.
        saved.write(request.parity, comparison.refused(model.name, why), found)

    for result in _each(request, compare, refuse):
        saved.write(request.parity, result, found)
        print(table.text(result), end="\n\n", flush=True)
        results.append(result)
    agree = [result for result in results if result.agrees]
    print(table.NOTE)
    for result in results:
        print(table.verdict(result))
    print(
        f"{len(agree)} of {len(request.references)} model(s) agree on "
        f"{len(found.names)} image(s); all numbers: {request.parity}",
        flush=True,
    )
    return DONE if len(agree) == len(request.references) else INCOMPLETE


def _live(request: Request, pixels: activations.Pixels, model: Model):
    """Compare a model in JAX with PyTorch, on its own file."""
    if model.function:
        raise ValueError(NO_FILE)
    subject = subjects.of_jax(model, request.checkpoints)
    peer = _of_torch(request, model)
    precisions = request.settings.parity.precisions
    asked = ("float64", *(p for p in torch_network.PRECISIONS[1:] if p in precisions))
    # Of other weights nothing is compared, so nothing need be computed.
    asked = asked if peer.weights_sha256 == subject.weights_sha256 else ()
    return comparison.compare(
        subject, subjects.ask(peer, pixels, asked), pixels, precisions
    )


def _with_archive(request: Request, archive: reference.Archive, model: Model):
    """Compare a model with what an archive has of it."""
    if model.name not in archive.references:
        known = ", ".join(archive.references)
        raise ValueError(f"it is not in the archive, which has {known}")
    asked = request.settings.parity
    subject = _subject(request, model)
    against = archive.references[model.name]
    return comparison.compare(subject, against, archive.images.pixels, asked.precisions)


def _write(request: Request, found: images.Images) -> int:
    """Write what every model answers; models that cannot are told and left out."""
    asked, references = request.settings.parity, {}

    def answer(model):
        subject = _subject(request, model)
        precisions = [p for p in runs.PRECISIONS if p in asked.precisions]
        having = [p for p in precisions if p in subject.precisions]
        for name in [p for p in precisions if p not in having]:
            logging.warning("%s: %s left out: %s", model.name, name, subject.lacking)
        return subjects.ask(subject, found.pixels, having, runs.thinned)

    for answers in _each(request, answer):
        references[answers.name] = answers
    if not references:
        return INCOMPLETE
    reference.write(asked.write_reference, reference.Archive(found, references))
    print(
        f"{asked.write_reference}: {asked.framework}, {len(references)} model(s), "
        f"{len(found.names)} image(s), at most {runs.KEPT} values of a stage and image",
        flush=True,
    )
    return DONE if len(references) == len(request.references) else INCOMPLETE


def _each(
    request: Request,
    work: Callable[[Model], Any],
    refuse: Callable[[Model, str], Any] = lambda model, why: None,
) -> Iterator[Any]:
    """Work on every model; what refuses, or runs out of memory, costs itself only."""
    for model in request.references:
        try:
            yield work(model)
        except functions.FAILURES as error:
            why = str(error)
            if not isinstance(error, load.ModelError | OSError | ValueError):
                why = f"{type(error).__name__}: {why}"  # XLA's, torch's or a user's
            logging.error("%s cannot be compared: %s", model.name, why)
            refuse(model, why)


def _subject(request: Request, model: Model) -> subjects.Subject:
    if request.settings.parity.framework == "jax":
        return subjects.of_jax(model, request.checkpoints)
    if model.function:
        raise ValueError(NO_FILE)
    return _of_torch(request, model)


def _of_torch(request: Request, model: Model) -> subjects.Subject:
    """Return PyTorch's network, from the file that the model was converted from."""
    identity = load.weights_sha256(model, request.checkpoints)
    manifest = checkpoints.read_manifest(request.checkpoints / model.name)
    loaded = torch_reading.load(manifest)
    if loaded.weights_sha256 != manifest["weights_sha256"]:
        identity = loaded.weights_sha256
    mean, std = tuple(manifest["mean"]), tuple(manifest["std"])
    return subjects.Subject(
        name=model.name,
        framework="torch",
        weights_sha256=identity,
        precisions=torch_network.PRECISIONS,
        lacking=f"PyTorch is asked in {' and '.join(torch_network.PRECISIONS)} only",
        answer=functools.partial(torch_network.answers, loaded.network, mean, std),
        about={**torch_network.about(), "file_read_by": loaded.reader},
        normalize=(mean, std),
    )
