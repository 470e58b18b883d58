r"""A stand-in for the server: the page and canned answers in the shapes of the HTTP API.

No model is loaded: topics come from data/topics.tsv, equations from data/equations.tsv, and both
are matched by the words they share. Some questions are answered badly on purpose: an equation with
\slow takes two seconds, \crash is a fault of the server the first time, \busy is refused the first
time, and braces that do not match are a 400 with the position.

`python tests/web/fake.py` serves it on port 8123, to look at.
"""

import asyncio
import html
import json
import random
import re
import struct
from collections.abc import AsyncIterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, UploadFile
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.responses import Response, StreamingResponse

from topiceq.views.mathml import mathml
from topiceq.web.app import add_page

Shape = dict[str, Any]

DATA = Path(__file__).with_name("data")
PAGE = Path(__file__).parents[2] / "topiceq" / "web" / "page"
POLICY = (
    "default-src 'self'; img-src 'self' data:; frame-src 'self' blob:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
MEANINGS = {
    "E": ["energy", "expectation", "electric field"], "x": ["position", "point", "input"],
    r"\psi": ["wave function", "state vector", "stream function"],
    r"\Psi": ["wave function", "state vector", "probability amplitude"],
    r"\hbar": ["Planck constant", "quantum of action"], "t": ["time", "parameter"],
    r"\hat{H}": ["Hamiltonian", "energy operator", "Hermitian operator"],
    r"\rho": ["density", "density matrix", "correlation"], "u": ["velocity", "solution"],
    "p": ["pressure", "momentum", "probability"], r"\mu": ["viscosity", "mean", "measure"],
    r"\sigma": ["standard deviation", "stress", "volatility"], "n": ["number", "degree"],
    "m": ["mass", "dimension"], "f": ["function", "frequency", "force"], "F": ["force", "field"],
    r"\lambda": ["eigenvalue", "wavelength", "Lagrange multiplier"], "V": ["potential", "volume"],
}  # fmt: skip
REGIONS = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]  # by their place on the map, called after these topics
POINTS = 3_000  # equations on the map
EXAMPLES = {
    "Schrödinger": r"i \hbar \frac{\partial}{\partial t} \Psi = \hat{H} \Psi",
    "Bayes": r"p(\theta \mid x) = \frac{p(x \mid \theta) \, p(\theta)}{p(x)}",
    "Navier-Stokes": r"\rho \left( \frac{\partial u}{\partial t} + u \cdot \nabla u \right)"
    r" = - \nabla p + \mu \nabla^{2} u",
    "Einstein": r"R_{\mu\nu} - \frac{1}{2} R g_{\mu\nu} = \frac{8 \pi G}{c^{4}} T_{\mu\nu}",
    "Taylor": r"f(x) = \sum_{n=0}^{\infty} \frac{f^{(n)}(a)}{n!} (x - a)^{n}",
}


# -- what the fake knows ------------------------------------------------------------------------


