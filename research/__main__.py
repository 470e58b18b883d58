"""The one command: python -m research VERB ...

A verb is a function of its name in the module that stands beside it in VERBS. Its parameters are
the arguments of the command (keyword-only ones are options) and its docstring is the help, so there
is one way to read arguments. A verb that takes a dataclass takes that one's fields.
"""

import argparse
import ast
import inspect
import sys
from collections.abc import Callable
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from research import entries
from topiceq.errors import TopicEqError

MODULES = {
    "corpus": "extract quarter",
    "formats": "formats",
    "expanding": "expanding",
    "drawn": "drawn",
    "building": "sources",
    "scale": "scale",
    "tables": "coherence equations alignment fields stability told",
    "peers": "peers",
    "starts": "starts",
    "claims": "claims",
    "known": "known paper-tables",
    "meanings": "meanings",
    "finetune": "finetune",
    "ways": "many own-index",
    "volume": "volume",
    "encoder": "encoder-trials topics-of-equations",
    "writing": "writing syntax thetas",
    "speed": "speed answers",
    "similar": "similar",
    "serve": "serve",
    "hostile": "hostile",
    "browser": "browser pictures tour",
    "page": "page",
    "docs": "docs",
    "release": "release record",
    "fuzz": "fuzz",
    "kills": "kills",
    "patterns": "patterns",
    "guided": "targets",
}
VERBS = {verb: module for module, verbs in MODULES.items() for verb in verbs.split()}


def main(words: list[str]) -> None:
    """Read the arguments of a verb and do what it says."""
    parser = argparse.ArgumentParser(
        prog="python -m research", formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="python -m research VERB ...  (VERB --help tells its arguments)",
        description="\n".join(f"{verb:21}{line_of(verb)}" for verb in VERBS),
    )  # fmt: skip
    parser.add_argument("verb", choices=VERBS, metavar="VERB", help="one of those above")
    verb = parser.parse_args(words[:1]).verb
    work = getattr(import_module(f"research.{VERBS[verb]}"), verb.replace("-", "_"))
    try:
        call(verb, work, words[1:])
    except TopicEqError as error:  # says what to do
        sys.exit(str(error))


def line_of(verb: str) -> str:
    """The first line of a verb's docstring, without importing what it needs."""
    source = Path(__file__).with_name(f"{VERBS[verb]}.py").read_text(encoding="utf-8")
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    (function,) = (node for node in functions if node.name == verb.replace("-", "_"))
    return (ast.get_docstring(function) or "").splitlines()[0]


def call(verb: str, work: Callable[..., None], words: list[str]) -> None:
    """Call a verb with the arguments that were typed."""
    kinds = [p.annotation for p in inspect.signature(work, eval_str=True).parameters.values()]
    taken: Any = kinds[0] if kinds and is_dataclass(kinds[0]) else work
    parser = argparse.ArgumentParser(
        prog=f"python -m research {verb}", description=inspect.getdoc(work),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    for parameter in inspect.signature(taken, eval_str=True).parameters.values():
        add(parser, parameter)
    parser.add_argument("--results", type=Path, default=entries.RESULTS, metavar="FOLDER",
                        help="of results, in place of research/results")  # fmt: skip
    typed = vars(parser.parse_args(words))
    entries.RESULTS = typed.pop("results")
    values = {name: tuple(v) if isinstance(v, list) else v for name, v in typed.items()}
    if taken is work:
        work(**values)
    else:
        work(taken(**values))


def add(parser: argparse.ArgumentParser, parameter: inspect.Parameter) -> None:
    """One parameter as an argument; Annotated says more about it than its name."""
    annotation = parameter.annotation
    is_annotated = get_origin(annotation) is Annotated
    kind, *about = get_args(annotation) if is_annotated else (annotation,)
    item, *_ = (each for each in get_args(kind) or (kind,) if each not in (NoneType, ...))
    required = parameter.default is parameter.empty
    settings: dict[str, Any] = {"type": item, "help": " ".join(about)}
    if get_origin(kind) is tuple:
        settings["nargs"] = "+"
    if not required:
        settings["default"] = parameter.default
        values = parameter.default if "nargs" in settings else [parameter.default]
        shown = " ".join(str(value) for value in values if value is not None)
        settings["help"] += f" (default: {shown})" if shown else ""
    if parameter.kind is parameter.KEYWORD_ONLY:
        short = ["-o"] if parameter.name == "out" else []
        parser.add_argument(*short, f"--{parameter.name}", required=required, **settings)
    else:
        parser.add_argument(parameter.name, **({} if required else {"nargs": "?"}) | settings)


if __name__ == "__main__":
    main(sys.argv[1:])
