"""The HTTP API: the library's answers, its messages, and what it refuses."""

import asyncio
import io
import tarfile
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from fastapi import FastAPI
from serving import served

from topiceq.api import TopicEq
from topiceq.tasks.pause import pause
from topiceq.web.app import create_app
from topiceq.web.explorer import Explorer, position
from topiceq.web.lanes import Busy, Lane, TooSlow
from topiceq.web.limits import Limits

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
    assert about["can"] == {"generate": True, "explain": True, "similar": False}


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
    answer = client.post("/api/infer", json={"context": context, "top": 2}).json()
    theta = model.infer(context=context)
    assert answer["topics"][0]["topic"] == int(theta.argmax())
    assert len(answer["topics"]) == 2 and len(answer["all"]) == 4
    speaking = answer["speaks"][str(answer["topics"][0]["topic"])]
    assert {"reda", "redb", "redc", "redd"} <= {one["word"] for one in speaking}
    equation = client.post("/api/infer", json={"equation": "E = a b c x y z"}).json()
    assert equation["mathml"].startswith("<math") and len(equation["topics"]) == 4
    many = client.post("/api/infer", json={"equations": ["E = a b c", "E = a x c"]}).json()
    assert [one["equation"] for one in many] == ["E = a b c", "E = a x c"]


def test_generate_and_explain(client: httpx.Client) -> None:
    written = client.post("/api/generate", json={"topic": 1, "count": 3, "prefix": "E ="}).json()
    assert len(written) == 3 and all(one["tokens"][:2] == ["E", "="] for one in written)
    assert written[0]["theta"] == {"1": 1.0} and written[0]["mathml"].startswith("<math")
    mixed = client.post("/api/generate", json={"theta": {"0": 0.5, "1": 0.5}}).json()
    assert mixed[0]["theta"] == {"0": 0.5, "1": 0.5}
    told = client.post("/api/explain", json={"symbol": "E", "theta": 1, "count": 2}).json()
    assert told[0]["symbol"] == "E" and len(told[0]["phrases"]) == 2
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
        ("/api/generate", {"topic": 9}, 400, "Topic 9 does not exist. This run has topics 0 to 3."),
        ("/api/generate", {}, 400, "There is nothing to write about."),
        ("/api/generate", {"topic": 1, "theta": {"1": 1}}, 400, "not both"),
        ("/api/generate", {"topic": 1, "count": 10_000}, 422, "less than or equal to 20"),
        ("/api/generate", {"tpoic": 1}, 422, "tpoic"),
        ("/api/infer", {}, 400, "There is nothing to infer from."),
        ("/api/infer", {"equation": "x" * 30_000}, 422, "at most 20000"),
        ("/api/infer", {"equation": 5}, 422, "equation"),
        ("/api/similar", {"equation": "E = a"}, 501, "topiceq index"),
        ("/api/explain", {}, 400, ""),
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
    assert client.get("/api/topics/9").status_code == 400
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
    assert "POST /api/generate" in page and "max_tokens" in page
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


def test_a_file_name_cannot_do_harm(client: httpx.Client, tmp_path: Path) -> None:
    for name in ("../../evil.tex", "<script>alert(1)</script>.tex", "a\\..\\b.tex", "/etc/x.tex"):
        page = upload(client, name, ARTICLE.encode())
        assert page.status_code == 200 and "<script>alert" not in page.text
    assert "Give one of these" in upload(client, "passwd", b"x").json()["error"]


def test_scripts_in_an_article_are_text(client: httpx.Client) -> None:
    evil = ARTICLE.replace("Here the", r"<script>alert(1)</script> Here the")
    evil = evil.replace("E = a", r"E = \text{<img src=x onerror=alert(1)>} a")
    page = upload(client, "a.tex", evil.encode()).text
    assert "<script>alert" not in page and "<img" not in page


