"""Are bytes of a download kept only with the note of their version?"""

import pytest

from convert import partial_file

URL = "https://a/b.pth"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "deep" / "b.part"
    part = partial_file.PartialFile(path, URL)
    part.begin(partial_file.Version(URL, '"tag"', "a date", 5))
    path.write_bytes(b"abc")
    return path


def test_bytes_and_version_are_found_again(path):
    part = partial_file.PartialFile(path, URL)
    assert part.size == 3
    assert part.version == partial_file.Version(URL, '"tag"', "a date", 5)


@pytest.mark.parametrize("text", [None, "", "{", "[]", "null", '{"size": 3}'])
def test_without_a_note_of_their_address_they_are_nothing(path, text):
    note = path.with_name("b.part.json")
    note.unlink() if text is None else note.write_text(text)
    assert partial_file.PartialFile(path, URL).size == 0
    assert not path.exists() and not note.exists()


def test_those_of_another_address_are_nothing(path):
    assert partial_file.PartialFile(path, URL + "?b").size == 0


def test_a_new_version_begins_with_nothing(path):
    part = partial_file.PartialFile(path, URL)
    part.begin(partial_file.Version(URL))
    assert (part.size, part.version.validator) == (0, "")


@pytest.mark.parametrize(
    "etag, modified, validator",
    [('"a"', "date", '"a"'), ('W/"a"', "date", "date"), ("", "date", "date")],
)
def test_only_strong_tags_are_validators(etag, modified, validator):
    assert partial_file.Version(URL, etag, modified).validator == validator
