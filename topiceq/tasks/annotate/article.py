"""An article in, the same article out with what a run knows about its equations beside them.

Each display equation gets its topics (from the sentences around it, and from the equation itself if
it has a normal form) and a glossary of its symbols: what the article says of them, else what the
alignment decoder expects under those topics.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from topiceq.corpus.normal import NotNormal, normal_form
from topiceq.corpus.pieces import Display
from topiceq.corpus.source import Article, Unreadable, sources
from topiceq.corpus.tex import join
from topiceq.corpus.vocab import UNK
from topiceq.errors import CorpusError, Unsupported
from topiceq.model.batches import sparse
from topiceq.model.held_out import evaluating
from topiceq.model.run import Run
from topiceq.model.topics import Topic, topics_of
from topiceq.tasks.annotate.annotated import Annotated, Note
from topiceq.tasks.annotate.reading import read
from topiceq.tasks.annotate.rows import rows
from topiceq.tasks.annotate.text import ArticleText
from topiceq.tasks.answers import best_topics
from topiceq.tasks.explain.lexicon import Entry
from topiceq.tasks.explain.meanings import Explained, Meanings, Phrase, reads_equations
from topiceq.tasks.explain.symbols import occurrences
from topiceq.tasks.infer import posterior
from topiceq.tasks.mathml import in_rows
from topiceq.tasks.question import MAX_TOKENS, Equation, Floats

OF_ARTICLE = 6  # topics of the whole article
SHOWN = 3  # topics of a display
WORDS = 8  # of a topic
LEAST = 0.05  # p of a topic that is worth a bar
PHRASES = 3  # meanings from the model for each symbol


def annotate(run: Run, paper: str | Path) -> Annotated:
    """Annotate one article: a .tex file, a folder or an archive with one main file."""
    topics_of(run.model)  # Unsupported if there are none
    reading = read(one_article(paper))
    if not reading.pieces:
        raise CorpusError(f"'{paper}' has no text. Give an article in LaTeX.")
    text, meanings = ArticleText(reading), _meanings(run)
    course = thetas(run, text.windows())
    return Annotated(
        reading=reading,
        notes=dict(_notes(run, text, meanings)),
        topics=best_topics(course.mean(0), _short(run), OF_ARTICLE),
        course=course,
        explains=meanings is not None,
    )


def one_article(paper: str | Path) -> Article:
    """The only article of a source."""
    found = [article for source in sources([paper], field="none") for article in source.articles()]
    readable = [article for article in found if isinstance(article, Article)]
    if len(readable) == 1:
        return readable[0]
    if readable:
        some = ", ".join(article.id for article in readable[:3])
        raise CorpusError(
            f"'{paper}' holds {len(readable)} articles ({some}, ...). Give the .tex file of one."
        )
    why = next((each.why for each in found if isinstance(each, Unreadable)), "holds no article")
    raise CorpusError(f"'{paper}' {why}. Give an article in LaTeX.")


def thetas(run: Run, contexts: Sequence[Sequence[str]]) -> Floats:
    """theta of many contexts (n, K); of one without any known word, as if it had no words."""
    ids = [run.words.encode(words) for words in contexts]
    counts = [np.bincount(some, minlength=len(run.words)) for some in ids]
    with evaluating(run.model) as device:
        theta = run.model.encode(sparse(csr_matrix(np.array(counts, dtype=np.float32))).to(device))
    assert theta is not None
    found: Floats = theta.cpu().numpy()
    return found


def _display_thetas(run: Run, text: ArticleText) -> Floats:
    """theta of each display (n, K): of its context, and of the equation where it can be read."""
    if not text.displays:
        return np.zeros((0, run.config.model.topics), dtype=np.float32)
    theta = thetas(run, text.contexts(run.config.corpus.sentences))
    equations = {n: e for n, (_, display) in enumerate(text.displays) if (e := _read(run, display))}
    if equations and reads_equations(run):
        numbers = list(equations)
        theta[numbers] = posterior(run, list(equations.values()), theta[numbers])
    return theta


def _read(run: Run, display: Display) -> Equation | None:
    """The equation of a display; None if it is not one line of LaTeX that the run can read."""
    try:
        tokens = [] if display.reason else normal_form(display.tokens)
    except NotNormal:
        return None
    ids = run.tokens.encode(tokens).tolist()
    if len(ids) > MAX_TOKENS or all(i == UNK for i in ids):
        return None
    return Equation(tuple(tokens), tuple(ids))


def _meanings(run: Run) -> Meanings | None:
    """What explains symbols; without an alignment decoder only the text does."""
    try:
        return Meanings(run)
    except Unsupported:
        return None


def _notes(run: Run, text: ArticleText, meanings: Meanings | None) -> Iterator[tuple[int, Note]]:
    places = [i for i, piece in enumerate(text.reading.pieces) if isinstance(piece, Display)]
    theta, topics = _display_thetas(run, text), _short(run)
    for place, (at, display), mixture in zip(places, text.displays, theta, strict=True):
        found = [one for row in rows(display.tokens) for one in occurrences(row)]
        entries = text.lexicon.glossary(found, text.own(at))
        yield (
            place,
            Note(
                number=text.reading.numbers.get(place, ""),
                line=display.line,
                equation=display.source,
                latex="" if display.reason else in_rows(join(display.tokens), display.environment),
                topics=[t for t in best_topics(mixture, topics, SHOWN) if t["p"] >= LEAST],
                symbols=_explained(entries, mixture, meanings),
                forms=[tuple(form.latex for form in entry.forms) for entry in entries],
            ),
        )


def _short(run: Run) -> list[Topic]:
    return [topic.short(WORDS, 0, 0) for topic in run.topics]


def _explained(
    entries: Sequence[Entry], theta: Floats, meanings: Meanings | None
) -> list[Explained]:
    """What the text says comes before what the model expects."""
    symbols = [entry.forms[0] for entry in entries]
    if meanings is None:
        expected = [Explained(symbol.latex, []) for symbol in symbols]
    else:
        expected = meanings.under(theta).of(symbols, PHRASES)
    return [
        Explained(one.symbol, _said(entry) + one.phrases)
        for entry, one in zip(entries, expected, strict=True)
    ]


def _said(entry: Entry) -> list[Phrase]:
    said = entry.definition
    return [Phrase(said.phrase, None, "text", sentence=said.sentence)] if said else []
