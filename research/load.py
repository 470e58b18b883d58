"""Clients that ask a server without a pause, over connections that stay open.

They write requests that were made once, and read no more of an answer than its length, so that the
work is the server's. Most ask what is answered at once, some what takes long.
"""

import asyncio
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from research.entries import DOCS, Entry, questions

EQUATIONS = [question["equation"] for question in questions("paper")]
CONTEXTS = (
    "The eigenvalues of a symmetric matrix are real.",
    "The viscous fluid flows through a pipe, and its velocity vanishes at the wall.",
    "Let the steps be independent random variables with finite variance.",
)
ARTICLE = DOCS.parent / "examples" / "articles" / "quantum" / "harmonic_oscillator.tex"
SLOW_EVERY = 8  # one client of so many asks what takes long
BOUNDARY = "topiceq-load"
PATIENCE = 120  # seconds for an answer


@dataclass(frozen=True)
class Request:
    """A question as it goes over the wire."""

    kind: str
    content: bytes


@dataclass
class Record:
    """What clients have seen: seconds of each kind of question, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


def request(kind: str, path: str, body: bytes = b"", form: str = "application/json") -> Request:
    """A request: POST with a body, GET without."""
    head = [f"{'POST' if body else 'GET'} {path} HTTP/1.1", "Host: 127.0.0.1"]
    head += [f"Content-Type: {form}", f"Content-Length: {len(body)}"] if body else []
    return Request(kind, "\r\n".join([*head, "", ""]).encode() + body)


def quick() -> Iterator[Request]:
    """All kinds of questions that are answered at once."""
    yield request("topics", "/api/topics")
    yield from (request("topic", f"/api/topics/{topic}") for topic in range(0, 100, 7))
    yield from (request("equation", f"/api/equations/{n}") for n in range(0, 90_000, 9_000))
    yield from (request("find", f"/api/topics?find={quote(words)}")
                for words in ("neural networks", "spin", "interest rates"))  # fmt: skip
    for equation in EQUATIONS:
        yield from (asked(verb, equation=equation) for verb in ("infer", "explain", "similar"))
    yield from (asked("infer", context=context) for context in CONTEXTS)


def slow() -> Iterator[Request]:
    """Those that take longer: written equations, a whole article, all points of the map."""
    yield from (asked("generate", theta=topic, count=3) for topic in (3, 31, 57))
    yield request("map", "/api/map")
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.tex"\r\n\r\n'
    body = head.encode() + ARTICLE.read_bytes() + f"\r\n--{BOUNDARY}--\r\n".encode()
    yield request("annotate", "/api/annotate", body, f"multipart/form-data; boundary={BOUNDARY}")


def asked(verb: str, **question: Any) -> Request:
    """A question in JSON."""
    return request(verb, f"/api/{verb}", json.dumps(question).encode())


async def client(address: str, end: float, seed: int, record: Record) -> None:
    """One client: the next question, of any kind, as soon as the last is answered."""
    draw, by_kind = random.Random(seed), kinds(slow() if seed % SLOW_EVERY == 0 else quick())
    stream = None
    while time.monotonic() < end:
        one = draw.choice(by_kind[draw.choice([*by_kind])])
        began = time.monotonic()
        try:
            stream = stream or await connected(address)
            status = await asyncio.wait_for(answered(*stream, one.content), PATIENCE)
            if status != 200:
                record.errors.append(f"{status} {one.kind}")
        except (OSError, EOFError, TimeoutError) as error:
            record.errors.append(f"{type(error).__name__} {one.kind}")
            stream = None
        record.seconds.setdefault(one.kind, []).append(time.monotonic() - began)
    if stream:
        stream[1].close()


def kinds(requests: Iterator[Request]) -> dict[str, list[Request]]:
    """Requests by their kind."""
    found: dict[str, list[Request]] = {}
    for one in requests:
        found.setdefault(one.kind, []).append(one)
    return found


async def connected(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to a server."""
    parts = urlsplit(address)
    return await asyncio.open_connection(parts.hostname, parts.port)


async def answered(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, content: bytes
) -> int:
    """The status of an answer, once all of it is there."""
    writer.write(content)
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
    await reader.readexactly(int(length))
    return int(head.split(maxsplit=2)[1])


async def load(address: str, clients: int, seconds: float) -> Entry:
    """All clients at once."""
    record, worked = Record(), time.process_time()
    end = time.monotonic() + seconds
    await asyncio.gather(*(client(address, end, n, record) for n in range(clients)))
    every = sum(map(len, record.seconds.values()))
    fast = kinds(quick())
    return {
        "clients": clients,
        "seconds": seconds,
        "requests_per_second": round(every / seconds, 1),
        "quick": times([s for kind in fast for s in record.seconds.get(kind, [])]),
        "slow": times([s for kind in kinds(slow()) for s in record.seconds.get(kind, [])]),
        "kinds": {kind: times(found) for kind, found in sorted(record.seconds.items())},
        "errors": len(record.errors),
        "first_errors": record.errors[:3],
        "clients_share_of_a_core": round((time.process_time() - worked) / seconds, 2),
    }


def times(seconds: list[float]) -> Entry:
    """How many answers, and how long they took."""
    seconds = sorted(seconds)
    if not seconds:
        return {"answers": 0}
    return {
        "answers": len(seconds),
        "p50_ms": round(1000 * seconds[len(seconds) // 2]),
        "p95_ms": round(1000 * seconds[int(0.95 * len(seconds))]),
    }
