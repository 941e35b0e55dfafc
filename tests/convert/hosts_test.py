"""Is a file found and brought from each host, by the rules of that host?"""

import hashlib
import inspect
import json
import pathlib
import random
import sys
from types import SimpleNamespace

import gdown
import pytest
from flaky_server import Answer, File

from convert import download, first_use, hosts, hub, sniff
from convert import drive as drives

CONTENT = b"PK\x03\x04" + random.Random(0).randbytes(100_000)
SUM = hashlib.sha256(CONTENT).hexdigest()
COMMIT, NEWER = "8c6980f" + "0" * 33, "1234567" + "f" * 33
REAL = gdown.download


@pytest.fixture
def part(tmp_path):
    return tmp_path / "model.pth.part"


@pytest.fixture
def bring(part):
    def call(uri, entry=None):
        promise = hosts.bring(uri, part, "model.pth", entry)
        assert part.read_bytes() == CONTENT
        return promise

    return call


@pytest.fixture
def zenodo(server, monkeypatch):
    """Zenodo with a record, and a function that changes what it says of its file."""
    monkeypatch.setattr(hosts, "ZENODO", server.url)
    server.files["/records/12/files/my%20model.pth"] = File(CONTENT)

    def say(**changes):
        file = {
            "key": "my model.pth",
            "size": len(CONTENT),
            "checksum": "md5:" + hashlib.md5(CONTENT).hexdigest(),
        }
        content = json.dumps({"files": [file | changes]}).encode()
        server.files["/api/records/12"] = File(content, kind="application/json")

    say()
    return say


@pytest.fixture
def hugging_face(server, monkeypatch):
    """The Hub, with one repository of two commits."""
    monkeypatch.setattr(hub, "ENDPOINT", server.url)
    commits = [
        {"id": one, "authors": [], "date": "2024-01-01T00:00:00.000Z"}
        | {"title": "", "message": ""}
        for one in (NEWER, COMMIT)
    ]
    listed = json.dumps(commits).encode()
    server.files["/api/models/a/b/commits/main"] = File(listed, kind="application/json")
    for revision, commit in ((NEWER, NEWER), (COMMIT, COMMIT), ("main", NEWER)):
        headers = {"X-Repo-Commit": commit, "X-Linked-Size": len(CONTENT)}
        server.files[f"/a/b/resolve/{revision}/c/model.pth"] = File(
            CONTENT, headers=headers | {"X-Linked-Etag": f'"{SUM}"'}
        )
    return server


def test_zenodo_promises_size_and_md5(zenodo, bring):
    assert bring("zenodo:12/my model.pth").md5 == hashlib.md5(CONTENT).hexdigest()
    assert hosts.page("zenodo:12/my model.pth") == f"{hosts.ZENODO}/records/12"


def test_what_zenodo_does_not_have_is_an_error(zenodo, bring):
    with pytest.raises(OSError, match="no file other.pth .* record 12"):
        bring("zenodo:12/other.pth")
    with pytest.raises(OSError, match="got 404"):
        bring("zenodo:13/other.pth")
    zenodo(size=7)
    with pytest.raises(OSError, match="expected 7"):
        bring("zenodo:12/my model.pth")


def test_a_pinned_commit_is_taken_with_the_sum_that_the_hub_states(hugging_face, bring):
    promise = bring(f"hf:a/b/c/model.pth@{COMMIT}")
    assert promise == hosts.Promise(SUM, etag='"first"', revision=COMMIT)
    paths = {request.path for request in hugging_face.log}
    assert paths == {f"/a/b/resolve/{COMMIT}/c/model.pth"}


@pytest.mark.parametrize("short, commit", [("", NEWER), ("@8c6980f", COMMIT)])
def test_no_and_short_revisions_become_commits(hugging_face, bring, short, commit):
    assert bring(f"hf:a/b/c/model.pth{short}").revision == commit


def test_the_commit_of_the_first_download_is_used_again(hugging_face, bring):
    uri = "hf:a/b/c/model.pth"
    entry = first_use.Entry(uri, SUM, len(CONTENT), revision=COMMIT)
    assert bring(uri, entry).revision == COMMIT
    assert bring(f"{uri}@{NEWER}", entry).revision == NEWER
    assert bring(uri, entry._replace(uri="hf:a/other")).revision == NEWER


def test_another_commit_than_the_pinned_one_is_refused(hugging_face, bring):
    file = hugging_face.files[f"/a/b/resolve/{COMMIT}/c/model.pth"]
    file.headers["X-Repo-Commit"] = NEWER
    with pytest.raises(OSError, match=f"got the commit '{NEWER}' .* '{COMMIT}'"):
        bring(f"hf:a/b/c/model.pth@{COMMIT}")


def test_a_broken_body_from_the_hub_goes_on(hugging_face, bring):
    path = f"/a/b/resolve/{COMMIT}/c/model.pth"
    hugging_face.answers[path] = [Answer(cut=50_000)]
    bring(f"hf:a/b/c/model.pth@{COMMIT}")
    assert hugging_face.asked(path)[1].headers["If-Range"] == '"first"'


@pytest.mark.parametrize(
    "uri, message",
    [
        ("hf:a/b/other.pth", "404"),
        ("hf:a/b/c/model.pth@abcdef0", "got 0 commits of a/b that begin with abcdef0"),
        ("hf:a/b", "expected hf:<owner>/<repository>/<file>"),
        ("s3:a/b", "expected https:, hf:, gdrive: or zenodo:"),
    ],
)
def test_what_is_nowhere_is_an_error(hugging_face, bring, uri, message):
    with pytest.raises((OSError, ValueError), match=message):
        bring(uri)


