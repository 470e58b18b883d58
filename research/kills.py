"""Commands that are killed at any moment: what lies there then, and what doing them again gives.

In go articles. A command runs in a process of its own, forked so that work is what is killed, not
imports, and gets SIGKILL either when it has used a share of its processor time, drawn by lot, or
just before one of its changes to the file system, drawn by lot. Then nothing may be half-written
under a final name, nothing lost that was there before, no process left. The command is given again,
and has to leave the same files as one that nobody killed: the same bytes, or, where files tell
seconds, the same but for these. Settings are small, so that a command takes a second.
"""

import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import torch
from safetensors.numpy import load_file

from research import entries
from research.entries import Entry, lines, made, read_if
from topiceq.cli.app import main
from topiceq.corpus import shards
from topiceq.files import alone_with, write_text
from topiceq.model import equation_encoder
from topiceq.model.processes import one_thread
from topiceq.tasks import many

if TYPE_CHECKING:
    from distributed import LocalCluster

PATIENCE = 20.0  # seconds until a process whose parent is gone is an orphan
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate"}
SECONDS = {"seconds", "tokens_per_second", "busy"}  # in the files of a training


@dataclass(frozen=True)
class Command:
    """One command as it is typed in a folder beside `base` and `articles`."""

    words: str
    units: tuple[str, ...] = ()  # folders that are there whole or not at all
    takes: tuple[str, ...] = ()  # of the base, copied before: what the command changes
    trains: str = ""  # the run that it begins, and goes on with


RUN = "../base/run"
CORPUS = "../base/corpus"
DEBUG = "-c debug --set train.epochs=2 --set train.topic_epochs=1"
COMMANDS = {
    "extract": Command("extract ../articles -o pairs --jobs 1"),
    "extract, two processes": Command("extract ../articles -o pairs --jobs 2"),
    "build": Command("build ../base/pairs -o corpus", ("corpus",)),
    "build of articles": Command("build ../articles -o corpus --jobs 1", ("corpus",)),
    "train": Command(f"train {CORPUS} -o run {DEBUG}", ("run/lexicon",), trains="run"),
    "fine-tuning": Command(
        f"train {CORPUS} -o run --from {RUN} {DEBUG} --set train.topic_epochs=0",
        ("run/lexicon",), trains="run"),
    "encoder": Command(f"encoder run {CORPUS}", ("run/lexicon",), takes=("run",)),
    "index": Command(f"index {CORPUS} -o index", ("index",)),
    "infer": Command(f"infer {RUN} --input ../base/equations.txt --output topics.parquet --jobs 1"),
    "infer, two processes": Command(
        f"infer {RUN} --input ../base/equations.txt --output topics.parquet --jobs 2"),
    "annotate": Command(
        f"annotate {RUN} ../articles/quantum/harmonic_oscillator.tex -o page.html "
        "--glossary symbols.csv"),
    "export": Command(f"serve {RUN} --export page", ("page",)),
}  # fmt: skip


@dataclass(frozen=True)
class Kill:
    """What became of one kill."""

    kill: int
    command: str
    at: str
    lost: list[str]  # files that were there before
    half: list[str]  # files under a final name that are neither old nor new
    orphans: int
    code: int  # of the command given again
    left: list[str]  # files that are there then, and not without a kill
    other: list[str]  # files that are missing or other than without a kill


def kills(
    articles: Annotated[Path, "some small ones"],
    *,
    out: Annotated[Path, "folder to work in"],
    count: Annotated[int, "kills, every tenth of a Dask cluster"] = 100,
    first: Annotated[int, "number of the first kill"] = 0,
    seed: int = 25,
) -> None:
    """Commands killed at any moment and given again: what is lost, half-written, left, or other.

    What stands in the results already is not done again. On Linux. Writes results/kills.json.
    """
    small()
    out = out.resolve()
    base(articles, out)
    numbers = range(first, first + count)
    of_cluster = [n for n in numbers if n % 10 == 9 and not is_done(n, seed)]
    for number in numbers:
        if number % 10 != 9 and not is_done(number, seed):
            keep(killed(number, seed, out), seed)
    if of_cluster:
        with cluster() as workers:
            for number in of_cluster:
                keep(killed_on(workers, number, seed, out), seed)


