"""Answers as plain values: the same shapes on the command line and over HTTP."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from topiceq.article.page import without
from topiceq.article.pieces import Heading, Piece, Prose
from topiceq.questions import Explain, Generate, Infer, Question, Similar
from topiceq.tasks.infer import best_topics

if TYPE_CHECKING:  # the shapes need no torch
    from topiceq.model.topics import Topic
    from topiceq.tasks.annotate import Annotated, Note
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
    """The answer to a question: an object where one thing was asked about, else a list of them."""
    match question:
        case Infer(equations=None):
            rows = answer.rows[0] if answer.rows else []
            return inferred_shape(question, question.equation, answer, rows, topics)
        case Infer():
            many = zip(question.equations or (), answer, answer.rows, strict=True)
            return [inferred_shape(question, *equation, topics) for equation in many]
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
    rows: "Sequence[RowTopics]",
    topics: "Sequence[Topic]",
) -> Shape:
    """What was asked about, and its most probable topics, best first; so too of several rows."""

    def best(weights: "Floats") -> list[Shape]:
        return [asdict(share) for share in best_topics(weights, topics, question.top)]

    asked = {"context": question.context, "equation": equation}
    each = [{"equation": row.equation, "topics": best(row.theta)} for row in rows]
    shape = {name: text for name, text in asked.items() if text is not None}
    return shape | {"topics": best(theta)} | ({"rows": each} if each else {})


def similar_shape(near: "SimilarEquation") -> Shape:
    """An equation of the corpus; to which row of the asked one it is like, if there are several."""
    shape = asdict(near) | {"score": round(near.score, 4)}
    return shape if near.row is not None else {k: v for k, v in shape.items() if k != "row"}


def explained_shape(explained: "Explained") -> Shape:
    """A symbol with its meanings."""
    return {"symbol": explained.symbol, "phrases": list(map(phrase_shape, explained.phrases))}


def phrase_shape(phrase: "Phrase") -> Shape:
    """A meaning: what says where it comes from, and nothing else."""
    if phrase.source == "text":
        return {"phrase": phrase.phrase, "source": "text", "sentence": phrase.sentence}
    topic = {} if phrase.topic is None else {"topic": phrase.topic}
    return {"phrase": phrase.phrase, "p": phrase.p, "source": "model"} | topic


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
            return {"prose": without(piece.text).strip()}
        return {"display": note_shape(annotated.notes[place])}

    pieces = [piece_shape(place, piece) for place, piece in enumerate(annotated.reading.pieces)]
    return {"article": annotated.reading.id, "title": annotated.title,
            "topics": [asdict(share) for share in annotated.topics],
            "timeline": annotated.timeline.round(4).tolist(), "pieces": pieces}  # fmt: skip


def note_shape(note: "Note") -> Shape:
    """What stands beside a display."""
    return {"number": note.number, "line": note.line, "equation": note.equation,
            "topics": [asdict(share) for share in note.topics],
            "symbols": [explained_shape(explained) for explained in note.symbols]}  # fmt: skip
