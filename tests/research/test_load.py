"""Clients that ask without a pause: every kind of question, and what goes wrong is counted."""

import asyncio
from collections import Counter

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from serving import served

from research.load import kinds, load, quick, slow, times


def test_every_kind_of_question_is_asked_and_errors_are_counted() -> None:
    app, asked = FastAPI(), Counter[str]()

    @app.api_route("/{path:path}", methods=["GET", "POST"])
    async def answer(path: str, request: Request) -> JSONResponse:
        body = await request.body()
        assert bool(body) == (request.method == "POST")
        asked[path.split("/")[1]] += 1
        return JSONResponse({"path": path}, 503 if path == "api/map" else 200)

    with served(app) as address:
        found = asyncio.run(load(address, clients=9, seconds=2.0))
    assert set(asked) == {
        "topics", "equations", "infer", "explain", "similar", "generate", "map", "annotate"
    }  # fmt: skip
    assert set(found["kinds"]) == {*kinds(quick()), *kinds(slow())}
    assert found["errors"] == asked["map"] > 0 and found["first_errors"][0] == "503 map"
    assert found["quick"]["answers"] > found["slow"]["answers"] > 0


def test_a_server_that_is_gone_is_an_error() -> None:
    found = asyncio.run(load("http://127.0.0.1:9", clients=1, seconds=0.05))
    assert found["errors"] > 0 and found["first_errors"][0].startswith("ConnectionRefusedError")


def test_times() -> None:
    assert times([]) == {"answers": 0}
    assert times([0.1, 0.3, 0.2]) == {"answers": 3, "p50_ms": 200, "p95_ms": 300}
