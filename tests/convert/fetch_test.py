"""Does a published file come into the folder once, whole, verified, or not at all?"""

import concurrent.futures
import hashlib
import json
import os
import random
import socket

import pytest
from flaky_server import Answer, File

from biases_jax.models import spec
from convert import errors, fetch, first_use, hosts, hub, partial_file, retries

CONTENT = b"PK\x03\x04" + random.Random(0).randbytes(300_000)
OTHER = b"PK\x03\x04" + random.Random(1).randbytes(300_000)
SUM = hashlib.sha256(CONTENT).hexdigest()
QUOTA = b"<!DOCTYPE html><title>Quota exceeded</title>Too many users"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "weights"


@pytest.fixture
def source(server):
    """The server's file, by default without a sum."""
    server.files["/model.pth"] = File(CONTENT)

    def make(sha256="", path="/model.pth", file="net/model.pth"):
        return spec.Published(file, server.url + path, sha256)

    return make


@pytest.fixture
def no_socket(monkeypatch):
    """Whoever opens a socket, or asks for an address, fails."""

    def refuse(*args, **options):
        pytest.fail(f"the network was used: {args}")

    for name in ("socket", "create_connection", "getaddrinfo", "socketpair"):
        monkeypatch.setattr(socket, name, refuse)


def left_over(folder):
    """What is in the folder beside weights and record, but for locks."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    names = {path.relative_to(folder).as_posix() for path in files}
    return {n for n in names if not n.endswith(".lock")} - {first_use.RECORD}


@pytest.mark.parametrize("digits", [0, 8, 64])
def test_a_file_comes_once_and_is_recorded(server, source, folder, digits):
    for _ in range(2):
        path = fetch.fetch([source(SUM[:digits])], folder)
        assert path == folder / "net" / "model.pth"
        assert path.read_bytes() == CONTENT
    assert len(server.log) == 1
    assert left_over(folder) == {"net/model.pth"}
    entry = first_use.read(folder)["net/model.pth"]
    assert entry._replace(date="") == first_use.Entry(
        server.url + "/model.pth", SUM, len(CONTENT), '"first"'
    )


def test_files_that_are_there_come_before_sources(server, source, folder):
    path = folder / "second.pth"
    folder.mkdir()
    path.write_bytes(CONTENT)
    sources = [source(), source(SUM, file="second.pth")]
    assert fetch.fetch(sources, folder) == path
    assert server.log == []


def test_a_wrong_sum_leaves_nothing_and_the_next_source_is_tried(
    server, source, folder
):
    server.files["/wrong.pth"] = File(OTHER)
    wrong = source(SUM, "/wrong.pth", "wrong.pth")
    assert fetch.fetch([wrong, source(SUM)], folder) == folder / "net" / "model.pth"
    assert left_over(folder) == {"net/model.pth"}
    with pytest.raises(fetch.FetchError, match="expected the published sha256"):
        fetch.fetch([wrong], folder)
    assert list(first_use.read(folder)) == ["net/model.pth"]


def test_the_error_names_each_source_its_failure_and_the_way_by_hand(
    server, source, folder
):
    server.files["/page.pth"] = File(QUOTA)
    sources = [
        source(path="/absent.pth", file="absent.pth"),
        source(path="/page.pth", file="page.pth"),
        spec.Published("../escaped.pth", "https://a/b.pth"),
    ]
    with pytest.raises(fetch.FetchError) as caught:
        fetch.fetch(sources, folder)
    said = str(caught.value)
    assert f"{server.url}/absent.pth: got 404" in said
    assert "'Quota exceeded', not the file: the host's download quota" in said
    assert "got the file name '../escaped.pth'" in said
    assert f"{server.url}/page.pth as {folder / 'page.pth'}" in said
    assert "in a browser" in said
    assert left_over(folder) == set()


# T16: a quota page, a wrong sum, and a warm cache without any socket.
@pytest.mark.parametrize("kind", ["text/html", "application/octet-stream"])
def test_t16_a_quota_page_never_becomes_a_file(server, source, folder, kind):
    server.files["/model.pth"] = File(QUOTA, kind=kind)
    with pytest.raises(fetch.FetchError, match="quota"):
        fetch.fetch([source()], folder)
    assert left_over(folder) == set()
    assert len(server.log) == 1


@pytest.mark.parametrize("by", ["flag", "variable"])
def test_t16_offline_opens_no_socket(source, folder, monkeypatch, no_socket, by):
    if by == "variable":
        monkeypatch.setenv(fetch.OFFLINE_VARIABLE, "1")
    sources = [
        spec.Published("a/model.safetensors", "hf:a/b/model.safetensors"),
        spec.Published("b.pth", "gdrive:x"),
        spec.Published("c.pth", "zenodo:1/c.pth"),
        source(),
    ]
    with pytest.raises(fetch.FetchError, match="--offline"):
        fetch.fetch(sources, folder, offline=by == "flag")
    path = folder / "b.pth"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(CONTENT)
    assert fetch.fetch(sources, folder, offline=by == "flag") == path


def test_the_guard_of_sockets_is_one(source, folder, no_socket):
    with pytest.raises(pytest.fail.Exception, match="network was used"):
        fetch.fetch([source()], folder)


def test_a_file_that_changed_since_its_first_download_is_refused(
    server, source, folder
):
    path = fetch.fetch([source()], folder)
    path.unlink()
    server.files["/model.pth"] = File(OTHER)
    with pytest.raises(fetch.FetchError, match="changed since it was first downloaded"):
        fetch.fetch([source()], folder)
    assert left_over(folder) == set()
    path.write_bytes(OTHER)
    with pytest.raises(fetch.FetchError, match="changed since it was first downloaded"):
        fetch.fetch([source()], folder, offline=True)
    with pytest.raises(errors.CheckpointError, match="changed since"):
        first_use.check(path, folder, hashlib.sha256(OTHER).hexdigest())


def test_a_published_sum_counts_more_than_the_first_download(server, source, folder):
    server.files["/model.pth"] = File(OTHER)
    fetch.fetch([source()], folder).unlink()
    server.files["/model.pth"] = File(CONTENT)
    fetch.fetch([source(SUM)], folder)
    assert first_use.read(folder)["net/model.pth"].sha256 == SUM


def test_the_sum_that_the_hub_states_is_demanded_and_the_commit_recorded(
    server, folder, monkeypatch
):
    monkeypatch.setattr(hub, "ENDPOINT", server.url)
    commit = "c" * 40
    headers = {"X-Repo-Commit": commit, "X-Linked-Etag": f'"{SUM}"'}
    for revision in ("main", commit):
        file = File(OTHER, headers=headers)
        server.files[f"/a/b/resolve/{revision}/model.pth"] = file
    source = spec.Published("b/model.pth", "hf:a/b/model.pth")
    with pytest.raises(fetch.FetchError, match="sha256 that the host states"):
        fetch.fetch([source], folder)
    server.files[f"/a/b/resolve/{commit}/model.pth"].content = CONTENT
    fetch.fetch([source], folder).unlink()
    assert first_use.read(folder)["b/model.pth"].revision == commit
    del server.files["/a/b/resolve/main/model.pth"]  # the branch moves on
    fetch.fetch([source], folder)


def test_the_md5_that_zenodo_states_is_demanded(server, source, folder, monkeypatch):
    monkeypatch.setattr(hosts, "ZENODO", server.url)
    server.files["/records/1/files/a.pth"] = File(CONTENT)
    zenodo = spec.Published("a.pth", "zenodo:1/a.pth")
    for content, right in ((OTHER, False), (CONTENT, True)):
        said = {"key": "a.pth", "size": len(CONTENT)}
        said["checksum"] = "md5:" + hashlib.md5(content).hexdigest()
        server.files["/api/records/1"] = File(json.dumps({"files": [said]}).encode())
        if right:
            assert fetch.fetch([zenodo], folder) == folder / "a.pth"
        else:
            with pytest.raises(fetch.FetchError, match="md5 that the host states"):
                fetch.fetch([zenodo], folder)


def test_bytes_are_on_the_disk_before_they_have_the_name(source, folder, monkeypatch):
    steps = []
    fsync, replace = os.fsync, os.replace

    def noted(opened):
        steps.append(os.readlink(f"/proc/self/fd/{opened}"))
        fsync(opened)

    def renamed(new, path):
        steps.append(f"{path} named")
        replace(new, path)

    monkeypatch.setattr(partial_file.os, "fsync", noted)
    monkeypatch.setattr(partial_file.os, "replace", renamed)
    path = fetch.fetch([source()], folder)
    part = folder / first_use.PARTIAL / "net" / "model.pth.part"
    assert steps[-3:] == [str(part), f"{path} named", str(path.parent)]


def test_a_symbolic_link_to_nowhere_is_replaced_and_not_followed(
    source, folder, tmp_path
):
    path = folder / "net" / "model.pth"
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "outside.pth")
    fetch.fetch([source()], folder)
    assert not path.is_symlink()
    assert not (tmp_path / "outside.pth").exists()


def test_what_failed_halfway_goes_on_at_the_next_call(
    server, source, folder, monkeypatch
):
    monkeypatch.setattr(retries, "ATTEMPTS", 1)
    server.answers["/model.pth"] = [Answer(cut=100_000)]
    with pytest.raises(fetch.FetchError, match="1 attempts"):
        fetch.fetch([source()], folder)
    assert not (folder / "net" / "model.pth").exists()
    fetch.fetch([source()], folder)
    assert server.log[1].sent < len(CONTENT) - 90_000


def test_threads_that_want_the_same_file_download_it_once(server, source, folder):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(fetch.fetch, [source()], folder) for _ in range(8)]
    assert {call.result() for call in calls} == {folder / "net" / "model.pth"}
    assert len(server.log) == 1


@pytest.mark.parametrize("step", ["note", "record", "name"])
def test_wherever_it_ends_the_next_call_completes_it(
    server, source, folder, monkeypatch, step
):
    """Each file gets its name by `os.replace`: fail before each of them in turn."""
    replace = os.replace
    names = {"note": ".part.json", "record": first_use.RECORD, "name": "net/model.pth"}

    def fail(new, path):
        if str(path).endswith(names[step]):
            raise KeyboardInterrupt
        replace(new, path)

    with monkeypatch.context() as patch:
        patch.setattr(partial_file.os, "replace", fail)
        with pytest.raises(KeyboardInterrupt):
            fetch.fetch([source()], folder)
    assert not (folder / "net" / "model.pth").exists()
    fetch.fetch([source()], folder)
    assert first_use.read(folder)["net/model.pth"].sha256 == SUM
    assert len(server.log) == (2 if step == "note" else 1)
