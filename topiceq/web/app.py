"""The server: `create_app(model)` gives a FastAPI application with the page and the HTTP API.

Every answer is made by a worker of its own kind (workers.py), so that two cores are never asked for
more than two things at once. Errors are JSON with the library's own words. Nothing is fetched from
elsewhere, not even for the documentation.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, File, Query, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles
from pydantic import Field, WithJsonSchema
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route

import topiceq
from topiceq.api import TopicEq
from topiceq.article.page import Reading
from topiceq.errors import QuestionError, TopicEqError, Unsupported
from topiceq.model.processes import one_thread
from topiceq.questions import (
    OF_EQUATION,
    Explain,
    Generate,
    Infer,
    Normal,
    OneEquation,
    Question,
    Similar,
    complaint,
)
from topiceq.views import templates
from topiceq.views.page import beginning
from topiceq.views.shapes import Shape, error_shape
from topiceq.web.explorer import Explorer
from topiceq.web.limits import AGAIN, Guard, Limits
from topiceq.web.reference import reference
from topiceq.web.workers import Answer, Busy, TooSlow, Worker

FILES = ("GET", "HEAD")  # how files are asked for
PART = 64  # of many equations that are answered at once
JSON_LINES = "application/x-ndjson"
PAGE = Path(__file__).with_name("page")
KINDS = {".woff2": "font/woff2", ".js": "text/javascript", ".css": "text/css"}
EXAMPLE = "quantum/harmonic_oscillator.tex"
STATUS: dict[type[TopicEqError], int] = {
    Unsupported: 501,
    Busy: 503,
    TooSlow: 504,
}  # all others are the asker's: 400
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": text}
    for status, text in {
        400: "The question is not understood; `error` says why.",
        404: "There is no such topic.",
        408: "The body did not arrive in time.",
        413: "The body is too large.",
        422: "The body is not of this form.",
        429: "Too many requests of this address are at work.",
        501: "This run cannot answer such a question.",
        503: "Too many questions are waiting.",
        504: "The answer took too long.",
    }.items()
}


FILE = "An article, or its archive."
OF_FILE = WithJsonSchema({"type": "string", "format": "binary"})  # in a form there is no null
OF_ARTICLE = "In place of a file: an id on arXiv, such as 1902.06034."
FindText = Annotated[str, Query(max_length=1_000, description="Words.")]
VERBS: dict[str, type[Question]] = {
    kind.__name__.lower(): kind for kind in (Infer, Generate, Explain, Similar, Normal)
}


class Render(Question):
    """An equation to draw."""

    equation: OneEquation = Field(description=OF_EQUATION)


class Gone(HTTPException):
    """The asker has left; nobody reads this."""

    def __init__(self) -> None:
        super().__init__(499, "The asker has left.")


def create_app(
    model: TopicEq,
    *,
    name: str = "pretrained",
    limits: Limits | None = None,
    cors: Sequence[str] = (),
    hosts: Collection[str] = (),
    fetches: bool = False,
) -> FastAPI:
    """The application for one model; pages of the origins in `cors` may ask it, too.

    Only requests to `hosts` are answered, if there are any: else a page of anybody's, whose name
    leads to this machine, could ask. Articles of arXiv are fetched for whoever asks if it
    `fetches`.
    """
    limits = limits or Limits()
    one_thread()
    explorer = Explorer(model, name, fetches=fetches)
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
    if cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(cors),
            allow_methods=["GET", "POST"],
            allow_headers=["*"],
        )
    app.add_middleware(Guard, limits=limits, hosts=hosts)  # the outermost
    _add_errors(app)
    _add_answers(app, explorer, quick, long)
    _add_annotate(app, explorer, long)
    app.get("/docs", include_in_schema=False)(
        lambda: HTMLResponse(reference(app.openapi(), limits, ERRORS))
    )
    _add_health(app)
    add_page(app)
    return app


def add_page(app: FastAPI, page: Path = PAGE) -> None:
    """The page's own files, and those that it shares with annotated articles."""

    def add(name: str, path: Path) -> None:
        kind = KINDS[path.suffix]
        app.get(f"/{name}", include_in_schema=False)(lambda: FileResponse(path, media_type=kind))

    for name, path in templates.SHARED.items():
        add(name, path)
    app.get("/example.tex", include_in_schema=False)(lambda: FileResponse(_example()))
    app.mount("/", StaticFiles(directory=page, html=True))


