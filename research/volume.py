"""Hundreds of thousands of equations through `topiceq infer --input`: on one machine, on a cluster.

In go pairs, whose equations stand there as their authors wrote them; out comes results/volume.json:
equations a second, the memory of the largest process, and whether both ways give the same rows.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from research.entries import NOT_RUN, Entry, lines, read_if, report
from topiceq.corpus.pair import pair_files, read_column

PAUSE = 0.2  # seconds between two looks at the memory


def volume(
    pairs: Annotated[Path, "a folder that `topiceq extract` wrote"],
    *,
    count: int = 300_000,
    jobs: int = 2,
) -> None:
    """Equations a second through `infer --input`, on JOBS processes and on as many Dask workers.

    All equations of the pairs as they were written, over again until there are COUNT. Writes
    results/volume.json.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asked = folder / "equations.parquet"
        pq.write_table(pa.table({"equation": written(pairs, count)}), asked, row_group_size=50_000)
        here = timed(asked, folder / "here.parquet", "--jobs", str(jobs))
        there = on_cluster(asked, folder / "there.parquet", jobs)
        rows = [pq.read_table(folder / f"{way}.parquet") for way in ("here", "there")]
        report("volume", {
            "equations": count, "jobs": jobs, "load": round(os.getloadavg()[0], 1),
            "one machine": here, "Dask cluster": there, "same_rows": rows[0].equals(rows[1]),
        })  # fmt: skip


def written(pairs: Path, count: int) -> pa.ChunkedArray:
    """So many equations."""
    parts = [column for file in pair_files(pairs) for column in read_column(file, "equation")]
    every = pa.chunked_array(parts)
    times = -(-count // len(every))
    return pa.chunked_array([*every.chunks] * times)[:count]


def on_cluster(asked: Path, out: Path, workers: int) -> Entry:
    """The same on a Dask cluster of so many worker processes, started for it."""
    from distributed import LocalCluster  # which most verbs do not need

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        return timed(asked, out, "--cluster", cluster.scheduler_address)


def timed(asked: Path, out: Path, *more: str) -> Entry:
    """One command, its time, and the most memory that one process of it or of the cluster had."""
    command = [sys.executable, "-m", "topiceq", "infer", "--input", str(asked), "--output",
               str(out), "--json", *more]  # fmt: skip
    began, most = time.perf_counter(), 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        while running.poll() is None:
            most = max(most, largest())
            time.sleep(PAUSE)
        said = json.loads(running.stdout.read()) if running.stdout else {}
    seconds = time.perf_counter() - began
    return {
        "errors": said["errors"],
        "seconds": round(seconds, 1),
        "equations_per_second": round(said["rows"] / seconds),
        "megabytes": most >> 20,
    }


def largest() -> int:
    """Bytes of the largest process below this one."""
    found = [0]
    for process in psutil.Process().children(recursive=True):
        try:
            found.append(process.memory_info().rss)
        except psutil.NoSuchProcess:
            continue
    return max(found)


def volume_shown() -> str:
    """Both ways as a table."""
    found = read_if("volume")
    if found is None:
        return NOT_RUN
    same = "the same rows" if found["same_rows"] else "other rows"
    rows = [
        [way, f"{found[way]['seconds']:.0f}", f"{found[way]['equations_per_second']:,}",
         f"{found[way]['megabytes']}", f"{found[way]['errors']:,}"]
        for way in ("one machine", "Dask cluster")
    ]  # fmt: skip
    heads = [f"{found['equations']:,} equations ({same})", "seconds", "a second",
             "MB of the largest process", "cannot be read"]  # fmt: skip
    return lines(heads, rows)
