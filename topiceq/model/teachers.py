"""An experiment on coherence: a context's topics must also write what stands beside like equations.

In go the train pairs; out come the word counts that theta must write in place of the context's own:

    (1 - SHARE) own words + SHARE mean of the words of TEACHERS pairs of other articles

Teachers are the pairs with the nearest equations (by the cosine of their n-grams), or, as a
control, random ones. ours, all of it.
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, diags_array
from sklearn.preprocessing import normalize

from topiceq.corpus.encoded import Encoded
from topiceq.corpus.vocab import Vocab
from topiceq.model.batches import other_articles
from topiceq.model.ngrams import Ints, Ngrams

SHARE, TEACHERS = 0.3, 5
CHUNK = 500  # equations that are compared with all others at once

Articles = npt.NDArray[np.int32]


def taught(pairs: Encoded, teachers: Ints) -> csr_matrix:
    """The words that theta must write: a context's own, mixed with its teachers' (n, V)."""
    rows, ones = np.repeat(np.arange(len(pairs)), teachers.shape[1]), np.ones(teachers.size)
    shape = len(pairs), len(pairs)
    mean = csr_matrix((ones / teachers.shape[1], (rows, teachers.ravel())), shape) @ pairs.words
    return csr_matrix((1 - SHARE) * pairs.words + SHARE * mean, dtype=np.float32)


def nearest(pairs: Encoded, tokens: Vocab) -> Ints:
    """The pairs of other articles with the nearest equations (n, TEACHERS)."""
    table = Ngrams(tokens).table(pairs.tokens, pairs.offsets)
    rare = np.log(table.shape[0] / np.maximum(table.getnnz(0), 1))
    units = normalize(csr_matrix(table @ diags_array(rare), dtype=np.float32))
    parts = [
        _best(units[start : start + CHUNK], units, pairs.articles, start)
        for start in range(0, len(pairs), CHUNK)
    ]
    return np.concatenate(parts)


def _best(asked: csr_matrix, units: csr_matrix, articles: Articles, start: int) -> Ints:
    """Of some equations, from `start` on, the nearest ones of other articles."""
    near = (asked @ units.T).toarray()
    near[articles[start : start + len(near), None] == articles] = -1
    best: Ints = np.argpartition(-near, TEACHERS, axis=1)[:, :TEACHERS]
    return best


def at_random(pairs: Encoded, seed: int) -> Ints:
    """Pairs of other articles, drawn without a look at equations (n, TEACHERS)."""
    drawn = [other_articles(pairs.articles, seed + n) for n in range(TEACHERS)]
    return np.stack(drawn, axis=1)
