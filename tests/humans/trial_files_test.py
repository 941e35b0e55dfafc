"""Is what is written in trial files what is read, and nothing else accepted?"""

import numpy as np
import pytest
from etils import epath
from humans import people

from biases_jax import labels
from biases_jax.humans import trial_files, trials

LINES = [
    ("c05", "dog", "n02085620_242.JPEG", "dog"),
    ("c100", "cat", "n02123045_1.JPEG", "na"),
    ("c05", "bear", "n02132136_7.JPEG", "dog"),
]


def test_people_s_answers_are_sorted_by_image_whatever_order_they_saw(tmp_path):
    people.write(tmp_path, "contrast", "subject-01", LINES)
    people.write(tmp_path, "contrast", "subject-02", LINES[::-1])
    found = trial_files.people(tmp_path, "contrast")
    assert found.makers == ("subject-01", "subject-02")
    assert found.images == (
        trials.Image("c05", "n02085620_242.JPEG"),
        trials.Image("c05", "n02132136_7.JPEG"),
        trials.Image("c100", "n02123045_1.JPEG"),
    )
    names = [labels.CATEGORIES[category] for category in found.categories]
    assert names == ["dog", "bear", "cat"]
    dog = labels.CATEGORIES.index("dog")
    assert found.answers.tolist() == [[dog, dog, -1]] * 2
    assert found.right.tolist() == [[True, False, False]] * 2


def test_random_answers_survive_writing_and_reading(tmp_path):
    generator = np.random.default_rng(0)
    conditions = sorted(["0.0", "0.03", "0.9"] * 20)
    categories = generator.integers(0, 16, 60)
    answers = generator.integers(-1, 16, (5, 60))
    makers = [f"subject-{n:02d}" for n in range(1, 6)]
    shown = people.made(makers, conditions, answers, categories)
    people.write_all(tmp_path, "uniform-noise", shown)
    found = trial_files.people(tmp_path, "uniform-noise")
    assert (found.makers, found.images) == (shown.makers, shown.images)
    np.testing.assert_array_equal(found.answers, shown.answers)
    np.testing.assert_array_equal(found.categories, shown.categories)


def test_sessions_of_an_observer_belong_together(tmp_path):
    people.write(tmp_path, "contrast", "subject-01", LINES[:2])
    people.write(tmp_path, "contrast", "subject-01", LINES[2:], session=2)
    found = trial_files.people(tmp_path, "contrast")
    assert found.makers == ("subject-01",) and len(found.images) == 3


def test_conditions_are_strings_however_a_program_spelled_them(tmp_path):
    lines = [("0.90", "dog", "1.png", "dog"), ("0.9", "dog", "2.png", "na")]
    people.write(tmp_path, "uniform-noise", "subject-01", lines)
    found = trial_files.people(tmp_path, "uniform-noise")
    assert [image.condition for image in found.images] == ["0.9", "0.9"]


def test_files_of_models_are_no_people_and_have_a_small_session(tmp_path):
    people.write(tmp_path, "contrast", "subject-01", LINES)
    place = tmp_path / "raw-data/contrast/contrast_resnet50_session-1.csv"
    place.write_text(
        "subj,session,trial,rt,object_response,category,condition,imagename\n"
        "resnet50,1,1,NaN,cat,dog,c05,0001_cop_dnn_c05_dog_00_n02085620_242.JPEG\n"
    )
    assert trial_files.people(tmp_path, "contrast").makers == ("subject-01",)
    found = trial_files.read("contrast", "resnet50", [place])
    assert found.makers == ("resnet50",)
    assert found.answers.tolist() == [[labels.CATEGORIES.index("cat")]]


def test_available_are_the_sets_with_people_s_files_in_the_published_order(tmp_path):
    assert trial_files.available(tmp_path) == ()
    people.write(tmp_path, "sketch", "subject-01", LINES)
    people.write(tmp_path, "contrast", "subject-01", LINES)
    assert trial_files.available(tmp_path) == ("contrast", "sketch")


