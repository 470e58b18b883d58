"""An application served for real, from a thread."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from topiceq.web.connections import configured


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """The address of an application that is served from a thread, for a while."""
    server = uvicorn.Server(configured(app))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()
