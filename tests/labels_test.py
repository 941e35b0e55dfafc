import hashlib

import numpy as np
import pytest

from biases_jax import labels


def test_the_class_list_has_the_1000_wnids_in_sorted_order():
    assert len(labels.WNIDS) == len(set(labels.WNIDS)) == len(labels.NAMES) == 1000
    assert list(labels.WNIDS) == sorted(labels.WNIDS)
    assert labels.index_of("n01440764") == 0
    assert labels.describe(207) == "n02099601 (golden retriever, class 207)"


def test_the_subsets_are_200_classes_each():
    for subset in (labels.IMAGENET_A, labels.IMAGENET_R):
        assert len(subset) == len(set(subset)) == 200
        assert set(subset) <= set(range(1000))
    assert labels.IMAGENET_A != labels.IMAGENET_R


def test_an_unknown_wnid_is_an_error():
    with pytest.raises(ValueError, match="'n00000000'.*n01440764 to n15075141"):
        labels.index_of("n00000000")


@pytest.mark.parametrize(
    "folders",
    [
        ["0", "1", "10", "100", "2"],
        ["0000", "0001", "0010", "0100", "0002"],
        [labels.WNIDS[i] for i in (0, 1, 10, 100, 2)],
    ],
    ids=["integers", "padded integers", "wnids"],
)
def test_labels_come_from_the_folder_name_not_from_its_place(folders):
    assert list(labels.class_indices(folders).values()) == [0, 1, 10, 100, 2]


@pytest.mark.parametrize(
    ("folders", "message"),
    [
        (["n01440764", "train"], "'train'.*wnid such as n01440764 or an integer"),
        (["n01440764", "7"], "both wnids.*'n01440764'.*integers.*'7'"),
        (["n01440764", "n00000000"], "'n00000000'.*none of the 1000"),
        (["1", "1000"], "'1000'.*none of the 1000"),
        (["7", "0007"], "two folders for class 7"),
        (["-1"], "'-1'"),
        (["00007"], "'00007'.*wnid such as"),  # no published tree has five digits
        (["\u0663"], "wnid such as"),  # a decimal digit, but not of ours
        ([f"x{i}" for i in range(9)], "'x4' and 4 more"),
    ],
)
def test_a_folder_that_is_no_class_is_one_clear_error(folders, message):
    with pytest.raises(ValueError, match=message):
        labels.class_indices(folders)


def test_an_id_is_the_first_eight_bytes_of_the_names_sha256():
    names = ["ILSVRC2012_val_00000001.JPEG", "ILSVRC2012_val_00000002.JPEG"]
    ids = labels.example_ids(names)
    assert ids.dtype == np.uint32 and ids.shape == (2, 2)
    for name, words in zip(names, ids.tolist(), strict=True):
        digest = hashlib.sha256(name.encode()).hexdigest()
        assert f"{words[0]:08x}{words[1]:08x}" == digest[:16]
    assert labels.example_ids([]).shape == (0, 2)


def test_a_packed_id_holds_both_words_in_order():
    ids = np.array([[1, 2], [0xFFFFFFFF, 0]], np.uint32)
    assert labels.packed_ids(ids).tolist() == [2**32 + 2, 0xFFFFFFFF << 32]


def test_the_hash_of_the_order_is_that_of_the_two_words_in_turn():
    ids = np.array([[0xF0000001, 2], [0, 0xFFFFFFFF]], np.uint32)
    expected = hashlib.sha256(bytes.fromhex("f00000010000000200000000ffffffff"))
    assert labels.order_sha256(labels.packed_ids(ids)) == expected.hexdigest()
    assert labels.order_sha256(labels.packed_ids(ids[::-1])) != expected.hexdigest()


def test_the_class_map_hash_depends_on_the_order():
    wnids = "\n".join(labels.WNIDS).encode()
    assert labels.CLASS_MAP_SHA256 == hashlib.sha256(wnids).hexdigest()


def test_a_name_that_is_no_text_is_named():
    with pytest.raises(ValueError, match="x.udcff.*PYTHONUTF8"):
        labels.example_ids(["fine.JPEG", "x\udcff.JPEG"])