def test_they_are_found_in_the_data_root_beside_the_images_or_without_a_folder(
    tmp_path,
):
    root = str(tmp_path)
    (tmp_path / "model-vs-human" / "edge").mkdir(parents=True)
    assert trial_files.find(root) is None and trial_files.find("") is None
    for place in ("", "model_vs_human", "model-vs-human"):  # the later comes first
        people.write(tmp_path / place, "sketch", "subject-01", LINES)
        assert trial_files.find(root) == epath.Path(tmp_path / place)


def refused(folder, text, header=people.HEADER, lines=LINES, **changes):
    people.write(folder, "contrast", "subject-01", lines, header=header, **changes)
    with pytest.raises(ValueError, match=text):
        trial_files.people(folder, "contrast")


def test_a_set_without_people_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no trials of people on contrast.*raw-data/"):
        trial_files.people(tmp_path, "contrast")


def test_a_misnamed_file_is_refused(tmp_path):
    people.write(tmp_path, "contrast", "subject-1-again", LINES)
    with pytest.raises(ValueError, match="subject-1-again.*expected contrast_subject-"):
        trial_files.people(tmp_path, "contrast")


def test_an_image_seen_twice_is_refused(tmp_path):
    refused(tmp_path, "line 5: got a second trial of the image n020", lines=LINES * 2)
    people.write(tmp_path, "contrast", "subject-01", LINES)
    refused(tmp_path, "session_2.csv, line 2: got a second trial", session=2)


def test_a_foreign_category_is_refused(tmp_path):
    lines = [("c05", "dog", "1.png", "zebra")]
    refused(tmp_path, "line 2: got the category 'zebra', expected one of", lines=lines)
    lines = [("c05", "na", "1.png", "dog")]
    refused(tmp_path, "line 2: got the category 'na'", lines=lines)


def test_an_unknown_condition_is_refused(tmp_path):
    lines = [("c07", "dog", "1.png", "dog")]
    refused(tmp_path, "line 2: got condition 'c07', expected .*c05", lines=lines)


def test_a_missing_column_is_refused(tmp_path):
    header = people.HEADER.replace("condition", "level").replace("category", "class")
    refused(tmp_path, r"subject-01_.*expected also category, condition$", header)


def test_a_torn_line_is_refused(tmp_path):
    path = people.write(tmp_path, "contrast", "subject-01", LINES)
    path.write_text(path.read_text()[:-30])
    text = path.read_text().splitlines()
    assert text[-1].count(",") == 7  # torn within the last field: the image is another
    path.write_text("\n".join([*text[:-1], text[-1].rsplit(",", 2)[0]]))
    with pytest.raises(ValueError, match="line 4: got 6 fields, expected 8"):
        trial_files.people(tmp_path, "contrast")


def test_an_empty_file_is_refused(tmp_path):
    refused(tmp_path, "got no trials, expected some below", lines=[])
    path = tmp_path / "raw-data/contrast/contrast_subject-01_session_1.csv"
    path.write_text("")
    with pytest.raises(ValueError, match="columns of an empty file, expected also"):
        trial_files.people(tmp_path, "contrast")


def test_a_file_in_another_encoding_is_refused_by_its_name(tmp_path):
    path = people.write(tmp_path, "contrast", "subject-01", LINES)
    path.write_text(path.read_text() + "é", encoding="latin-1")
    message = r"subject-01_session_1\.csv: got bytes that are no UTF-8 .*0xe9.*save it"
    with pytest.raises(ValueError, match=message):
        trial_files.people(tmp_path, "contrast")


def test_an_observer_who_saw_less_is_refused(tmp_path):
    people.write(tmp_path, "contrast", "subject-02", LINES[:2])
    refused(tmp_path, "subject-02, compared with subject-01: got 2 and 3 images")
