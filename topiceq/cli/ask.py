"""infer, generate, explain, similar, annotate; index: questions to a run, parsed and printed.

The options of a verb are the parameters of its question (questions.py), its answer is the shape
that HTTP gives too (views/shapes.py): one JSON object a line, or a table.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from inspect import Parameter, Signature
from itertools import chain, islice
from os.path import isdir, isfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic.fields import FieldInfo
from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from topiceq.cli.app import (
    AsTable,
    Cache,
    Cluster,
    Indexes,
    Jobs,
    app,
    check_run,
    counts_table,
    fail,
    progress,
    run_and,
    show,
    show_all,
    text_or_stdin,
)
from topiceq.errors import QuestionError
from topiceq.files import alone_with, write_text
from topiceq.questions import Explain, Generate, Infer, InferFile, Normal, Question, Similar, ask

if TYPE_CHECKING:  # importing torch takes longer than most verbs
    from topiceq.api import TopicEq

Shape = dict[str, Any]
PATHS = ("runs/", "./", "../", "/", "~")  # what begins so is no equation
PART = 64  # equations that are answered at once

METAVARS = {"theta": "MIXTURE", "to": "MIXTURE", "context": "TEXT", "equation": "TEX",
            "equations": "FILE", "prefix": "TEX", "symbol": "TEX"}  # fmt: skip
HINTS = {
    "MIXTURE": " Such as 7, or 7:0.5,9:0.5",
    "TEXT": " - reads standard input.",
    "FILE": " One a line; - reads standard input.",
}
FLAGS = {"greedy": "--greedy/--sample", "constrained": "--constrained/--unconstrained",
         "all_topics": "--all-topics"}  # fmt: skip


def add_verb(
    kind: type[Question], argument: str, table: Callable[[list[Shape]], RenderableType]
) -> None:
    """Make the command of a question; its `argument` may also be given without an option."""
    are_many = kind is Infer
    of_files = file_options() if are_many else []

    def verb(arguments: list[str] | None, run: Path | None, table_or_json: bool | None,
             indexes: list[str] | None = None, **typed: Any) -> None:  # fmt: skip
        is_given = any(typed.get(name) is not None for name in (argument, f"{argument}s"))
        folder, rest = run_and_arguments(arguments or [], run, is_given, are_many)
        check_no_file(rest, are_many)
        given = {name: value for name, value in typed.items() if value is not None}
        if "input" in given or "output" in given:
            infer_file(folder, rest, given, table_or_json)
            return
        for name, *_ in of_files:
            given.pop(name, None)
        if are_many and (len(rest) > 1 or rest == ["-"] or "equations" in given):
            infer_many(folder, rest, given, table_or_json)
            return
        if len(rest) > (0 if is_given else 1):
            raise QuestionError(f"Too many arguments: {' '.join(arguments or ())}. "
                                "Is a quote missing?")  # fmt: skip
        given = dict.fromkeys([argument][: len(rest)], *rest) | given
        question = ask(kind, {name: read(name, value) for name, value in given.items()})
        check(question, folder)
        model = asked_alone(folder, indexes or ())
        from topiceq.views.shapes import answer_shape

        shape = answer_shape(question, model.answer(question), model.topics())
        shapes = shape if isinstance(shape, list) else [shape]
        show_all(shapes, table_or_json, lambda: table(shapes))

    places = f"[RUN] [{argument.upper()}]" + are_many * "..."
    hint = "; several or - (standard input, one a line) for many" if are_many else ""
    parameters = [
        ("arguments", Annotated[list[str] | None, typer.Argument(
            metavar=places, show_default=False,
            help=f"A run folder (default: the pretrained model), and the {argument}{hint}.")],
         None),
        ("run", Annotated[Path | None, typer.Option(help="A run folder, named.")], None),
        *(option(name, field) for name, field in kind.model_fields.items()),
        *of_files,
        *([("indexes", Indexes, None)] if kind is Similar else []),
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


def check(question: Question, run: Path | None) -> None:
    """What is wrong without any model, said before one is loaded, which takes seconds."""
    question.check()
    check_run(run)
    if (equation := getattr(question, "equation", None)) is not None:
        from topiceq.article.typed import read_typed

        read_typed(equation)


def asked_alone(run: Path | None, index: Sequence[str] = ()) -> "TopicEq":
    """A model for one question: its products are so small that threads only wait for each other."""
    from topiceq.api import TopicEq
    from topiceq.model.processes import one_thread

    one_thread()
    return TopicEq.load(run, index=index)


# -- many equations ------------------------------------------------------------------------------


def infer_many(
    run: Path | None, equations: list[str], given: dict[str, Any], as_table: bool | None
) -> None:
    """An answer for each equation, in order and as soon as it is there; exit 1 if any failed."""
    path = given.pop("equations", None)
    if "equation" in given or (path and equations):
        raise QuestionError("Give one equation or a list of equations, not both.")
    parameters = {name: read(name, value) for name, value in given.items()}
    ask(Infer, parameters | {"equations": []})
    check_run(run)
    source = all_equations(equations, path)
    show_many(in_parts(asked_alone(run), parameters, source), as_table, inferred_tables)


def show_many(
    parts: Iterator[list[Shape]],
    as_table: bool | None,
    table: Callable[[list[Shape]], RenderableType],
) -> None:
    """Answers as they come, with progress; exit 1 at the end if any has an error."""
    done, failed, start = 0, 0, time.monotonic()
    with progress("reading") as say:
        for shapes in parts:
            done += len(shapes)
            failed += sum("error" in shape for shape in shapes)
            show_all(shapes, as_table, partial(table, shapes))
            sys.stdout.flush()
            rate = done / (time.monotonic() - start)
            say(f"{done:,} equations, {rate:.0f} a second, {failed:,} that cannot be read")
    if failed:
        fail(f"{failed:,} of {done:,} equations cannot be read; their 'error' tells why.", 1)


def in_parts(
    model: "TopicEq", parameters: dict[str, Any], equations: Iterator[str]
) -> Iterator[list[Shape]]:
    """The answers, some equations at a time: first one, so that something is seen at once."""
    from topiceq.views.shapes import answer_shape, error_shape

    size = 1
    while part := list(islice(equations, size)):
        try:
            question = ask(Infer, parameters | {"equations": part})
            yield answer_shape(question, model.answer(question), model.topics())
        except QuestionError as error:  # one is far too long, or the context is at fault
            if len(part) == 1:
                yield [{"equation": part[0]} | error_shape(error)]
            else:
                yield from in_parts(model, parameters, iter(part[: len(part) // 2]))
                yield from in_parts(model, parameters, iter(part[len(part) // 2 :]))
        size = min(2 * size, PART)


def all_equations(equations: list[str], path: str | None) -> Iterator[str]:
    """Those of a file, or of the arguments."""
    return read_equations(path) if path else chain.from_iterable(map(of_argument, equations))


def of_argument(text: str) -> Iterator[str]:
    """An equation as an argument; `-` stands for those on standard input."""
    return read_equations("-") if text == "-" else iter([text])


def read_equations(path: str) -> Iterator[str]:
    """The equations of a file or of standard input, read as they come."""
    from topiceq.article.typed import equations_of

    if path == "-":
        yield from equations_of(sys.stdin)
        return
    try:
        with open(path, encoding="utf-8") as file:
            yield from equations_of(file)
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionError(f"The equations '{path}' cannot be read: {error}.") from None


# -- files of equations --------------------------------------------------------------------------


def file_options() -> list[tuple[str, Any, Any]]:
    """The options of infer that are about files."""
    fields = InferFile.model_fields.items()
    own = [option(name, field) for name, field in fields if name not in Infer.model_fields]
    own = [(name, annotation, None) for name, annotation, _ in own]
    return [*own, ("jobs", Jobs, None), ("cluster", Cluster, None)]


def infer_file(
    run: Path | None, rest: list[str], given: dict[str, Any], as_table: bool | None
) -> None:
    """Topics of a file of equations, as a Parquet file."""
    if wrong := [*rest, *({"context", "equation", "equations", "decoder"} & given.keys())]:
        raise QuestionError(f"--input takes equations from its file. Leave out: {wrong[0]}.")
    shared = {name: given.pop(name, None) for name in ("jobs", "cluster")}
    question = ask(InferFile, {name: read(name, value) for name, value in given.items()})
    check_run(run)
    from topiceq.api import PRETRAINED
    from topiceq.tasks.many import infer_file

    start = time.monotonic()
    with progress("reading") as say:

        def watch(rows: int, errors: int) -> None:
            rate = rows / (time.monotonic() - start)
            say(f"{rows:,} equations, {rate:.0f} a second, {errors:,} that cannot be read")

        found = infer_file(run or PRETRAINED, question, watch=watch, **shared)
    show({"output": question.output, **found}, as_table,
         lambda: counts_table(question.output, found))  # fmt: skip


# -- parameters ----------------------------------------------------------------------------------


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
        case None if name == "keep":
            return [part.strip() for part in typed.split(",")]
        case "TEXT" | "TEX" if name in ("context", "equation"):
            return text_or_stdin(typed)
    return typed


def run_and_arguments(
    arguments: list[str], run: Path | None, is_given: bool, are_many: bool = False
) -> tuple[Path | None, list[str]]:
    """`[RUN] [ARGUMENT]`: what is the run, and the rest; a run is a folder that is one.

    >>> run_and_arguments(["E"], None, False), run_and_arguments(["runs/te", "E"], None, False)
    ((None, ['E']), (PosixPath('runs/te'), ['E']))
    >>> run_and_arguments(["dx/dt", "E"], None, False, True)
    (None, ['dx/dt', 'E'])
    """
    if run is not None or not arguments:
        return run, arguments
    first, path = arguments[0], Path(arguments[0])
    must_be = is_given or len(arguments) > 1 and not are_many
    # not Path's: an equation may be too long for the name of a file
    is_path = "/" in first and isdir(path.parent) or first.startswith(PATHS)  # dx/dt is none
    if must_be or is_path or isfile(path / "config.toml"):
        return path, arguments[1:]
    return None, arguments


def check_no_file(arguments: list[str], are_many: bool) -> None:
    """QuestionError for the name of a file in place of what it holds."""
    from topiceq.article.typed import ARTICLE

    for name in arguments:  # of an article more can be said: typed.py
        if Path(name).suffix and isfile(name) and not ARTICLE.fullmatch(name):
            hint = f" Its equations, one a line: --equations {name}" if are_many else ""
            raise QuestionError(f"'{name}' is a file, not an equation.{hint}")


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


@app.command()
def normal(
    equations: Annotated[
        list[str] | None,
        typer.Argument(metavar="[EQUATION]...", help="Equations; - reads them, one a line."),
    ] = None,
    path: Annotated[
        str | None,
        typer.Option("--equations", metavar="FILE", help="A file of equations, one a line."),
    ] = None,
    table: AsTable = None,
) -> None:
    """The normal form of equations, as LaTeX and as tokens: equal where they look equal."""
    from topiceq.views.shapes import normal_shape

    if not equations and not path or equations and path:
        raise QuestionError("Give one equation or a list of equations.")
    source = all_equations(equations or [], path)
    parts = iter(lambda: list(islice(source, PART)), [])
    show_many((normal_shape(Normal.model_construct(equations=part)) for part in parts), table,
              normal_table)  # fmt: skip


@app.command()
def expand(
    source: Annotated[
        str,
        typer.Argument(
            metavar="ARTICLE",
            help="A file in LaTeX, a folder or an archive that holds one article, or arXiv:ID; "
            "- reads standard input.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="The file to write, beside the article so that its "
            "pictures are found. Default: standard output.",
        ),
    ] = None,
    cache: Cache = None,
    table: AsTable = None,
) -> None:
    """An article as one file of LaTeX, its author's macros replaced by what they stand for."""
    from topiceq.article.expand import expand

    with article(source) as path:
        found = expand(path, cache=cache)
    if out is None:
        print(found.latex, end="")
        return
    write_text(out, found.latex)
    summary = {"article": source, "out": str(out), "replaced": dict(found.replaced.most_common()),
               "left": dict(found.left.most_common())}  # fmt: skip
    counts = dict(found.replaced) | {f"left: {name}": n for name, n in found.left.items()}
    show(summary, table, lambda: counts_table(str(out), counts))


