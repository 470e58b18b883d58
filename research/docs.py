"""The pages of docs/ that are made from the code: api.md, cli.md, tutorial.md."""

import ast
import inspect
import io
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from research.entries import DOCS
from research.http import http
from topiceq import TopicEq, errors
from topiceq.article.expand import Expanded, expand
from topiceq.article.typed import Typed, normal
from topiceq.cli import app
from topiceq.config import (
    Config,
    CorpusConfig,
    ModelConfig,
    ResearchConfig,
    TrainConfig,
    load_config,
)
from topiceq.corpus.extract import extract
from topiceq.corpus.pair import Pair
from topiceq.corpus.store import Corpus, Split
from topiceq.files import write_text
from topiceq.model.history import TrainingStep
from topiceq.model.topics import Topic, Typical
from topiceq.questions import Explain, Generate, Infer, Normal, Question, Similar, limits_of
from topiceq.scores.coherence import Coherence
from topiceq.scores.perplexity import EquationScore, PhraseScore
from topiceq.scores.score import Scores
from topiceq.scores.syntax import SyntaxScore
from topiceq.tasks.annotate import Annotated
from topiceq.tasks.explain import Explained, Phrase
from topiceq.tasks.generate import Generated
from topiceq.tasks.similar import SimilarEquation
from topiceq.vectorizer import TopicEqVectorizer


def docs(pages: tuple[str, ...]) -> None:
    """Pages of docs/: api from docstrings, cli from --help, http, tutorial by running it.

    PAGES are some of api, cli, http, tutorial. The tutorial takes some minutes, for two small
    models are trained on the way.
    """
    for name in pages:
        if name not in PAGES:
            sys.exit(f"No page is called '{name}': {', '.join(PAGES)}.")
        write_text(DOCS / f"{name}.md", PAGES[name]())


# -- api: signatures and docstrings -------------------------------------------------------------

Public = type | Callable[..., object]

WIDTH = 88
INTRODUCTION = """# The Python interface

Made from signatures and docstrings by `python -m research docs api`; a test keeps it true.

    from topiceq import Corpus, TopicEq, TopicEqVectorizer, expand, extract, normal

These are the public names; the other types on this page are what they take and return. A `Theta` is
the number of a topic, a mixture such as `{7: 0.5, 9: 0.5}`, or an array of K weights. The
[tutorial](tutorial.md) shows all of it at work."""
CORPUS = """A corpus has the splits `train`, `valid`, `test`, the vocabularies `words`, `tokens`,
`phrases`, and `counts`, `config`, `digest`. [corpus.md](corpus.md) tells what its files hold."""
QUESTIONS = """The parameters of the verbs, with their limits: the same as keyword arguments,
as options of the command, and as JSON over HTTP."""
ANSWERS = """The questions return lists of these (`Topics`, `Equations`, `Phrases`, `Glossary` and
`Nearest`), `infer` an array. Notebooks show all of them as tables, with the equations typeset."""
SETTINGS = """`TopicEq(topics=20, epochs=5)` takes settings of all sections but `corpus` by their
names, `load_config("small", ["model.topics=20"])` those of all sections."""

GROUPS: dict[str, tuple[str, list[Public]]] = {
    "The corpus": (CORPUS, [extract, Pair, Corpus, Split]),
    "The model": ("", [TopicEq, TrainingStep, TopicEqVectorizer]),
    "Questions": (QUESTIONS, [Infer, Generate, Explain, Similar, Normal]),
    "Answers": (
        ANSWERS,
        [Topic, Typical, Generated, Phrase, Explained, SimilarEquation, Annotated, Typed, Expanded],
    ),
    "Equations and articles": ("", [normal, expand]),
    "Scores": ("", [Scores, Coherence, EquationScore, PhraseScore, SyntaxScore]),
    "Settings": (
        SETTINGS,
        [load_config, Config, CorpusConfig, ModelConfig, TrainConfig, ResearchConfig],
    ),
}


def api() -> str:
    """The public names and the types that they take and return, group by group; the exceptions.

    Each has a heading, with the source's own annotations, comments and docstrings.
    """
    parts = [INTRODUCTION, contents()]
    for title, (text, names) in GROUPS.items():
        parts += [f"## {title}", text, *(part for name in names for part in entry(name))]
    parts += ["## Errors", inspect.cleandoc(errors.__doc__ or "")]
    return "\n\n".join(part for part in parts if part) + "\n"


