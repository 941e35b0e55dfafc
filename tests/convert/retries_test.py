"""Is what may pass tried again, after a wait that suits the server, and given up?"""

import pytest
from flaky_server import Answer, File

from convert import retries, web

PATH = "/api"


@pytest.fixture
def read(server):
    """Read what the server has, over whatever it answers first."""

    def call(*answers):
        server.files[PATH] = File(b'{"a": 1}', kind="application/json")
        server.answers[PATH] = list(answers)
        return web.read_json(server.url + PATH)

    return call


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again_after_growing_waits(read, waits, status):
    assert read(*[Answer(status)] * 3) == {"a": 1}
    first, second, third = waits
    assert 0.5 <= first <= 1 <= second <= 2 <= third <= 4


def test_what_does_not_pass_is_given_up(server, read):
    with pytest.raises(OSError, match=rf"got 500 .*\({retries.ATTEMPTS} attempts\)"):
        read(*[Answer(500)] * 9)
    assert len(server.asked(PATH)) == retries.ATTEMPTS


def test_the_wait_that_the_server_asks_for_is_kept(read, waits):
    read(Answer(429, headers={"Retry-After": "17"}))
    assert waits == [17.0]


def test_nobody_waits_for_an_hour(read, waits):
    with pytest.raises(OSError, match="429.*come again in 3600 s"):
        read(Answer(429, headers={"Retry-After": "3600"}))
    assert waits == []


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_what_will_not_pass_is_tried_once(server, read, status):
    with pytest.raises(OSError, match=f"got {status}"):
        read(Answer(status), Answer(status))
    assert len(server.asked(PATH)) == 1


def test_waits_may_be_dates():
    assert retries.asked("Mon, 01 Jan 2024 00:00:00 GMT") == 0
    assert retries.asked("soon") == retries.asked(None) == 0
    assert retries.asked("12") == 12
    assert retries.asked("Fri, 01 Jan 2100 00:00:00 GMT") > 1e9


def test_what_is_no_json_is_an_error(server, read):
    with pytest.raises(OSError, match="no JSON from http"):
        read(Answer(200, body=b"<html>"))


@pytest.mark.parametrize("header", ["Fri, 31 Dec 99999999 23:59:59 GMT", "later", ""])
def test_a_wait_that_is_no_date_is_none(header):
    assert retries.asked(header) == 0
