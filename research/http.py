"""docs/http.md, made from the server's own OpenAPI document."""

import json
from dataclasses import fields
from typing import Any

from topiceq import TopicEq
from topiceq.web.app import ERRORS, create_app
from topiceq.web.limits import Limits

INTRODUCTION = """# The HTTP API

Made from the server's OpenAPI document by `python -m research docs http`; a test keeps it true.

`topiceq serve` answers on http://127.0.0.1:8000, with the explorer at `/`, this page at `/docs` and
the description for tools at `/openapi.json`. Questions and answers are JSON, the same as on the
command line; `warnings` stands in an answer where a question may not be meant as it was read. How
to run it for others is told in [deploy.md](deploy.md)."""
EXAMPLES: dict[str, dict[str, Any]] = {
    "infer": {"equation": "∇·E = ρ/ε₀", "top": 1},
    "generate": {"context": "The viscous fluid flows through a pipe.", "count": 2},
    "explain": {"equation": "F = m a"},
    "similar": {"equation": "E = m c^2", "count": 3},
    "normal": {"equations": ["x^2_1", "E = mc²"]},
    "render": {"equation": "E = m c^2"},
}
MANY = """Many `equations` are answered in order, each by an object of its own; one that cannot be
read has `error` and `position` in place of topics, and the others are answered all the same. With
the header `Accept: application/x-ndjson` the objects come one a line, as soon as they are there."""
UPLOAD = "curl -F file=@article.tex 'http://127.0.0.1:8000/api/annotate?format=json'"


def http() -> str:
    """Every path with its parameters, their limits and an example; the limits; the errors."""
    document = create_app(TopicEq.load()).openapi()
    schemas = document["components"]["schemas"]
    parts = [INTRODUCTION]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            parts += [f"## {method.upper()} {path}", operation.get("description", "")]
            lines = [row(each["name"], each["schema"], each.get("required", False))
                     for each in operation.get("parameters", [])]  # fmt: skip
            for body in operation.get("requestBody", {"content": {}})["content"].values():
                schema = schemas[body["schema"]["$ref"].rpartition("/")[2]]
                required = schema.get("required", [])
                lines += [row(n, p, n in required) for n, p in schema["properties"].items()]
            parts += ["\n".join(lines), example(path)]
    parts += ["## Many equations", MANY, "## Limits", limits(), "## Errors", errors()]
    return "\n\n".join(part for part in parts if part) + "\n"


def row(name: str, schema: dict[str, Any], required: bool) -> str:
    """A parameter: its name, its type, its default and what it is."""
    kinds = [each.get("type", "file") for each in schema.get("anyOf", [schema])]
    kind = " or ".join(kind for kind in dict.fromkeys(kinds) if kind != "null")
    default = schema.get("default")
    shown = "" if default in (None, "") else f", default {json.dumps(default)}"
    need = ", required" if required else ""
    text = schema.get("description", "")
    return f"- `{name}` ({kind}{need}{shown})" + (f": {text}" if text else "")


def example(path: str) -> str:
    """How to ask it with curl."""
    verb = path.rpartition("/")[2]
    if verb == "annotate":
        return f"```sh\n{UPLOAD}\n```"
    if verb not in EXAMPLES:
        return ""
    body = json.dumps(EXAMPLES[verb], ensure_ascii=False)
    return (
        f"```sh\ncurl -H 'Content-Type: application/json' -d '{body}' "
        f"http://127.0.0.1:8000{path}\n```"
    )


def limits() -> str:
    """The limits of one server, as they are by default."""
    names = {
        "body": "bytes of a question", "upload": "bytes of an article or archive",
        "bodies": "bytes of all that is being asked",
        "body_seconds": "seconds for a body to arrive",
        "quick_seconds": "seconds of work for infer, explain, similar and the like",
        "long_seconds": "seconds of work for generate, annotate and each 64 of many equations",
        "waiting": "questions that may wait for the quick worker",
        "long_waiting": "questions that may wait for the long worker",
        "client": "requests of one address at once",
    }  # fmt: skip
    own = Limits()
    return "\n".join(f"- {getattr(own, f.name):,g} {names[f.name]}" for f in fields(own))


def errors() -> str:
    """What a status means; the body has `error`, `kind` and `position`."""
    lines = [f"- {status}: {each['description']}" for status, each in sorted(ERRORS.items())]
    return "\n".join([*lines, "- 405: The path takes another method; `Allow` says which."])
