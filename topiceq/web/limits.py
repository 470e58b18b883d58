"""What the server takes at most, and the headers that it sends with everything.

A body that is too large is refused while it arrives, whatever its headers promise; one that does
not arrive is given up.
"""

import asyncio
import logging
import time
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ACCESS = logging.getLogger("topiceq.access")  # a line for each request, at level INFO
HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; frame-src 'self' blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


@dataclass(frozen=True)
class Limits:
    """Of one server."""

    body: int = 1_000_000  # bytes of a question
    upload: int = 30_000_000  # bytes of an article or archive
    body_seconds: float = 30.0  # for a body to arrive
    quick_seconds: float = 10.0  # of work for infer, explain, similar and the like
    long_seconds: float = 60.0  # of work for generate and annotate
    waiting: int = 200  # questions for the quick worker
    long_waiting: int = 16


class Guard:
    """ASGI middleware: bounds on bodies, and headers on every answer."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app, self.limits = app, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, guarded."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        status, start = 0, time.monotonic()

        async def with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], *_headers()]}
            await send(message)

        try:
            await self.app(scope, self._bounded(scope["path"], receive), with_headers)
        finally:
            client, taken = (scope.get("client") or ("-",))[0], time.monotonic() - start
            ACCESS.info("%s %s %s %s %.0f ms", client, scope["method"], scope["path"],
                        status or "-", 1000 * taken)  # fmt: skip

    def _bounded(self, path: str, receive: Receive) -> Receive:
        limit = self.limits.upload if path == "/api/annotate" else self.limits.body
        seconds = self.limits.body_seconds
        end = time.monotonic() + seconds
        seen, whole = 0, False

        async def bounded() -> Message:
            nonlocal seen, whole
            if whole:  # from now on only the end of the connection can come
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, end - time.monotonic()))
            except TimeoutError:
                raise HTTPException(408, f"The body took longer than {seconds:g} s.") from None
            seen += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if seen > limit:
                raise HTTPException(413, f"The body has more than {limit:,} bytes. Send less.")
            return message

        return bounded


def _headers() -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in HEADERS.items()]
