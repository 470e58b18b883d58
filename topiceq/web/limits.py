"""What the server takes at most, whom it answers, and the headers that it sends with everything.

A body that is too large is refused while it arrives, whatever its headers promise; one that does
not arrive is given up. What goes wrong is written to the log, and never to who has asked.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ACCESS = logging.getLogger("topiceq.access")  # a line for each request, at level INFO
FAULTS = logging.getLogger("topiceq.faults")  # tracebacks
LOCAL = ("127.0.0.1", "localhost", "[::1]")  # what this machine calls itself
AGAIN = {"retry-after": "5"}  # seconds
HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; frame-src 'self' blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
}


@dataclass(frozen=True)
class Limits:
    """Of one server."""

    body: int = 1_000_000  # bytes of a question
    upload: int = 30_000_000  # bytes of an article or archive
    bodies: int = 300_000_000  # bytes of all that is being asked
    body_seconds: float = 30.0  # for a body to arrive
    quick_seconds: float = 10.0  # of work for infer, explain, similar and the like
    long_seconds: float = 60.0  # of work for generate and annotate
    waiting: int = 200  # questions for the quick worker
    long_waiting: int = 16
    client: int = 64  # requests of one address at once


class Guard:
    """ASGI middleware: bounds on requests, and headers on every answer."""

    def __init__(self, app: ASGIApp, limits: Limits, hosts: Collection[str] = ()) -> None:
        self.app, self.limits = app, limits
        self.hosts = {host.lower() for host in hosts}
        self.clients: Counter[str] = Counter()  # requests of each address that are at work
        self.held = 0  # bytes of their bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, guarded."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        status, start = 0, time.monotonic()
        client = (scope.get("client") or ("-",))[0]
        asked = scope["method"], scope.get("raw_path", b"").decode("latin-1")  # of one line

        async def with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], *_headers()]}
            await send(message)

        body = _Body(self, scope["path"], receive)
        self.clients[client] += 1
        try:
            app = self._refusal(scope, client) or self.app
            await app(scope, body.receive, with_headers)
        except Exception:
            FAULTS.exception("%s %s", *asked)
            if status:
                raise  # the connection is closed: half an answer is none
            await refused(500, "Something went wrong here.")(scope, receive, with_headers)
        finally:
            self.held -= body.seen
            self.clients[client] -= 1
            self.clients += Counter()  # forgets who has none
            ACCESS.info("%s %s %s %s %.0f ms", client, *asked,
                        status or "-", 1000 * (time.monotonic() - start))  # fmt: skip

    def _refusal(self, scope: Scope, client: str) -> ASGIApp | None:
        """The answer to a request that is not looked at."""
        host = _name(Headers(scope=scope).get("host", ""))
        if self.hosts and host not in self.hosts:
            text = f"This server is not called '{host[:100]}'. Allow it: serve --allow-host NAME."
            return refused(400, text)
        if self.clients[client] > self.limits.client:
            text = f"More than {self.limits.client} requests of yours are at work. Ask again later."
            return refused(429, text, AGAIN)
        return None


class _Body:
    """The body of a request while it arrives."""

    def __init__(self, guard: Guard, path: str, receive: Receive) -> None:
        self.guard, self.more = guard, receive
        limits = guard.limits
        self.limit = limits.upload if path == "/api/annotate" else limits.body
        self.end = time.monotonic() + limits.body_seconds
        self.seen, self.is_whole = 0, False

    async def receive(self) -> Message:
        """The next part; HTTPException if there is too much of it or it takes too long."""
        if self.is_whole:  # from now on only the end of the connection can come
            return await self.more()
        limits = self.guard.limits
        try:
            message = await asyncio.wait_for(self.more(), max(0.0, self.end - time.monotonic()))
        except TimeoutError:
            text = f"The body took longer than {limits.body_seconds:g} s."
            raise HTTPException(408, text) from None
        size = len(message.get("body", b""))
        self.seen += size
        self.guard.held += size
        self.is_whole = not message.get("more_body", False)
        if self.seen > self.limit:
            raise HTTPException(413, f"The body has more than {self.limit:,} bytes. Send less.")
        if self.guard.held > limits.bodies:
            raise HTTPException(503, "Too much is being asked. Ask again in a few seconds.", AGAIN)
        return message


def _name(host: str) -> str:
    """A host without its port.

    >>> _name("Example.org:8000"), _name("[::1]:8000"), _name("[::1]")
    ('example.org', '[::1]', '[::1]')
    """
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdecimal() else host.lower()


def refused(status: int, text: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An answer that only says what is wrong."""
    shape = {"error": text, "kind": "HTTPException", "position": None}
    return JSONResponse(shape, status, headers)


def _headers() -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in HEADERS.items()]
