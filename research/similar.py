"""How good a search of equations is, how large its index, and how fast.

50 questions, such as one would type them, were written before any search (questions/similar.jsonl).
The ten nearest of each by three methods were pooled and shuffled: the search of 0.1 (overlap,
decoder state and topics), overlap alone, and overlap with r's vectors; later those of two variants
of overlap, too. Each was judged without knowing whose it was: 3 the same equation but for names and
notation, 2 a special case, a variant or a part of what was asked, 1 related, 0 not
(questions/relevance.jsonl, by the digest of its tokens). What nobody judged counts as 0.
"""

import hashlib
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy.stats import ttest_rel

from research.entries import HERE, Entry, lines, read_one, report
from topiceq.api import PRETRAINED, TopicEq
from topiceq.article.equation.symbol import is_renamable
from topiceq.errors import Unsupported
from topiceq.model.processes import one_thread
from topiceq.questions import Similar
from topiceq.tasks import postings as packed
from topiceq.tasks.index import FOLDER, Index, load_index, merged
from topiceq.tasks.postings import Postings
from topiceq.tasks.read import Equation, read_rows
from topiceq.tasks.similar import Search
from topiceq.tasks.similar import similar as answer

TOP, RELEVANT = 10, 2
WEIGHTS = (0.1, 0.15, 0.25)  # of r beside the overlap
EACH = 4_000  # equations that r reads at once
EARLIER = {  # with code that is gone, over equations of five tokens and more (README.md there)
    "0.1: overlap, decoder state, topics": {"ndcg": 0.8383, "p": 0.664},
    "overlap, delimiters with sizes, 16,384 n-grams": {"ndcg": 0.8077, "p": 0.634},
    "overlap, delimiters with sizes, and 0.25 r (an r of before)": {"ndcg": 0.8347, "p": 0.67},
    "overlap as it is now": {"ndcg": 0.8395, "p": 0.664},
    "overlap as it is now, and 0.25 r (an r of before)": {"ndcg": 0.8599, "p": 0.686},
}

Floats = npt.NDArray[np.float64]
Judged = list[dict[str, int]]  # of each question


def similar(
    *,
    index: Annotated[Path, "of which the equations were judged"] = PRETRAINED / FOLDER,
    run: Annotated[Path | None, "with an encoder of equations: overlap with r as well"] = None,
    sizes: tuple[int, ...] = (10_000, 100_000, 500_000),
) -> None:
    """Relevance of what is found on 50 judged questions; size and speed of indexes."""
    one_thread()
    search = Search(load_index(index))
    questions, judged = _questions()
    scores = {"overlap": _overlaps(search, questions)}
    if run:
        scores |= _with_r(TopicEq.load(run), search, questions, scores["overlap"])
    report("similar", {
        "equations": len(search.index), "questions": len(questions),
        "judged": sum(map(len, judged)), "methods": _methods(search.index, scores, judged),
        "earlier": EARLIER,
        "sizes": {str(size): _measured(synthetic(search.index, size), questions)
                  for size in sizes},
    })  # fmt: skip


def _questions() -> tuple[list[str], Judged]:
    home = HERE / "questions"
    lines = [(home / f"{name}.jsonl").read_text("utf-8").splitlines()
             for name in ("similar", "relevance")]  # fmt: skip
    return ([json.loads(line)["equation"] for line in lines[0]],
            [json.loads(line)["judged"] for line in lines[1]])  # fmt: skip


# -- relevance ----------------------------------------------------------------------------------


def _overlaps(search: Search, questions: list[str]) -> Floats:
    """How like each question each equation is (questions, n)."""
    asked = [_equation(search, question) for question in questions]
    return np.array([search.cosines(equation) for equation in asked], dtype=np.float64)


def _equation(search: Search, question: str) -> Equation:
    (equation,) = read_rows(question, search.index.tokens)
    return equation


def _with_r(
    model: TopicEq, search: Search, questions: list[str], overlap: Floats
) -> dict[str, Floats]:
    """The overlap beside the cosine of r's vectors, less their mean."""
    encoder, index, tokens = model.run.equation_encoder, search.index, model.run.tokens
    if encoder is None:
        raise Unsupported("The run has no encoder of equations.")
    ids = tokens.encode(index.tokens)[index.ids]
    cuts = [slice(a, min(a + EACH, len(index))) for a in range(0, len(index), EACH)]
    offsets = index.offsets
    vectors = np.concatenate([
        encoder.embed(ids[offsets[cut.start] : offsets[cut.stop]],
                      offsets[cut.start : cut.stop + 1] - offsets[cut.start])
        for cut in cuts
    ])  # fmt: skip
    asked = [tokens.encode(_equation(search, question).tokens) for question in questions]
    own = np.concatenate([encoder.embed(i, np.array([0, len(i)])) for i in asked])
    cosines = _unit(own - vectors.mean(0)) @ _unit(vectors - vectors.mean(0)).T
    return {f"overlap and {w} r": (1 - w) * overlap + w * cosines for w in WEIGHTS}


def _unit(vectors: npt.NDArray[np.floating]) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-6), dtype=np.float64)


def _methods(index: Index, scores: dict[str, Floats], judged: Judged) -> Entry:
    """nDCG and precision of each method, and how sure its difference from the first is."""
    digests = [digest(index.equation(row)) for row in range(len(index))]
    found = {name: _figures(digests, score, judged) for name, score in scores.items()}
    first = next(iter(found.values()))
    return {
        name: {
            "ndcg": round(ndcg.mean(), 4), "p": round(p.mean(), 3), "not_judged": unknown,
            "probability": {"ndcg": _probability(ndcg, first[0]), "p": _probability(p, first[1])},
        }
        for name, (ndcg, p, unknown) in found.items()
    }  # fmt: skip


