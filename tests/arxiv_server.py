"""A server on this machine that answers as arXiv does, or as it never should."""

import io
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TEX = rb"\documentclass{article}\begin{document}A text.\[ E = m c^2 \]\end{document}"


def packed(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


class Server(ThreadingHTTPServer):
    """Answers each request by the next of its answers; the last one is given for ever."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.answers: list[Callable[[Answer], None]] = []
        self.requests: list[tuple[str, str]] = []  # path and user agent
        self.over = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/e-print/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has hung up is no news."""


class Answer(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.requests.append((self.path, self.headers["User-Agent"]))
        answers = self.server.answers
        (answers.pop(0) if len(answers) > 1 else answers[0])(self)

    def send(self, body: bytes, code: int = 200, **headers: str) -> None:
        self.send_response(code)
        for name, value in ({"Content_Length": str(len(body))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Silent."""


def gives(body: bytes, code: int = 200, **headers: str) -> Callable[[Answer], None]:
    return lambda answer: answer.send(body, code, **headers)


@contextmanager
def serving() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.over.set()
        server.shutdown()
        thread.join()
