r"""Equations from a topic, a mixture, a context, or along the way between two topics.

In go a run and a question; out come equations with their log-probability under the model, without
regard to temperature, top-p or the grammar. With the grammar (the default) every equation is well
formed; without it, only tokens that cannot be printed (UNK, PAD, START) are kept out.

    interpolation    theta_t = (1 - t) theta_1 + t theta_2,    t = 0, .., 1

ours: the n-th equation of a call depends on the seed and on n alone, so asking for five gives the
three that asking for three gives, and the points of an interpolation share their luck. By lot,
several are written for each and the best is kept: likely for its tokens, likelier under its own
theta than under that of all topics, and without saying the same again and again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import torch

from topiceq.article.equation.fault import Misplaced, complete, openers
from topiceq.article.equation.grammar import Grammar
from topiceq.article.equation.line import CLOSERS, NotNormal
from topiceq.article.equation.normal import normal_form, to_latex
from topiceq.article.equation.rules import UNK
from topiceq.article.formulas import read_formula
from topiceq.article.tex import clean, lex, units
from topiceq.article.typed import FORMULAS, without_delimiters
from topiceq.corpus.store import Split
from topiceq.corpus.vocab import Vocab
from topiceq.errors import QuestionError
from topiceq.model.decoders import Writer
from topiceq.model.held_out import thetas
from topiceq.model.joint import evaluating
from topiceq.model.likelihood import Doubles, log_probs_under
from topiceq.model.run import Run
from topiceq.questions import Generate
from topiceq.scores import compiler
from topiceq.scores.syntax import SyntaxScore, syntax_score
from topiceq.tasks.hypotheses import Hypotheses, Written, beam_search, sample
from topiceq.tasks.infer import context_theta
from topiceq.tasks.read import Equation, Floats, read_theta

MARK = "\ue000"  # of the area that Unicode leaves to its users: in no equation
ARGUMENTS = "{}{}"  # what commands may still ask for; where they do not, it is nothing
ROW = f"\\\\ {MARK}"  # an environment of one row would dissolve


# -- prefixes ----------------------------------------------------------------------------------


def read_prefix(text: str, tokens: Vocab) -> Equation:
    """The tokens of a prefix; none for an empty one."""
    typed = text.split()
    normal = typed if _reads(tokens, typed) else _normal(_undelimited(text.replace(MARK, "")))
    ids = tuple(tokens.encode(normal).tolist())
    if UNK in ids:
        raise QuestionError(
            f"This run does not know '{normal[ids.index(UNK)]}'. Give a prefix without it."
        )
    return Equation(tuple(normal), ids)


def _reads(tokens: Vocab, typed: list[str]) -> bool:
    """Whether these are tokens of the run that an equation can begin with."""
    if not all(token in tokens for token in typed):
        return False
    try:
        _grammar(tokens).read(tokens.encode(typed).tolist())
    except QuestionError:
        return False
    return True


def _undelimited(text: str) -> str:
    """The text without the formula signs around it: $L =$ goes on within them."""
    text = text.strip()
    for opening, closing in FORMULAS.items():
        if text.startswith(opening) and text.endswith(closing) and len(text) > len(opening):
            return text[len(opening) : -len(closing)].strip()
    return text


def _normal(text: str) -> list[str]:
    if not text:
        return []
    try:
        opened = openers(units(lex(clean(text))))
    except Misplaced as why:
        raise _broken(text, str(why)) from None
    for row in (ROW, ""):
        found = _before_mark(text + MARK + ARGUMENTS + _closing(opened, row))
        if found is not None:
            return found
    raise _broken(text, "no normal form begins with it; lower scripts come before upper ones")


def _closing(opened: list[str], row: str) -> str:
    r"""What closes all, with the arguments that a command may want behind a group of its own."""
    ends = ""
    for opener in reversed(opened):
        ends += row if opener.startswith("\\begin{") else ""
        ends += complete(opener)
        ends += ARGUMENTS if opener == "{" else ""
    return ends


def _before_mark(text: str) -> list[str] | None:
    """The normal form up to the mark; None if there is none, or something is left behind it."""
    try:
        normal = normal_form(without_delimiters(read_formula(text))[0])
    except NotNormal:
        return None
    if MARK not in normal:
        return None
    place = normal.index(MARK)
    return normal[:place] if all(map(_closes, normal[place:])) else None


def _closes(token: str) -> bool:
    return token in CLOSERS or token in (MARK, "{", "\\\\")


def _broken(text: str, why: str) -> QuestionError:
    return QuestionError(f"The prefix '{' '.join(text.split())}' cannot be completed: {why}.")


# -- equations ---------------------------------------------------------------------------------


ROWS = 512  # equations in one batch
MOST = 100_000  # equations for one answer, with those of which the best are kept
NOTHING = Equation((), ())


@dataclass(frozen=True)
class Generated:
    """An equation that the model has written."""

    equation: str
    tokens: tuple[str, ...]
    logprob: float  # of the whole equation with its END, prefix included, under the model alone
    theta: Floats = field(compare=False, repr=False)  # (K,); (0,) if the run has no topics
    finished: bool  # whether it came to an end within max_tokens


def generate(run: Run, question: Generate) -> list[Generated]:
    """`count` equations from theta or from a context; with `to`, from each of `steps` points."""
    question.check()
    count = question.count
    prefix = read_prefix(question.prefix, run.tokens)
    points = _points(run, question)
    asked = count * question.tries * (1 if points is None else len(points))
    if asked > MOST:
        raise QuestionError(
            f"This asks for {asked:,} equations. At most {MOST:,} are written at once: "
            "make count, steps or best_of smaller."
        )
    streams = list(range(count)) * (1 if points is None else len(points))
    thetas = None if points is None else points.repeat(count, axis=0)
    return write(run, thetas, question, prefix=prefix, streams=streams)


def _points(run: Run, question: Generate) -> Floats | None:
    """theta of every point (n, K); None if the run has no topics."""
    theta, context, to = question.theta, question.context, question.to
    if run.model.theta is None and theta is None and context is None and to is None:
        return None
    if context is not None:
        first = context_theta(run, context)
    elif theta is not None:
        first = read_theta(theta, run)
    else:
        raise QuestionError("There is nothing to write about. Give a topic, a theta or a context.")
    if to is None:
        return first[None]
    last, t = read_theta(to, run), np.linspace(0, 1, question.steps, dtype=np.float32)[:, None]
    return (1 - t) * first + t * last


def write(
    run: Run,
    thetas: Floats | None,
    question: Generate,
    *,
    streams: Sequence[int],
    prefix: Equation = NOTHING,
) -> list[Generated]:
    """An equation (or `beams` of them) for each theta (n, K) and its stream of luck."""
    decoder = run.model.writer(topical=run.model.theta is not None)
    grammar = _grammar(run.tokens, paired=True) if question.constrained else None
    _check_prefix(prefix, grammar, question.max_tokens)
    written: list[Written] = []
    size, tries = 1 if question.beams else ROWS, question.tries
    streams = [stream * tries + n for stream in streams for n in range(tries)]
    thetas = None if thetas is None else thetas.repeat(tries, axis=0)
    with evaluating(run.model) as device:
        for start in range(0, len(streams), size):
            luck = streams[start : start + size]
            theta = None if thetas is None else torch.from_numpy(thetas[start : start + size])
            hypotheses = Hypotheses(decoder, theta, len(luck), grammar, device)
            written += _write(hypotheses, prefix, question, luck)
        if tries > 1:
            scores = suitability(run, decoder, written).reshape(-1, tries)
            written = [written[row * tries + n] for row, n in enumerate(scores.argmax(1).tolist())]
    return [_generated(one, run.tokens) for one in written]


OWN, AGAIN = 0.5, 1.5  # how much the topics count, and loops; both chosen by reading


def suitability(run: Run, decoder: Writer, written: Sequence[Written]) -> Doubles:
    """How well equations suit their theta (n,), in nats a token; those without an end do not."""
    size = np.array([len(one.ids) + 1 for one in written])
    own = np.array([one.logprob for one in written])
    loops = np.array([repetition(one.ids) for one in written])
    scores = own / size - AGAIN * loops
    if run.topics:
        usual = np.array([topic.share for topic in run.topics], dtype=np.float32)
        ids = np.concatenate([np.array(one.ids, np.int32) for one in written])
        under = usual / usual.sum()
        of_all = log_probs_under(run.model, decoder, ids, np.cumsum([0, *(size - 1)]), under)
        scores += OWN * (own - of_all) / size
    finished = np.array([one.finished for one in written])
    found: Doubles = np.where(finished, scores, -np.inf)
    return found


def repetition(ids: Sequence[int], size: int = 4) -> float:
    """The share of n-grams that stood there before.

    >>> repetition([1, 2, 3, 4, 5]), repetition([1, 2, 3, 4, 1, 2, 3])
    (0.0, 0.0)
    >>> repetition([1, 2] * 4)
    0.6
    """
    grams = [tuple(ids[at : at + size]) for at in range(len(ids) - size + 1)]
    return 1 - len(set(grams)) / len(grams) if grams else 0.0


@lru_cache(maxsize=4)
def _grammar(tokens: Vocab, *, paired: bool = False) -> Grammar:
    return Grammar(tokens, paired=paired)


def _check_prefix(prefix: Equation, grammar: Grammar | None, max_tokens: int) -> None:
    room = max_tokens - len(prefix.ids) + 1
    fits = room > 1
    if grammar and fits:
        fits = bool(grammar.allowed(grammar.read(prefix.ids), room).any())
    if not fits:
        raise QuestionError(
            f"The prefix '{prefix.latex}' cannot be completed within {max_tokens} tokens. "
            "Raise max_tokens."
        )


def _generated(written: Written, vocab: Vocab) -> Generated:
    tokens = tuple(vocab[i] for i in written.ids)
    theta = written.theta
    return Generated(to_latex(tokens), tokens, written.logprob, theta, written.finished)


def _write(
    hypotheses: Hypotheses, prefix: Equation, question: Generate, streams: Sequence[int]
) -> list[Written]:
    for token in prefix.ids:
        hypotheses.write([token] * len(hypotheses))
    if question.beams:
        return beam_search(hypotheses, question.beams, question.max_tokens)
    return sample(hypotheses, question, streams)


# -- samples for held-out contexts -------------------------------------------------------------


def samples(
    run: Run, split: Split, count: int, *, seed: int = 0, constrained: bool = False
) -> list[Generated]:
    """`count` equations at temperature 1, each for a context drawn from the split.

    They are unconstrained unless asked otherwise: the grammar would hide what is not learned.
    """
    drawn = np.random.default_rng(seed).integers(len(split), size=count)
    theta = None
    if run.model.theta is not None:
        theta = thetas(run.model, split.encode(run.vocabularies))[drawn]
    question = Generate.plain(seed=seed, constrained=constrained)
    return write(run, theta, question, streams=range(count))


def sampled_syntax(run: Run, split: Split, count: int, *, seed: int = 0) -> SyntaxScore:
    """What a LaTeX compiler says of `count` unconstrained samples."""
    compiler.program()  # before the work of writing them
    return judged(samples(run, split, count, seed=seed))


def judged(written: Sequence[Generated]) -> SyntaxScore:
    """What a LaTeX compiler says of equations that were written."""
    return syntax_score(
        [one.equation for one in written],
        [one.finished for one in written],
        [len(one.tokens) for one in written],
    )
