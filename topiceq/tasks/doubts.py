"""What of a question was read otherwise than it may be meant, in sentences for who asked.

Unknown tokens and words, words in place of LaTeX, another language, weights that do not sum to one.
The answer is given all the same; `warnings` stands beside it, in Python, as JSON and over HTTP.
"""

from collections.abc import Iterator

from topiceq.article.equation.rules import UNK
from topiceq.article.language import other_language
from topiceq.article.typed import read_typed, some
from topiceq.corpus.vocab import Vocab
from topiceq.errors import QuestionError
from topiceq.model.run import Run
from topiceq.questions import Infer, Question
from topiceq.tasks.read import TOLERANCE, context_words, strange_words, weights


def doubts(question: Question, run: Run, tokens: Vocab | None = None) -> list[str]:
    """All that one question gives reason to doubt; nothing of a list of equations.

    `tokens` are those of what is asked, if it is not the run.
    """
    found: list[str] = []
    for name in ("equation", "symbol", "context", "theta", "to"):
        value = getattr(question, name, None)
        if name in ("equation", "symbol") and value is not None:
            found += equation_doubts(value, tokens or run.tokens)
        elif name == "context" and value is not None:
            found += _context_doubts(value, run)
        elif value is not None:
            found += _theta_doubts(name, float(weights(value, run).sum()))
    return list(dict.fromkeys(found))


def all_doubts(
    question: Question, run: Run, tokens: Vocab | None = None
) -> list[str] | list[list[str]]:
    """The doubts of a question; of many equations those of each, and of the context with each."""
    own = doubts(question, run, tokens)
    if isinstance(question, Infer) and question.equations is not None:
        return [[*own, *equation_doubts(text, run.tokens)] for text in question.equations]
    return own


def equation_doubts(text: str, known: Vocab) -> list[str]:
    """What was typed that is not LaTeX, or that nothing is known of."""
    try:
        typed = read_typed(text)
    except QuestionError:  # a symbol may be no equation
        return []
    tokens = [token for row in typed.rows for token in row]
    ids = known.encode(tokens).tolist()
    unknown = [token for token, i in zip(tokens, ids, strict=True) if i == UNK]
    return [*typed.warnings, *_unknown(unknown)]


def _unknown(tokens: list[str]) -> Iterator[str]:
    if tokens:
        verb = "are" if len(set(tokens)) > 1 else "is"
        yield f"{some(tokens)} {verb} not in the vocabulary."


def _context_doubts(context: str, run: Run) -> Iterator[str]:
    spoken, strange = strange_words(context_words(context), run.words)
    if 2 * len(strange) < len(spoken):
        return
    if language := other_language(context):
        yield f"This reads like {language}; the run has learned other words."
    yield f"{len(strange)} of {len(spoken)} words are not in the vocabulary: {some(strange)}."


def _theta_doubts(name: str, total: float) -> Iterator[str]:
    if total and abs(total - 1) > TOLERANCE:
        yield f"The weights of {name} sum to {total:.4g}; they were divided by that."
