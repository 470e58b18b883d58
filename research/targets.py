"""Coverage-guided fuzzing (atheris) of what reads text, one target at a time.

Atheris is no dependency: `pip install atheris` where this is run. A target takes bytes and raises
what it never should; libFuzzer grows them towards code that was not reached yet, and writes what
breaks a target beside the inputs.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from topiceq.article.definitions import definitions
from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.normal import normal_form, to_latex
from topiceq.article.files import Broken, MemoryFiles
from topiceq.article.formats import read
from topiceq.article.formulas import read_formula
from topiceq.article.source import Article
from topiceq.article.tex import lex
from topiceq.article.typed import read_typed
from topiceq.errors import QuestionError, Unsupported

Target = Callable[[bytes], object]


def normal(data: bytes) -> None:
    """The normal form of a normal form is itself."""
    try:
        tokens = normal_form(lex(_text(data)))
    except NotNormal:
        return
    assert normal_form(lex(to_latex(tokens))) == tokens, tokens


def expander(data: bytes) -> None:
    """Whatever LaTeX says is expanded, or there is a reason."""
    try:
        read_formula(_text(data))
    except NotNormal:
        pass


def question(data: bytes) -> None:
    """Whatever is typed is read or refused."""
    try:
        read_typed(_text(data))
    except QuestionError:
        pass


def reader(name: str) -> Target:
    """Whatever a file of this name holds is read or broken."""

    def target(data: bytes) -> None:
        try:
            read(Article("a", "", name, MemoryFiles({name: data})))
        except Broken:
            pass

    return target


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


TARGETS: dict[str, Target] = {
    "lexer": lambda data: lex(_text(data)),
    "expander": expander,
    "definitions": lambda data: definitions(_text(data).split("\n")),
    "normal": normal,
    "question": question,
    **{suffix: reader(f"a.{suffix}") for suffix in ("tex", "md", "rst", "html", "ipynb", "dox")},
}


def targets(
    target: Annotated[str, "lexer, expander, normal, question, definitions, or a suffix"],
    inputs: Annotated[Path, "folder of inputs to begin with, and for those that are found"],
    *,
    seconds: int = 60,
    seed: int = 1,
) -> None:
    """One target under atheris, which grows its inputs by what they reach; 10 s and 2 GB each."""
    try:
        import atheris
    except ImportError:
        raise Unsupported("Atheris is not installed. Type: pip install atheris") from None
    inputs.mkdir(parents=True, exist_ok=True)
    atheris.instrument_all()
    options = {"max_total_time": seconds, "seed": seed, "timeout": 10, "rss_limit_mb": 2_000,
               "max_len": 4_000, "artifact_prefix": f"{inputs}/found-"}  # fmt: skip
    words = [f"-{name}={value}" for name, value in options.items()]
    atheris.Setup([sys.argv[0], *words, str(inputs)], TARGETS[target])
    atheris.Fuzz()
