"""The explorer's server, from another process: under load, and in a browser."""

import asyncio
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Response, sync_playwright

from research.entries import Entry, questions, report

EQUATIONS = {question["name"]: question["equation"] for question in questions("paper")}
QUESTIONS: list[tuple[str, str, dict[str, Any] | None]] = [
    ("GET", "/api/topics", None),
    ("GET", "/api/topics/3", None),
    ("POST", "/api/infer", {"equation": EQUATIONS["Newton's second law"]}),
    ("POST", "/api/infer", {"equation": EQUATIONS["Schrödinger equation"]}),
    ("POST", "/api/infer", {"context": "The eigenvalues of a symmetric matrix are real."}),
    ("POST", "/api/explain", {"symbol": "E", "theta": 3}),
    ("POST", "/api/explain", {"equation": EQUATIONS["Newton's second law"]}),
]


def serve(
    run: Path | None = None, *, clients: int = 50, seconds: float = 20, soak: float = 600
) -> None:
    """The server under load: 50 clients that ask mixed questions, from another process.

    Starts `topiceq serve` on a free port and opens its start page in Chromium (first paint, bytes);
    asks for --seconds with all clients at once (requests a second, p50, p95, errors), then goes on
    for --soak seconds and notes the server's memory every minute. Writes results/serve.json.
    """
    server, address = start(run)
    try:
        found: Entry = {"load": os.getloadavg()[0], "start_page": start_page(address)}
        found["load_test"] = asyncio.run(load(address, clients, seconds))
        found["soak"] = asyncio.run(watched_load(address, server.pid, clients, soak))
    finally:
        server.terminate()
    report("serve", found)


def start(run: Path | None) -> tuple[subprocess.Popen[str], str]:
    """A server in a process of its own, and its address; of the default model without a run."""
    which = [str(run)] if run else []
    command = [sys.executable, "-m", "topiceq", "serve", *which, "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr
    for line in server.stderr:
        if found := re.search(r"http://\S+", line):
            return server, found[0]
    raise SystemExit("The server did not start.")


async def client(
    address: str, end: float, seed: int, times: list[float], errors: list[str]
) -> None:
    """One client: the next question as soon as the last is answered."""
    draw = random.Random(seed)
    async with httpx.AsyncClient(base_url=address, timeout=60) as http:
        while time.monotonic() < end:
            method, path, body = draw.choice(QUESTIONS)
            began = time.monotonic()
            try:
                answer = await http.request(method, path, json=body)
                if answer.status_code != 200:
                    errors.append(f"{answer.status_code} {path} {answer.text[:80]}")
            except httpx.HTTPError as error:
                errors.append(f"{type(error).__name__} {path}")
            times.append(time.monotonic() - began)


async def load(address: str, clients: int, seconds: float) -> Entry:
    """All clients at once."""
    times: list[float] = []
    errors: list[str] = []
    end = time.monotonic() + seconds
    await asyncio.gather(*(client(address, end, n, times, errors) for n in range(clients)))
    times.sort()
    return {
        "clients": clients,
        "seconds": seconds,
        "requests_per_second": round(len(times) / seconds, 1),
        "p50_ms": round(1000 * times[len(times) // 2]),
        "p95_ms": round(1000 * times[int(0.95 * len(times))]),
        "errors": len(errors),
        "first_errors": errors[:3],
    }


PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def start_page(address: str) -> Entry:
    """First paint of the start page in a fresh browser, and what came over the wire."""
    answers: list[Response] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page()
        page.on("response", lambda answer: answers.append(answer))
        page.goto(address, wait_until="networkidle")
        sizes = [answer.request.sizes() for answer in answers]
        found = {
            "first_paint_ms": round(page.evaluate(PAINT)),
            "requests": len(answers),
            "kilobytes": round(sum(s["responseBodySize"] for s in sizes) / 1000, 1),
        }
        browser.close()
    return found


async def watched_load(address: str, process: int, clients: int, seconds: float) -> Entry:
    """The same load for long, with the server's memory every minute."""
    megabytes: list[int] = []

    async def watch() -> None:
        while True:
            megabytes.append(memory(process))
            await asyncio.sleep(60)

    watching = asyncio.create_task(watch())
    found = await load(address, clients, seconds)
    watching.cancel()
    return found | {"megabytes": [*megabytes, memory(process)]}


def memory(process: int) -> int:
    """Megabytes that a process holds."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) // 1024 if found else 0
