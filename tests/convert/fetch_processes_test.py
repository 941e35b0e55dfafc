"""Do several processes, a killed one and an offline one leave the folder right?"""

import os
import pathlib
import random
import signal
import subprocess
import sys

import flaky_server
import pytest
from flaky_server import Answer, File

from biases_jax.models import spec
from convert import fetch, first_use

ROOT = pathlib.Path(__file__).parents[2]
CONTENT = b"PK\x03\x04" + random.Random(0).randbytes(300_000)
# What a process runs that is killed, or races with others.
CHILD = """
import pathlib, sys
from biases_jax.models import spec
from convert import download, fetch
download.CHUNK = 8192
source = spec.Published("net/model.pth", sys.argv[1])
print(fetch.fetch([source], pathlib.Path(sys.argv[2])))
"""
# What is put before it to end a process, also within imports, that uses the network.
# Creating sockets is no such event: urllib3 binds one to learn whether there is IPv6.
GUARD = """
import os, sys
events = {"socket.connect", "socket.getaddrinfo", "socket.sendto"}
sys.addaudithook(lambda event, args: os._exit(9) if event in events else None)
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "weights"


@pytest.fixture
def source(server):
    server.files["/model.pth"] = File(CONTENT)
    return spec.Published("net/model.pth", server.url + "/model.pth")


def child(source, folder, code=CHILD, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", code, source.uri, str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )


def test_processes_that_want_the_same_file_download_it_once(server, source, folder):
    children = [child(source, folder) for _ in range(2)]
    for one in children:
        printed, _ = one.communicate(timeout=60)
        assert one.returncode == 0
        assert printed.strip() == str(folder / "net" / "model.pth")
    assert len(server.log) == 1
    parts = [path for path in folder.rglob("*.part*") if path.is_file()]
    assert parts == []


def test_a_killed_process_leaves_a_part_that_the_next_goes_on_with(
    server, source, folder
):
    server.answers["/model.pth"] = [Answer(stall=200_000)]
    killed = child(source, folder)
    part = folder / first_use.PARTIAL / "net" / "model.pth.part"
    flaky_server.wait_for(
        lambda: part.exists() and part.stat().st_size > 150_000, seconds=30
    )
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert not (folder / "net").exists()
    there = part.stat().st_size
    assert CONTENT.startswith(part.read_bytes())
    path = fetch.fetch([source], folder)
    assert path.read_bytes() == CONTENT
    assert server.log[1].headers["Range"] == f"bytes={there}-"
    assert server.log[1].sent == len(CONTENT) - there


def test_t16_a_warm_cache_is_used_by_a_process_that_may_not_open_a_socket(
    source, folder, tmp_path
):
    fetch.fetch([source], folder)
    offline = child(source, folder, GUARD + CHILD, HF_HUB_OFFLINE="1")
    online = child(source, tmp_path / "cold", GUARD + CHILD, HF_HUB_OFFLINE="0")
    printed, _ = offline.communicate(timeout=60)
    assert (offline.returncode, printed.strip()) == (0, str(folder / source.file))
    online.communicate(timeout=60)
    assert online.returncode == 9  # the guard is one