def _example() -> Path:
    """The article that the Reader offers: beside the package, or in it where it is installed."""
    package = Path(topiceq.__file__).parent
    own = package / "examples" / "articles" / EXAMPLE
    return own if own.exists() else package.parent / "examples" / "articles" / EXAMPLE


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(TopicEqError)
    async def known(request: Request, error: TopicEqError) -> JSONResponse:
        is_place = isinstance(error, QuestionError) and request.method == "GET"
        status = 404 if is_place else STATUS.get(type(error), 400)  # no such topic
        headers = AGAIN if status == 503 else None
        return JSONResponse(error_shape(error), status, headers)

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code in (404, 405):
            error = _nowhere(app, request)
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

    kept: dict[int | None, bytes] = {}  # of each topic and of all: the same for ever

    async def respond_once(topic: int | None, request: Request, work: Callable[[], Any]) -> Any:
        if topic not in kept:
            kept[topic] = (await respond(quick, request, work)).body
        return Response(kept[topic], media_type="application/json")

    async def respond_to_many(request: Request, question: Infer | Normal) -> Response:
        """A list, or as JSON lines while they are computed, for who accepts these."""
        parts = _parts(long, request, question, explorer)
        first: list[Any] = await anext(parts, [])  # a busy server says so in its status
        if "ndjson" in request.headers.get("accept", ""):
            return StreamingResponse(_lines(first, parts), media_type=JSON_LINES)
        return JSONResponse([*first, *[each async for part in parts for each in part]])

    @app.get("/api/model")
    async def model() -> Any:
        """What model this is, and what it can do."""
        return explorer.about()

    @app.get("/api/examples")
    async def examples() -> Any:
        """Equations to begin with."""
        return explorer.examples()

    @app.get("/api/topics", responses=ERRORS)
    async def topics(request: Request, find: FindText | None = None) -> Any:
        """All topics, with their places on the map; or those about some words, best first."""
        if find is None:
            return await respond_once(None, request, explorer.topics)
        return await respond(quick, request, partial(explorer.find, find))

    @app.get("/api/topics/{topic}", responses=ERRORS)
    async def one_topic(request: Request, topic: int) -> Any:
        """One topic: words, symbols with their meanings, typical equations, related topics."""
        return await respond_once(topic, request, lambda: explorer.topic(topic))

    @app.get("/api/map", responses=ERRORS, response_class=Response)
    async def points(request: Request) -> Response:
        """The equations of the index as points: 32 bits each, of x 14, of y 14, of the region 4."""
        found = await long.do(lambda: explorer.map, request.is_disconnected)
        if found is None:
            raise Gone
        return Response(found, media_type="application/octet-stream")

    @app.get("/api/equations/{number}", responses=ERRORS)
    async def one_equation(request: Request, number: int) -> Any:
        """One equation of the index, and where it stands."""
        return await respond(quick, request, lambda: explorer.equation(number))

    @app.post("/api/render", responses=ERRORS)
    async def render(request: Request, question: Render) -> Any:
        """An equation in normal form, as MathML."""
        return await respond(quick, request, lambda: explorer.render(question.equation))

    def add_verb(kind: type[Question], worker: Worker) -> None:
        async def verb(request: Request, question: Any, page: bool = False) -> Any:
            if getattr(question, "equations", None) is not None:
                return await respond_to_many(request, question)
            return await respond(worker, request, lambda: explorer.answer(question, page=page))

        verb.__annotations__["question"] = kind
        verb.__doc__ = kind.__doc__
        app.post(f"/api/{kind.__name__.lower()}", name=kind.__name__, responses=ERRORS)(verb)

    for kind in VERBS.values():
        add_verb(kind, long if kind is Generate else quick)


