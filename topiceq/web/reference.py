"""The documentation of the HTTP API as one page of HTML, from its OpenAPI document."""

from collections.abc import Iterator
from html import escape
from typing import Any

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>TopicEq: HTTP API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/style.css"></head>
<body class="reference"><main><h1>HTTP API</h1>
<p>The same verbs as the library and the command. The whole description, for tools:
<a href="/openapi.json">openapi.json</a>. <a href="/">Back to the explorer</a>.</p>
{operations}</main></body></html>
"""


def reference(openapi: dict[str, Any]) -> str:
    """The page."""
    return PAGE.format(operations="\n".join(_operations(openapi)))


def _operations(openapi: dict[str, Any]) -> Iterator[str]:
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            yield f"<h2><code>{method.upper()} {escape(path)}</code></h2>"
            yield f"<p>{escape(operation.get('description', ''))}</p>"
            yield _parameters(operation, openapi)


def _parameters(operation: dict[str, Any], openapi: dict[str, Any]) -> str:
    rows = [(p["name"], p["schema"], p.get("required", False))
            for p in operation.get("parameters", [])]  # fmt: skip
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = _resolve(content["schema"], openapi)
        required = schema.get("required", [])
        rows += [(n, s, n in required) for n, s in schema.get("properties", {}).items()]
    if not rows:
        return ""
    cells = (
        f"<tr><td><code>{escape(name)}</code>{'' if required else ' (optional)'}</td>"
        f"<td>{escape(_kind(schema))}</td></tr>"
        for name, schema, required in rows
    )
    return f"<table>{''.join(cells)}</table>"


def _resolve(schema: dict[str, Any], openapi: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref", "")
    found: dict[str, Any] = (
        openapi["components"]["schemas"][reference.rpartition("/")[2]] if reference else schema
    )
    return found


def _kind(schema: dict[str, Any]) -> str:
    """A type in words, with its limits."""
    options = schema.get("anyOf", [schema])
    kinds = [str(one.get("type", "file")) for one in options if one.get("type") != "null"]
    bounds = {
        "minimum": "from",
        "maximum": "to",
        "exclusiveMinimum": "above",
        "maxLength": "at most",
    }
    limits = [f"{word} {schema[key]:g}" for key, word in bounds.items() if key in schema]
    limits += [f"default {schema['default']}"] if schema.get("default") not in (None, "") else []
    told = " or ".join(kinds) + (", " + ", ".join(limits) if limits else "")
    return f"{told}. {schema['description']}" if "description" in schema else told