def small() -> None:
    """Several shards, parts and states where there is little data."""
    one_thread()
    shards.SHARD_BYTES, many.ROWS, equation_encoder.STEPS = 40_000, 40, 30


def is_done(number: int, seed: int) -> bool:
    found = read_if("kills") or {"kills": [], "seed": seed}
    return found["seed"] == seed and any(each["kill"] == number for each in found["kills"])


def keep(found: "Kill", seed: int) -> None:
    """One kill more in the file of results."""
    print(found, flush=True)
    with alone_with(entries.RESULTS / "kills.json"):
        before = read_if("kills") or {"kills": [], "seed": seed}
        rows = before["kills"] if before["seed"] == seed else []
        rows = sorted([*rows, asdict(found)], key=lambda each: int(each["kill"]))
        entries.write("kills", made() | {"seed": seed, "kills": rows})


# -- a command in a process of its own ----------------------------------------------------------


def forked(words: list[str], folder: Path, watch: Callable[[str], None] | None = None) -> int:
    """Begin a command in a folder, with a folder of its own for what is temporary."""
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        os.setsid()
        os.chdir(folder)
        (folder / "tmp").mkdir(exist_ok=True)
        tempfile.tempdir, sys.argv = str(folder / "tmp"), ["topiceq", *words]
        with open(folder.with_suffix(".log"), "a", buffering=1) as log:
            sys.stdout = sys.stderr = log
            if watch:
                sys.addaudithook(partial(_changed, watch))
            try:
                main()
                code = 0
            except SystemExit as end:
                code = int(end.code or 0)
    finally:
        os._exit(code)


def _changed(watch: Callable[[str], None], event: str, given: tuple[Any, ...]) -> None:
    """Tell of what is about to change in the file system."""
    if event in CHANGES or (event == "open" and isinstance(given[2], int) and given[2] & WRITING):
        watch(event)


def uninterrupted(out: Path, name: str) -> tuple[dict[str, str], float, int]:
    """The files that a command leaves, the seconds of processor that it takes, its changes."""
    folder, told = prepared(out, name), out / "changes"
    words = COMMANDS[name].words
    told.write_text("")

    def watch(event: str) -> None:
        if os.getpid() == os.getsid(0):
            os.write(handle, b".")

    handle = os.open(told, os.O_WRONLY | os.O_APPEND)
    _, status, used = os.wait4(forked(words.split(), folder, watch), 0)
    os.close(handle)
    if status:
        sys.exit(f"'{words}' failed: {folder.with_suffix('.log').read_text()[-2000:]}")
    return content(folder), used.ru_utime + used.ru_stime, told.stat().st_size


def once(out: Path, name: str) -> tuple[dict[str, str], float, int]:
    """What an uninterrupted command gives, kept for the next time."""
    path = out / f"{prepared(out, name).name}.json"
    if not path.exists():
        write_text(path, json.dumps(uninterrupted(out, name)))
    files, seconds, changes = json.loads(path.read_text(encoding="utf-8"))
    return files, seconds, changes


def prepared(out: Path, name: str) -> Path:
    """An empty folder for a command, with what the command changes."""
    folder = out / name.replace(", ", "-").replace(" ", "-")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tmp").mkdir(parents=True)
    for taken in COMMANDS[name].takes:
        shutil.copytree(out / "base" / taken, folder / taken)
    return folder


def base(articles: Path, out: Path) -> None:
    """What the commands need: articles, pairs, a corpus, a run, equations."""
    if (out / "base").exists():
        return
    out.mkdir(parents=True, exist_ok=True)
    shutil.copytree(articles, out / "articles", dirs_exist_ok=True)
    folder = out / "making"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for words in ("extract ../articles -o pairs --jobs 1", "build pairs -o corpus",
                  f"train corpus -o run {DEBUG}"):  # fmt: skip
        _, status = os.waitpid(forked(words.split(), folder), 0)
        if status:
            sys.exit(f"'{words}' failed: {folder.with_suffix('.log').read_text()[-2000:]}")
    equations = [rf"x_{{{n}}} = \frac{{a + {n}}}{{b}} \sum_i y_i^{{{n % 7}}}" for n in range(160)]
    (folder / "equations.txt").write_text("\n".join(equations) + "\n", encoding="utf-8")
    folder.rename(out / "base")


# -- a kill --------------------------------------------------------------------------------------


