"""A web server on this machine that answers well, or badly in the ways servers do."""

import contextlib
import dataclasses
import http.server
import re
import threading
import time

OLD = "Mon, 01 Jan 2024 00:00:00 GMT"


@dataclasses.dataclass
class File:
    """What lies at a path."""

    content: bytes
    etag: str = '"first"'
    modified: str = OLD
    kind: str = "application/octet-stream"
    headers: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Answer:
    """How a request is answered; the default is right."""

    status: int | None = None  # in place of the file
    headers: dict = dataclasses.field(default_factory=dict)
    body: bytes = b""  # with such a status
    cut: int | None = None  # bytes after which the connection breaks
    stall: int | None = None  # bytes after which nothing more comes
    ignores_range: bool = False
    ignores_condition: bool = False  # of If-Range
    length: bool = True
    chunked: bool = False
    shift: int = 0  # of what is said of the range


@dataclasses.dataclass
class Request:
    """What was asked, and how many bytes of a body were sent."""

    method: str
    path: str
    headers: dict
    sent: int = 0


class Server(http.server.ThreadingHTTPServer):
    """Files by path; `answers` by path ('HEAD <path>', too) are used up in order."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.answers, self.log = {}, {}, []
        self.over = threading.Event()  # ends what stalls
        self.stalled = threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def asked(self, path, method="GET"):
        return [r for r in self.log if (r.path, r.method) == (path, method)]

    def handle_error(self, request, client_address):
        """Clients that leave are no failure of a test."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self._answer("HEAD " + self.path.partition("?")[0], body=False)

    def do_GET(self):
        self._answer(self.path.partition("?")[0])

    def _answer(self, asked, body=True):
        path = self.path.partition("?")[0]
        answers = self.server.answers.get(asked)
        answer = answers.pop(0) if answers else Answer()
        self.request_entry = Request(self.command, path, dict(self.headers))
        self.server.log.append(self.request_entry)
        file = self.server.files.get(path)
        if answer.status is None and file is None:
            answer = Answer(404)
        if answer.status is not None:
            status, content = answer.status, answer.body
            headers = {"Content-Length": len(content)} | answer.headers
        else:
            status, content, headers = self._part(file, answer)
        if not answer.length or answer.chunked:
            headers.pop("Content-Length", None)
        if answer.chunked:
            headers["Transfer-Encoding"] = "chunked"
        if not answer.length:
            headers["Connection"] = "close"
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        if body:
            self._send(content, answer)

    def _part(self, file, answer):
        headers = {"Content-Type": file.kind, "ETag": file.etag} | file.headers
        headers |= {"Last-Modified": file.modified} | answer.headers
        headers = {name: value for name, value in headers.items() if value}
        match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        condition = self.headers.get("If-Range")
        current = condition in (None, file.etag, file.modified)
        size = len(file.content)
        if not match or answer.ignores_range:
            match = None
        elif not current and not answer.ignores_condition:
            match = None
        if match is None:
            return 200, file.content, {"Content-Length": size} | headers
        start = int(match[1])
        if start >= size:
            said = {"Content-Range": f"bytes */{size}", "Content-Length": 0}
            return 416, b"", said
        headers["Content-Length"] = size - start
        said = f"bytes {start + answer.shift}-{size - 1}/{size}"
        return 206, file.content[start:], headers | {"Content-Range": said}

    def _send(self, content, answer):
        end = min(n for n in (len(content), answer.cut, answer.stall) if n is not None)
        for start in range(0, end, 4096):
            piece = content[start : min(start + 4096, end)]
            if answer.chunked:
                piece = b"%x\r\n%s\r\n" % (len(piece), piece)
            self.wfile.write(piece)
            self.wfile.flush()
            self.request_entry.sent = min(start + 4096, end)
        if answer.stall is not None:
            self.server.stalled.set()
            self.server.over.wait(10)
        if answer.cut is not None or answer.stall is not None:
            self.close_connection = True
        elif answer.chunked:
            self.wfile.write(b"0\r\n\r\n")


@contextlib.contextmanager
def running():
    """A server that answers until the block ends."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()


def wait_for(condition, seconds=10.0):
    """Wait until something is so, or fail."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.01)
