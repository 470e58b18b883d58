"""Writes docs/api.md from signatures and docstrings: python docs/generate_api.py.

In go the public names and the types that they take and return, group by group; out comes a heading
for each, with the source's own annotations, comments and docstrings.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from pathlib import Path

from topiceq import Corpus, TopicEq, errors, extract
from topiceq.config import Config, CorpusConfig, ModelConfig, TrainConfig, load_config
from topiceq.corpus.pair import Pair
from topiceq.corpus.store import Split
from topiceq.model.history import Step
from topiceq.model.topics import Topic, Typical
from topiceq.scores.coherence import Coherence
from topiceq.scores.perplexity import EquationScore, PhraseScore
from topiceq.scores.sheet import Scores
from topiceq.scores.syntax import SyntaxScore
from topiceq.tasks.annotate import Annotated
from topiceq.tasks.explain import Explained, Phrase
from topiceq.tasks.generate import Generated
from topiceq.tasks.similar import Similar

Public = type | Callable[..., object]

PAGE = Path(__file__).with_name("api.md")
WIDTH = 88
INTRODUCTION = """# The Python interface

Made from signatures and docstrings by `python docs/generate_api.py`; a test keeps it true.

    from topiceq import Corpus, TopicEq, extract

These are the public names; the other types on this page are what they take and return. A `Theta` is
the number of a topic, a mixture such as `{7: 0.5, 9: 0.5}`, or an array of K weights. The
[tutorial](tutorial.md) shows all of it at work."""
CORPUS = """A corpus has the splits `train`, `valid`, `test`, the vocabularies `words`, `tokens`,
`phrases`, and `counts`, `config`, `digest`. [corpus.md](corpus.md) tells what its files hold."""
ANSWERS = """The questions return lists of these (`Topics`, `Equations`, `Phrases`, `Glossary` and
`Nearest`), `infer` an array. Notebooks show all of them as tables, with the equations typeset."""
SETTINGS = """`TopicEq(topics=20, epochs=5)` takes settings of the sections `model` and `train` by
their names, `load_config("small", ["model.topics=20"])` those of all sections."""

GROUPS: dict[str, tuple[str, list[Public]]] = {
    "The corpus": (CORPUS, [extract, Pair, Corpus, Split]),
    "The model": ("", [TopicEq, Step]),
    "Answers": (ANSWERS, [Topic, Typical, Generated, Phrase, Explained, Similar, Annotated]),
    "Scores": ("", [Scores, Coherence, EquationScore, PhraseScore, SyntaxScore]),
    "Settings": (SETTINGS, [load_config, Config, CorpusConfig, ModelConfig, TrainConfig]),
}


def page() -> str:
    """All groups, then the exceptions."""
    parts = [INTRODUCTION, contents()]
    for title, (text, names) in GROUPS.items():
        parts += [f"## {title}", text, *(part for name in names for part in entry(name))]
    parts += ["## Errors", inspect.cleandoc(errors.__doc__ or "")]
    return "\n\n".join(part for part in parts if part)


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
    assert isinstance(node, ast.ClassDef)
    parts = [f"### {node.name}", prose(node), code(fields(node, source))]
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and is_shown(method):
            shown = called(node.name, method, signature(method, source))
            parts += [heading(shown), code(shown), prose(method)]
    return parts


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


if __name__ == "__main__":
    PAGE.write_text(page() + "\n", encoding="utf-8")
