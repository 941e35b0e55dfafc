"""Does a download end whole, or with a clear error, whatever the server does?"""

import random
import shutil
import sys
from collections import namedtuple

import pytest
from flaky_server import OLD, Answer, File

from convert import download, errors, retries, sniff

CONTENT = b"PK\x03\x04" + random.Random(0).randbytes(300_000)
OTHER = b"PK\x03\x04" + random.Random(1).randbytes(280_000)
LATER = "Tue, 02 Jan 2024 00:00:00 GMT"
PATH = "/model.pth"
PAGE = b"<html><title>Quota exceeded</title></html>"


@pytest.fixture
def part(tmp_path):
    return tmp_path / ".partial" / "model.pth.part"


@pytest.fixture
def bring(server, part):
    """Download the server's file, and demand that it is whole."""
    server.files[PATH] = File(CONTENT)

    def call(content=CONTENT, **options):
        version = download.download(server.url + PATH, part, "model.pth", **options)
        assert part.read_bytes() == content
        return version

    return call


def in_the_pause(monkeypatch, server, file):
    """Put another file in place while the client waits."""
    monkeypatch.setattr(
        retries, "pause", lambda seconds: server.files.update({PATH: file})
    )


def ranges(server):
    return [request.headers.get("Range") for request in server.asked(PATH)]


def test_a_file_comes_in_one_request(server, bring, waits):
    assert bring().etag == '"first"'
    (request,) = server.asked(PATH)
    assert request.headers["Accept-Encoding"] == "identity"
    assert waits == []


