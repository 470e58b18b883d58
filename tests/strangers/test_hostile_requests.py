"""Requests that want to harm the server or those who ask it."""

import gzip
import io
import json
import re
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from serving import served

from topiceq.api import TopicEq
from topiceq.article.equation.normal import _spelling, parse
from topiceq.web import connections
from topiceq.web.app import create_app
from topiceq.web.explorer import Explorer
from topiceq.web.limits import HEADERS, Limits

ARTICLE = rb"\documentclass{article}\begin{document} The energy. \[ E = a b c \] \end{document}"
FOLDERS = re.compile(r"/tmp|/var|/root|/home|Traceback|site-packages|\.py\b")


@pytest.fixture(scope="module")
def model(trained: Path) -> TopicEq:
    return TopicEq.load(trained)


@pytest.fixture(scope="module")
def address(model: TopicEq) -> Iterator[str]:
    with served(create_app(model, hosts=["127.0.0.1"])) as address:
        yield address


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, timeout=60) as client:
        yield client


def connected(address: str) -> socket.socket:
    parts = urlsplit(address)
    assert parts.hostname and parts.port
    return socket.create_connection((parts.hostname, parts.port), timeout=30)


def said(address: str, data: bytes) -> bytes:
    """What the server says to these bytes before it closes the connection."""
    with connected(address) as link:
        link.sendall(data)
        link.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: link.recv(65_536), b""))


def is_up(client: httpx.Client) -> bool:
    """Whether it answers, soon: what was abandoned is noticed after a moment."""
    for _ in range(50):
        if client.post("/api/render", json={"equation": "a^2"}).status_code == 200:
            return True
        time.sleep(0.2)
    return False


# -- connections -----------------------------------------------------------------------------------


def test_a_head_that_does_not_come_closes_the_connection(
    address: str, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.5)
    with connected(address) as silent, connected(address) as slow:
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        for _ in range(20):
            time.sleep(0.05)
            try:
                slow.sendall(b"X")
            except OSError:  # closed meanwhile
                break
        for link in (silent, slow):
            with suppress(ConnectionResetError):
                assert link.recv(100) == b""
    assert is_up(client)


