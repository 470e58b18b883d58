"""The HTTP API: the library's answers, its messages, and what it refuses."""

import asyncio
import io
import json
import tarfile
import tempfile
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from arxiv_server import TEX, Server, packed
from fastapi import FastAPI
from serving import served

from topiceq import Corpus
from topiceq.api import TopicEq
from topiceq.cancel import stop_if_unwanted
from topiceq.web.app import create_app
from topiceq.web.explorer import Explorer
from topiceq.web.limits import Limits
from topiceq.web.workers import Busy, TooSlow, Worker

Answer = TypeVar("Answer")

ARTICLE = r"""\documentclass{article}\begin{document}
The electric field of a thing is a number. Let $E$ be the electric field.
\[ E = a b c x y z a b c x y z a b c x y z a b \]
Here the value is an item. The object has a piece.
\end{document}"""


@contextmanager
def asking(app: FastAPI) -> Iterator[httpx.Client]:
    """A real server, and a client for it."""
    with served(app) as address, httpx.Client(base_url=address, timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def model(trained: Path) -> TopicEq:
    return TopicEq.load(trained)


@pytest.fixture(scope="module")
def client(model: TopicEq) -> Iterator[httpx.Client]:
    with asking(create_app(model, name="planted")) as client:
        yield client


def test_the_model_says_what_it_can(client: httpx.Client) -> None:
    about = client.get("/api/model").json()
    assert about["name"] == "planted" and about["topics"] == 4
    assert about["can"] == {"generate": True, "explain": True, "similar": False, "fetch": False}


def test_topics_have_places_and_details(client: httpx.Client) -> None:
    topics = client.get("/api/topics").json()
    assert [topic["topic"] for topic in topics] == [0, 1, 2, 3]
    assert all(0 <= topic["x"] <= 1 and 0 <= topic["y"] <= 1 for topic in topics)
    one = client.get("/api/topics/2").json()
    assert one["words"] == topics[2]["words"]
    assert one["equations"][0]["mathml"].startswith("<math")
    assert [word["word"] for word in one["weights"]][:8] == one["words"]
    assert len(one["related"]) == 3 and one["related"][0]["topic"] != 2
    assert one["symbols"][0]["phrases"][0]["phrase"]


def test_infer_answers_as_the_library_does(client: httpx.Client, model: TopicEq) -> None:
    context = "redb redc redd and a reda thing"
    answer = client.post("/api/infer?page=true", json={"context": context, "top": 2}).json()
    theta = model.infer(context=context)
    assert answer["topics"][0]["topic"] == int(theta.argmax())
    assert len(answer["topics"]) == 2 and len(answer["all"]) == 4
    speaking = answer["speaks"][str(answer["topics"][0]["topic"])]
    assert {"reda", "redb", "redc", "redd"} <= {one["word"] for one in speaking}
    equation = client.post("/api/infer?page=true", json={"equation": "E = a b c x y z"}).json()
    assert equation["mathml"].startswith("<math") and len(equation["topics"]) == 4
    many = client.post("/api/infer", json={"equations": ["E = a b c", "E = a x c"]}).json()
    assert [one["equation"] for one in many] == ["E = a b c", "E = a x c"]


def test_generate_and_explain(client: httpx.Client) -> None:
    written = client.post(
        "/api/generate?page=true", json={"theta": 1, "count": 3, "prefix": "E ="}
    ).json()
    assert len(written) == 3 and all(one["tokens"][:2] == ["E", "="] for one in written)
    assert written[0]["theta"] == {"1": 1.0} and written[0]["mathml"].startswith("<math")
    mixed = client.post("/api/generate", json={"theta": {"0": 0.5, "1": 0.5}}).json()
    assert mixed[0]["theta"] == {"0": 0.5, "1": 0.5}
    told = client.post("/api/explain", json={"symbol": "E", "theta": 1, "count": 2}).json()
    assert told["symbol"] == "E" and len(told["phrases"]) == 2
    whole = client.post("/api/explain", json={"equation": "E = a b c"}).json()
    assert [one["symbol"] for one in whole][0] == "E"


def test_render_says_where_latex_breaks(client: httpx.Client) -> None:
    good = client.post("/api/render", json={"equation": "a^2"}).json()
    assert good["equation"].replace(" ", "") == "a^{2}"
    bad = client.post("/api/render", json={"equation": "a ^{2} } b"})
    assert bad.status_code == 400
    assert bad.json()["kind"] == "QuestionError" and bad.json()["position"] == 6
    assert "'}' closes nothing" in bad.json()["error"]


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("/api/generate", {"theta": 9}, 400, "Topic 9 does not exist. This run has topics 0 to 3."),
        ("/api/generate", {}, 400, "There is nothing to write about."),
        ("/api/generate", {"theta": 1, "count": 10_001}, 422, "It must be from 1 to 10,000."),
        ("/api/generate", {"tpoic": 1}, 422, "tpoic"),
        ("/api/infer", {}, 400, "There is nothing to infer from."),
        ("/api/infer", {"equation": "x" * 30_000}, 422, "more than 20,000 characters"),
        ("/api/infer", {"equation": 5}, 422, "equation"),
        ("/api/infer", {"equations": [], "context": " "}, 400, "The context is empty."),
        ("/api/similar", {"equation": "E = a"}, 501, "topiceq index"),
        ("/api/explain", {}, 400, "There is nothing to explain. Give a symbol or an equation."),
        ("/api/render", {"equation": ""}, 400, "The equation is empty."),
    ],
)
def test_errors_are_json_in_the_librarys_words(
    client: httpx.Client, path: str, body: object, status: int, message: str
) -> None:
    answer = client.post(path, json=body)
    assert answer.status_code == status
    assert message in answer.json()["error"]


