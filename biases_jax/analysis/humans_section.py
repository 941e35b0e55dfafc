"""How far are models from people, and how far are people from each other?"""

import math
import re
from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa
from pyarrow import compute

from biases_jax.analysis import errors, headline, humans, page, table
from biases_jax.humans import reference
from biases_jax.types import Value

HEADING = "Models and people"
FAMILIES = ("critical_band", "model_vs_human", "shape")  # that people were measured on
CAPTIONS = {
    "error_consistency": "Error consistency with people: Cohen's kappa of being right"
    " on the same images, 0 by chance and 1 where all errors are shared",
    "observed_consistency": "Observed consistency: the share of images on which model"
    " and person are both right or both wrong",
    "accuracy_difference": "Squared difference of the accuracies of model and person",
}
REST = (
    "; means over the conditions that count, then over people, then over the sets."
    " † by sums of the members' probabilities, of models that have no other read-out."
)
PUBLISHED = {  # columns of the table of published figures; of `reference.ImageSet`
    "accuracy": "accuracy",
    "error consistency": "error_consistency",
    "observed consistency": "observed_consistency",
    "squared accuracy difference": "accuracy_difference",
}
MOST = 24  # models in a matrix on the page
DAGGER = page.Markup("<sup>†</sup>")


def section(found: Sequence[humans.Beside], long: pa.Table) -> str:
    """Return the section (HTML); nothing where nothing was measured that people saw."""
    if not set(long["family"].to_pylist()) & set(FAMILIES):
        return ""
    compared = [one for one in found if one.people is not None]
    means = _means(long)
    parts = [page.paragraph(text) for text in _not_compared(found)]
    if compared:
        first, *others = (_table(metric, compared, means) for metric in humans.METRICS)
        # The order of `METRICS` is the published one; the last is read first.
        parts += [others.pop(), page.folded("By other measures", first, *others)]
    return page.section(HEADING, *parts, _matrix(found), _published())


def _not_compared(found: Sequence[humans.Beside]) -> list[str]:
    """Return why sets lack trials of people, those in one line that lack them alike."""
    alike: dict[str, list[humans.Beside]] = {}
    for one in found:
        if one.reason:
            name = rf"(?<![\w-]){re.escape(one.name)}(?![A-Za-z0-9-])"
            alike.setdefault(re.sub(name, "<set>", one.reason), []).append(one)
    texts = []
    for reason, sets in alike.items():
        if len({one.reason for one in sets}) == 1:
            texts.append(f"Not compared: {sets[0].reason}")
        else:
            names = ", ".join(one.name for one in sets)
            texts.append(f"Not compared on {names}: {reason}")
    return texts


def _table(
    metric: str,
    compared: Sequence[humans.Beside],
    means: Mapping[tuple[str, str], Value],
) -> str:
    models = sorted(
        {model for one in compared for rows in one.rows.values() for model in rows}
    )
    lines = []
    for model in models:
        cells = [_cell(one, model, metric) for one in compared]
        names = (metric, f"{metric}_sum")
        values = [means[model, name] for name in names if (model, name) in means]
        known = [value for value in values if not math.isnan(value.value)]
        mean = [_number(value) for value in (known or values)[:1]] or [None]
        lines.append([model, *cells, *mean])
    if metric == "error_consistency":
        lines += [
            _people("people, two at a time", compared, lambda one: one.among_people),
            _people("people, in two halves", compared, lambda one: one.between_halves),
        ]
    lines.append(_as_published(metric, compared))
    header = ["", *(one.name for one in compared), "mean of all 17"]
    return page.table(header, lines, CAPTIONS[metric] + REST)


def _cell(one: humans.Beside, model: str, metric: str) -> object:
    if not any(model in rows for rows in one.rows.values()):
        return None
    shown = _number(one.value(model, metric))
    return page.Markup(shown + DAGGER) if model in one.by_sums else shown


def _people(
    title: str,
    compared: Sequence[humans.Beside],
    number: Callable[[humans.Beside], float],
) -> list[object]:
    values = [number(one) for one in compared]
    whole = len(values) == len(reference.SETS)
    return [title, *values, sum(values) / len(values) if whole else None]


def _as_published(metric: str, compared: Sequence[humans.Beside]) -> list[object]:
    sets = (reference.SETS[one.name] for one in compared)
    values = [getattr(one, metric) for one in sets]
    return ["people, two at a time, as published", *values, reference.mean(metric)]


def _matrix(found: Sequence[humans.Beside]) -> str:
    found = [one for one in found if one.answers.trials.makers]
    if not found:
        return ""
    lines = errors.matrix(found).to_pylist()
    mean = [line for line in lines if line["set"] == errors.MEAN]
    makers = [line["maker"] for line in mean]
    mean = [[line["maker"], *map(line.get, makers)] for line in mean]
    text = f"Consistency of models and observers is in {' and '.join(errors.MATRICES)}"
    if len(mean) - 1 > MOST:
        return page.paragraph(text + ", set by set.")
    caption = f"Mean over the sets {', '.join(one.name for one in found)}"
    return page.folded(
        "Error consistency of models with each other",
        page.paragraph(text + ", set by set, too."),
        page.table(["", *makers], mean, caption),
    )


def _published() -> str:
    """Return what people did, by the published data."""
    shape, band = reference.SHAPE_BIAS, reference.CRITICAL_BAND
    lines = [
        [name, str(one.observers), *(getattr(one, f) for f in PUBLISHED.values())]
        for name, one in reference.SETS.items()
    ]
    lines.append(["mean", "", *(reference.mean(f) for f in PUBLISHED.values())])
    text = (
        f"Shape bias of people: {shape.pooled:.4f} ({shape.shape} decisions for the"
        f" shape, {shape.texture} for the texture). Their critical band:"
        f" {band.bandwidth:.2f} octaves around {band.centre_frequency:.1f} cycles per"
        f" image, peak noise sensitivity {band.peak_noise_sensitivity:.2f} (mean of"
        f" {band.observers} observers, Subramanian et al. 2023)."
    )
    caption = (
        "Fractions, of the conditions that count; the last three are means over all"
        " pairs of observers (calculated from the trials of Geirhos et al. 2021)."
    )
    shown = page.table(["set", "observers", *PUBLISHED], lines, caption)
    return page.paragraph(text) + page.folded("What people answered", shown)


def _means(long: pa.Table) -> dict[tuple[str, str], Value]:
    """Return the means over all sets by model and metric."""
    names = [f"{metric}{end}" for metric in humans.METRICS for end in ("", "_sum")]
    of_all = compute.equal(long["benchmark"], "model_vs_human")
    wanted = compute.and_(of_all, compute.is_in(long["metric"], pa.array(names)))
    lines = long.filter(wanted).to_pylist()
    return {(line["model"], line["metric"]): table.value_of(line) for line in lines}


def _number(value: Value) -> page.Markup:
    """Return a number, or a dash with the reason."""
    if math.isnan(value.value):
        return headline.value(vars(value))
    return page.Markup(page.number(value.value))
