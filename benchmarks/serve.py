"""The server under load: 50 clients that ask mixed questions, from another process.

    python benchmarks/serve.py RUN [--clients 50] [--seconds 20] [--soak 600]

Starts `topiceq serve` on a free port, asks for --seconds with all clients at once (requests a
second, p50, p95, errors), then goes on for --soak seconds and notes the server's memory before and
after. Writes results/serve.json.
"""

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
from trained import RESULTS, commit

QUESTIONS: list[tuple[str, str, dict[str, Any] | None]] = [
    ("GET", "/api/topics", None),
    ("GET", "/api/topics/3", None),
    ("POST", "/api/infer", {"equation": r"E = m c^2"}),
    ("POST", "/api/infer", {"equation": r"\frac{\partial u}{\partial t} = k \nabla^2 u"}),
    ("POST", "/api/infer", {"context": "The eigenvalues of a symmetric matrix are real."}),
    ("POST", "/api/explain", {"symbol": "E", "theta": 3}),
    ("POST", "/api/explain", {"equation": r"F = m a"}),
]


def start(run: Path) -> tuple[subprocess.Popen[str], str]:
    """A server in a process of its own, and its address."""
    command = [sys.executable, "-m", "topiceq", "serve", str(run), "--port", "0"]
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


async def load(address: str, clients: int, seconds: float) -> dict[str, Any]:
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


def memory(process: int) -> int:
    """Megabytes that a process holds."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) // 1024 if found else 0


def main() -> None:
    """Measure, print, and keep the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--soak", type=float, default=600)
    arguments = parser.parse_args()
    server, address = start(arguments.run)
    try:
        found: dict[str, Any] = {"commit": commit(), "load": os.getloadavg()[0]}
        found["load_test"] = asyncio.run(load(address, arguments.clients, arguments.seconds))
        found["megabytes_before"] = memory(server.pid)
        found["soak"] = asyncio.run(load(address, arguments.clients, arguments.soak))
        found["megabytes_after"] = memory(server.pid)
    finally:
        server.terminate()
    print(json.dumps(found, indent=1))
    (RESULTS / "serve.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