def test_a_terminal_shows_how_far_it_is(bring, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    bring()
    assert "model.pth: 100%" in capsys.readouterr().err


def test_what_is_whole_is_not_asked_for_again(server, bring):
    bring()
    bring()
    assert len(server.asked(PATH)) == 1


@pytest.mark.parametrize("broken", [Answer(cut=100_000), Answer(stall=100_000)])
def test_a_broken_body_goes_on_where_it_ended(server, bring, waits, broken):
    server.answers[PATH] = [broken]
    bring()
    first, second = server.asked(PATH)
    start = int(second.headers["Range"].removeprefix("bytes=").removesuffix("-"))
    assert 100_000 - download.CHUNK < start <= 100_000
    assert second.headers["If-Range"] == '"first"'
    assert second.sent == len(CONTENT) - start
    assert len(waits) == 1


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_without_known_length_is_whole_if_it_is_in_chunks(
    server, bring, chunked
):
    server.answers[PATH] = [Answer(length=False, chunked=chunked)] * 2
    if chunked:
        bring()
        bring()  # asks, and is told that nothing is missing
    else:
        with pytest.raises(OSError, match="no length"):
            bring()


def test_chunks_that_break_off_go_on(server, bring):
    server.answers[PATH] = [Answer(chunked=True, cut=100_000)]
    bring()
    assert ranges(server)[1] is not None


def test_a_known_size_makes_up_for_no_length(server, bring):
    server.answers[PATH] = [Answer(length=False, cut=100_000)]
    bring(size=len(CONTENT))
    assert len(ranges(server)) == 2


def test_another_size_than_the_known_one_is_an_error(server, bring):
    with pytest.raises(OSError, match="got a file of 300004 bytes, expected 5"):
        bring(size=5)


@pytest.mark.parametrize(
    "first, second, condition",
    [
        ({"etag": '"1"'}, {"etag": '"2"'}, '"1"'),
        ({"etag": ""}, {"etag": "", "modified": LATER}, OLD),
        ({"etag": 'W/"1"'}, {"etag": 'W/"1"', "modified": LATER}, OLD),
    ],
)
def test_a_file_that_changed_begins_anew(
    server, bring, monkeypatch, first, second, condition
):
    server.files[PATH] = File(CONTENT, **first)
    server.answers[PATH] = [Answer(cut=100_000)]
    in_the_pause(monkeypatch, server, File(OTHER, **second))
    bring(OTHER)
    assert server.asked(PATH)[1].headers["If-Range"] == condition


@pytest.mark.parametrize(
    "other, etag",
    [
        (OTHER, '"second"'),
        (OTHER[:5] + CONTENT[5:], '"second"'),
        (OTHER + CONTENT, '"first"'),
    ],
)
def test_a_server_that_ignores_if_range_does_not_join_two_versions(
    server, bring, monkeypatch, other, etag
):
    server.answers[PATH] = [Answer(cut=100_000), Answer(ignores_condition=True)]
    in_the_pause(monkeypatch, server, File(other, etag=etag))
    bring(other)
    assert [r is None for r in ranges(server)] == [True, False, True]


def test_nothing_that_tells_versions_apart_means_beginning_anew(server, bring):
    server.files[PATH] = File(CONTENT, etag="", modified="")
    server.answers[PATH] = [Answer(cut=100_000)]
    bring()
    assert ranges(server) == [None, None]


def test_a_date_of_the_same_second_is_no_version():
    headers = {"Last-Modified": OLD, "Date": OLD}
    assert download._settled(headers) == ""
    assert download._settled(headers | {"Date": OLD.replace("00 GMT", "01 GMT")}) == OLD


@pytest.mark.parametrize("shift", [-1, 1])
def test_the_wrong_range_is_not_joined(server, bring, shift):
    server.answers[PATH] = [Answer(cut=100_000), Answer(shift=shift)]
    bring()
    assert [r is None for r in ranges(server)] == [True, False, True]


def test_a_server_without_ranges_sends_all_again(server, bring):
    server.answers[PATH] = [Answer(cut=100_000), Answer(ignores_range=True)]
    bring()
    assert server.asked(PATH)[1].sent == len(CONTENT)


def test_a_server_that_always_breaks_at_the_same_place_is_given_up(
    server, bring, part, waits
):
    server.answers[PATH] = [Answer(cut=100_000, ignores_range=True)] * 20
    with pytest.raises(OSError, match=f"{retries.ATTEMPTS} attempts"):
        bring()
    assert len(server.asked(PATH)) == retries.ATTEMPTS
    assert part.stat().st_size > 0  # for later


def test_attempts_that_get_on_are_not_counted(server, bring, monkeypatch):
    monkeypatch.setattr(retries, "NEWS", 10_000)
    server.answers[PATH] = [Answer(cut=30_000)] * 9
    bring()
    assert len(server.asked(PATH)) == 10


def test_416_for_a_part_that_is_whole_is_the_end(server, bring, part):
    server.answers[PATH] = [Answer(chunked=True)]  # so that the size is not noted
    bring()
    bring()
    assert ranges(server) == [None, f"bytes={len(CONTENT)}-"]


def test_416_for_a_part_that_is_too_long_begins_anew(server, bring, monkeypatch):
    short = CONTENT[:50_000]
    server.answers[PATH] = [Answer(cut=200_000)]
    in_the_pause(monkeypatch, server, File(short))  # of the same ETag
    bring(short)
    assert [r is None for r in ranges(server)] == [True, False, True]


@pytest.mark.parametrize(
    "kind", ["text/html; charset=utf-8", "application/octet-stream"]
)
def test_a_page_in_place_of_the_file_is_an_error_and_costs_no_part(
    server, bring, part, monkeypatch, kind
):
    server.answers[PATH] = [Answer(cut=100_000), Answer(ignores_range=True)]
    in_the_pause(monkeypatch, server, File(PAGE, kind=kind))
    with pytest.raises(sniff.PageError, match="'Quota exceeded'.*quota"):
        bring()
    kept = part.read_bytes()
    assert kept and CONTENT.startswith(kept)
    server.files[PATH] = File(CONTENT)
    bring()


def test_what_is_said_to_be_html_is_no_checkpoint_whatever_its_bytes(server, bring):
    server.answers[PATH] = [Answer(headers={"Content-Type": "Text/HTML;charset=x"})]
    with pytest.raises(sniff.PageError, match="dead link"):
        bring()


def test_first_bytes_of_no_checkpoint_end_it_at_once(server, bring, part):
    server.files[PATH] = File(b"no checkpoint" + bytes(10**6))
    server.answers[PATH] = [Answer(stall=200_000)]
    with pytest.raises(errors.CheckpointError, match="unknown first bytes"):
        bring()
    assert not part.exists()


def test_redirects_are_followed_with_the_range(server, bring):
    server.files["/away"] = server.files[PATH]
    server.answers[PATH] = [Answer(302, headers={"Location": "/away"})] * 2
    server.answers["/away"] = [Answer(cut=100_000)]
    bring()
    assert server.asked("/away")[1].headers["If-Range"] == '"first"'


@pytest.mark.parametrize("url", ["http://example.org/a.pth", "ftp://example.org/a"])
def test_only_encrypted_connections_leave_this_machine(server, bring, part, url):
    with pytest.raises(OSError, match="expected https"):
        download.download(url, part, "a.pth")
    server.answers[PATH] = [Answer(302, headers={"Location": url})]
    with pytest.raises(OSError, match="expected https"):
        bring()


@pytest.mark.parametrize("before", [[], [Answer(cut=100_000)]])
def test_a_compressed_body_is_refused(server, bring, before):
    server.answers[PATH] = [*before, Answer(headers={"Content-Encoding": "gzip"})]
    with pytest.raises(OSError, match="encoding gzip"):
        bring()


def test_a_range_for_which_nobody_asked_is_not_kept(server, bring):
    said = {"Content-Range": f"bytes 0-3/{len(CONTENT)}"}
    server.answers[PATH] = [Answer(206, body=CONTENT[:4], headers=said)]
    bring()
    assert ranges(server) == [None, None]


def test_a_full_disk_is_told_before_anything_is_written(
    server, bring, part, monkeypatch
):
    usage = namedtuple("usage", "total used free")
    free = download.MARGIN + len(CONTENT) - 1
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(0, 0, free))
    with pytest.raises(OSError, match="no space in .*needs 0 MB"):
        bring()
    assert not part.exists()
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(0, 0, free + 1))
    bring()


def test_a_file_too_large_for_a_checkpoint_is_refused(server, bring, monkeypatch):
    monkeypatch.setattr(download, "MAX_BYTES", 200_000)
    server.answers[PATH] = [Answer(), Answer(chunked=True)]
    with pytest.raises(OSError, match="expected at most"):
        bring()
    with pytest.raises(OSError, match="got more than 200000 bytes"):
        bring()


def test_a_damaged_note_or_another_address_begins_anew(server, bring, part):
    bring()
    note = part.with_name(part.name + ".json")
    note.write_text("{")
    bring()
    note.write_text(note.read_text().replace(PATH, "/elsewhere"))
    bring()
    assert ranges(server) == [None] * 3


def test_no_server_is_a_failure_of_the_connection(part, waits, monkeypatch):
    with pytest.raises(OSError, match="the connection failed"):
        download.download("http://127.0.0.1:9/a.pth", part, "a.pth")
    assert len(waits) == retries.ATTEMPTS - 1
