"""The connections of a server: those that keep it waiting are closed.

uvicorn alone waits for ever for the head of a request, and for a client to take its answer, so that
a few hundred connections that do nothing shut everybody else out.
"""

import asyncio

import h11
from fastapi import FastAPI
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

from topiceq.web.limits import AGAIN, HEADERS, refused

HEAD_SECONDS = 15.0  # for the first line and the headers of a request to arrive
TAKING_SECONDS = 300.0  # for a client to take what was sent
IDLE_SECONDS = 10  # between two requests of a connection
CONNECTIONS = 512  # at once; further ones are told 503
FINISHING_SECONDS = 90  # for what is at work when the server is told to stop
CLOSING = HEADERS | {"connection": "close"}
FULL = refused(503, "Too many are connected. Ask again in a few seconds.", CLOSING | AGAIN)


class Connection(H11Protocol):
    """A connection with a clock that runs while it is expected to do something."""

    head: asyncio.TimerHandle | None = None
    taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """It is open: a request has to come."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            self.app = FULL
        self._wind()

    def data_received(self, data: bytes) -> None:
        """Part of a request, or a whole one."""
        super().data_received(data)
        self._wind()

    def send_400_response(self, msg: str) -> None:
        """Say that this is no request, as every other error is said."""
        answer = refused(400, msg, CLOSING)
        start = h11.Response(status_code=400, headers=answer.raw_headers, reason=b"Bad Request")
        for event in (start, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def pause_writing(self) -> None:
        """The client takes less than is sent."""
        super().pause_writing()
        self.taking = self.loop.call_later(TAKING_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """It has taken it."""
        super().resume_writing()
        if self.taking:
            self.taking.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is closed."""
        super().connection_lost(exc)
        for clock in (self.head, self.taking):
            if clock:
                clock.cancel()

    @property
    def _is_at_work(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wind(self) -> None:
        if self._is_at_work and self.head:
            self.head.cancel()
            self.head = None
        elif not self._is_at_work and not self.head:
            self.head = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _give_up(self) -> None:
        self.head = None
        if not self._is_at_work:
            self.transport.abort()


def configured(app: FastAPI, *, port: int = 0) -> Config:
    """How uvicorn serves the application."""
    return Config(
        app,
        port=port,
        http=Connection,
        ws="none",
        log_level="warning",
        server_header=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=FINISHING_SECONDS,
    )