def contents() -> str:
    """The names of each group, as links."""
    lines = [
        f"- {title}: " + ", ".join(f"[{n.__name__}](#{n.__name__.lower()})" for n in names)
        for title, (_, names) in GROUPS.items()
    ]
    return "\n".join([*lines, "- [Errors](#errors)"])


def entry(public: Public) -> list[str]:
    """One name: a function, or a class with its fields and methods."""
    source = inspect.getsource(public)
    (node,) = ast.parse(source).body
    if isinstance(node, ast.FunctionDef):
        return [f"### {node.name}", code(signature(node, source)), prose(node)]
    assert isinstance(node, ast.ClassDef) and isinstance(public, type)
    if issubclass(public, Question):
        return [f"### {node.name}", prose(node), parameters(public)]
    parts = [f"### {node.name}", prose(node), code(fields(node, source))]
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and is_shown(method):
            shown = called(node.name, method, signature(method, source))
            parts += [heading(shown), code(shown), prose(method)]
    return parts


def parameters(kind: type[Question]) -> str:
    """The parameters of a question, each with its default and its limits."""
    lines = []
    for name, field in kind.model_fields.items():
        default = "" if field.is_required() else f" = {field.default!r}"
        limits = limits_of(field)
        lines.append(f"- `{name}{default}`: {field.description}{limits and f' ({limits})'}")
    return "\n".join(lines)


def heading(shown: str) -> str:
    """The name in front of a signature; a constructor stands under the name of its class."""
    name = re.split("[(:]", shown)[0]
    return f"#### {name}" if "." in name else ""


def is_shown(method: ast.FunctionDef) -> bool:
    """Whether it is for users: public, and it says what it does."""
    public = not method.name.startswith("_") or method.name == "__init__"
    return public and ast.get_docstring(method) is not None


def signature(node: ast.FunctionDef, source: str) -> str:
    """The line that defines a function, as it stands in the source, without self."""
    lines = source.splitlines()[node.lineno - 1 : node.body[0].lineno - 1]
    text = " ".join(" ".join(lines).split()).removeprefix("def ").removesuffix(":")
    text = re.sub(r",? \)", ")", text.replace("( ", "("))
    text = re.sub(r"\((self|cls)(, )?", "(", text)
    return re.sub(r'-> "(\w+)"$', r"-> \1", text)  # its own class is not there yet: in quotes


def called(kind: str, method: ast.FunctionDef, shown: str) -> str:
    """The signature as a caller sees it: of a model, of its class, or of a property."""
    decorators = {ast.unparse(decorator) for decorator in method.decorator_list}
    instance = "model" if kind == "TopicEq" else kind.lower()
    if method.name == "__init__":
        return shown.replace("__init__", kind).removesuffix(" -> None")
    if decorators & {"property", "cached_property"}:
        return f"{instance}.{shown.replace('() ->', ':')}"
    return f"{kind if 'classmethod' in decorators else instance}.{shown}"


def fields(node: ast.ClassDef, source: str) -> str:
    """The fields of a class as they stand in the source: comments say what they are."""
    lines = source.splitlines()
    members = [member for member in node.body if isinstance(member, ast.AnnAssign)]
    return "\n".join(lines[member.lineno - 1].strip() for member in members)


def prose(node: ast.FunctionDef | ast.ClassDef) -> str:
    """The docstring; a doctest in it becomes a block of code."""
    text, prompt, example = (ast.get_docstring(node) or "").partition(">>>")
    return text.strip() + ("\n\n" + code(prompt + example) if prompt else "")


def code(text: str) -> str:
    """A block of Python; a long signature is cut between its parameters."""
    if not text:
        return ""
    tied = re.sub(r"(?<!,) ", "\0", text)  # only a space behind a comma may break
    cut = textwrap.wrap(tied, WIDTH, subsequent_indent="    ", break_long_words=False,
                        break_on_hyphens=False)  # fmt: skip
    shown = text if "\n" in text or "#" in text else "\n".join(cut).replace("\0", " ")
    return f"```python\n{shown}\n```"


# -- cli: the command's own help ----------------------------------------------------------------

