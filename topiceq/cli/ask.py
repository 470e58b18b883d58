"""infer, generate, explain, similar, annotate; index: questions to a run, parsed and printed.

The options of a verb are the parameters of its question (questions.py), its answer is the shape
that HTTP gives too (views/shapes.py): one JSON object a line, or a table.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic.fields import FieldInfo
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from topiceq.cli.app import (
    AsTable,
    Cache,
    app,
    counts_table,
    progress,
    run_and,
    show,
    show_all,
    text_or_stdin,
)
from topiceq.errors import QuestionError
from topiceq.questions import Explain, Generate, Infer, Question, Similar, ask

if TYPE_CHECKING:  # importing torch takes longer than most verbs
    from topiceq.api import TopicEq

Shape = dict[str, Any]

METAVARS = {"theta": "MIXTURE", "to": "MIXTURE", "context": "TEXT", "equation": "TEX",
            "equations": "FILE", "prefix": "TEX", "symbol": "TEX"}  # fmt: skip
HINTS = {
    "MIXTURE": " Such as 7, or 7:0.5,9:0.5",
    "TEXT": " - reads standard input.",
    "FILE": " One a line; - reads standard input.",
}
FLAGS = {"greedy": "--greedy/--sample", "constrained": "--constrained/--unconstrained",
         "paper_order": "--paper-order"}  # fmt: skip


def add_verb(
    kind: type[Question], argument: str, table: Callable[[list[Shape]], RenderableType]
) -> None:
    """Make the command of a question; its `argument` may also be given without an option."""

    def verb(arguments: list[str] | None, run: Path | None, table_or_json: bool | None,
             **typed: Any) -> None:  # fmt: skip
        from topiceq.views.shapes import answer_shape

        folder, rest = run_and_argument(arguments or [], run, typed.get(argument) is not None)
        given = {argument: rest} | {n: value for n, value in typed.items() if value is not None}
        question = ask(kind, {n: read(n, value) for n, value in given.items() if value is not None})
        model = asked_alone(folder)
        shape = answer_shape(question, model.answer(question), model.topics())
        shapes = shape if isinstance(shape, list) else [shape]
        show_all(shapes, table_or_json, lambda: table(shapes))

    places = f"[RUN] [{argument.upper()}]"
    parameters = [
        ("arguments", Annotated[list[str] | None, typer.Argument(
            metavar=places, show_default=False,
            help=f"A run folder (default: the pretrained model), and the {argument}.")], None),
        ("run", Annotated[Path | None, typer.Option(help="A run folder, named.")], None),
        *(option(name, field) for name, field in kind.model_fields.items()),
        ("table_or_json", AsTable, None),
    ]  # fmt: skip
    verb.__name__, verb.__doc__ = kind.__name__.lower(), kind.__doc__
    verb.__annotations__ = {name: annotation for name, annotation, _ in parameters}
    verb.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for name, annotation, default in parameters
        ]
    )
    app.command()(verb)


def asked_alone(run: Path | None) -> "TopicEq":
    """A model for one question: its products are so small that threads only wait for each other."""
    from topiceq.api import TopicEq
    from topiceq.model.processes import one_thread

    one_thread()
    return TopicEq.load(run)


def option(name: str, field: FieldInfo) -> tuple[str, Any, Any]:
    """The option of a parameter: its name, its type for typer, and its default."""
    default = None if field.is_required() else field.default
    metavar = METAVARS.get(name)
    kind: Any = bool if name in FLAGS else str if metavar or default is None else type(default)
    flags = [FLAGS[name]] if name in FLAGS else []
    hint = (field.description or "") + HINTS.get(metavar or "", "")
    return name, Annotated[kind | None, typer.Option(*flags, metavar=metavar, help=hint)], default


def read(name: str, typed: Any) -> Any:
    """A parameter as it was typed -> its value."""
    match METAVARS.get(name):
        case "MIXTURE":
            return mixture(typed)
        case "FILE":
            return read_lines(typed)
        case "TEXT" | "TEX" if name in ("context", "equation"):
            return text_or_stdin(typed)
    return typed


def run_and_argument(
    arguments: list[str], run: Path | None, given: bool
) -> tuple[Path | None, str | None]:
    """`[RUN] [ARGUMENT]`: of two the run is the first; one is a run if that folder is one.

    >>> run_and_argument(["E"], None, False), run_and_argument(["runs/te", "E"], None, False)
    ((None, 'E'), (PosixPath('runs/te'), 'E'))
    """
    rest = list(arguments)
    if run is None and rest and (len(rest) > 1 or given or Path(rest[0], "config.toml").is_file()):
        run = Path(rest.pop(0))
    if len(rest) > (0 if given else 1):
        raise QuestionError(f"Too many arguments: {' '.join(arguments)}. Is a quote missing?")
    return run, rest[0] if rest else None


def mixture(text: str) -> int | dict[int, float]:
    """A topic, or topics with their weights; one without a weight has 1.

    >>> mixture("7:0.5, 9:0.5"), mixture("7")
    ({7: 0.5, 9: 0.5}, 7)
    """
    weights: dict[int, float] = {}
    try:
        if text.strip().isdecimal():
            return int(text)
        for part in text.split(","):
            topic, _, weight = part.partition(":")
            weights[int(topic)] = weights.get(int(topic), 0.0) + float(weight or 1)
    except ValueError:
        raise QuestionError(
            f"The mixture '{text}' is not understood. Write a topic, or topics with weights: "
            "7:0.5,9:0.5"
        ) from None
    return weights


def read_lines(path: str) -> list[str]:
    """The lines of a file that are not blank."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionError(f"The equations '{path}' cannot be read: {error}.") from None
    return [line for line in text.split("\n") if line.strip()]


