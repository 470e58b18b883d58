r"""The paper's tables of answers: topics of equations, interpolations, meanings of symbols.

    python benchmarks/paper_tables.py RUN CORPUS --bag RUN [--aligned RUN] --alone RUN
                                      [--topic 'graph theory=7' ..]

RUN and --bag are asked for the topics of the equations of the paper's inference table; RUN writes
greedily along the paper's two interpolations; --aligned (RUN, if it is not given) tells what the
paper's symbols mean under three topics, beside --alone, which has no topics. A subject's topic is
the one that gives most probability to the subject's words below, unless --topic names another.
Writes results/paper_tables.json, one entry for each run; whether an answer is right is for a reader
to say, in verdicts.jsonl.
"""

from pathlib import Path

import numpy as np
from asked import Entry, arguments, identity, opened, row_name, use_threads
from trained import RESULTS, keep

from topiceq import Corpus
from topiceq.api import TopicEq
from topiceq.model.topics import topics_of

EQUATIONS = {
    "Schrödinger equation": r"i \hbar \frac{\partial}{\partial t} \Psi = \hat H \Psi",
    "Newton's second law": r"F = m \frac{d^2x}{dt^2}",
    "work and potential energy": r"W = \int_a^b F dx = -\Delta U",
    "LSTM gate": r"i_t = \sigma(W_i x_t + U_i h_{t-1} + b_i)",
    "Bayes' theorem": r"P(A|B) = \frac{P(B|A) P(A)}{P(B)}",
    "central limit theorem": r"\sqrt{n} (\bar X_n - \mu) \to N(0, \sigma^2)",
    "Taylor series": r"f(x) = \sum_{n=0}^\infty \frac{f^{(n)}(a)}{n!} (x-a)^n",
    "Taylor series, renamed": r"g(y) = \sum_{k=0}^\infty \frac{g^{(k)}(b)}{k!} (y-b)^k",
}
SUBJECTS = {
    "astrophysics": "star stars stellar galaxy galaxies luminosity",
    "graph theory": "graph graphs vertex vertices edge edges",
    "optimisation": "optimal optimization convex objective constraints minimize",
    "statistics": "variance estimator sample likelihood regression data",
    "mechanics": "force mass acceleration momentum velocity energy",
    "probability": "random probability distribution variable expected variance",
}
INTERPOLATIONS = [("G", "astrophysics", "graph theory"), ("L =", "optimisation", "statistics")]
SYMBOLS = ["E", "M", "p", "T", "V", r"\sigma", "|"]
EXPLAINED = ["mechanics", "probability", "graph theory"]
STEPS, TOPICS, PHRASES, WORDS = 5, 3, 3, 7


def topic_of(model: TopicEq, subject: str, told: dict[str, int]) -> int:
    """The topic of a subject: the one that was told, or the one with most of its words."""
    if subject in told:
        return told[subject]
    known = set(model.run.words)
    ids = model.run.words.encode([word for word in SUBJECTS[subject].split() if word in known])
    return int(topics_of(model.run.model)[:, ids].sum(1).argmax())


def described(model: TopicEq, topic: int) -> Entry:
    """A topic as the tables show it."""
    one = model.topics(words=WORDS)[topic]
    return {"topic": topic, "label": one.label, "words": one.words}


def inference(model: TopicEq) -> Entry:
    """The most likely topics of the paper's equations."""
    found = np.asarray(model.infer(equations=list(EQUATIONS.values())))
    rows: list[Entry] = []
    for (name, equation), p in zip(EQUATIONS.items(), found, strict=True):
        best = np.argsort(-p, kind="stable")[:TOPICS].tolist()
        topics = [described(model, k) | {"p": round(float(p[k]), 3)} for k in best]
        rows.append({"name": name, "equation": equation, "topics": topics})
    taylor = [row["topics"][0]["topic"] for row in rows[-2:]]
    return {"row": row_name(model), "equations": rows, "same_taylor": taylor[0] == taylor[1]}


def interpolations(model: TopicEq, told: dict[str, int]) -> list[Entry]:
    """What is written between two subjects, point by point."""
    found = []
    for prefix, start, end in INTERPOLATIONS:
        first, last = (topic_of(model, subject, told) for subject in (start, end))
        written = model.generate(first, to=last, steps=STEPS, prefix=prefix)
        points = [{"t": i / (STEPS - 1), "equation": e.equation} for i, e in enumerate(written)]
        ends = [{"subject": subject} | described(model, topic)
                for subject, topic in ((start, first), (end, last))]  # fmt: skip
        found.append({"prefix": prefix, "ends": ends, "points": points})
    return found


def symbols(aligned: TopicEq, alone: TopicEq, told: dict[str, int]) -> Entry:
    """What the paper's symbols mean under three topics, and without any."""
    topics = {subject: topic_of(aligned, subject, told) for subject in EXPLAINED}
    rows = [
        {
            "symbol": symbol,
            "alone": meanings(alone, symbol, None),
            "topics": [meanings(aligned, symbol, topic) for topic in topics.values()],
        }
        for symbol in SYMBOLS
    ]
    heads = [{"subject": s} | described(aligned, topic) for s, topic in topics.items()]
    return {"aligned": row_name(aligned), "alone": row_name(alone), "topics": heads, "rows": rows}


def meanings(model: TopicEq, symbol: str, topic: int | None) -> list[str]:
    """The first phrases for a symbol."""
    return [one.phrase for one in model.explain(symbol, theta=topic, count=PHRASES)]


def main() -> None:
    """Ask, and keep the answers."""
    parser = arguments(__doc__)
    parser.add_argument("--bag", type=Path, required=True)
    parser.add_argument("--aligned", type=Path)
    parser.add_argument("--alone", type=Path, required=True)
    parser.add_argument("--topic", nargs="*", default=[], metavar="SUBJECT=TOPIC")
    told = parser.parse_args()
    use_threads(told.threads)
    corpus = Corpus.load(told.corpus)
    folders = (told.run, told.bag, told.aligned or told.run, told.alone)
    model, bag, aligned, alone = (opened(folder, corpus) for folder in folders)
    chosen = {name: int(topic) for name, topic in (one.split("=") for one in told.topic)}
    entry = identity(model, told.run, corpus) | {
        "inference": [inference(model), inference(bag)],
        "interpolations": interpolations(model, chosen),
        "symbols": symbols(aligned, alone, chosen),
    }
    keep(RESULTS / "paper_tables.json", [entry])
    for table in entry["inference"]:
        print(table["row"], "renamed Taylor has the same topic:", table["same_taylor"])


if __name__ == "__main__":
    main()
