"""The syntax check beside one LaTeX process for each equation: as fast as needed, and as strict?

    python benchmarks/syntax.py RUN CORPUS [--samples 5000] [--alone 300]

Equations sampled from a run without the grammar are checked all together, and some of them one by
one; the verdicts must be the same. Writes results/syntax.json.
"""

import json
import time

from asked import arguments, identity, opened, use_threads
from trained import RESULTS, keep

from topiceq import Corpus
from topiceq.scores.syntax import check, check_one
from topiceq.tasks.generate.samples import samples


def main() -> None:
    """Measure, print, and keep the result."""
    parser = arguments(__doc__)
    parser.add_argument("--samples", type=int, default=5_000)
    parser.add_argument("--alone", type=int, default=300)
    told = parser.parse_args()
    use_threads(told.threads)
    corpus = Corpus.load(told.corpus)
    model = opened(told.run, corpus)
    equations = [one.equation for one in samples(model.run, corpus.test, told.samples)]
    began = time.perf_counter()
    together = check(equations)
    middle = time.perf_counter()
    alone = [check_one(equation) for equation in equations[: told.alone]]
    end = time.perf_counter()
    fast, slow = len(equations) / (middle - began), len(alone) / (end - middle)
    same = sum(a.ok == b.ok for a, b in zip(together, alone, strict=False))
    found = identity(model, told.run, corpus) | {
        "equations": len(equations),
        "rejected": round(1 - sum(verdict.ok for verdict in together) / len(together), 4),
        "together_per_second": round(fast, 1),
        "one_process_each_per_second": round(slow, 1),
        "ratio": round(fast / slow, 1),
        "same_verdict": f"{same} of {len(alone)}",
    }
    print(json.dumps(found, indent=1))
    keep(RESULTS / "syntax.json", [found])


if __name__ == "__main__":
    main()
