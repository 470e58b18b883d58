"""The page of the HTTP API: what every question takes and gives, with an example of each.

In go what FastAPI says of the application, and the server's limits; out comes HTML.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from topiceq.views.templates import render
from topiceq.web.limits import Limits

SHOWN: dict[str, tuple[dict[str, Any] | None, str]] = {  # what is asked, and the form of the answer
    "/api/model": (
        None,
        '{"name": "pretrained", "topics": 100, "can": {"generate": true, ..}, ..}',
    ),
    "/api/topics/{topic}": (
        None,
        '{"topic": 7, "label": "..", "words": [..], "equations": [..], ..}',
    ),
    "/api/infer": (
        {"equation": "E = m c^2", "context": "The mass of a body at rest.", "top": 2},
        '{"context": "..", "equation": "..", "topics": [{"topic": .., "p": .., ..}, ..]}',
    ),
    "/api/generate": (
        {"theta": {"7": 0.5, "9": 0.5}, "prefix": "H =", "count": 3},
        '[{"equation": "..", "tokens": [..], "logprob": .., "theta": {..}, "finished": true}, ..]',
    ),
    "/api/explain": (
        {"equation": r"\rho \dot u = - \nabla p", "context": "A slow flow."},
        '[{"symbol": "p", "phrases": [{"phrase": "..", "p": .., "source": "model"}, ..]}, ..]',
    ),
    "/api/similar": (
        {"equation": r"\hat H \psi = E \psi", "count": 2},
        '[{"equation": "..", "score": .., "article": "..", "line": .., ..}, ..]',
    ),
    "/api/render": ({"equation": "x^2"}, '{"equation": "..", "mathml": "<math ..>"}'),
}


class Example(NamedTuple):
    """A question as a command, and the form of its answer."""

    asked: str
    answer: str


def reference(
    description: Mapping[str, Any], limits: Limits, errors: Mapping[int | str, Any]
) -> str:
    """The page, from what openapi.json says."""
    told = {status: error["description"] for status, error in sorted(errors.items(), key=str)}
    return render(
        "reference.html", **description, examples=_examples(), errors=told,
        limits={
            "A question": f"at most {limits.body:,} bytes",
            "An article or archive": f"at most {limits.upload:,} bytes",
            "An answer": f"at most {limits.quick_seconds:g} s of work; generate, annotate and many "
            f"equations at once {limits.long_seconds:g} s",
            "Questions that wait": f"at most {limits.waiting}; long ones {limits.long_waiting}",
        },
    )  # fmt: skip


def _examples() -> dict[str, Example]:
    found = {}
    for path, (question, answer) in SHOWN.items():
        url = f"localhost:8000{path.format(topic=7)}"
        given = f" \\\n  -H 'content-type: application/json' -d '{json.dumps(question)}'"
        found[path] = Example(f"curl {url}{given if question else ''}", answer)
    page = "curl -F file=@article.tex 'localhost:8000/api/annotate?format=html' > article.html"
    return found | {"/api/annotate": Example(page, "")}
