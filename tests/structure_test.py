"""Does the code keep to its own rules of layout and import?"""

import ast
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[1]
MODULES = sorted([*ROOT.glob("biases_jax/**/*.py"), *ROOT.glob("convert/**/*.py")])
SCRIPTS = [ROOT / "main.py", *ROOT.glob("configs/*.py")]
LINES = 200
TABLES = ("biases_jax/models/published.py",)  # of data, may be longer


def name(path):
    return str(path.relative_to(ROOT))


def imports(path):
    """Return the modules imported anywhere in a file, also within functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module} | {f"{node.module}.{a.name}" for a in node.names}
    return found


def offenders(allowed, *forbidden):
    return [
        name(path)
        for path in MODULES
        if name(path) not in allowed
        and any(
            module == word or module.startswith(word + ".")
            for module in imports(path)
            for word in forbidden
        )
    ]


@pytest.mark.parametrize("path", MODULES + SCRIPTS, ids=name)
def test_files_are_short_and_say_what_they_answer(path):
    text = path.read_text()
    assert name(path) in TABLES or len(text.splitlines()) <= LINES
    assert (ast.get_docstring(ast.parse(text)) or "").strip()


def test_torch_is_imported_only_to_be_compared_with():
    allowed = ("convert/torch_network.py",)
    assert offenders(allowed, "torch", "torchvision") == []


def test_tensorflow_is_imported_only_by_the_tfrecord_reader():
    assert offenders(("biases_jax/sources/records.py",), "tensorflow") == []


def test_only_sharding_knows_device_layouts():
    allowed = ("biases_jax/sharding.py",)
    assert offenders(allowed, "jax.sharding", "jax.experimental.shard_map") == []


def test_only_figures_import_matplotlib():
    folder = ROOT / "biases_jax/analysis/figures"
    assert offenders([name(path) for path in folder.glob("*.py")], "matplotlib") == []


def test_nothing_imports_the_program_or_its_settings():
    assert offenders((), "main", "configs") == []


def test_conversion_is_known_to_few_modules_only():
    package = [name(p) for p in MODULES if name(p).startswith("convert/")]
    stages = ("biases_jax/stages/convert.py", "biases_jax/stages/parity.py")
    # The doctor looks for files where the conversion will, and by its rules. The
    # miniature's networks are written under the names that the conversion reads.
    others = ("doctor/weights.py", "miniature/export.py")
    allowed = (*package, *stages, *(f"biases_jax/{module}" for module in others))
    assert offenders(allowed, "convert") == []


def test_the_measuring_core_does_not_know_the_families():
    core = ("evaluate", "passes", "schedule", "sharding", "scores", "benchmark")
    for module in core:
        found = imports(ROOT / f"biases_jax/{module}.py")
        families = {m for m in found if m.startswith("biases_jax.benchmarks")}
        assert families == set()


def test_modules_are_not_named_for_nothing():
    empty = {"utils", "helpers", "common", "misc"}
    assert [name(p) for p in MODULES if p.stem in empty] == []


def test_importing_everything_loads_neither_torch_nor_tensorflow():
    modules = [name(p)[:-3].replace("/", ".") for p in MODULES]
    modules = [m.removesuffix(".__init__") for m in modules if "__main__" not in m]
    code = (
        "import importlib, sys\n"
        f"for module in {modules}: importlib.import_module(module)\n"
        "bad = {'torch', 'tensorflow'} & set(sys.modules)\n"
        "sys.exit(f'imported {bad}' if bad else 0)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_importing_the_package_adds_little():
    """The promise is 0.5 s beyond jax and flax; counted in modules, since time varies.

    Heavy libraries are what makes an import slow.
    """
    code = (
        "import sys, jax, flax.linen\n"
        "before = set(sys.modules)\n"
        "import biases_jax\n"
        "heavy = {'grain', 'matplotlib', 'orbax', 'pyarrow', 'scipy', 'skimage',\n"
        "         'tensorflow_datasets', 'optax'}\n"
        "bad = heavy & {m.split('.')[0] for m in set(sys.modules) - before}\n"
        "sys.exit(f'imported {bad}' if bad else 0)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