def digest(tokens: list[str]) -> str:
    """What names an equation in the file of judgements."""
    return hashlib.sha256(" ".join(tokens).encode()).hexdigest()[:16]


def _figures(digests: list[str], scores: Floats, judged: Judged) -> tuple[Floats, Floats, int]:
    ndcg, precision, unknown = [], [], 0
    for row, known in zip(scores, judged, strict=True):
        top = [digests[i] for i in np.argsort(-row, kind="stable")[:TOP]]
        unknown += sum(name not in known for name in top)
        gains = [known.get(name, 0) for name in top]
        ndcg.append(dcg(gains) / dcg(sorted(known.values(), reverse=True)[:TOP]))
        precision.append(sum(gain >= RELEVANT for gain in gains) / TOP)
    return np.array(ndcg), np.array(precision), unknown


def dcg(gains: list[int]) -> float:
    """Discounted cumulative gain, of the first ten.

    >>> dcg([3, 0, 1])
    7.5
    """
    return float(sum((2**gain - 1) / np.log2(place + 2) for place, gain in enumerate(gains)))


def _probability(one: Floats, other: Floats) -> float | None:
    """That they differ by chance as much, by the paired t-test over questions."""
    return None if np.array_equal(one, other) else round(float(ttest_rel(one, other).pvalue), 4)


def similar_shown() -> str:
    """For the page of results: each method with its figures."""
    found = read_one("similar")
    rows = [[name, f"{one['ndcg']:.3f}", f"{one['p']:.3f}", _shown(one["probability"]["ndcg"])]
            for name, one in found["methods"].items()]  # fmt: skip
    earlier = [[name, f"{one['ndcg']:.3f}", f"{one['p']:.3f}", ""]
               for name, one in found["earlier"].items()]  # fmt: skip
    heads = ["search", "nDCG@10", "P@10", "probability of nDCG by chance"]
    parts = [lines(heads, rows), "Before, over the equations of five tokens and more:"]
    return "\n\n".join([*parts, lines(heads[:3], (row[:3] for row in earlier))])


def _shown(probability: float | None) -> str:
    return "" if probability is None else f"{probability:.2f}"


def sizes_shown() -> str:
    """For the page of results: size and speed of indexes."""
    rows = [
        [f"{one['equations']:,}", f"{one['bytes']:.0f}", f"{one['cache_bytes']:.0f}",
         f"{one['seconds']['write']:.1f}", f"{one['seconds']['postings']:.1f}",
         f"{one['search_ms']['median']:.1f}", f"{one['search_ms']['most']:.1f}"]
        for one in read_one("similar")["sizes"].values()
    ]  # fmt: skip
    return lines(["equations", "bytes each", "in the cache", "s to write", "s for the n-grams",
                  "ms a search", "at most"], rows)  # fmt: skip


# -- size and speed -----------------------------------------------------------------------------


def synthetic(index: Index, size: int, seed: int = 0) -> Index:
    """As many different equations: those of an index, and again with their letters exchanged."""
    rng = np.random.default_rng(seed)
    letters = np.array([n for n, token in enumerate(index.tokens) if is_renamable(token)])
    own = replace(index, digest="")
    while len(own) < size:
        names = np.arange(len(index.tokens), dtype=np.uint16)
        names[letters] = rng.permutation(letters)
        own = merged([own, replace(index, ids=names[index.ids], digest="")])
    few = own.places.filter(pc.less(own.places["equation"], pa.scalar(size, pa.int32())))
    return merged([replace(own, places=few)])


def _measured(index: Index, questions: list[str]) -> Entry:
    """Bytes an equation, seconds to make, and milliseconds of a search, on one thread."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "index"
        writing = _seconds(lambda: index.save(folder))
        kept = sum(path.stat().st_size for path in folder.iterdir())
        began = time.process_time()
        opened = load_index(folder)
        opening = time.process_time() - began
        began = time.process_time()
        postings = Postings.of(opened)
        working = time.process_time() - began
        packed._keep(Path(made) / "cache", postings)
        cache = sum(path.stat().st_size for path in (Path(made) / "cache").iterdir())
        search = Search(opened)
        mapped = packed._kept(Path(made) / "cache", len(opened))
        assert mapped is not None
        search.__dict__["postings"] = mapped
        asked = [Similar(equation=question) for question in questions]
        answer(search, asked[0])
        wall, cpu = zip(*(_times(search, question) for question in asked), strict=True)
    return {
        "equations": len(index), "bytes": round(kept / len(index), 1),
        "cache_bytes": round(cache / len(index), 1),
        "seconds": {"write": writing, "open": round(opening, 2), "postings": round(working, 2)},
        "search_ms": {"median": _ms(wall, 50), "p95": _ms(wall, 95), "most": _ms(wall, 100),
                      "cpu_median": _ms(cpu, 50), "cpu_most": _ms(cpu, 100)},
    }  # fmt: skip


def _times(search: Search, question: Similar) -> tuple[float, float]:
    began = time.perf_counter(), time.process_time()
    answer(search, question)
    return time.perf_counter() - began[0], time.process_time() - began[1]


def _seconds(work: object) -> float:
    began = time.process_time()
    assert callable(work)
    work()
    return round(time.process_time() - began, 2)


def _ms(seconds: tuple[float, ...], percent: float) -> float:
    return round(1_000 * float(np.percentile(seconds, percent)), 1)