@cache
def topics() -> list[Shape]:
    """The topics of the map."""
    rows = (DATA / "topics.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return [topic(number, *row.split("\t")) for number, row in enumerate(rows)]


def topic(number: int, label: str, share: str, x: str, y: str, words: str, tokens: str) -> Shape:
    """One line of the table."""
    weights = [(w, float(p)) for w, _, p in (item.partition(":") for item in words.split())]
    named = [word for word, _ in weights]
    return {
        "topic": number, "label": label, "share": float(share), "words": named[:8],
        "tokens": tokens.split(), "x": float(x), "y": float(y),
        "tokens_mathml": [mathml(token, display=False) for token in tokens.split()],
        "region": REGIONS[int(2.9 * float(x))][int(2.9 * float(y))],
        "weights": [{"word": word, "p": p} for word, p in weights],
    }  # fmt: skip


@cache
def equations() -> list[tuple[frozenset[str], str]]:
    """Equations with the words that they are about."""
    rows = (DATA / "equations.tsv").read_text(encoding="utf-8").splitlines()
    return [
        (frozenset(words.split()), latex) for words, _, latex in (r.partition("\t") for r in rows)
    ]


def near(words: Sequence[str], count: int, draw: random.Random) -> list[str]:
    """Equations that share most words with these; ties in random order."""
    ranked = sorted(
        equations(), key=lambda one: (-len(one[0] & set(words)) + draw.random() * 1.2, one[1])
    )
    return [latex for _, latex in ranked[:count]]


def theta_of(words: Sequence[str]) -> list[float]:
    """A mixture by the words that topics and question share."""
    own = set(words)
    weights = [
        sum(w["p"] for w in one["weights"] if w["word"] in own) ** 2 * 40 + one["share"] ** 2
        for one in topics()
    ]
    return [weight / sum(weights) for weight in weights]


def words_of(latex: str) -> list[str]:
    """What an equation is about, by the most similar one that is known."""
    pieces = set(re.findall(r"\\[a-zA-Z]+|\w", latex))
    known = max(
        equations(), key=lambda one: len(pieces & set(re.findall(r"\\[a-zA-Z]+|\w", one[1])))
    )
    return sorted(known[0])


def drawn(shape: Shape) -> Shape:
    """With the MathML of its equation."""
    return shape | {"mathml": mathml(shape["equation"], display=True)}


def symbols_of(latex: str) -> list[str]:
    """Letters and Greek, each once."""
    found = re.findall(r"\\hat\{\w\}|\\(?:[pP]si|hbar|rho|mu|sigma|lambda|theta)|(?<![\\a-zA-Z])[a-zA-Z](?![a-zA-Z])", latex)  # noqa: E501  # fmt: skip
    return [symbol for symbol in dict.fromkeys(found) if symbol not in ("i", "d")][:8]


def explained(symbol: str, theta: object) -> Shape:
    """A symbol with its meanings; the topic decides which one is first."""
    known = MEANINGS.get(symbol, [])
    turn = int(theta) % len(known) if isinstance(theta, int) and known else 0
    phrases = [
        {"phrase": phrase, "p": round(0.66 / (place + 1), 3), "source": "lexicon",
         "articles": [{"article": "physics/notes", "sentence": f"Here ${symbol}$ is the {phrase}.",
                       "link": "https://example.org/notes.tex"}]}
        for place, phrase in enumerate(known[turn:] + known[:turn])
    ]  # fmt: skip
    return {"symbol": symbol, "mathml": mathml(symbol, display=False), "phrases": phrases}


# -- answers ------------------------------------------------------------------------------------


class Refused(Exception):
    """An error in the shape of the API."""

    def __init__(
        self, status: int, error: str, *, kind: str = "QuestionError", position: int | None = None
    ) -> None:
        self.status, self.shape = status, {"error": error, "kind": kind, "position": position}


def balanced(latex: str) -> None:
    """Refuse braces that do not match, with their position."""
    opened: list[int] = []
    for found in re.finditer(r"\\.|[{}]", latex):
        if found[0] == "{":
            opened.append(found.start())
        elif found[0] == "}" and not opened:
            raise Refused(400, "'}' closes nothing. Mend the LaTeX there.", position=found.start())
        elif found[0] == "}":
            opened.pop()
    if opened:
        raise Refused(400, "'{' is never closed. Mend the LaTeX there.", position=opened[-1])


def create_fake(page: Path = PAGE) -> FastAPI:
    """The application; `app.state.asked` keeps the questions, `app.state.can` what it can."""
    app = FastAPI(openapi_url=None)
    app.state.asked, app.state.refused = [], set()
    app.state.can = {"generate": True, "explain": True, "similar": True, "fetch": True}
    add_middleware(app)
    add_topics(app)
    add_questions(app)
    add_annotate(app)
    add_page(app, page)
    return app


def add_middleware(app: FastAPI) -> None:
    @app.middleware("http")
    async def headers(request: Request, call_next: Any) -> Response:
        answer: Response = await call_next(request)
        answer.headers["content-security-policy"] = POLICY
        answer.headers["cache-control"] = "no-store"
        return answer

    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> JSONResponse:
        headers = {"retry-after": "1"} if error.status == 503 else None
        return JSONResponse(error.shape, error.status, headers)


def add_topics(app: FastAPI) -> None:
    @app.get("/api/model")
    async def model() -> Shape:
        return {"topics": len(topics()), "decoders": ["te-lstm", "alignment"], "pairs": 52_076,
                "can": app.state.can, "version": "0.1.0", "name": "pretrained"}  # fmt: skip

    @app.get("/api/examples")
    async def examples() -> list[Shape]:
        return [{"name": name, "equation": equation} for name, equation in EXAMPLES.items()]

    @app.get("/api/topics")
    async def all_topics(find: str | None = None) -> list[Shape]:
        if find is not None:
            return about(find.lower().split())
        return [{k: v for k, v in one.items() if k != "weights"} for one in topics()]

    @app.get("/api/map")
    async def points() -> Response:
        if not app.state.can["similar"]:
            raise Refused(501, "This run has no index of equations.", kind="Unsupported")
        draw = random.Random(0)
        packed = [point(draw.choice(topics()), draw) for _ in range(POINTS)]
        return Response(struct.pack(f"<{POINTS}I", *packed), media_type="application/octet-stream")

    @app.get("/api/equations/{number}")
    async def one_equation(number: int) -> Shape:
        return found(equations()[number % len(equations())][1], number)

    @app.get("/api/topics/{number}")
    async def one_topic(number: int) -> Shape:
        if not 0 <= number < len(topics()):
            raise Refused(404, f"Topic {number} does not exist. 'pretrained' has topics 0 to 99.")
        return whole_topic(topics()[number], app.state.can["explain"])


def about(words: Sequence[str]) -> list[Shape]:
    """The topics that have these words, best first."""
    own = [sum(w["p"] for w in one["weights"] if w["word"] in words) for one in topics()]
    best = sorted(range(len(own)), key=lambda k: -own[k])[:10]
    return [topics()[k] | {"p": round(own[k] / sum(own), 4)} for k in best if own[k]]


def point(one: Shape, draw: random.Random) -> int:
    """An equation near a topic, as the map has it."""
    x, y = (int(min(max(one[name] + draw.gauss(0, 0.02), 0), 1) * 16_383) for name in ("x", "y"))
    regions = sorted({each["region"] for each in topics()})
    return x << 18 | y << 4 | regions.index(one["region"])


def found(latex: str, number: int) -> Shape:
    """An equation of the index, and where it stands."""
    return drawn({
        "equation": latex, "places": number % 8 + 1, "title": "A textbook",
        "section": f"Chapter {number % 8 + 3}", "article": f"textbook/chapter{number % 8 + 3}",
        "field": "physics", "file": f"textbook/chapter{number % 8 + 3}.tex",
        "line": 17 * number + 8, "licence": "CC-BY-4.0",
        "link": None if number % 2 else f"https://example.org/chapter{number % 8 + 3}.tex",
    })  # fmt: skip


def whole_topic(one: Shape, explains: bool) -> Shape:
    """Everything about a topic."""
    typical = near(one["words"], 6, random.Random(one["topic"]))
    symbols = list(dict.fromkeys(s for latex in typical[:3] for s in symbols_of(latex)))[:6]
    others = sorted(topics(), key=lambda o: (o["x"] - one["x"]) ** 2 + (o["y"] - one["y"]) ** 2)
    return one | {
        "symbols": [explained(s, one["topic"]) for s in symbols] if explains else [],
        "equations": [
            drawn({"equation": latex, "article": f"textbook/chapter{n + 1}", "line": 31 * n + 12,
                   "p": round(0.93 - 0.07 * n, 2)})
            for n, latex in enumerate(typical)
        ],
        "related": [
            {"topic": o["topic"], "label": o["label"], "similarity": round(0.61 - 0.07 * n, 2)}
            for n, o in enumerate(others[1:7])
        ],
    }  # fmt: skip


def add_questions(app: FastAPI) -> None:
    def is_first(name: str) -> bool:
        first = name not in app.state.refused
        app.state.refused.add(name)
        return first

    async def read(request: Request, verb: str) -> Shape:
        question: Shape = await request.json()
        app.state.asked.append((verb, question))
        text = str(question)
        if "\\\\slow" in text:
            await asyncio.sleep(2)
        if "\\\\crash" in text and is_first(verb + "crash"):
            raise Refused(500, "Internal Server Error", kind="HTTPException")
        if "\\\\busy" in text and is_first(verb + "busy"):
            raise Refused(503, "Too many questions are waiting. Ask again.", kind="Busy")
        if not app.state.can.get(verb, True):
            raise Refused(501, f"This run cannot {verb}. Train another one.", kind="Unsupported")
        return question

    @app.post("/api/render")
    async def render(request: Request) -> Shape:
        equation = (await read(request, "render"))["equation"]
        balanced(equation)
        return drawn({"equation": equation})

    @app.post("/api/infer")
    async def infer(request: Request) -> Shape:
        return inferred(await read(request, "infer"))

    @app.post("/api/generate")
    async def generate(request: Request) -> list[Shape]:
        question = await read(request, "generate")
        balanced(question.get("prefix", ""))
        return generated(question)

    @app.post("/api/explain")
    async def explain(request: Request) -> Shape:
        question = await read(request, "explain")
        balanced(question["equation"])
        return labelled(question["equation"], question.get("theta"))

    @app.post("/api/similar")
    async def similar(request: Request) -> list[Shape]:
        question = await read(request, "similar")
        near_by = near(words_of(question["equation"]), question["count"], random.Random(1))
        return [found(latex, n) | {"score": 0.94 - 0.06 * n} for n, latex in enumerate(near_by)]


def labelled(latex: str, theta: object) -> Shape:
    """An equation whose symbols carry their numbers, and what each of them means."""
    symbols = symbols_of(latex)
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    shown = mathml(latex, display=True, symbols=numbers)
    meanings = [explained(symbol, theta) for symbol in symbols]
    return {"equation": latex, "mathml": shown, "symbols": meanings}


def inferred(question: Shape) -> Shape:
    """The topics of an equation or a context."""
    equation, context = question.get("equation"), str(question.get("context", ""))
    words = words_of(equation) if equation else re.findall(r"[a-z-]+", context.lower())
    theta = theta_of(words)
    best = sorted(range(len(theta)), key=lambda k: -theta[k])[: question.get("top", 5)]
    shape: Shape = {"topics": [one_inferred(k, theta[k]) for k in best], "all": theta}
    shape |= {"known": True, "place": [topics()[best[0]]["x"], topics()[best[0]]["y"]]}
    if context:
        shape["speaks"] = {str(k): speaking(k, words) for k in best}
    return shape | (drawn({"equation": equation}) if equation else {})


def one_inferred(number: int, p: float) -> Shape:
    one = topics()[number]
    return {"topic": number, "label": one["label"], "p": round(p, 4), "words": one["words"]}


def speaking(number: int, words: Sequence[str]) -> list[Shape]:
    """The words of a context that a topic has too."""
    own = [w for w in topics()[number]["weights"] if w["word"] in words]
    total = sum(w["p"] for w in own)
    return [{"word": w["word"], "p": round(w["p"] / total, 3)} for w in own]


def generated(question: Shape) -> list[Shape]:
    """Equations near the words of theta; along the way between two topics if there is a `to`."""
    theta = question.get("theta", 31)
    theta = theta if isinstance(theta, dict) else {str(theta): 1.0}
    prefix, steps = question.get("prefix", ""), question.get("steps", 5)
    if "to" in question:
        ways = [step / (steps - 1) for step in range(steps)]
        thetas = [{str(question["theta"]): 1 - t, str(question["to"]): t} for t in ways]
    else:
        thetas = [theta] * question.get("count", 5)
    found = []
    for number, one in enumerate(thetas):
        draw = random.Random(f"{one}{question.get('seed', 0)}{question.get('temperature')}{number}")
        most = max(one, key=lambda k: one[k])
        latex = near(topics()[int(most)]["words"], 4, draw)[number % 4]
        found.append(drawn({
            "equation": f"{prefix} {latex}".strip(), "tokens": latex.split(), "finished": True,
            "logprob": -20.0 - number, "theta": one,
        }))  # fmt: skip
    return found


def add_annotate(app: FastAPI) -> None:
    @app.post("/api/annotate")
    async def annotate(file: UploadFile | None = None, article: str = "") -> Response:
        if file is None:
            return HTMLResponse(annotated(f"arXiv:{article}", "Fetched."))
        name = file.filename or ""
        if not name.endswith((".tex", ".gz", ".tar", ".zip")):
            raise Refused(400, f"'{name}' is no article. Give .tex, .gz, .tar, .tar.gz or .zip.")
        text = (await file.read()).decode("utf-8", "replace")

        async def lines() -> AsyncIterator[str]:
            yield json.dumps({"begins": annotated(name, text).replace("velocity", "")}) + "\n"
            if "slow" in name:
                await asyncio.sleep(3)
            told = {"error": "It broke."} if "broken" in name else {"page": annotated(name, text)}
            yield json.dumps(told) + "\n"

        return StreamingResponse(lines(), media_type="application/x-ndjson")


def annotated(name: str, text: str) -> str:
    """A self-contained page; with a script and an inline style, which the reader must not trust."""
    latex = r"\rho \frac{\partial u}{\partial t} = - \nabla p + \mu \nabla^{2} u"
    shown = str(mathml(latex, display=True)).replace("<mi>ρ", "<mi data-symbol='1'>ρ")
    glossary = "<dl><div data-symbol='1'><dt>ρ</dt><dd>density, says the article</dd></div></dl>"
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Annotated</title>"
        "<style>body{font:18px/1.6 Charter,Georgia,serif;margin:auto;max-width:40rem;padding:2rem}"
        "h1{font-weight:400}aside{border-left:3px solid #0d5b73;padding-left:1rem}</style></head>"
        f"<body><main data-topics='57:0.6 83:0.2'><h1>{html.escape(name)}</h1>"
        f"<p>{html.escape(text)}</p>"
        f"<figure>{shown}{glossary}</figure><div id='card' role='status' hidden></div>"
        "<aside><p style='color:#0d5b73'>velocity pressure · 64 %</p>"
        "<p><a href='#note'>ρ is the density</a></p></aside><p id='note'>Note.</p></main>"
        "<script>parent.document.title = 'taken over'</script>"
        "<img src='https://elsewhere.example/pixel.png' onerror='alert(1)' alt=''></body></html>"
    )


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(create_fake(), port=8123, log_level="warning")