def normal_table(answers: list[Shape]) -> RenderableType:
    return Group(*map(normal_text, answers))


def normal_text(answer: Shape) -> RenderableType:
    if "error" in answer:
        return Text(f"{answer['equation']}: {answer['error']}", "red")
    return with_notes(Text(answer["latex"]), [answer])


# -- tables for people -------------------------------------------------------------------------


def with_notes(table: RenderableType, answers: list[Shape]) -> RenderableType:
    """A table, and what of the question may not be meant so."""
    notes = answers[0].get("warnings", []) if answers else []
    return Group(table, *(Text(f"note: {note}", "yellow") for note in notes))


def inferred_tables(answers: list[Shape]) -> RenderableType:
    tables = (with_notes(inferred_table(answer), [answer]) for answer in answers)
    return Group(*tables)


def inferred_table(answer: Shape) -> RenderableType:
    title = Text(" ".join(str(answer.get("equation", answer.get("context"))).split()))
    title.truncate(100, overflow="ellipsis")
    if "error" in answer:
        return Group(title, Text(answer["error"], "red"))
    if not answer["known"]:
        title.append("\nNot known: it tells no topic. The topics of the whole corpus:", "yellow")
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


def generated_table(equations: list[Shape]) -> RenderableType:
    table = Table("theta", "logprob", "equation")
    for equation in equations:
        weights = [f"{topic}:{weight:.2f}" for topic, weight in equation["theta"].items()]
        theta = " ".join(weights[:3]) + (" …" if len(weights) > 3 else "")
        unfinished = "" if equation["finished"] else " … (unfinished)"
        table.add_row(theta, f"{equation['logprob']:.1f}", Text(equation["equation"] + unfinished))
    return with_notes(table, equations)


