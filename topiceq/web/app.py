"""The server: `create_app(model)` gives a FastAPI application with the page and the HTTP API.

Every answer is made in a lane of its own kind (lanes.py), so that two cores are never asked for
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
from starlette.exceptions import HTTPException

import topiceq
from topiceq.api import TopicEq
from topiceq.errors import QuestionError, TopicEqError, Unsupported
from topiceq.tasks.threads import one_thread
from topiceq.web import questions
from topiceq.web.explorer import Explorer, position, texts
from topiceq.web.lanes import Busy, Lane, TooSlow
from topiceq.web.limits import Guard, Limits
from topiceq.web.reference import reference

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
    quick = Lane("quick", waiting=limits.waiting, seconds=limits.quick_seconds)
    long = Lane("long", waiting=limits.long_waiting, seconds=limits.long_seconds)

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
    app.get("/docs", include_in_schema=False)(lambda: HTMLResponse(reference(app.openapi())))
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
        where = ".".join(str(part) for part in first["loc"][1:])
        text = f"{where or 'The body'}: {first['msg']}."
        shape = {"error": text, "kind": "RequestValidationError", "position": None}
        return JSONResponse(shape, 422)


def _add_answers(app: FastAPI, explorer: Explorer, quick: Lane, long: Lane) -> None:
    async def ask(lane: Lane, request: Request, work: Callable[[], Any]) -> Any:
        answer = await lane.do(work, request.is_disconnected)
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
        return await ask(quick, request, explorer.topics)

    @app.get("/api/topics/{topic}", responses=ERRORS)
    async def one_topic(request: Request, topic: int) -> Any:
        """One topic: words, symbols with their meanings, typical equations, related topics."""
        return await ask(quick, request, lambda: explorer.topic(topic))

    @app.post("/api/render", responses=ERRORS)
    async def render(request: Request, question: questions.Render) -> Any:
        """An equation in normal form, as MathML."""
        return await ask(quick, request, lambda: _located(explorer.render, question))

    @app.post("/api/infer", responses=ERRORS)
    async def infer(request: Request, question: questions.Infer) -> Any:
        """The topics of a context, an equation, both, or many equations."""
        lane = long if question.equations else quick
        return await ask(lane, request, lambda: _located(explorer.infer, question))

    @app.post("/api/generate", responses=ERRORS)
    async def generate(request: Request, question: questions.Generate) -> Any:
        """Equations from a topic, a mixture or a context, or on the way between two."""
        return await ask(long, request, lambda: _located(explorer.generate, question))

    @app.post("/api/explain", responses=ERRORS)
    async def explain(request: Request, question: questions.Explain) -> Any:
        """What a symbol means under a theta, or all symbols of an equation."""
        return await ask(quick, request, lambda: _located(explorer.explain, question))

    @app.post("/api/similar", responses=ERRORS)
    async def similar(request: Request, question: questions.Similar) -> Any:
        """Equations of the corpus that are like one."""
        return await ask(quick, request, lambda: _located(explorer.similar, question))


def _located(answer: Callable[[Any], Any], question: Any) -> Any:
    """The answer; an error gets the place in the LaTeX that it is about."""
    try:
        return answer(question)
    except QuestionError as error:
        places = (position(str(error), text) for text in texts(question).values())
        error.position = next((place for place in places if place is not None), None)
        raise


def _add_annotate(app: FastAPI, explorer: Explorer, long: Lane) -> None:
    @app.post("/api/annotate", responses=ERRORS)
    async def annotate(
        request: Request,
        file: Annotated[UploadFile, File(description="An article in LaTeX, or its archive.")],
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