def _add_health(app: FastAPI) -> None:
    @app.get("/health")
    async def health() -> Any:
        """Whether the server answers; it waits for no model."""
        return {"status": "ok", "version": topiceq.__version__}


def _nowhere(app: FastAPI, request: Request) -> HTTPException:
    """What a request is told that nothing answers: 404, or 405 with what is allowed there."""
    path = request.url.path
    routes = [r for r in app.router.routes if isinstance(r, Route) and r.path_regex.match(path)]
    allowed = {method for route in routes for method in route.methods or ()}
    if not routes and not path.startswith("/api/") and request.method not in FILES:
        allowed = {*FILES}
    if not allowed or request.method in allowed:
        return HTTPException(404, f"There is no {path[:200]}. See /docs.")
    text = f"{request.method} is not allowed here. Use {' or '.join(sorted(allowed))}."
    return HTTPException(405, text, {"allow": ", ".join(sorted(allowed))})


async def _parts(
    worker: Worker, request: Request, question: Infer | Normal, explorer: Explorer
) -> AsyncIterator[list[Any]]:
    """The answers about many equations, some at a time: others are answered between them."""
    question.check()
    equations = question.equations or []
    for start in range(0, max(1, len(equations)), PART):  # the context is read all the same
        part = question.model_copy(update={"equations": equations[start : start + PART]})
        answer = await worker.do(
            partial(explorer.answer, part, page=False), request.is_disconnected
        )
        if answer is None:
            raise Gone
        yield answer


async def _lines(first: list[Any], parts: AsyncIterator[list[Any]]) -> AsyncIterator[str]:
    """JSON lines; if it cannot go on, the last one says why."""
    try:
        yield "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in first)
        async for part in parts:
            yield "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in part)
    except TopicEqError as error:
        yield json.dumps(error_shape(error), ensure_ascii=False) + "\n"


def _add_annotate(app: FastAPI, explorer: Explorer, long: Worker) -> None:
    @app.post("/api/annotate", responses=ERRORS)
    async def annotate(
        request: Request,
        file: Annotated[UploadFile | None, OF_FILE, File(description=FILE)] = None,
        article: Annotated[str | None, Query(max_length=100, description=OF_ARTICLE)] = None,
        form: Annotated[str, Query(alias="format", pattern="^(html|json)$")] = "html",
    ) -> Response:
        """An article with its topics and the meanings of its symbols, as a page or as JSON.

        For who accepts JSON lines, first `begins`, a page of how it begins, at once, then `page`.
        """
        if (file is None) == (article is None):
            raise QuestionError("Give a file, or the id of an article on arXiv.")

        def read() -> Reading:  # when its turn comes: what waits stays on the disk
            if file is None:
                return explorer.read_from_arxiv(article or "")
            return explorer.read(file.filename or "", file.file.read())

        async def do(work: Callable[[], Answer]) -> Answer:
            answer = await long.do(work, request.is_disconnected)
            if answer is None:
                raise Gone
            return answer

        reading = await do(read)
        rest = partial(explorer.annotate, reading, as_json=form == "json")
        if form == "html" and JSON_LINES in request.headers.get("accept", ""):
            parts = _words_first(reading, lambda: do(rest))
            return StreamingResponse(_lines([], parts), media_type=JSON_LINES)
        answer = await do(rest)
        return HTMLResponse(answer) if isinstance(answer, str) else JSONResponse(answer)


async def _words_first(
    reading: Reading, rest: Callable[[], Awaitable[str | Shape]]
) -> AsyncIterator[list[Any]]:
    """A page of how an article begins, and the whole page when it is there."""
    yield [{"begins": beginning(reading)}]
    yield [{"page": await rest()}]
