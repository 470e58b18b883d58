"""The server among strangers: quick questions, beside requests that want to harm.

Clients speak HTTP over plain sockets, for they share the machine with the server.
"""

import asyncio
import gzip
import json
import os
import random
import re
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from research.entries import Entry, report
from research.load import quick
from research.serve import memory, start

HOSTILE = "127.0.0.2"  # the address that hostile requests come from: limits are by address
PATIENCE = 90.0  # seconds for an answer to a hostile request
OURS = (500, 502)  # answers to them that would be faults of the server
TICKS = os.sysconf("SC_CLK_TCK")


class Attack(NamedTuple):
    """Bytes that are sent one part after the other."""

    parts: list[bytes]
    pause: float = 0.0  # seconds between two of them
    leaves: bool = False  # before there is an answer


def hostile(
    run: Path | None = None, *, clients: int = 50, seconds: float = 600, share: float = 0.05
) -> None:
    """Quick questions of 50 clients while --share of the requests are hostile, for --seconds.

    Hostile are those that are malformed, huge, slow, abandoned, or hard to answer. Notes how long
    the good ones take, what is said to the hostile ones, the server's memory and its processor time
    a request. Writes results/hostile.json.
    """
    server, address = start(run)
    log: list[str] = []
    assert server.stderr
    threading.Thread(target=log.extend, args=(server.stderr,), daemon=True).start()
    load = os.getloadavg()[0]
    try:
        found = asyncio.run(_soak(address, server.pid, clients, seconds, share))
    finally:
        server.terminate()
    found |= {
        "stopped_with": server.wait(PATIENCE),
        "tracebacks": sum("Traceback" in line for line in log),
    }
    report("hostile", {"load": load} | found)


@dataclass
class Seen:
    """What the clients have seen."""

    times: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)  # good questions without an answer
    sent: Counter[str] = field(default_factory=Counter)  # hostile ones by their kind
    said: Counter[str] = field(default_factory=Counter)  # answers to these
    faults: list[str] = field(default_factory=list)  # of the server
    open: set[asyncio.Task[None]] = field(default_factory=set)


