"""A quarter of a corpus: for rows with several seeds, which the whole of it would make too dear.

    python benchmarks/quarter.py CORPUS -o QUARTER

Articles are drawn whole, by a hash of their id, and split anew; the vocabularies are learned from
what is then train.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from topiceq import Corpus
from topiceq.corpus.pair import Pair
from topiceq.corpus.splits import SPLITS, split_of


def quarter(corpus: Corpus) -> Iterator[Pair]:
    """The pairs of a quarter of the articles."""
    for name in SPLITS:
        yield from (pair for pair in corpus.split(name).pairs() if is_drawn(pair.article))


def is_drawn(article: str) -> bool:
    """The first of two shares, by a hash like that of the splits, but not the same one."""
    return split_of(article, (25, 75, 0), "quarter") == 0


def main() -> None:
    """Build it and say how large it is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    told = parser.parse_args()
    whole = Corpus.load(told.corpus)
    config = whole.config.model_copy(update={"min_df": None})  # which goes with the size
    found = Corpus.build(quarter(whole), config=config, path=told.out)
    print(found, found.digest)


if __name__ == "__main__":
    main()
