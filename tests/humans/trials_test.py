"""Are images paired by what names of different viewers have in common?"""

import pytest
from humans import people

from biases_jax.humans import trials


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("0001_cop_dnn_c05_dog_00_n02085620_242.JPEG", "n02085620_242.JPEG"),
        ("0913_cop_s03_c05_dog_00_n02085620_242.JPEG", "n02085620_242.JPEG"),
        ("0001_s5n_dnn_0_airplane_00_airplane1-bicycle2.png", "airplane1-bicycle2.png"),
        ("airplane1-bicycle2.png", "airplane1-bicycle2.png"),
        ("airplane/airplane1.png", "airplane1.png"),
        ("0001_ske_s01_0_bear_10_00000007.png", "00000007.png"),
        ("n02085620_242.JPEG", "n02085620_242.JPEG"),
    ],
)
def test_an_image_is_known_by_the_last_fields_of_its_name(name, found):
    assert trials.image_id(name) == found


def test_no_answer_is_wrong():
    shown = people.made(["a", "b"], "00", [[0, -1], [1, 0]])
    assert shown.right.tolist() == [[True, False], [False, True]]


def test_trials_of_other_images_conditions_or_categories_are_not_paired():
    one = people.made(["a"], "00", [[0, 0]])
    trials.demand_same_images(one, people.made(["b"], "00", [[3, 4]]))
    with pytest.raises(
        ValueError, match=r"b, compared with a: got 1 and 2 images.*000"
    ):
        trials.demand_same_images(one, people.made(["b"], "0", [[0]]))
    with pytest.raises(ValueError, match=r"2 are in one.*0001.png \(condition 0\)"):
        trials.demand_same_images(one, people.made(["b"], "01", [[0, 0]]))
    other = people.made(["b"], "00", [[0, 0]], categories=[0, 2])
    with pytest.raises(ValueError, match="0001.png as bicycle, expected airplane"):
        trials.demand_same_images(one, other)