COMMAND = """# The command

Made from `topiceq --help` by `python -m research docs cli`; a test keeps it true.
"""


def cli() -> str:
    """The help of the command and of each verb, as Markdown."""
    parts = [COMMAND, help_of()]
    for command in app.registered_commands:
        assert command.callback is not None
        verb = command.name or command.callback.__name__
        parts += [f"\n## {verb}\n", help_of(verb)]
    return "\n".join(parts) + "\n"


def help_of(*verb: str) -> str:
    """What the command prints, at a fixed width."""
    command = [sys.executable, "-m", "topiceq", *verb, "--help"]
    environment = {**os.environ, "COLUMNS": "90", "NO_COLOR": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return f"```\n{done.stdout.strip().replace('python -m topiceq', 'topiceq')}\n```"


# -- tutorial: run ------------------------------------------------------------------------------

BLOCK = re.compile(r"^```(sh|python)( run)?(?: (first|last)=(\d+))?\n(.*?)^```\n", re.M | re.S)
OUTPUT = re.compile(r"\n^```text\n.*?^```\n", re.M | re.S)  # what a page has below its blocks
TERMINAL = {"COLUMNS": "100", "LINES": "40", "TERM": "dumb", "NO_COLOR": "1"}


class Block(NamedTuple):
    """A block of code, and what to do with it."""

    language: str
    run: str | None
    end: str | None  # which end of the output to keep; None: all of it
    lines: str | None
    code: str


Answer = Callable[[Block], str]


def tutorial() -> str:
    """docs/tutorial.md.in, its blocks run in order in one temporary folder.

    Those that are marked (```sh run, ```python run) are run, and what they print is put below them;
    `first=N` or `last=N` keeps only so many lines of it. Commands see a terminal, so they answer as
    they answer a reader.
    """
    with tempfile.TemporaryDirectory() as temporary:
        return answered(Session(Path(temporary)).answer)


def answered(answer: Answer) -> str:
    """The tutorial, with what `answer` says below each block that is to be run."""
    text = (DOCS / "tutorial.md.in").read_text(encoding="utf-8")
    return BLOCK.sub(lambda found: shown(Block(*found.groups()), answer), text)


def shown(block: Block, answer: Answer) -> str:
    """A block as the reader sees it, and its output."""
    output = shortened(answer(block), block) if block.run else ""
    below = f"\n```text\n{output}\n```\n" if output else ""
    return f"```{block.language}\n{block.code}```\n{below}"


def shortened(output: str, block: Block) -> str:
    """As many lines as were asked for, and a mark where others are left out."""
    lines = [line.rstrip() for line in output.rstrip().splitlines()]
    count = int(block.lines or len(lines))
    if count >= len(lines):
        return "\n".join(lines)
    return "\n".join([*lines[:count], "…"] if block.end == "first" else ["…", *lines[-count:]])


class Session:
    """A folder for the files, and the names of the Python blocks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        (folder / "examples").symlink_to(DOCS.parent / "examples")

    def answer(self, block: Block) -> str:
        """What a block prints."""
        print(block.code, file=sys.stderr, flush=True)
        return self.python(block.code) if block.language == "python" else self.shell(block.code)

    def python(self, code: str) -> str:
        """Run Python here, with the names of the blocks before."""
        out = io.StringIO()
        with chdir(self.folder), redirect_stdout(out):
            exec(compile(code, "tutorial.md.in", "exec"), self.names)
        return out.getvalue()

    def shell(self, code: str) -> str:
        """Run commands whose standard output is a terminal."""
        ours, theirs = os.openpty()
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        process = subprocess.Popen(
            ["sh", "-e", "-c", code], cwd=self.folder, stdout=theirs,
            env={**os.environ, **TERMINAL, "PATH": path},
        )  # fmt: skip
        os.close(theirs)
        output = b"".join(iter(lambda: read(ours), b""))
        os.close(ours)
        if process.wait():
            sys.exit(f"This failed with exit code {process.returncode}:\n{code}{output.decode()}")
        return output.decode().replace("\r\n", "\n")


def read(terminal: int) -> bytes:
    """What has come in; nothing when the other end is closed."""
    try:
        return os.read(terminal, 65_536)
    except OSError:
        return b""


PAGES: dict[str, Callable[[], str]] = {"api": api, "cli": cli, "http": http, "tutorial": tutorial}
