"""serve: the explorer in the browser, and the same answers over HTTP."""

import gc
import logging
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topiceq.cli.app import Indexes, RunFolder, app, check_run, progress
from topiceq.errors import RunError

if TYPE_CHECKING:  # importing torch takes longer than most verbs
    from topiceq.api import TopicEq


@app.command()
def serve(
    run: RunFolder = None,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0: any that is free.")] = 8000,
    host: Annotated[
        str, typer.Option(help="Where to listen; the default is this machine only.")
    ] = "127.0.0.1",
    cors: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="Pages of this origin may ask, too, such as https://example.org; * for all. "
            "Can be repeated.",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A name that the server is asked by, beside this machine's own; by default any "
            "where --host is given. Can be repeated.",
        ),
    ] = None,
    arxiv: Annotated[
        bool,
        typer.Option("--arxiv", help="Fetch articles of arXiv for whoever asks for them by id."),
    ] = False,
    access_log: Annotated[
        bool, typer.Option("--access-log", help="A line for each request, on standard error.")
    ] = False,
    indexes: Indexes = None,
    export: Annotated[
        Path | None,
        typer.Option(help="Serve nothing: write what needs no server as static files here."),
    ] = None,
) -> None:
    """The explorer, on http://127.0.0.1:8000, with the HTTP API under /api."""
    check_run(run)
    from topiceq.api import TopicEq

    with progress("loading"):
        model = TopicEq.load(run, index=indexes or ())
        if indexes:  # told now, and not to all who ask
            model.search  # noqa: B018
    name = run.name if run else "pretrained"
    if export:
        write(model, export, name)
        return
    if access_log:
        log_access()
    listen(model, name, host, port, cors or [], names(host, allow_host or []), arxiv)


def names(host: str, allowed: list[str]) -> list[str]:
    """The names that the server is asked by; none: any."""
    from topiceq.web.limits import LOCAL

    is_local = host in ("127.0.0.1", "localhost", "::1")
    return [*LOCAL, *allowed] if is_local or allowed else []


def write(model: "TopicEq", folder: Path, name: str) -> None:
    from topiceq.web.export import export

    with progress("exporting") as say:
        export(model, folder, name=name, watch=lambda done, count: say(f"{done}/{count} topics"))
    print(folder)


def log_access() -> None:
    """Write each request to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger = logging.getLogger("topiceq.access")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)


def listen(
    model: "TopicEq",
    name: str,
    host: str,
    port: int,
    cors: list[str],
    hosts: list[str],
    arxiv: bool,
) -> None:
    """Serve until Ctrl-C."""
    import uvicorn

    from topiceq.web.app import create_app
    from topiceq.web.connections import configured

    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        raise RunError(
            f"Cannot listen on {host}:{port}: {error.strerror or error}. Give another --port."
        ) from None
    with progress("drawing the map of topics"):
        explorer = create_app(model, name=name, cors=cors, hosts=hosts, fetches=arxiv)
    gc.collect()
    gc.freeze()  # the model stays: to look through it for garbage took a tenth of the time
    print(f"http://{host}:{listener.getsockname()[1]}  (Ctrl-C stops)", file=sys.stderr, flush=True)
    uvicorn.Server(configured(explorer)).run(sockets=[listener])