# -- tables for people -------------------------------------------------------------------------


def inferred_tables(answers: list[Shape]) -> RenderableType:
    return Group(*map(inferred_table, answers))


def inferred_table(answer: Shape) -> Table:
    title = Text(" ".join(str(answer.get("equation", answer.get("context"))).split()))
    title.truncate(100, overflow="ellipsis")
    table = Table("topic", "label", "p", "words", title=title, title_justify="left")
    for topic in answer["topics"]:
        number, words = str(topic["topic"]), " ".join(topic["words"])
        table.add_row(number, Text(topic["label"]), f"{topic['p']:.1%}", Text(words))
    for row in answer.get("rows", ()):
        best = row["topics"][0]
        table.add_section()
        table.add_row(str(best["topic"]), Text(best["label"]), f"{best['p']:.1%}",
                      Text("row: " + row["equation"]))  # fmt: skip
    return table


def generated_table(equations: list[Shape]) -> Table:
    table = Table("theta", "logprob", "equation")
    for equation in equations:
        weights = [f"{topic}:{weight:.2f}" for topic, weight in equation["theta"].items()]
        theta = " ".join(weights[:3]) + (" …" if len(weights) > 3 else "")
        unfinished = "" if equation["finished"] else " … (unfinished)"
        table.add_row(theta, f"{equation['logprob']:.1f}", Text(equation["equation"] + unfinished))
    return table


def explained_table(symbols: list[Shape]) -> Table:
    table = Table("symbol", "meanings")
    for symbol in symbols:
        meanings = ", ".join(
            f"{phrase['phrase']} {phrase['p']:.1%}" for phrase in symbol["phrases"]
        )
        table.add_row(Text(symbol["symbol"]), Text(meanings or "not known to this run"))
    return table


def similar_table(equations: Sequence[Shape]) -> Table:
    table = Table("score", "equation", "article", "line")
    for near in equations:
        place = Text(near["article"]), str(near["line"])
        table.add_row(f"{near['score']:.2f}", Text(" ".join(near["equation"].split())), *place)
    return table


add_verb(Infer, "equation", inferred_tables)
add_verb(Generate, "theta", generated_table)
add_verb(Explain, "symbol", explained_table)


@app.command()
def annotate(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="[RUN] ARTICLE",
            help="A run folder (default: the pretrained model), and an article: a file in LaTeX, "
            "Markdown, reStructuredText, HTML or Doxygen, a notebook, a folder, an archive or "
            "arXiv:ID; - reads LaTeX from standard input.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The page. Default: ARTICLE's name with .html, here."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON; no page unless --out.")
    ] = False,
    cache: Cache = None,
) -> None:
    """An article -> one HTML page with topics and meanings beside its equations."""
    run, source = run_and(arguments, "one article")
    if out is None and not as_json:
        out = Path(page_name(source))
    with article(source) as path:
        page = asked_alone(run).annotate(path, out, cache=cache)
    if as_json:
        print(json.dumps(page.json(), ensure_ascii=False))
        return
    best = [e.phrases[0] for note in page.notes.values() for e in note.symbols if e.phrases]
    from_text = sum(phrase.source == "text" for phrase in best)
    summary = {"title": page.title, "displays": len(page.notes), "symbols": len(best),
               "from_text": from_text, "page": str(out)}  # fmt: skip
    show(summary, None, lambda: summary_table(summary))


def page_name(source: str) -> str:
    """What the page of an article is called.

    >>> page_name("in/notes.tex"), page_name("arXiv:1902.06034"), page_name("arXiv:hep-th/9901001")
    ('notes.html', '1902.06034.html', 'hep-th9901001.html')
    """
    from topiceq.article.arxiv import article_id, refers

    if refers(source) and (id := article_id(source)):
        return id.replace("/", "") + ".html"
    return Path("article" if source == "-" else source).resolve().stem + ".html"


@contextmanager
def article(source: str) -> Iterator[str]:
    """The path of an article; what comes in on standard input is put into a file."""
    if source != "-":
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="topiceq-") as folder:
        path = Path(folder) / "article.tex"
        path.write_text(sys.stdin.read(), encoding="utf-8")
        yield str(path)


def summary_table(summary: Shape) -> Table:
    table = Table(show_header=False)
    for name, value in summary.items():
        table.add_row(name.replace("_", " "), Text(str(value)))
    return table


@app.command()
def index(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    corpus: Annotated[Path, typer.Argument(help="A corpus folder; its train split is indexed.")],
    count: Annotated[
        int | None,
        typer.Option(help="Only so many equations, spread over the topics. Default: all."),
    ] = None,
    table: AsTable = None,
) -> None:
    """Index the equations of a corpus, for similar. The index is kept in the run."""
    from topiceq.api import TopicEq
    from topiceq.corpus.store import Corpus

    model = TopicEq.load(run)
    with progress("indexing") as say:
        size = model.index(
            Corpus.load(corpus),
            count=count,
            folder=run,
            watch=lambda done, total: say(f"{done:,} of {total:,} equations"),
        )
    show({"run": str(run), "equations": size}, table,
         lambda: counts_table(str(run), {"equations": size}))  # fmt: skip


add_verb(Similar, "equation", similar_table)
