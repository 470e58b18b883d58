"""The server: `create_app(model)` gives a FastAPI application with the page and the HTTP API.

Every answer is made by a worker of its own kind (workers.py), so that two cores are never asked for
more than two things at once. Errors are JSON with the library's own words. Nothing is fetched from
elsewhere, not even for the documentation.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, File, Query, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from pydantic import Field
from starlette.exceptions import HTTPException

import topiceq
from topiceq.api import TopicEq
from topiceq.errors import TopicEqError, Unsupported
from topiceq.model.processes import one_thread
from topiceq.questions import (
    OF_EQUATION,
    EquationText,
    Explain,
    Generate,
    Infer,
    Question,
    Similar,
    complaint,
)
from topiceq.views import templates
from topiceq.web.explorer import Explorer
from topiceq.web.limits import Guard, Limits
from topiceq.web.workers import Busy, TooSlow, Worker

PAGE = Path(__file__).with_name("page")
STATUS: dict[type[TopicEqError], int] = {
    Unsupported: 501,
    Busy: 503,
    TooSlow: 504,
}  # all others are the asker's: 400
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": text}
    for status, text in {
        400: "The question is not understood; `error` says why.",
        408: "The body did not arrive in time.",
        413: "The body is too large.",
        422: "The body is not of this form.",
        501: "This run cannot answer such a question.",
        503: "Too many questions are waiting.",
        504: "The answer took too long.",
    }.items()
}


VERBS: dict[str, type[Question]] = {
    kind.__name__.lower(): kind for kind in (Infer, Generate, Explain, Similar)
}


class Render(Question):
    """An equation to draw."""

    equation: EquationText = Field(description=OF_EQUATION)


class Gone(HTTPException):
    """The asker has left; nobody reads this."""

    def __init__(self) -> None:
        super().__init__(499, "The asker has left.")


def create_app(
    model: TopicEq, *, name: str = "pretrained", limits: Limits | None = None
) -> FastAPI:
    """The application for one model."""
    limits = limits or Limits()
    one_thread()
    explorer = Explorer(model, name)
    quick = Worker("quick", waiting=limits.waiting, seconds=limits.quick_seconds)
    long = Worker("long", waiting=limits.long_waiting, seconds=limits.long_seconds)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        quick.close()
        long.close()

    app = FastAPI(
        title="TopicEq",
        version=topiceq.__version__,
        description=topiceq.__doc__ or "",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.add_middleware(Guard, limits=limits)
    _add_errors(app)
    _add_answers(app, explorer, quick, long)
    _add_annotate(app, explorer, long)
    app.get("/docs", include_in_schema=False)(
        lambda: HTMLResponse(templates.render("reference.html", **app.openapi()))
    )
    app.mount("/", StaticFiles(directory=PAGE, html=True))
    return app


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(TopicEqError)
    async def known(request: Request, error: TopicEqError) -> JSONResponse:
        status = STATUS.get(type(error), 400)
        headers = {"retry-after": "5"} if status == 503 else None
        shape = {"error": str(error), "kind": type(error).__name__,
                 "position": getattr(error, "position", None)}  # fmt: skip
        return JSONResponse(shape, status, headers)

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> JSONResponse:
        shape = {"error": str(error.detail), "kind": "HTTPException", "position": None}
        return JSONResponse(shape, error.status_code, error.headers)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        verb = (VERBS | {"render": Render}).get(request.url.path.rpartition("/")[2], Question)
        text = complaint(verb, first | {"loc": first["loc"][1:]})
        shape = {"error": text, "kind": "RequestValidationError", "position": None}
        return JSONResponse(shape, 422)


def _add_answers(app: FastAPI, explorer: Explorer, quick: Worker, long: Worker) -> None:
    async def respond(worker: Worker, request: Request, work: Callable[[], Any]) -> Any:
        answer = await worker.do(work, request.is_disconnected)
        if answer is None:
            raise Gone
        return JSONResponse(answer)

    @app.get("/api/model")
    async def model() -> Any:
        """What model this is, and what it can do."""
        return explorer.about()

    @app.get("/api/examples")
    async def examples() -> Any:
        """Equations to begin with."""
        return explorer.examples()

    @app.get("/api/topics", responses=ERRORS)
    async def topics(request: Request) -> Any:
        """All topics, with their places on the map."""
        return await respond(quick, request, explorer.topics)

    @app.get("/api/topics/{topic}", responses=ERRORS)
    async def one_topic(request: Request, topic: int) -> Any:
        """One topic: words, symbols with their meanings, typical equations, related topics."""
        return await respond(quick, request, lambda: explorer.topic(topic))

    @app.post("/api/render", responses=ERRORS)
    async def render(request: Request, question: Render) -> Any:
        """An equation in normal form, as MathML."""
        return await respond(quick, request, lambda: explorer.render(question.equation))

    def add_verb(kind: type[Question], worker: Worker) -> None:
        async def verb(request: Request, question: Any, page: bool = False) -> Any:
            own = long if getattr(question, "equations", None) else worker
            return await respond(own, request, lambda: explorer.answer(question, page=page))

        verb.__annotations__["question"] = kind
        verb.__doc__ = kind.__doc__
        app.post(f"/api/{kind.__name__.lower()}", name=kind.__name__, responses=ERRORS)(verb)

    for kind in VERBS.values():
        add_verb(kind, long if kind is Generate else quick)


def _add_annotate(app: FastAPI, explorer: Explorer, long: Worker) -> None:
    @app.post("/api/annotate", responses=ERRORS)
    async def annotate(
        request: Request,
        file: Annotated[UploadFile, File(description="An article, or its archive.")],
        form: Annotated[str, Query(alias="format", pattern="^(html|json)$")] = "html",
    ) -> Response:
        """An article with its topics and the meanings of its symbols, as a page or as JSON."""
        content, name = await file.read(), file.filename or ""
        answer = await long.do(
            lambda: explorer.annotate(name, content, as_json=form == "json"),
            request.is_disconnected,
        )
        if answer is None:
            raise Gone
        return HTMLResponse(answer) if isinstance(answer, str) else JSONResponse(answer)
