"""Is a missing tree told once, with all that was expected of it?"""

import trees
from etils import epath

from biases_jax.config import EvaluateConfig
from biases_jax.doctor import absent, sources
from biases_jax.sources import catalog

C = [source for name, source in catalog.SOURCES.items() if "imagenet_c/" in name]


def grouped(tmp_path, rows):
    root = str(tmp_path / "data")
    config = EvaluateConfig(data_dir=root, tfds_dir=str(tmp_path / "tfds"))
    nowhere = epath.Path(tmp_path / "manifests")
    examined = [
        sources.examine(row, (), config, nowhere, 1, lambda count: None) for row in rows
    ]
    return sources.grouped(rows, examined, root)


def test_only_a_corruption_at_a_severity_is_a_part_of_a_tree():
    families = {"imagenet_c": 95, "imagenet_cbar": 50}
    for source in catalog.SOURCES.values():
        family = source.name.split("/")[0]
        name = family if family in families else source.name
        assert absent.tree(source) == name


def test_a_missing_tree_is_one_finding_with_its_form_once(tmp_path):
    row = catalog.SOURCES["stylized_imagenet"]
    one, other = grouped(tmp_path, [*C, row])
    assert one.line[:2] == ("imagenet_c (95 sets)", "not found")
    ((subject, message, grave),) = one.findings
    assert subject == "imagenet_c" and grave and "95 of the 95 sets" in message
    root = f"{tmp_path}/data/imagenet-c/<corruption>/<severity>"
    assert message.count(f"{root}/<class>/<image>") == 1
    assert message.count(f"{root} (no such folder)") == 1
    assert message.count("50000 images of 1000 classes") == 1
    for corruption in {source.name.split("/")[1] for source in C}:
        assert f" {corruption}, " in message
    assert "severities 1, 2, 3, 4, 5." in message
    assert message.count("imagenet-c/weather.tar (<corruption>/<severity>)") == 1
    assert other.findings[0].subject == "stylized_imagenet"
    assert "<severity>" not in other.findings[0].message


def test_of_an_incomplete_tree_the_missing_parts_are_named(tmp_path):
    for source in C[:93]:
        folder = tmp_path / "data" / source.folders[0] / "0"
        folder.mkdir(parents=True)
        (folder / "x.JPEG").write_bytes(trees.picture(0, "JPEG"))
    *found, last = grouped(tmp_path, C)
    assert len(found) == 93 and all(one.absent is None for one in found)
    (finding,) = last.findings
    assert "2 of the 95 sets" in finding.message
    assert "corruptions speckle_noise, at each of the severities 4, 5." in (
        finding.message
    )
    (one,) = grouped(tmp_path, C[93:94])  # alone, it is named as it is
    assert "imagenet-c/speckle_noise/4/<class>" in one.findings[0].message


def test_parts_that_are_no_rectangle_are_listed(tmp_path):
    rows = [catalog.SOURCES[f"imagenet_c/{p}"] for p in ("fog/1", "fog/2", "snow/3")]
    (one,) = grouped(tmp_path, rows)
    assert "Absent are fog/1, fog/2, snow/3." in one.findings[0].message
