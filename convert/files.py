"""Which files hold a model's weights, and are they the published ones?"""

import hashlib
import pathlib

from biases_jax.models import zoo
from convert import errors

# Of files that a user names after the model. No wildcard: 'eps0.*' is also eps0.5.
ENDINGS = (".safetensors", ".pth", ".pth.tar", ".pt", ".ckpt", ".bin", ".tar")


def parts(spec: zoo.ModelSpec) -> dict[str, zoo.Weights]:
    """Return the model's files by their role: backbone and, where apart, head."""
    head = {} if spec.head is None else {"head": spec.head}
    return {"backbone": spec.backbone, **head}


def find(
    spec: zoo.ModelSpec, path: str | None, weights_dir: str
) -> dict[str, pathlib.Path]:
    """Return the model's files by role.

    Args:
        spec: of the model.
        path: of its only file, or None to look in `weights_dir`.
        weights_dir: looked through for the published names, then `<model>.*`, then
            `<model>/backbone.*` and `<model>/head.*`.

    Raises:
        FileNotFoundError: a file is in none of these places; lists them.
        ValueError: two files could be meant, or `path` is given for a model of two.
    """
    if path is None:
        return {part: _find(spec, part, weights_dir) for part in parts(spec)}
    if spec.head is not None:
        raise ValueError(
            f"got the path {path} for {spec.name}, which has two files; put them into "
            f"--weights_dir as {spec.name}/backbone.* and {spec.name}/head.*"
        )
    file = pathlib.Path(path).expanduser()
    if not file.is_file():
        raise FileNotFoundError(f"got {path}, which is no file")
    return {"backbone": file}


def sha256(path: pathlib.Path, weights: zoo.Weights) -> str:
    """Return the file's sum, checked against the published one where that is known.

    Raises:
        CheckpointError: it is another file than the published one.
    """
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    known = weights.published
    named = [file for file in known if path.as_posix().endswith("/" + file.file)]
    sums = [file.sha256 for file in named or known]
    # A sum that nobody published is '', and any file goes through.
    if sums and not any(found.startswith(digits) for digits in sums):
        raise errors.CheckpointError(
            f"{path}: got sha256 {found}, expected {' or '.join(sums)}: not the "
            "published file, or damaged. Download it again, or convert it as a model "
            "of your own: --models=my_name=path/to/file"
        )
    return found


def _find(spec: zoo.ModelSpec, part: str, weights_dir: str) -> pathlib.Path:
    folder = pathlib.Path(weights_dir).expanduser()
    published = [folder / file.file for file in parts(spec)[part].published]
    stems = [f"{spec.name}/{part}"]
    if spec.head is None:
        stems.insert(0, spec.name)
    # Published files are the same in all forms: take the first. Others may differ.
    choices = [[file for file in published if file.is_file()][:1]]
    for stem in stems:
        files = [folder / f"{stem}{ending}" for ending in ENDINGS]
        choices.append([file for file in files if file.is_file()])
    for choice in choices:
        if len(choice) > 1:
            raise ValueError(
                f"got {' and '.join(map(str, choice))} for {spec.name}, expected one; "
                "remove or rename the others"
            )
        if choice:
            return choice[0]
    places = [str(file) for file in published]
    places += [f"{folder}/{stem}.*" for stem in stems]
    raise FileNotFoundError(
        f"{spec.name} ({part}): got none of {', '.join(places)} (endings: "
        f"{' '.join(ENDINGS)}); put the file there"
        + (", or give its folder as --weights_dir" if not weights_dir else "")
    )
