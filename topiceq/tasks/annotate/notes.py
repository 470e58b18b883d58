"""What stands beside a display, as HTML: its topics as bars, and a glossary of its symbols.

Symbols with the meaning that they had at the display before are folded away. In the formula itself
each symbol carries the number of its entry, which the page's script looks up.
"""

from html import escape
from typing import TYPE_CHECKING

from topiceq.tasks.annotate.typeset import typeset
from topiceq.tasks.explain import Explained, Phrase
from topiceq.tasks.mathml import mathml, source

if TYPE_CHECKING:
    from topiceq.tasks.annotate.annotated import Annotated, Note
    from topiceq.tasks.answers import Shape

LEAST = 0.03  # p of a meaning from the model that is worth showing
GUESSES = 2  # meanings from the model that are shown
WORDS = 3  # of a topic beside a display, behind its label


class Notes:
    """The notes of an article, written in reading order."""

    def __init__(self, annotated: "Annotated") -> None:
        self.labels = annotated.reading.labels
        # the topics of the article have colours, others are grey
        self.colours = {t["topic"]: f"var(--t{n})" for n, t in enumerate(annotated.topics)}
        self.known: dict[str, set[str]] = {}  # symbols with the meanings that they had last

    def figure(self, place: int, note: "Note") -> str:
        """A display with its notes."""
        number = f'<span class="count">({escape(note.number)})</span>' if note.number else ""
        return (
            f'<figure id="p{place}">{self._aside(note)}<div class="formula">'
            f'<div class="body">{self._formula(note)}</div>{number}</div></figure>'
        )

    def legend(self, topic: "Shape") -> str:
        """A topic of the article."""
        return (
            f'<li><i style="--colour:{self.colours[topic["topic"]]}"></i>'
            f"<span>{topic['p']:.0%} {_name(topic, 4)}</span></li>"
        )

    def _formula(self, note: "Note") -> str:
        if not note.latex.strip():
            return f"<pre>{source(note.equation)}</pre>"
        shown = {n: shown_phrases(one) for n, one in enumerate(note.symbols)}
        symbols = {latex: n for n, forms in enumerate(note.forms) for latex in forms if shown[n]}
        drawn = mathml(note.latex, display=True, symbols=symbols)
        for number in sorted(set(symbols.values())):
            kind = "said" if shown[number][0].source == "text" else "guessed"
            mark = f'data-symbol="{number}"'
            drawn = drawn.replace(mark, f'{mark} class="{kind}"')
            drawn = drawn.replace(mark, f'{mark} tabindex="0"', 1)  # once each for the keyboard
        return drawn

    def _aside(self, note: "Note") -> str:
        topics = "".join(map(self._topic, note.topics))
        fresh, as_before = self._entries(note)
        glossary = f'<dl class="glossary">{"".join(fresh)}</dl>' if fresh else ""
        if as_before:
            count = len(as_before)
            more = "more" if fresh else "symbol" if count == 1 else "symbols"
            glossary += (
                f"<details><summary>{count} {more} as before</summary>"
                f'<dl class="glossary">{"".join(as_before)}</dl></details>'
            )
        return f'<aside><ul class="topics">{topics}</ul>{glossary}</aside>'

    def _topic(self, topic: "Shape") -> str:
        colour = self.colours.get(topic["topic"], "var(--other)")
        return (
            f'<li><span class="name" title="topic {topic["topic"]}">{_name(topic, WORDS)}</span>'
            f'<span>{topic["p"]:.0%}</span><span class="bar">'
            f'<i style="width:{topic["p"]:.0%};--colour:{colour}"></i></span></li>'
        )

    def _entries(self, note: "Note") -> tuple[list[str], list[str]]:
        """The entries of the glossary that are new here, and those that are as before."""
        fresh: list[str] = []
        as_before: list[str] = []
        for number, explained in enumerate(note.symbols):
            phrases = shown_phrases(explained)
            meanings = {phrase.phrase for phrase in phrases}
            if phrases:
                is_known = not meanings.isdisjoint(self.known.get(explained.symbol, ()))
                entry = self._entry(number, explained.symbol, phrases)
                (as_before if is_known else fresh).append(entry)
                self.known[explained.symbol] = meanings
        return fresh, as_before

    def _entry(self, number: int, symbol: str, phrases: list[Phrase]) -> str:
        kind = "said" if phrases[0].source == "text" else "guess"
        said = ", ".join(typeset(phrase.phrase, self.labels) for phrase in phrases)
        return (
            f'<div data-symbol="{number}"><dt>{mathml(symbol, display=False)}</dt><dd>'
            f'<span class="{kind}">{said}</span><span class="why">{self._why(phrases[0])}</span>'
            "</dd></div>"
        )

    def _why(self, phrase: Phrase) -> str:
        if phrase.source == "text":
            return f"The article says: “{typeset(phrase.sentence, self.labels)}”"
        topic = "" if phrase.topic is None else f", under topic {phrase.topic}"
        return f"A guess of the model{topic}."


def _name(topic: "Shape", count: int) -> str:
    """A topic by its label and words; by its number while the training is not over."""
    label = topic["label"] or f"topic {topic['topic']}"
    words = [word for word in topic["words"] if word not in label.split()]
    return f"<b>{escape(label)}</b> {escape(' '.join(words[:count]))}"


def shown_phrases(explained: Explained) -> list[Phrase]:
    """What the page says of a symbol: the text's word, or the model's best guesses."""
    if explained.phrases and explained.phrases[0].source == "text":
        return explained.phrases[:1]
    return [p for p in explained.phrases[:GUESSES] if p.p is not None and p.p >= LEAST]