NOTHING = 0.005  # a probability that would be shown as 0 %


def explained_table(symbols: list[Shape]) -> RenderableType:
    table = Table("symbol", "meanings")
    for symbol in symbols:
        told = [phrase for phrase in symbol["phrases"] if phrase.get("p", 1) >= NOTHING]
        meanings = ", ".join(map(meaning, told))
        table.add_row(Text(symbol["symbol"]), Text(meanings or "not known"))
    return with_notes(table, symbols)


def meaning(phrase: Shape) -> str:
    """A meaning, and how sure it is, or that it was said."""
    if phrase["source"] == "text":
        return f"{phrase['phrase']} (the text says so)"
    sure = f" {phrase['p']:.0%}" if "p" in phrase else ""
    return f"{phrase['phrase']}{sure}"


def similar_table(equations: list[Shape]) -> RenderableType:
    """What is found, and below it where; nothing is cut, for a path is there to be copied."""
    table = Table("score", Column("equation, and where it stands", overflow="fold"))
    for near in equations:
        table.add_row(f"{near['score']:.2f}", Text("\n".join(similar_lines(near))))
        table.add_section()
    return with_notes(table, equations)


def similar_lines(near: Shape) -> Iterator[str]:
    """An equation, its source, and the file with the line, or the address, of its first place."""
    yield " ".join(near["equation"].split())
    source = [near["title"], near["section"], near["field"], near["licence"]]
    more = f"in {near['places']} places" if near["places"] > 1 else ""
    if about := ", ".join(filter(None, [*source, more])):
        yield about
    part = "cell" if near["file"].endswith(".ipynb") else "line"
    yield near["link"] or f"{near['file']}, {part} {near['line']}"


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
    glossary: Annotated[
        Path | None,
        typer.Option(help="Also write its symbols with their meanings: .tex, .csv or .json."),
    ] = None,
) -> None:
    """An article -> one HTML page with topics and meanings beside its equations."""
    run, source = run_and(arguments, "one article")
    check_run(run)
    if out is None and not as_json and glossary is None:
        out = Path(page_name(source))
    with article(source) as path:
        page = asked_alone(run).annotate(path, out, cache=cache, glossary=glossary)
    if as_json:
        print(json.dumps(page.json(), ensure_ascii=False))
        return
    best = [e.phrases[0] for note in page.notes.values() for e in note.symbols if e.phrases]
    from_text = sum(phrase.source == "text" for phrase in best)
    summary = {"title": page.title, "displays": len(page.notes), "symbols": len(best),
               "from_text": from_text}  # fmt: skip
    files = {"page": out, "glossary": glossary}
    summary |= {name: str(path) for name, path in files.items() if path is not None}
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
    corpora: Annotated[
        list[Path],
        typer.Argument(
            metavar="CORPUS...",
            help="Corpora, or folders that `extract` wrote: those also give equations that are too "
            "short for a corpus.",
        ),
    ],
    run: Annotated[
        Path | None, typer.Option(help="A run folder that keeps the index, for similar.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The index. Default: CORPUS.index.")
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(help="Where the sources come from, with licences, as JSON lines; see docs."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Forget what the index holds, if it is there.")
    ] = False,
    table: AsTable = None,
) -> None:
    """Index the equations of corpora, for similar. What the index holds already stays in it."""
    if run is not None and out is not None:
        raise QuestionError("Give --run or --out, not both: an index is kept in one place.")
    check_run(run)
    from topiceq.tasks.index import FOLDER, build_index, existing_index

    first = corpora[0].resolve()
    home = run / FOLDER if run else out or first.with_name(f"{first.name}.index")
    with alone_with(home), progress("indexing") as say:
        into = None if fresh else existing_index(home)
        made = build_index(corpora, into=into, manifest=manifest,
                           watch=lambda count: say(f"{count:,} equations"))  # fmt: skip
        made.save(home)
    before = {"before": len(into)} if into else {}
    counts = {"equations": len(made), "places": len(made.places), "articles": made.articles}
    show({"index": str(home)} | counts | before, table,
         lambda: counts_table(str(home), counts | before))  # fmt: skip


