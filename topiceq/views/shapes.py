"""Answers as plain values: the same shapes on the command line and over HTTP."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from topiceq.article.marks import without
from topiceq.article.pieces import Heading, Piece, Prose
from topiceq.article.typed import read_typed
from topiceq.errors import QuestionError
from topiceq.questions import Explain, Generate, Infer, Normal, Question, Similar

if TYPE_CHECKING:  # the shapes need no torch
    from topiceq.errors import TopicEqError
    from topiceq.model.topics import Topic
    from topiceq.tasks.annotate import Annotated, InlineNote, Note
    from topiceq.tasks.explain import Explained, Phrase
    from topiceq.tasks.generate import Generated
    from topiceq.tasks.infer import RowTopics
    from topiceq.tasks.read import Floats
    from topiceq.tasks.similar import SimilarEquation


Shape = dict[str, Any]
SHOWN = 0.0005  # weights of theta below are left out


def topic_shape(topic: "Topic") -> Shape:
    """A topic, its equations as LaTeX."""
    equations = [equation.equation for equation in topic.equations]
    return {"topic": topic.id, "label": topic.label, "share": round(topic.share, 4),
            "words": topic.words, "tokens": topic.tokens, "equations": equations}  # fmt: skip


def answer_shape(question: Question, answer: Any, topics: "Sequence[Topic]") -> Any:
    """The answer to a question: an object where one thing was asked about, else a list of them.

    `warnings` stands in every object, where there are any.
    """
    if isinstance(question, Infer) and question.equations is not None:
        return many_inferred(question, answer, topics)
    shape = plain_shape(question, answer, topics)
    doubted = {"warnings": list(answer.warnings)} if len(answer.warnings) else {}
    return [each | doubted for each in shape] if isinstance(shape, list) else shape | doubted


def many_inferred(question: Infer, answer: Any, topics: "Sequence[Topic]") -> list[Shape]:
    """Of each equation its topics, or why it cannot be read."""
    shapes: list[Shape] = []
    equations = question.equations or ()
    about = answer.known, answer.rows, answer.errors, answer.warnings
    for equation, theta, known, rows, error, warnings in zip(
        equations, answer, *about, strict=True
    ):
        if error is not None:
            shapes.append({"equation": equation} | error_shape(error))
            continue
        shape = inferred_shape(question, equation, theta, known, rows, topics)
        shapes.append(shape | ({"warnings": warnings} if warnings else {}))
    return shapes


def error_shape(error: "TopicEqError") -> Shape:
    """Why there is no answer, and which character of the LaTeX it is about, where known."""
    return {"error": str(error), "kind": type(error).__name__,
            "position": getattr(error, "position", None)}  # fmt: skip


def normal_shape(question: Normal) -> Any:
    """The normal form of an equation; of many equations that of each, or why it has none."""
    question.check()
    if question.equation is not None:
        return one_normal(question.equation)
    shapes: list[Shape] = []
    for equation in question.equations or ():
        try:
            shapes.append(one_normal(equation))
        except QuestionError as error:
            shapes.append({"equation": equation} | error_shape(error))
    return shapes


def one_normal(equation: str) -> Shape:
    """An equation as it was typed, in LaTeX, and the tokens of its rows."""
    typed = read_typed(equation)
    doubted = {"warnings": list(typed.warnings)} if typed.warnings else {}
    rows = [list(row) for row in typed.rows]
    return {"equation": equation, "latex": typed.latex, "rows": rows} | doubted


def plain_shape(question: Question, answer: Any, topics: "Sequence[Topic]") -> Any:
    """The answer to a question of one thing."""
    match question:
        case Infer():
            rows = answer.rows[0] if answer.rows else []
            return inferred_shape(
                question, question.equation, answer, answer.known[0], rows, topics
            )
        case Generate():
            return [generated_shape(generated) for generated in answer]
        case Explain(symbol=None):
            return [explained_shape(explained) for explained in answer]
        case Explain():
            return {"symbol": question.symbol, "phrases": list(map(phrase_shape, answer))}
        case Similar():
            return list(map(similar_shape, answer))
    raise TypeError(f"{type(question).__name__} has no shape.")


def inferred_shape(
    question: Infer,
    equation: str | None,
    theta: "Floats",
    known: bool,
    rows: "Sequence[RowTopics]",
    topics: "Sequence[Topic]",
) -> Shape:
    """What was asked about, and its most probable topics, best first; so too of several rows.

    What is not `known` tells nothing: its topics are those of the whole corpus.
    """

    from topiceq.tasks.infer import best_topics  # the other shapes need no torch

    def best(weights: "Floats") -> list[Shape]:
        return [dict(vars(share)) for share in best_topics(weights, topics, question.top)]

    asked = {"context": question.context, "equation": equation}
    each = [{"equation": row.equation, "topics": best(row.theta)} for row in rows]
    shape = {name: text for name, text in asked.items() if text is not None}
    return shape | {"known": known, "topics": best(theta)} | ({"rows": each} if each else {})


def similar_shape(near: "SimilarEquation") -> Shape:
    """An equation of the corpus; to which row of the asked one it is like, if there are several."""
    shape = vars(near) | {"score": round(near.score, 4)}
    return shape if near.row is not None else {k: v for k, v in shape.items() if k != "row"}


def explained_shape(explained: "Explained") -> Shape:
    """A symbol with its meanings."""
    return {"symbol": explained.symbol, "phrases": list(map(phrase_shape, explained.phrases))}


def phrase_shape(phrase: "Phrase") -> Shape:
    """A meaning: what says where it comes from, and nothing else."""
    shape: Shape = {"phrase": phrase.phrase, "p": phrase.p, "source": phrase.source}
    if phrase.sentence:
        shape["sentence"] = phrase.sentence
    if phrase.articles:
        shape["articles"] = [dict(vars(article)) for article in phrase.articles]
    if phrase.topic is not None:
        shape["topic"] = phrase.topic
    return {name: value for name, value in shape.items() if value is not None}


def generated_shape(generated: "Generated") -> Shape:
    """An equation that was written."""
    return {"equation": generated.equation, "tokens": list(generated.tokens),
            "logprob": round(generated.logprob, 4), "theta": theta_shape(generated.theta),
            "finished": generated.finished}  # fmt: skip


def theta_shape(theta: "Floats") -> dict[str, float]:
    """The weights that count, the largest first."""
    order = (-theta).argsort(kind="stable").tolist()
    return {str(k): round(float(theta[k]), 4) for k in order if theta[k] >= SHOWN}


def annotated_shape(annotated: "Annotated") -> Shape:
    """An annotated article; prose with inline math between dollar signs."""

    def piece_shape(place: int, piece: Piece) -> Shape:
        if isinstance(piece, Heading):
            return {"heading": without(piece.text), "level": piece.level}
        if isinstance(piece, Prose):
            return prose_shape(piece, annotated.inline.get(place, []))
        return {"display": note_shape(annotated.notes[place])}

    pieces = [piece_shape(place, piece) for place, piece in enumerate(annotated.reading.pieces)]
    return {"article": annotated.reading.id, "title": annotated.title,
            "topics": [dict(vars(share)) for share in annotated.topics],
            "timeline": annotated.timeline.round(4).tolist(), "pieces": pieces,
            "glossary": list(map(explained_shape, annotated.glossary))}  # fmt: skip


def prose_shape(piece: Prose, notes: "Sequence[InlineNote]") -> Shape:
    """Prose, and what is said elsewhere of its formulas, by their number."""
    formulas = [{"formula": number, "symbols": list(map(explained_shape, note.symbols))}
                for number, note in enumerate(notes) if note.symbols]  # fmt: skip
    return {"prose": without(piece.text).strip()} | ({"formulas": formulas} if formulas else {})


def note_shape(note: "Note") -> Shape:
    """What stands beside a display."""
    return {"number": note.number, "line": note.line, "equation": note.equation,
            "topics": [dict(vars(share)) for share in note.topics],
            "symbols": [explained_shape(explained) for explained in note.symbols]}  # fmt: skip