def archive(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name.replace("_", "/"))
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def test_archives_cannot_write_outside_nor_explode(client: httpx.Client) -> None:
    page = upload(client, "a.tar.gz", archive(**{"main.tex": ARTICLE.encode()}))
    assert page.status_code == 200
    escape = upload(client, "a.tar.gz", archive(**{".._.._evil.tex": ARTICLE.encode()}))
    assert escape.status_code in (200, 400)
    assert not (Path.cwd().parents[1] / "evil.tex").exists()
    bomb = upload(client, "a.tar.gz", archive(**{"main.tex": b"x" * 300_000_000}))
    assert bomb.status_code == 400 and bomb.json()["error"]


def test_large_bodies_are_refused_while_they_arrive(model: TopicEq) -> None:
    limits = Limits(body=10_000, upload=20_000)
    with asking(create_app(model, limits=limits)) as client:
        asked = client.post("/api/infer", json={"context": "x" * 50_000})
        assert asked.status_code == 413 and "10,000 bytes" in asked.json()["error"]
        assert upload(client, "a.tex", b"x" * 50_000).status_code == 413


# -- lanes --------------------------------------------------------------------------------------


def in_a_loop(scene: Coroutine[Any, Any, Answer]) -> Answer:
    """Run a coroutine in a thread of its own: this one may have a loop of the browser's."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, scene).result()


async def never() -> bool:
    return False


def test_a_lane_does_one_thing_at_a_time_and_refuses_too_many() -> None:
    lane = Lane("test", waiting=2, seconds=5)

    async def scene() -> list[object]:
        busy = [asyncio.create_task(lane.do(lambda: time.sleep(0.2) or 1, never)) for _ in "ab"]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy, match="Ask again"):
            await lane.do(lambda: 1, never)
        return await asyncio.gather(*busy)

    assert in_a_loop(scene()) == [1, 1]
    assert lane.count == 0


def endless(stopped: threading.Event) -> None:
    try:
        while True:
            time.sleep(0.01)
            pause()
    finally:
        stopped.set()


def test_what_takes_too_long_is_given_up() -> None:
    stopped = threading.Event()
    with pytest.raises(TooSlow, match="longer than 0.1 s"):
        in_a_loop(Lane("test", waiting=2, seconds=0.1).do(lambda: endless(stopped), never))
    assert stopped.wait(2)


def test_an_abandoned_question_stops_working() -> None:
    stopped = threading.Event()

    async def left() -> bool:
        return True

    answer = in_a_loop(Lane("test", waiting=2, seconds=60).do(lambda: endless(stopped), left))
    assert answer is None and stopped.wait(2)


def test_a_cancelled_request_stops_working() -> None:
    stopped = threading.Event()

    async def scene() -> None:
        lane = Lane("test", waiting=2, seconds=60)
        task = asyncio.create_task(lane.do(lambda: endless(stopped), never))
        await asyncio.sleep(0.1)
        task.cancel()

    in_a_loop(scene())
    assert stopped.wait(2)


def test_a_long_generation_does_not_block_a_quick_question(client: httpx.Client) -> None:
    long = {"topic": 0, "count": 20, "max_tokens": 300, "temperature": 10.0}
    ended: list[str] = []

    def write() -> None:
        assert client.post("/api/generate", json=long).status_code == 200
        ended.append("long")

    thread = threading.Thread(target=write)
    thread.start()
    client.post("/api/infer", json={"context": "redb redc"})
    ended.append("quick")
    thread.join()
    assert sorted(ended) == ["long", "quick"]


def test_a_request_that_is_abandoned_stops_using_the_processor(
    model: TopicEq, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()
    monkeypatch.setattr(Explorer, "generate", lambda self, question: endless(stopped))
    with asking(create_app(model)) as client:
        with pytest.raises(httpx.ReadTimeout):
            client.post("/api/generate", json={"topic": 0}, timeout=0.5)
        assert stopped.wait(5)


def test_positions_in_the_text_of_the_user() -> None:
    assert position("no place here", "x") is None
    assert position("'}' closes nothing, behind 'a b'. Mend the LaTeX there.", r"a  b }") == 4
