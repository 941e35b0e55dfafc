"""Is a tree found where it lies, and nothing taken for it that is another?"""

import pytest
import trees
from sources.source_files import write_tree

from biases_jax.sources import dataset, places

PICTURES = trees.files(trees.examples("imagenet"))


def opened(source, root):
    return dataset.open_source(trees.any_size(source), str(root), str(root / "none"))


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("imagenet_a", "ImageNet-A"),
        ("imagenet_r", "IMAGENET_R"),
        ("imagenet_c/fog/3", "Imagenet-C/fog/3"),
        ("imagenet", "ImageNet/Val"),
    ],
)
@pytest.mark.parametrize("packed", [False, True], ids=["folder", "archive"])
def test_letters_may_be_large_or_small(tmp_path, source, place, packed):
    examples = trees.examples(source)
    if packed:
        trees.pack(tmp_path / f"{place}.tar", trees.files(examples))
    else:
        write_tree(tmp_path / place, trees.files(examples))
    found = opened(source, tmp_path)
    assert len(found) == len(examples) and place in found.reader.files.where


def test_the_exact_name_comes_first(tmp_path):
    one, *others = trees.examples("imagenet_a")
    write_tree(tmp_path / "imagenet-a", trees.files([one]))
    write_tree(tmp_path / "ImageNet-A", trees.files(others))
    assert len(opened("imagenet_a", tmp_path)) == 1


@pytest.mark.parametrize("top", ["", "imagenet/"])
def test_of_an_archive_of_all_of_imagenet_the_validation_part_is_read(tmp_path, top):
    train = {f"{p[:9]}/{p[:9]}_1.JPEG": data for p, data in PICTURES.items()}
    content = {f"{top}val/{place}": data for place, data in PICTURES.items()}
    content |= {f"{top}train/{place}": data for place, data in train.items()}
    trees.pack(tmp_path / "imagenet.tar", content)
    found = opened("imagenet", tmp_path)
    assert found.reader.files.where.endswith("/val") and len(found) == 10


def test_an_archive_with_another_second_version_in_it_is_refused(tmp_path):
    source = "imagenet_v2/matched_frequency"
    path = tmp_path / "imagenetv2-matched-frequency.tar"
    content = trees.files(trees.examples(source), "integers")
    trees.pack(path, content, "imagenetv2-top-images-format-val")
    with pytest.raises(FileNotFoundError, match="holds imagenet_v2/top_images"):
        opened(source, tmp_path)
    for top in ("imagenetv2-matched-frequency-format-val", "x/matchedfrequency", ""):
        trees.pack(path, content, top)
        assert len(opened(source, tmp_path)) == len(content)


@pytest.mark.parametrize(
    ("ending", "tool"),
    [
        (".tar.gz", "gunzip"),
        (".tgz", "gunzip"),
        (".tar.bz2", "bunzip2"),
        (".tbz2", "bunzip2"),
        (".tar.xz", "unxz"),
        (".txz", "unxz"),
    ],
)
def test_a_compressed_archive_is_named_with_its_tool(tmp_path, ending, tool):
    (tmp_path / f"imagenet-a{ending}").write_bytes(b"")
    with pytest.raises(FileNotFoundError, match=f"a{ending} .compressed: {tool} it"):
        opened("imagenet_a", tmp_path)


@pytest.mark.parametrize(
    "other", ["2024/x.JPEG", "2024/imagenet.txt", "7/results.csv", "0001/log/x.JPEG"]
)
def test_a_folder_called_by_a_number_is_no_tree_of_classes(tmp_path, other):
    write_tree(tmp_path, {other: trees.picture(0, "JPEG", 40)})
    tree, tried = places.find_tree(trees.any_size("imagenet"), str(tmp_path))
    assert tree is None and f"{tmp_path} (holds no class folder)" in tried


def test_classes_called_by_integers_are_found_in_the_root(tmp_path):
    write_tree(tmp_path, trees.files(trees.examples("imagenet"), "integers"))
    assert len(opened("imagenet", tmp_path)) == 10
