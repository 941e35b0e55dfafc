"""Show what the models see: a sheet of images for each family of benchmarks."""

import functools

import jax
import numpy as np
from absl import logging
from etils import epath

from biases_jax import contact_sheet, gallery, photographs, sharding, usage
from biases_jax.settings import DONE
from biases_jax.sources import catalog, dataset, preprocess
from biases_jax.stages.request import Request

PATTERN = "gallery_*.png"
PHOTOGRAPH = "chelsea"  # shown where there is no image of the source


def run(request: Request) -> int:
    """Write the sheets into the report's figures, for the next report to show.

    Where there is none, or the user's own image is on none, it is said why.

    Raises:
        app.UsageError: there is no image at the path given.
    """
    folder = request.report / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    first = functools.cache(functools.partial(_first, request))
    devices = jax.local_devices()[:1]
    own = request.settings.image
    example = functools.cache(functools.partial(_example, own, first))
    sheets = gallery.sheets(
        request.benchmarks,
        example,
        first,
        request.config.seed,
        sharding.spread(request.config.sharding, devices),
    )
    written = {_file(sheet, folder) for sheet in sheets}
    for path in folder.glob(PATTERN):
        if path.name not in {there.name for there in written}:
            path.unlink()  # of an earlier call, which asked for more
    if own and not example.cache_info().currsize:
        logging.warning(
            "--image=%s is not used: no benchmark asked for changes images", own
        )
    lines = [f"sheet: {path}" for path in sorted(written)] or [_none(request)]
    print("\n".join(lines), flush=True)
    return DONE


def pictures(report: epath.Path) -> list[tuple[str, bytes]]:
    """Return the captions and PNG files of the sheets in a report's folder."""
    paths = sorted((report / "figures").glob(PATTERN))
    return [contact_sheet.read(path) for path in paths]


def _none(request: Request) -> str:
    """Return why there is no sheet: an image that is changed would always be there."""
    names = sorted({benchmark.source for benchmark in request.benchmarks})
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return (
        "no sheet: no benchmark asked for changes images, and none of their sources is "
        f"here ({', '.join(names[:5])}{more})"
    )


def _file(sheet: gallery.Sheet, folder: epath.Path) -> epath.Path:
    """Return a sheet's file, which is made unless it is there."""
    path = folder / PATTERN.replace("*", sheet.family)
    if contact_sheet.recipe(path) != sheet.recipe:
        part = path.with_name(f"{path.name}.part")
        tiles = list(sheet.tiles)
        part.write_bytes(contact_sheet.png(sheet.caption, tiles, sheet.recipe))
        part.replace(path)
    return path


def _example(path: str, first, source: str) -> gallery.Example:
    """Return the image to change: the user's, else the source's, else a photograph."""
    policy = catalog.SOURCES["imagenet"].preprocessing
    if path:
        place = epath.Path(path).expanduser()
        if not place.exists() or place.is_dir():
            raise usage.error(f"got --image={path}, where there is no file")
        return _decoded(place.name, place.read_bytes(), policy)
    found = first(source)
    if found:
        return next(iter(found.values()))
    logging.warning("%s is not here: a photograph is shown instead", source)
    [data] = photographs.crops(PHOTOGRAPH, 1)
    return _decoded(f"{PHOTOGRAPH}.jpg", data, policy)


def _first(request: Request, source: str) -> dict[str, gallery.Example]:
    """Return a source's first image of each condition, nothing where it is not here."""
    config = request.config
    try:
        opened = dataset.open_source(
            catalog.SOURCES[source], config.data_dir, config.tfds_dir, request.sources
        )
        return {
            condition: _decoded(
                opened.names[index], opened.encoded(index), opened.preprocessing
            )
            for condition, index in _places(opened).items()
        }
    except (ImportError, OSError, ValueError) as error:
        logging.info("%s is not shown: %s", source, error)
        return {}


def _places(opened: dataset.Dataset) -> dict[str, int]:
    """Return where each condition's first image is, by '' in sets without any."""
    conditions = opened.source.conditions
    if not conditions:
        return {"": 0}
    found = opened.labels["category_condition"][:, 1]
    return {
        name: int(np.argmax(found == place))
        for place, name in enumerate(conditions)
        if place in found
    }


def _decoded(name: str, data: bytes, policy: str) -> gallery.Example:
    try:
        return gallery.Example(name, preprocess.decode(data, policy))
    except preprocess.CorruptImage as error:
        raise ValueError(f"got {name}, expected an image: {error}") from error