def test_what_is_not_there_is_404_and_what_is_no_json_422(client: httpx.Client) -> None:
    assert client.get("/api/nothing").status_code == 404
    assert client.get("/api/topics/9").status_code == 404
    assert client.get("/api/topics/x").status_code == 422
    broken = client.post("/api/infer", content=b"{", headers={"content-type": "application/json"})
    assert broken.status_code == 422 and broken.json()["kind"] == "RequestValidationError"


def test_every_answer_has_the_headers(client: httpx.Client) -> None:
    for path in ("/api/model", "/api/nothing", "/docs", "/openapi.json", "/"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_the_reference_has_no_outside_assets(client: httpx.Client) -> None:
    page = client.get("/docs").text
    assert "<small>POST</small> <code>/api/generate</code>" in page and "max_tokens" in page
    assert "http://" not in page and "https://" not in page and "<script" not in page


# -- articles -----------------------------------------------------------------------------------


def upload(client: httpx.Client, name: str, content: bytes, **query: str) -> httpx.Response:
    return client.post("/api/annotate", files={"file": (name, content)}, params=query)


def test_an_article_is_annotated(client: httpx.Client) -> None:
    page = upload(client, "a.tex", ARTICLE.encode())
    assert page.status_code == 200 and page.headers["content-type"].startswith("text/html")
    assert "<math" in page.text
    data = upload(client, "a.tex", ARTICLE.encode(), format="json")
    assert data.status_code == 200 and data.json()


def test_the_first_words_of_an_article_come_first(client: httpx.Client) -> None:
    file, accept = {"file": ("a.tex", ARTICLE.encode())}, {"accept": "application/x-ndjson"}
    answer = client.post("/api/annotate", files=file, headers=accept)
    first, second = (json.loads(line) for line in answer.text.splitlines())
    assert "<math" in first["begins"] and 'class="bar"' not in first["begins"]
    assert "<math" in second["page"] and 'class="bar"' in second["page"]
    refused = client.post("/api/annotate", files={"file": ("a.tex", b"")}, headers=accept)
    assert refused.status_code == 400 and "has no text" in refused.json()["error"]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The server's folder for temporary files, in one where nothing else may be written."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_file_name_cannot_do_harm(client: httpx.Client, temporary: Path) -> None:
    outside = temporary.parent
    for name in ("../../evil.tex", "<script>alert(1)</script>.tex", "a\\..\\b.tex",
                 f"{outside}/evil.tex"):  # fmt: skip
        page = upload(client, name, ARTICLE.encode())
        assert page.status_code == 200 and "<script>alert" not in page.text
    assert "Give one of these" in upload(client, "passwd", b"x").json()["error"]
    assert list(outside.rglob("*")) == [temporary]


def test_nothing_is_fetched_for_strangers(client: httpx.Client, server: Server) -> None:
    assert upload(client, "arXiv:1902.06034.tex", ARTICLE.encode()).status_code == 200
    refused = upload(client, "arXiv:1902.06034", b"")
    assert refused.status_code == 400 and "Give one of these" in refused.json()["error"]
    asked = client.post("/api/annotate?article=1902.06034")
    assert asked.status_code == 501 and "This server fetches no articles" in asked.json()["error"]
    asked = client.post("/api/annotate", json={"article": "arXiv:1902.06034"})
    assert asked.status_code == 400 and "Give a file, or the id" in asked.json()["error"]
    assert server.requests == []


def test_articles_are_fetched_where_that_is_allowed(
    model: TopicEq, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    server.answers.append(lambda answer: answer.send(packed({"a.tex": TEX})))
    with asking(create_app(model, fetches=True)) as open_to:
        assert open_to.get("/api/model").json()["can"]["fetch"]
        page = open_to.post("/api/annotate?article=1902.06034")
        assert page.status_code == 200 and "A text." in page.text
        for path in ("/etc/passwd", "../a.tex", "arXiv:x"):
            asked = open_to.post("/api/annotate", params={"article": path})
            assert asked.status_code == 400 and "is no id of arXiv" in asked.json()["error"]
    assert len(server.requests) == 1


def test_the_map_has_a_point_for_each_equation(
    trained: Path, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    own = TopicEq.load(trained)
    count = own.index(corpus)
    with asking(create_app(own)) as client:
        points = client.get("/api/map")
        assert points.headers["content-type"] == "application/octet-stream"
        assert len(points.content) == 4 * count
        one = client.get(f"/api/equations/{count - 1}").json()
        assert one["mathml"].startswith("<math") and one["article"].startswith("article")
        gone = client.get(f"/api/equations/{count}")
        assert gone.status_code == 404
        assert gone.json()["error"] == f"The index has no equation {count}."


def test_topics_are_found_by_words(client: httpx.Client, model: TopicEq) -> None:
    found = client.get("/api/topics", params={"find": "redb redc"}).json()
    p = model.find("redb redc")
    assert found[0]["topic"] == int(p.argmax()) and found[0]["p"] == round(float(p.max()), 4)
    assert client.get("/api/topics", params={"find": "unheard-of"}).json() == []


def test_a_run_without_an_index_has_no_map(client: httpx.Client) -> None:
    refused = client.get("/api/map")
    assert refused.status_code == 501 and "has no index of equations" in refused.json()["error"]


def test_an_equation_is_drawn_with_its_symbols_numbered(client: httpx.Client) -> None:
    asked = {"equation": "E = a b c", "count": 2}
    answer = client.post("/api/explain?page=true", json=asked).json()
    symbols = [one["symbol"] for one in answer["symbols"]]
    assert f'data-symbol="{symbols.index("E")}"' in answer["mathml"]
    assert "data-symbol" not in client.post("/api/render", json={"equation": "E"}).json()["mathml"]


def test_scripts_in_an_article_are_text(client: httpx.Client) -> None:
    evil = ARTICLE.replace("Here the", r"<script>alert(1)</script> Here the")
    evil = evil.replace("E = a", r"E = \text{<img src=x onerror=alert(1)>} a")
    page = upload(client, "a.tex", evil.encode()).text
    assert "<script>alert" not in page and "<img" not in page


def archive(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


@pytest.mark.parametrize("name", ["../evil.tex", "../../evil.tex", "{}/evil.tex"])
def test_archives_cannot_write_outside(client: httpx.Client, temporary: Path, name: str) -> None:
    outside = temporary.parent
    files = {name.format(outside): ARTICLE.encode(), "main.tex": ARTICLE.encode()}
    assert "<math" in upload(client, "a.tar.gz", archive(files)).text
    assert list(outside.rglob("*")) == [temporary]


def test_archives_cannot_explode(client: httpx.Client) -> None:
    bomb = upload(client, "a.tar.gz", archive({"main.tex": b"x" * 300_000_000}))
    assert bomb.status_code == 400 and "larger than 16 MB" in bomb.json()["error"]


def test_large_bodies_are_refused_while_they_arrive(model: TopicEq) -> None:
    limits = Limits(body=10_000, upload=20_000)
    with asking(create_app(model, limits=limits)) as client:
        asked = client.post("/api/infer", json={"context": "x" * 50_000})
        assert asked.status_code == 413 and "10,000 bytes" in asked.json()["error"]
        assert upload(client, "a.tex", b"x" * 50_000).status_code == 413


# -- workers ------------------------------------------------------------------------------------


def in_a_loop(scene: Coroutine[Any, Any, Answer]) -> Answer:
    """Run a coroutine in a thread of its own: this one may have a loop of the browser's."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, scene).result()


async def never() -> bool:
    return False


def test_a_worker_does_one_thing_at_a_time_and_refuses_too_many() -> None:
    worker = Worker("test", waiting=2, seconds=5)

    async def scene() -> list[object]:
        busy = [asyncio.create_task(worker.do(lambda: time.sleep(0.2) or 1, never)) for _ in "ab"]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy, match="Ask again"):
            await worker.do(lambda: 1, never)
        return await asyncio.gather(*busy)

    assert in_a_loop(scene()) == [1, 1]
    assert worker.count == 0


def endless(stopped: threading.Event) -> None:
    try:
        while True:
            time.sleep(0.01)
            stop_if_unwanted()
    finally:
        stopped.set()


def test_what_takes_too_long_is_given_up() -> None:
    stopped = threading.Event()
    with pytest.raises(TooSlow, match="longer than 0.1 s"):
        in_a_loop(Worker("test", waiting=2, seconds=0.1).do(lambda: endless(stopped), never))
    assert stopped.wait(2)


def test_an_abandoned_question_stops_working() -> None:
    stopped = threading.Event()

    async def left() -> bool:
        return True

    answer = in_a_loop(Worker("test", waiting=2, seconds=60).do(lambda: endless(stopped), left))
    assert answer is None and stopped.wait(2)


def test_a_cancelled_request_stops_working() -> None:
    stopped = threading.Event()

    async def scene() -> None:
        worker = Worker("test", waiting=2, seconds=60)
        task = asyncio.create_task(worker.do(lambda: endless(stopped), never))
        await asyncio.sleep(0.1)
        task.cancel()

    in_a_loop(scene())
    assert stopped.wait(2)


@pytest.mark.parametrize(
    ("verb", "question"),
    [
        ("generate", {"json": {"theta": 0}}),
        ("infer", {"json": {"equations": ["E = a b c"]}}),
        ("annotate", {"files": {"file": ("a.tex", b"A text.")}}),
    ],
)
def test_a_long_answer_does_not_block_a_quick_question(
    model: TopicEq, monkeypatch: pytest.MonkeyPatch, verb: str, question: dict[str, Any]
) -> None:
    begun, answered = threading.Event(), threading.Event()
    ended: list[str] = []

    def long(*_: object, **__: object) -> list[object]:
        begun.set()
        answered.wait(20)  # as long as it takes, unless the quick question waits for this one
        ended.append("long")
        return []

    monkeypatch.setattr(Explorer, "annotate" if verb == "annotate" else "answer", long)
    with asking(create_app(model)) as client, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.post, f"/api/{verb}", **question)
        assert begun.wait(20)
        assert client.post("/api/render", json={"equation": "a"}).status_code == 200
        ended.append("quick")
        answered.set()
        assert waiting.result().status_code == 200
    assert ended == ["quick", "long"]


def test_a_request_that_is_abandoned_stops_using_the_processor(
    model: TopicEq, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()
    monkeypatch.setattr(Explorer, "answer", lambda self, question, page: endless(stopped))
    with asking(create_app(model)) as client:
        with pytest.raises(httpx.ReadTimeout):
            client.post("/api/generate", json={"theta": 0}, timeout=0.5)
        assert stopped.wait(5)


def test_what_is_no_part_of_the_api_is_told_apart(client: httpx.Client) -> None:
    answer = client.get("/api/nothing")
    assert answer.status_code == 404 and answer.json()["error"] == (
        "There is no /api/nothing. See /docs."
    )
    answer = client.get("/api/infer")
    assert answer.status_code == 405 and answer.headers["allow"] == "POST"
    assert answer.json()["error"] == "GET is not allowed here. Use POST."
    assert client.delete("/api/topics/1").status_code == 405
    assert client.get("/api/topics/4").status_code == 404
    assert client.get("/no/page").status_code == 404


def test_health_and_the_access_log(client: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="topiceq.access"):
        assert client.get("/health").json()["status"] == "ok"
        for _ in range(500):  # the line is written behind the answer
            if any(r.message.startswith("127.0.0.1 GET /health 200 ") for r in caplog.records):
                return
            time.sleep(0.01)
    pytest.fail("no line for the request")


def test_other_origins_may_ask_if_they_are_named(client: httpx.Client, model: TopicEq) -> None:
    origin = {"origin": "https://example.org"}
    question = {"equation": "E = a"}
    refused = client.post("/api/infer", json=question, headers=origin)
    assert "access-control-allow-origin" not in refused.headers
    with asking(create_app(model, cors=["https://example.org"])) as open_to:
        answer = open_to.post("/api/infer", json=question, headers=origin)
        assert answer.headers["access-control-allow-origin"] == "https://example.org"
        asked = origin | {"access-control-request-method": "POST",
                          "access-control-request-headers": "content-type"}  # fmt: skip
        assert open_to.options("/api/infer", headers=asked).status_code == 200
