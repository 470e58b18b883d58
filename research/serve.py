"""The explorer's server, from another process: under load, and in a browser."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Response, sync_playwright

from research.entries import NOT_RUN, Entry, lines, read_if, report
from research.load import load


def serve(
    run: Path | None = None, *, clients: int = 50, seconds: float = 20, soak: float = 600
) -> None:
    """The server under load: 50 clients that ask every kind of question, from another process.

    Starts `topiceq serve` on a free port and opens its start page in Chromium (first paint, bytes);
    asks for --seconds with all clients at once (requests a second, errors, p50 and p95 of quick and
    of slow questions), then goes on for --soak seconds and notes the server's memory every minute.
    Writes results/serve.json.
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


# -- shown ---------------------------------------------------------------------------------------


def serve_shown() -> str:
    """The server under load and among hostile requests, the page in a browser."""
    served, among, seen = read_if("serve"), read_if("hostile"), read_if("browser")
    rows = []
    if served:
        rows += [_load_row("for {seconds:g} s", served["load_test"])]
        rows += [_load_row("for {seconds:g} s", served["soak"])]
    if among:
        rows += [[
            f"quick questions, a twentieth hostile, for {among['seconds']:g} s",
            f"{among['requests_per_second']:.0f} a second, p95 {among['p95_ms']} ms; "
            f"{among['errors']} errors, {len(among['faults'])} faults; {_memory(among)}",
        ]]  # fmt: skip
    if seen:
        pan, read, long = seen["pan"], seen["read"], seen["read_long"]
        rows += [
            ["first paint of the map", f"{seen['map']['first_paint_ms']} ms, "
             f"{seen['map']['bytes_without_font'] / 1000:.0f} kB without the font"],
            [f"{pan['points']:,} points dragged",
             f"{pan['frames_per_second']:.0f} frames a second"],
            ["from typing to an answer", f"{seen['equation_to_answer']['ms']} ms"],
            *([f"an article of {one['displays']} displays read",
               f"{one['seconds']:.1f} s, first words {one['first_words_seconds']:.1f} s"]
              for one in (read, long)),
        ]  # fmt: skip
    return lines(["", "measured"], rows) if rows else NOT_RUN


def _load_row(title: str, found: Entry) -> list[str]:
    name = f"{found['clients']} clients, questions of every kind, " + title.format(**found)
    quick, slow = found["quick"]["p95_ms"], found["slow"]["p95_ms"]
    told = (f"{found['requests_per_second']:.0f} a second; p95 of quick ones {quick} ms, of slow "
            f"ones {slow} ms; {found['errors']} errors")  # fmt: skip
    return [name, told + (f"; {_memory(found)}" if "megabytes" in found else "")]


def _memory(found: Entry) -> str:
    first, *_, last = found["megabytes"]
    return f"memory {first} MB at first, {last} MB at last"
