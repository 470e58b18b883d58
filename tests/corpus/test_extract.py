"""From an article to pairs, or the reason why not."""

from pathlib import Path

import pytest

from topiceq.article.files import MemoryFiles, Unreadable
from topiceq.article.source import Article
from topiceq.config import CorpusConfig
from topiceq.corpus.extract import REASONS, Dropped, extract, pairs
from topiceq.corpus.pair import Pair

BEFORE = "One is the first. Two is the second. Three is the third. Four is the fourth. "
AFTER = "Six is the sixth. Seven is the seventh. Eight is the eighth. Nine is the ninth. "
LONG = r"f(x) = \sum_{i=1}^n a_i x^i + \frac{b}{c}"


def found(text: str, **changes: int) -> list[Pair | Dropped]:
    files = MemoryFiles({"main.tex": text.encode()})
    article = Article("a/b", "ml", "main.tex", files)
    return list(pairs(article, CorpusConfig(**changes)))


def reason(text: str) -> str:
    (only,) = found(text)
    return only.reason if isinstance(only, Dropped) else ""


def around(display: str) -> str:
    return BEFORE + rf"Then we have {display} where it is small. " + AFTER


def test_a_pair_holds_all_its_columns() -> None:
    (pair,) = found(r"\section{Start} " + around(rf"\[ {LONG}, \]"))
    assert isinstance(pair, Pair)
    assert (pair.id, pair.article, pair.field, pair.line) == ("a/b#0", "a/b", "ml", 1)
    assert pair.section == "Start"
    assert pair.equation == LONG + ","
    assert pair.before[0] == "One is the first." and pair.before[-1] == "Then we have"
    assert pair.after[0] == "where it is small." and pair.after[-1] == "Nine is the ninth."
    assert len(pair.before) == len(pair.after) == 5
    assert pair.words[:3] == ["one", "is", "the"] and pair.tokens[0] == "f"


def test_the_context_reaches_across_paragraphs_and_other_displays() -> None:
    text = BEFORE.replace(". ", ".\n\n") + rf"So \[ y \] holds. Also \[ {LONG} \] is so. " + AFTER
    short, pair = found(text)
    assert isinstance(short, Dropped) and short.reason == "too_short"
    assert isinstance(pair, Pair)
    assert pair.before[-2:] == ["So … holds.", "Also"]


def test_a_display_between_whole_sentences() -> None:
    text = BEFORE + rf"Five. \[ {LONG}. \] " + AFTER + "Ten is the tenth."
    (pair,) = found(text)
    assert isinstance(pair, Pair)
    assert pair.before[-1] == "Five." and pair.after[0] == "Six is the sixth."


@pytest.mark.parametrize(
    ("display", "why"),
    [
        (r"\[ x = 1 \]", "too_short"),
        (r"\[" + "x + " * 200 + r"\]", "too_long"),
        (rf"\begin{{align}} {LONG} \\ {LONG} \end{{align}}", "multiline"),
        (rf"\[ \begin{{split}} {LONG} \\ {LONG} \end{{split}} \]", "multiline"),
        (rf"\[ {LONG} {{ \]", "unbalanced"),
        (r"\[ \xymatrix{A \ar[r] & B} \]", "diagram"),
        (rf"\def\a{{\a\a}}\[ {LONG} \a \]", "macro_limit"),
        (rf"\[ {LONG} \nobodysmacro \]", "undefined"),
        (rf"\begin{{align}} {LONG} \end{{align}}", ""),
        (rf"\[ {LONG} \begin{{cases}} a \\ b \end{{cases}} \]", ""),
    ],
)
def test_each_display_is_kept_or_dropped_for_a_reason(display: str, why: str) -> None:
    assert reason(around(display)) == why
    assert why == "" or why in REASONS


def test_too_few_sentences_on_either_side() -> None:
    assert reason(rf"We have \[ {LONG} \] where. " + AFTER) == "few_sentences_before"
    assert reason(BEFORE + rf"Then \[ {LONG} \] where.") == "few_sentences_after"


def test_another_language_is_a_reason() -> None:
    german = "Sei nun eine weitere Gruppe gegeben und betrachte alle Elemente davon. " * 5
    assert reason(german + rf"Dann gilt \[ {LONG} \] also. " + german) == "not_english"


def test_an_unreadable_source_is_a_reason() -> None:
    (dropped,) = pairs(Unreadable("x.tar", "is broken"), CorpusConfig())
    assert dropped == Dropped("unreadable", "x.tar", "", 0, "is broken")


def test_settings_decide_what_is_kept() -> None:
    text = around(r"\[ x = 1 \]")
    (pair,) = found(text, min_tokens=3, sentences=2)
    assert isinstance(pair, Pair)
    assert pair.before == ["Four is the fourth.", "Then we have"]


def test_sentences_of_formulas_do_not_count() -> None:
    (pair,) = found("$a$. $b$. " + around(rf"\[ {LONG} \]"))
    assert isinstance(pair, Pair) and pair.before[0] == "One is the first."


def test_the_examples_give_many_pairs() -> None:
    folder = Path(__file__).parents[2] / "examples" / "articles"
    got = list(extract(folder))
    assert len(got) > 200
    assert len({pair.field for pair in got}) >= 8
    assert len({pair.id for pair in got}) == len(got)
    assert not [w for pair in got for w in pair.words if not w.replace("-", "").isalpha()]