def test_a_file_in_git_itself_has_no_sum_and_a_busy_hub_is_asked_again(
    hugging_face, waits
):
    file = hugging_face.files["/a/b/resolve/main/c/model.pth"]
    file.headers["X-Linked-Etag"] = '"0123456789abcdef0123456789abcdef01234567"'
    busy = [Answer(503), Answer(429, headers={"Retry-After": "9"})]
    hugging_face.answers["HEAD /a/b/resolve/main/c/model.pth"] = busy
    found = hub.locate(hub.parse("a/b/c/model.pth"))
    assert (found.sha256, found.size) == ("", len(CONTENT))
    assert waits[1:] == [9.0]


def test_no_hub_is_a_failure_of_the_connection(monkeypatch, waits):
    monkeypatch.setattr(hub, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(OSError, match="the connection failed"):
        hub.locate(hub.parse("a/b/c/model.pth"))


def test_every_form_has_a_page_for_a_browser(hugging_face):
    url = hugging_face.url
    assert hosts.page("https://a/b.pth") == "https://a/b.pth"
    assert hosts.page("hf:a/b/c.pth") == f"{url}/a/b/resolve/main/c.pth"
    assert hosts.page("hf:a/b/c.pth@12") == f"{url}/a/b/resolve/12/c.pth"
    assert hosts.page("gdrive:x1") == "https://drive.google.com/file/d/x1/view"
    assert hosts.page("hf:a") == "hf:a"


@pytest.fixture
def drive(monkeypatch):
    """Google Drive, by a stand-in of gdown's function; keeps what it was asked."""
    state = SimpleNamespace(asked=[], failures=[])

    def fake(*positional, **named):
        asked = inspect.signature(REAL).bind(*positional, **named).arguments
        state.asked.append(asked)
        if state.failures:
            raise state.failures.pop(0)
        for done in (50_000, len(CONTENT)):
            asked["progress"](done, len(CONTENT))
        pathlib.Path(asked["output"]).write_bytes(CONTENT)
        return asked["output"]

    monkeypatch.setattr(gdown, "download", fake)
    return state


def test_a_file_on_drive_comes_by_gdown_which_may_go_on(drive, bring, part):
    assert bring("gdrive:x1") == hosts.Promise()
    (asked,) = drive.asked
    assert (asked["id"], asked["resume"]) == ("x1", True)
    assert asked["timeout"] is not None
    assert not list(part.parent.glob("*.gdrive"))
    bring("gdrive:x1")  # which is whole
    assert len(drive.asked) == 1


def test_half_a_file_of_another_source_is_not_taken_for_drives(
    server, drive, part, monkeypatch
):
    server.files["/a.pth"] = File(CONTENT)
    server.answers["/a.pth"] = [Answer(cut=50_000), Answer(404)]
    with pytest.raises(OSError, match="404"):
        hosts.bring(f"{server.url}/a.pth", part, "a.pth", None)
    assert 0 < part.stat().st_size < len(CONTENT)
    hosts.bring("gdrive:x1", part, "a.pth", None)
    assert part.read_bytes() == CONTENT


@pytest.mark.parametrize(
    "said, cause",
    [
        ("Too many users have viewed or downloaded this file recently.", "quota"),
        ("Cannot retrieve the public link of the file. You may need to change the "
         "permission to 'Anyone with the link', or have had many accesses.", "quota"),
        ("You need access: request access from the owner.", "denies access"),
    ],
)  # fmt: skip
def test_a_refusal_of_drive_names_the_cause(drive, bring, said, cause):
    drive.failures = [gdown.exceptions.FileURLRetrievalError(said)]
    with pytest.raises(sniff.PageError, match=cause):
        bring("gdrive:x1")


def test_other_failures_of_gdown_are_told(drive, bring):
    drive.failures = [gdown.exceptions.DownloadError("Download is incomplete")]
    with pytest.raises(OSError, match="gdown failed: Download is incomplete"):
        bring("gdrive:x1")


def test_a_part_of_gdown_that_cannot_go_on_is_left(drive, bring, part):
    said = "Server did not honor the requested byte range; the part is kept"
    assert drives.NOT_RESUMED in said.split(";")[0]
    assert said.split(";")[0] in inspect.getsource(sys.modules[REAL.__module__])
    folder = part.with_name("model.pth.part.gdrive")
    folder.mkdir()
    stale = folder / "x1abcdefgh.part"
    stale.write_bytes(b"half")
    drive.failures = [gdown.exceptions.DownloadError(said)]
    bring("gdrive:x1")
    assert len(drive.asked) == 2
    assert not stale.exists()


@pytest.mark.parametrize("total, asked", [(len(CONTENT), 1), (7, 2)])
def test_a_part_of_a_file_whose_size_changed_is_left(drive, bring, part, total, asked):
    folder = part.with_name("model.pth.part.gdrive")
    folder.mkdir()
    (folder / "x1abcdefgh.part").write_bytes(b"half")
    (folder / "total").write_text(str(total))
    bring("gdrive:x1")
    assert len(drive.asked) == asked


def test_without_gdown_the_error_says_how_to_install_it(bring, monkeypatch):
    monkeypatch.setitem(sys.modules, "gdown", None)
    with pytest.raises(OSError, match=r"pip install 'biases_jax\[gdrive\]'"):
        bring("gdrive:x1")


def test_a_full_disk_ends_gdown_at_once(drive, bring, monkeypatch):
    def full(folder, needed):
        assert needed == len(CONTENT) - 50_000
        raise OSError("no space")

    monkeypatch.setattr(download, "check_space", full)
    with pytest.raises(OSError, match="no space"):
        bring("gdrive:x1")