async def _soak(address: str, process: int, clients: int, seconds: float, share: float) -> Entry:
    seen, megabytes, end = Seen(), [memory(process)], time.monotonic() + seconds
    before = processor_seconds(process)
    asking = asyncio.gather(
        *(_client(address, end, seed, share, seen) for seed in range(clients)))  # fmt: skip
    while not asking.done():
        await asyncio.wait([asking], timeout=max(1.0, seconds / 20))
        megabytes.append(memory(process))
    spent = processor_seconds(process) - before
    asking.result()
    await asyncio.gather(*seen.open)
    seen.times.sort()
    asked = len(seen.times)
    return {
        "clients": clients,
        "seconds": seconds,
        "requests_per_second": round(asked / seconds, 1),
        "p50_ms": round(1000 * seen.times[asked // 2]),
        "p95_ms": round(1000 * seen.times[int(0.95 * asked)]),
        "processor_ms_per_request": round(1000 * spent / (asked + seen.sent.total()), 2),
        "errors": len(seen.errors),
        "first_errors": seen.errors[:3],
        "hostile": dict(sorted(seen.sent.items())),
        "answers": dict(sorted(seen.said.items())),
        "faults": seen.faults,
        "megabytes": megabytes,
    }


async def _client(address: str, end: float, seed: int, share: float, seen: Seen) -> None:
    """One client on one connection; what is hostile goes its own way beside it."""
    draw, kinds = random.Random(seed), attacks(urlsplit(address).netloc)
    good = [question.content for question in quick()]
    link = None
    while time.monotonic() < end:
        if draw.random() < share:
            kind = draw.choice([*kinds])
            task = asyncio.create_task(_attack(address, kind, kinds[kind], seen))
            seen.open.add(task)
            task.add_done_callback(seen.open.discard)
            continue
        began = time.monotonic()
        try:
            reader, writer = link = link or await _connected(address)
            writer.write(draw.choice(good))
            status, body = await _answer(reader)
            if status != 200:
                seen.errors.append(f"{status} {body[:80]!r}")
        except (OSError, EOFError) as error:
            seen.errors.append(repr(error))
            link = None
        seen.times.append(time.monotonic() - began)


async def _connected(
    address: str, client: str = "127.0.0.1"
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(address)
    return await asyncio.open_connection(parts.hostname, parts.port, local_addr=(client, 0))


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    size = re.search(rb"(?i)content-length: (\d+)", head)
    return int(head.split()[1]), await reader.readexactly(int(size[1])) if size else b""


async def _attack(address: str, kind: str, attack: Attack, seen: Seen) -> None:
    seen.sent[kind] += 1
    status = "closed"
    try:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await _connected(address, HOSTILE)
            for part in attack.parts:
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(attack.pause)
            if not attack.leaves:
                number, body = await _answer(reader)
                status = str(number)
                if number in OURS:
                    seen.faults.append(f"{kind}: {number} {body[:80]!r}")
            writer.close()
    except (OSError, EOFError):  # the server has closed it
        pass
    except TimeoutError:
        seen.faults.append(f"{kind}: no answer in {PATIENCE:g} s")
    seen.said["left" if attack.leaves else status] += 1


# -- requests ------------------------------------------------------------------------------------


def head(host: str, method: str, path: str, size: int, kind: str = "application/json") -> bytes:
    """The head of a request."""
    return (
        f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {size}\r\n\r\n"
    ).encode()


def attacks(host: str) -> dict[str, Attack]:
    """Hostile requests by their kind."""

    def post(path: str, body: bytes, kind: str = "application/json", size: int = 0) -> bytes:
        return head(host, "POST", path, size or len(body), kind) + body

    def form(name: str, content: bytes) -> bytes:
        start = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = start.encode() + content + b"\r\n--b--\r\n"
        return post("/api/annotate", body, "multipart/form-data; boundary=b")

    def equation(latex: str) -> bytes:
        return post("/api/infer", json.dumps({"equation": latex}).encode())

    begun = f"GET /health HTTP/1.1\r\nHost: {host}\r\nX: ".encode()
    generate = json.dumps({"theta": 3, "count": 100}).encode()
    endless = {"theta": 3, "to": 5, "steps": 1_000, "count": 10_000, "best_of": 100}
    return {
        "no request": Attack([b"\0" * 1_000]),
        "huge head": Attack([begun + b"a" * 1_000_000]),
        "many headers": Attack([begun + b"a\r\n" + b"X: y\r\n" * 100_000]),
        "another host": Attack([head("evil.example", "GET", "/api/model", 0)]),
        "another method": Attack([head(host, "DELETE", "/api/infer", 0)]),
        "path outside": Attack([head(host, "GET", "/..%2f..%2fetc/passwd", 0)]),
        "huge body": Attack([post("/api/infer", b"", size=40_000_000), *[b"x" * 65_536] * 40]),
        "nested JSON": Attack([post("/api/infer", b"[" * 200_000)]),
        "no form": Attack([post("/api/annotate", b"--b\r\n" * 9_000,
                                "multipart/form-data; boundary=b")]),
        "bomb": Attack([form("a.tar.gz", BOMB)]),
        "slow head": Attack([begun, *[b"a"] * 30], pause=1.0),
        "slow body": Attack([post("/api/infer", b"{", size=1_000), *[b" "] * 40], pause=1.0),
        "unclosed": Attack([equation("{" * 19_000)]),
        "macros without end": Attack([equation(r"\def\a{\a\a}\a")]),
        "many rows": Attack([equation(r"a\\" * 900)]),
        "endless writing": Attack([post("/api/generate", json.dumps(
            endless | {"greedy": False, "max_tokens": 2_000}).encode())]),
        "abandoned question": Attack([equation("E = m c^2")], leaves=True),
        "abandoned equations": Attack([post("/api/generate", generate)], pause=0.5, leaves=True),
        "abandoned article": Attack([form("a.tex", ARTICLE)], pause=0.5, leaves=True),
    }  # fmt: skip


BOMB = gzip.compress(gzip.compress(bytes(100_000_000), mtime=0), mtime=0)
ARTICLE = (
    rb"\documentclass{article}\begin{document}"
    + rb"The energy of a particle. \[ E = \frac{p^2}{2m} + V(x) \] " * 200
    + rb"\end{document}"
)


def processor_seconds(process: int) -> float:
    """Processor time that a process has taken."""
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / TICKS
