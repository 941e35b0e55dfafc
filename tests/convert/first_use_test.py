"""Is a file whose sum nobody published held to that of its first download?"""

import json
import threading

import pytest

from convert import errors, first_use

ENTRY = first_use.Entry("https://a/b.pth", "ab" * 32, 5, '"tag"', "c0ffee")


def test_an_entry_is_found_again_with_its_date(tmp_path):
    first_use.write(tmp_path, "a/b.pth", ENTRY)
    found = first_use.read(tmp_path)["a/b.pth"]
    assert found._replace(date="") == ENTRY
    assert found.date.endswith("+00:00")
    content = json.loads((tmp_path / first_use.RECORD).read_text())
    assert content["files"]["a/b.pth"]["sha256"] == ENTRY.sha256


def test_the_same_again_keeps_its_date(tmp_path):
    first_use.write(tmp_path, "b.pth", ENTRY)
    path = tmp_path / first_use.RECORD
    text = path.read_text().replace("20", "19")
    path.write_text(text)
    first_use.write(tmp_path, "b.pth", ENTRY)
    assert path.read_text() == text


def test_only_the_file_that_came_first_passes(tmp_path, monkeypatch):
    first_use.check(tmp_path / "b.pth", tmp_path, "cd" * 32)  # no record yet
    first_use.write(tmp_path, "a/b.pth", ENTRY)
    first_use.check(tmp_path / "a" / "b.pth", tmp_path, ENTRY.sha256)
    first_use.check(tmp_path / "b.pth", tmp_path, "cd" * 32)
    first_use.check(tmp_path.parent / "a" / "b.pth", tmp_path, "cd" * 32)
    message = "changed since it was first downloaded.*cdcd.*expected abab.*https://a"
    with pytest.raises(errors.CheckpointError, match=message):
        first_use.check(tmp_path / "a" / "b.pth", tmp_path, "cd" * 32)
    monkeypatch.chdir(tmp_path / "..")
    with pytest.raises(errors.CheckpointError, match="changed since"):
        relative = tmp_path.relative_to(tmp_path.parent)
        first_use.check(relative / "a" / "b.pth", tmp_path, "cd" * 32)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"files": [1]}', '{"files": {"a": {"uri": "b"}}}', "{}"]
)
def test_a_damaged_record_is_an_error(tmp_path, text):
    (tmp_path / first_use.RECORD).write_text(text)
    with pytest.raises(errors.CheckpointError, match="damaged record"):
        first_use.read(tmp_path)


def test_many_at_once_lose_no_entry(tmp_path):
    names = [f"{number}.pth" for number in range(16)]
    threads = [
        threading.Thread(target=first_use.write, args=(tmp_path, name, ENTRY))
        for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(first_use.read(tmp_path)) == sorted(names)
