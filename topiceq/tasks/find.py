"""Words in, the topics that are about them: p(k | words) by Bayes' rule, no topic likelier before.

ours: the words of a query are few, so the topics are asked directly, not the encoder, which has
learned from passages.
"""

import numpy as np
from scipy.special import log_softmax

from topiceq.errors import QuestionError
from topiceq.model.run import Run
from topiceq.tasks.read import Floats, context_words

FLOOR = 1e-6  # of p(word | topic): a word that a topic has never seen rules it not out


def find_topics(run: Run, text: str) -> Floats:
    """p(k | words) (K,)."""
    run.model.require_topics()
    ids = run.words.encode(context_words(text))
    if not len(ids):
        raise QuestionError(f"This run does not know any word of '{text}'. Give others.")
    log_p = np.log(run.beta[:, ids] + FLOOR).sum(1)
    found: Floats = np.exp(log_softmax(log_p)).astype(np.float32)
    return found