def test_a_request_that_takes_long_is_not_taken_for_a_slow_head(
    address: str, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(Explorer, "render", lambda self, typed: time.sleep(1) or {"a": typed})
    assert client.post("/api/render", json={"equation": "x"}).json() == {"a": "x"}


def test_a_body_that_does_not_come_is_given_up(model: TopicEq) -> None:
    with served(create_app(model, limits=Limits(body_seconds=0.5))) as address:
        with connected(address) as link:
            link.sendall(b"POST /api/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n"
                         b"Content-Type: application/json\r\n\r\n{")  # fmt: skip
            assert b" 408 " in link.recv(65_536)


def test_two_hundred_connections_that_do_nothing_keep_nobody_out(
    address: str, client: httpx.Client
) -> None:
    with ExitStack() as stack:
        links = [stack.enter_context(connected(address)) for _ in range(200)]
        assert len(links) == 200 and is_up(client)


def test_more_connections_than_there_may_be_are_told_so(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "CONNECTIONS", 3)
    with ExitStack() as stack:
        links = [stack.enter_context(connected(address)) for _ in range(8)]
        for link in links[4:]:
            link.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            answer = b"".join(iter(lambda link=link: link.recv(65_536), b""))
            assert answer.startswith(b"HTTP/1.1 503 ") and b"\nretry-after: 5" in answer
            assert b"\nx-content-type-options: nosniff" in answer
            assert answer.endswith(b'"position":null}')


def test_an_answer_that_is_not_taken_closes_the_connection(
    address: str, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server keeps no large answer for somebody who does not read it."""
    monkeypatch.setattr(connections, "TAKING_SECONDS", 0.5)
    monkeypatch.setattr(Explorer, "render", lambda self, typed: {"a": "x" * 20_000_000})
    body = b'{"equation": "x"}'
    with connected(address) as link:
        link.sendall(b"POST /api/render HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
                     b"application/json\r\nContent-Length: 17\r\n\r\n" + body)  # fmt: skip
        time.sleep(2)
        taken = 0
        with suppress(ConnectionResetError):
            while part := link.recv(1 << 20):
                taken += len(part)
        assert 0 < taken < 20_000_000


def test_two_hundred_that_ask_and_leave_keep_nobody_out(address: str, client: httpx.Client) -> None:
    body = json.dumps({"equation": "E = a b c"}).encode()
    head = b"POST /api/infer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    for _ in range(200):
        with connected(address) as link:
            link.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert is_up(client)


@pytest.mark.parametrize(
    "data",
    [
        b"\0" * 1_000,
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: y\r\n" * 100_000 + b"\r\n",
        b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST /api/infer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/infer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /api/infer HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\r\n b\r\n\tc\r\n\x01: y\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
    ids=str,
)
def test_what_is_no_request_is_refused(address: str, client: httpx.Client, data: bytes) -> None:
    try:
        answer = said(address, data)
    except OSError:  # closed before all was sent
        answer = b""
    assert not answer or answer.startswith(b"HTTP/1.1 4")
    assert not answer or b"\nx-content-type-options: nosniff" in answer
    assert not FOLDERS.search(answer.decode("latin-1")) and b"uvicorn" not in answer.lower()
    assert is_up(client)


# -- who asks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8000",
                                  "", "127.0.0.1@evil.example"])  # fmt: skip
def test_only_requests_to_this_server_are_answered(client: httpx.Client, host: str) -> None:
    answer = client.get("/api/model", headers={"host": host})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(f"This server is not called '{host.split(':')[0]}'.")
    assert client.get("/api/model", headers={"host": "127.0.0.1:99"}).status_code == 200


def test_any_name_where_none_is_asked_for(model: TopicEq) -> None:
    with served(create_app(model)) as address:
        assert httpx.get(f"{address}/health", headers={"host": "x.org"}).status_code == 200


def test_one_address_cannot_ask_everything_at_once(
    model: TopicEq, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    monkeypatch.setattr(Explorer, "render", lambda self, typed: go.wait(30) and {"a": typed})
    with (
        served(create_app(model, limits=Limits(client=3))) as address,
        httpx.Client(base_url=address, timeout=60) as client,
        ThreadPoolExecutor(3) as pool,
    ):
        asked = [pool.submit(client.post, "/api/render", json={"equation": "x"}) for _ in range(3)]
        while (answer := client.get("/health")).status_code == 200:
            time.sleep(0.05)
        assert answer.status_code == 429 and answer.headers["retry-after"] == "5"
        assert "More than 3 requests" in answer.json()["error"]
        go.set()
        assert [each.result().status_code for each in asked] == [200] * 3
        assert client.get("/health").status_code == 200


def test_all_bodies_together_are_bounded(model: TopicEq, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    monkeypatch.setattr(Explorer, "render", lambda self, typed: go.wait(30) and {"a": 1})
    with (
        served(create_app(model, limits=Limits(bodies=30_000))) as address,
        httpx.Client(base_url=address, timeout=60) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        large = {"equation": "x" * 19_000}
        first = pool.submit(client.post, "/api/render", json=large)
        while not first.running():
            time.sleep(0.01)
        time.sleep(0.5)
        answer = client.post("/api/render", json=large)
        assert answer.status_code == 503 and answer.headers["retry-after"] == "5"
        go.set()
        assert first.result().status_code == 200
        assert client.post("/api/render", json=large).status_code == 200


# -- bodies ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000, b'{"equation":' * 50_000, b'{"equation": "\\ud800"}',
        b'{"equation": "\\u0000"}',
        b'{"theta": {"0": 1e999}}', b'{"theta": ' + b"9" * 5_000 + b"}", b'{"theta": NaN}',
        b'{"equation": {"$gt": ""}}', b"\xff\xfe", b"", b"null", b'"' + b"a" * 900_000 + b'"',
        b'{"count": 1e308, "theta": 0}', b'{"equations": [' + b'"x",' * 9_000 + b'"x"]}',
        b'{"equation": "' + b"{" * 19_000 + b'"}', b'{"equation": "' + b"^" * 19_000 + b'"}',
        b'{"equation": "' + b"\\\\frac" * 3_000 + b'"}', b'{"__proto__": 1}',
        b'{"equation": "' + b"\\\\left(" * 2_500 + b'"}', b'{"equation": "a", "equation": "b"}',
        b'{"equation": "' + b"&#x41;" * 3_000 + b'"}',
        b'{"equation": "' + b"<math>" * 3_000 + b'"}',
        b'{"equation": "' + b"<div>" * 3_000 + b'"}',
    ],
    ids=lambda body: body[:24].decode("latin-1"),
)  # fmt: skip
@pytest.mark.parametrize("verb", ["infer", "render", "generate", "explain", "normal"])
def test_questions_that_are_none(client: httpx.Client, verb: str, body: bytes) -> None:
    answer = client.post(f"/api/{verb}", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (200, 400, 413, 422, 501, 504), answer.text
    assert answer.json() is not None and not FOLDERS.search(answer.text)


@pytest.mark.parametrize(
    "kind",
    ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=b",
     "multipart/mixed; boundary=b", "text/plain", "",
     "multipart/form-data; boundary=" + "b" * 5_000],
)  # fmt: skip
@pytest.mark.parametrize(
    "body",
    [
        b"--b\r\n", b"--b\r\n\r\n\r\n--b--", b"--b" * 10_000, b"\r\n" * 10_000,
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.tex"\r\n',
        b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nnofile\r\n--b--\r\n',
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.tex"\r\n'
        + b"X: y\r\n" * 20_000 + b"\r\nx\r\n--b--\r\n",
        b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n' * 3_000 + b"--b--\r\n",
    ],
    ids=range(8),
)  # fmt: skip
def test_uploads_that_are_none(client: httpx.Client, kind: str, body: bytes) -> None:
    answer = client.post("/api/annotate", content=body, headers={"content-type": kind})
    assert answer.status_code in (400, 413, 422), answer.text[:500]
    assert answer.json()["error"] and not FOLDERS.search(answer.text)


def tarred(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zipped(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as out:
        out.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tex", b""), ("a.tex", b"\0\0"), ("a.tar.gz", b"no archive"), ("a.zip", b"PK\3\4"),
        ("a.tar.gz", tarred("../a.tex", ARTICLE)), ("a.zip", zipped("/etc/a.tex", ARTICLE)),
        ("a.tar", b"\0" * 1_024), ("a.gz", gzip.compress(b"%PDF", mtime=0)), ("a.ipynb", b"{}"),
        ("a.jsonl", b"{}"), ("a.html", b"\0"), ("a.rst", b".. include:: /etc/passwd\n\nx"),
        ("a.rst", b".. raw:: html\n   :file: /etc/passwd\n"),
        ("a.md", b"```{include} /etc/passwd\n```"),
        ("a.tex", rb"\begin{document}\input{/etc/passwd}\verbatiminput{/etc/passwd}\end{document}"),
        ("a.html", b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><p>&x;</p>"),
        ("a.dox", b"\\include /etc/passwd\n"), ("a.xyz", b"x"), ("", b"x"),
        ("a.tar.gz/../../x", b"x"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["html", "json"])
def test_uploads_tell_nothing_of_the_server(
    client: httpx.Client, name: str, content: bytes, form: str
) -> None:
    files = {"file": (name, content)}
    answer = client.post("/api/annotate", files=files, params={"format": form})
    assert answer.status_code in (200, 400, 422), answer.text
    assert "topiceq-" not in answer.text and "root:" not in answer.text
    if answer.status_code != 200:
        assert answer.json()["error"] and not FOLDERS.search(answer.text)


# -- answers ---------------------------------------------------------------------------------------


PATHS = ["/", "/docs", "/openapi.json", "/health", "/api/model", "/api/topics", "/api/topics/1",
         "/api/topics/99", "/api/infer", "/api/annotate", "/api/nothing", "/nothing", "/page.js",
         "/example.tex", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/api/../../x",
         "//etc/passwd", "/%00", "/page.js%00.html", "/api/topics/1e9",
         "/api/topics/" + "9" * 5_000, "/api/topics/-1", "/.git/config", "/app.py"]  # fmt: skip
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "FOO"]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path[:40])
@pytest.mark.parametrize("method", METHODS)
def test_every_answer_is_guarded_and_tells_nothing(
    client: httpx.Client, path: str, method: str
) -> None:
    answer = client.request(method, path)
    assert answer.status_code < 500
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    if answer.status_code >= 400:
        assert not FOLDERS.search(answer.text) or "/tmp" not in answer.text
        assert "root:" not in answer.text
    if answer.status_code == 405:
        allowed = answer.headers["allow"].split(", ")
        assert method not in allowed
        for each in allowed:
            assert client.request(each, path).status_code != 405


def test_a_fault_of_ours_is_no_secret_told(
    model: TopicEq, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(self: Explorer, typed: str) -> None:
        raise ZeroDivisionError("in /root/secret.py")

    monkeypatch.setattr(Explorer, "render", broken)
    with served(create_app(model)) as address:
        answer = httpx.post(f"{address}/api/render", json={"equation": "x"})
    assert answer.status_code == 500 and answer.json() == {
        "error": "Something went wrong here.", "kind": "HTTPException", "position": None,
    }  # fmt: skip
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert any(record.exc_info for record in caplog.records if record.name == "topiceq.faults")


def test_nobody_writes_lines_of_their_own_into_the_log(
    client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "topiceq.access")
    client.get("/x%0A127.0.0.1%20GET%20/forged%20200%1B%5B2J")
    while not caplog.messages:
        time.sleep(0.01)
    assert caplog.messages[0].startswith("127.0.0.1 GET /x%0A127.0.0.1%20GET%20/forged%20200%1B%5B")


def test_whoever_a_proxy_names_is_counted(model: TopicEq, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "topiceq.access")
    with served(create_app(model)) as address:
        httpx.get(f"{address}/health", headers={"x-forwarded-for": "203.0.113.7"})
    assert caplog.messages[0].startswith("203.0.113.7 GET /health 200")


def test_of_long_tokens_nothing_is_kept() -> None:
    """65,536 tokens of 20,000 letters, a question each, would take more than a gigabyte."""
    parse(r"E = \ab")
    before = _spelling.cache_info().currsize
    for letter in "abcdefgh":
        assert parse("E = \\" + 10_000 * letter)[-1] == "\\" + 10_000 * letter
    assert _spelling.cache_info().currsize == before


# -- the end ---------------------------------------------------------------------------------------

SERVER = """
import sys, time
from topiceq.cli import main
from topiceq.web.explorer import Explorer

Explorer.render = lambda self, typed: time.sleep(3) or {"equation": typed}
sys.argv = ["topiceq", "serve", sys.argv[1], "--port", "0"]
main()
"""


@pytest.fixture
def process(trained: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The command in a process of its own, with an answer that takes long."""
    command = [sys.executable, "-c", SERVER, str(trained)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        yield next(found[0] for line in server.stderr
                   if (found := re.search(r"http://[\d.:]+", line))), server  # fmt: skip
        server.kill()


def test_sigterm_finishes_what_runs_and_refuses_what_comes(
    process: tuple[str, subprocess.Popen[str]],
) -> None:
    address, server = process
    answer = httpx.get(f"{address}/health", headers={"host": "evil.example"})
    assert answer.status_code == 400 and answer.headers["x-content-type-options"] == "nosniff"
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(httpx.post, f"{address}/api/render", json={"equation": "x"}, timeout=60)
        time.sleep(1)
        server.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"{address}/health")
        assert asked.result().json() == {"equation": "x"}
    assert server.wait(60) in (0, -signal.SIGTERM)