def killed(number: int, seed: int, out: Path) -> Kill:
    """Kill a command at some moment, look, and give it again; if it ended before, try again."""
    draw = random.Random(f"{seed} {number}")
    name = list(COMMANDS)[(number - number // 10) % len(COMMANDS)]
    command, (wanted, seconds, changes) = COMMANDS[name], once(out, name)
    while True:
        folder = prepared(out, name)
        before = content(folder)
        if draw.random() < 0.5:
            at = draw.randint(1, changes)
            pid, moment = _at_change(command, folder, at), f"change {at} of {changes}"
        else:
            share = draw.uniform(0.02, 0.98)
            pid, moment = _at_share(command, folder, share * seconds), f"{share:.2f} of its time"
        if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL:
            break
    orphans = _orphans(pid)
    lost, half = damage(folder, command, before, wanted)
    words = command.words.split()
    if command.trains and (folder / command.trains / "config.toml").exists():
        words.append("--resume")
    code = os.waitstatus_to_exitcode(os.waitpid(forked(words, folder), 0)[1])
    left, other = differences(content(folder), wanted)
    return Kill(number, name, moment, lost, half, orphans, code, left, other)


def _at_change(command: Command, folder: Path, at: int) -> int:
    done = [0]

    def watch(event: str) -> None:
        if os.getpid() == os.getsid(0):  # workers of its own change other files
            done[0] += 1
            if done[0] == at:
                os.kill(os.getpid(), signal.SIGKILL)

    return forked(command.words.split(), folder, watch)


def _at_share(command: Command, folder: Path, seconds: float) -> int:
    pid = forked(command.words.split(), folder)
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while _used(pid) < seconds and os.waitid(os.P_PID, pid, options) is None:
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    return pid


def _used(pid: int) -> float:
    """Seconds of processor that a process and the children it has now have used."""
    try:
        own = time.clock_gettime((~pid << 3) | 2)  # as clock_getcpuclockid(3) says
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0
    return own + sum(map(_used, map(int, children)))


def _orphans(session: int) -> int:
    """How many processes of a session do not end, now that its first one has; they are ended."""
    until = time.monotonic() + PATIENCE
    while (found := list(_members(session))) and time.monotonic() < until:
        time.sleep(0.05)
    for pid in found:
        os.kill(pid, signal.SIGKILL)
    return len(found)


def _members(session: int) -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, own = path.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(own) == session and state != "Z":
            yield int(path.parent.name)


# -- a kill on a cluster -------------------------------------------------------------------------


CLIENT = """
import sys
from topiceq.cli.app import main
from topiceq.corpus import shards
shards.SHARD_BYTES = int(sys.argv.pop())
main()
"""


@contextmanager
def cluster() -> "Iterator[LocalCluster]":
    """A Dask cluster of two workers, each a process of its own, in place of which others come."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1",
        dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL,
    ) as workers:  # fmt: skip
        replacing = workers.adapt(minimum=2, maximum=2, interval="100ms")
        yield workers
        replacing.stop()


def killed_on(workers: "LocalCluster", number: int, seed: int, out: Path) -> Kill:
    """Kill a worker, whose work another one does, or the client, which is started again."""
    draw, folder, is_worker = random.Random(f"{seed} {number}"), out / "cluster", number % 20 < 10
    name, share = "a worker of a cluster" if is_worker else "the client of a cluster", draw.random()
    wanted, _, _ = once(out, "extract")
    seconds = _seconds_on(workers, folder)
    while True:
        client = _client(workers, folder)
        time.sleep(share * seconds)
        pids = [each.pid for each in workers.workers.values() if each.pid]
        killed = client.poll() is None and (pids or not is_worker)
        if killed:
            os.kill(draw.choice(pids) if is_worker else client.pid, signal.SIGKILL)
        code = client.wait()
        if killed:
            break
        seconds *= 0.8  # this time it has taken less than before
    lost, half = damage(folder, COMMANDS["extract"], {}, wanted)
    if not is_worker:
        again = _client(workers, folder, fresh=False)
        code = again.wait()
    left, other = differences(content(folder), wanted)
    return Kill(number, name, f"{share:.2f} of its time", lost, half, 0, code, left, other)


def _client(
    workers: "LocalCluster", folder: Path, *, fresh: bool = True
) -> subprocess.Popen[bytes]:
    """Extract on the cluster, in an empty folder if `fresh`."""
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "tmp").mkdir(parents=True)
    words = ["extract", "../articles", "-o", "pairs", "--cluster", workers.scheduler_address]
    return subprocess.Popen(
        [sys.executable, "-c", CLIENT, *words, str(shards.SHARD_BYTES)], cwd=folder,
        env=os.environ | {"TMPDIR": str(folder.resolve() / "tmp")}, stdout=subprocess.DEVNULL,
    )  # fmt: skip


def _seconds_on(workers: "LocalCluster", folder: Path) -> float:
    began = time.monotonic()
    _client(workers, folder).wait()
    return time.monotonic() - began


# -- what lies there -----------------------------------------------------------------------------


def content(folder: Path) -> dict[str, str]:
    """Each file, hidden ones too, with a digest of what does not depend on the clock."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): _digest(path) for path in files}


def _digest(path: Path) -> str:
    try:
        return sha256(_timeless(path)).hexdigest()[:16]
    except Exception as error:  # half of a file: whatever its reader says
        return f"cannot be read: {error}"


def _timeless(path: Path) -> bytes:
    """The bytes of a file; of those that tell seconds, all else."""
    if path.suffix == ".safetensors":
        found = load_file(path)
        return b"".join(name.encode() + found[name].tobytes() for name in sorted(found))
    if path.name == "state.pt":
        state = torch.load(path, weights_only=True)
        return repr(_without_seconds(state)).encode()
    if path.name == "history.jsonl":
        records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        return repr([_without_seconds(record) for record in records]).encode()
    if path.name == "README.md":
        told = path.read_text(encoding="utf-8").splitlines()
        return "\n".join(line for line in told if "seconds" not in line).encode()
    if path.suffix == ".json":
        json.loads(path.read_bytes())
    return path.read_bytes()


def _without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {n: _without_seconds(v) for n, v in value.items() if n not in {*SECONDS, "history"}}
    if isinstance(value, list | tuple):
        return [*map(_without_seconds, value)]
    return sha256(value.numpy().tobytes()).hexdigest() if torch.is_tensor(value) else value


def damage(
    folder: Path, command: Command, before: dict[str, str], wanted: dict[str, str]
) -> tuple[list[str], list[str]]:
    """Files that are lost, and files or folders under a final name that are not whole."""
    now = {name: digest for name, digest in content(folder).items() if "/." not in f"/{name}"}
    now = {name: digest for name, digest in now.items() if not name.startswith("tmp/")}
    lost = [name for name in before if name not in now]
    if command.trains:  # whose weights and history are others at each step
        half = [name for name, digest in now.items() if digest.startswith("cannot be read")]
    else:
        half = [name for name, digest in now.items()
                if digest not in (before.get(name), wanted.get(name))]  # fmt: skip
    for unit in command.units:
        found = {name for name in now if name.startswith(f"{unit}/")}
        if found and found != {name for name in wanted if name.startswith(f"{unit}/")}:
            half.append(unit)
    return lost, half


def differences(now: dict[str, str], wanted: dict[str, str]) -> tuple[list[str], list[str]]:
    """Files that should not be there, and files that are missing or other."""
    left = [name for name in now if name not in wanted]
    return left, [name for name, digest in wanted.items() if now.get(name) != digest]


# -- shown ---------------------------------------------------------------------------------------


def kills_shown() -> str:
    """For each command, how often it was killed and what came of it."""
    found = read_if("kills")
    if found is None:
        return entries.NOT_RUN
    names = dict.fromkeys(each["command"] for each in found["kills"])
    rows = [
        [name, *_figures([e for e in found["kills"] if e["command"] == name])] for name in names
    ]
    heads = ["killed", "kills", "files lost", "half-written", "processes left", "files left",
             "other than without a kill"]  # fmt: skip
    return lines(heads, [*rows, ["all", *_figures(found["kills"])]])


def _figures(some: list[Entry]) -> list[str]:
    sums = (sum(len(each[part]) for each in some) for part in ("lost", "half"))
    left = sum(len(each["left"]) for each in some)
    other = sum(bool(each["other"] or each["code"]) for each in some)
    orphans = sum(each["orphans"] for each in some)
    return [str(n) for n in (len(some), *sums, orphans, left, other)]