@app.command()
def lexicon(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    corpus: Annotated[Path, typer.Argument(help="A corpus folder that has definitions.")],
    table: AsTable = None,
) -> None:
    """Make the lexicon of symbols of a run, for explain and annotate. It is kept in the run."""
    from topiceq.api import TopicEq
    from topiceq.corpus.store import Corpus
    from topiceq.model.processes import one_thread

    one_thread()
    model = TopicEq.load(run, whole=False)
    with progress("reading definitions"):
        found = model.lexicon(Corpus.load(corpus), folder=run)
    made = {"symbols": len(found.symbols), "phrases": len(found),
            "definitions": found.facts["definitions"]}  # fmt: skip
    show({"run": str(run), **made}, table, lambda: counts_table(str(run), made))


@app.command()
def encoder(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    corpus: Annotated[Path, typer.Argument(help="The corpus that it was trained on.")],
    table: AsTable = None,
) -> None:
    """Teach a run its encoder of equations, which infer asks. Training does so in the end."""
    from topiceq.api import TopicEq
    from topiceq.corpus.store import Corpus
    from topiceq.model.processes import one_thread

    one_thread()
    model = TopicEq.load(run, whole=False)
    with progress("teaching") as say:
        found = model.teach(
            Corpus.load(corpus),
            folder=run,
            watch=lambda done, total: say(f"step {done:,} of {total:,}"),
        )
    show({"run": str(run), **found}, table, lambda: summary_table({"run": str(run), **found}))


add_verb(Similar, "equation", similar_table)
