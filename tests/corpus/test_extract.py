"""From an article to pairs, or the reason why not."""

from pathlib import Path
from typing import Any

import pytest

from topiceq.article.files import MemoryFiles, Unreadable
from topiceq.article.source import Article
from topiceq.config import CorpusConfig
from topiceq.corpus.extract import REASONS, Dropped, extract, pairs
from topiceq.corpus.pair import Pair

BEFORE = "One is the first. Two is the second. Three is the third. Four is the fourth. "
AFTER = "Six is the sixth. Seven is the seventh. Eight is the eighth. Nine is the ninth. "
LONG = r"f(x) = \sum_{i=1}^n a_i x^i + \frac{b}{c}"


def found(text: str, **changes: Any) -> list[Pair | Dropped]:
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


ROWS = [
    (rf"\begin{{align}} {LONG} \\ {LONG} \end{{align}}", ["a/b#0.0", "a/b#0.1"]),
    (rf"\[ \begin{{split}} {LONG} \\ {LONG} \end{{split}} \]", ["a/b#0.0", "a/b#0.1"]),
    (rf"\begin{{align}} {LONG} && g = 2 {LONG} \end{{align}}", ["a/b#0.0", "a/b#0.1"]),
    (rf"\begin{{align}} x &= 1 \\ {LONG} \end{{align}}", ["too_short", "a/b#0.1"]),
    (rf"\begin{{align}} x &= {LONG} + \\ &= y \end{{align}}", ["a/b#0"]),
    (rf"\begin{{align}} {LONG} \\ {LONG} + \nobody \end{{align}}", ["a/b#0.0", "undefined"]),
    (rf"\begin{{align}} {LONG} \\ {LONG} + \end{{align}}", ["a/b#0.0", "fragment"]),
    (rf"\begin{{align}} {LONG} \\ x^2^3 \end{{align}}", ["unbalanced"]),
]


@pytest.mark.parametrize(("display", "wanted"), ROWS)
def test_each_equation_of_a_display_is_a_pair_or_has_a_reason(
    display: str, wanted: list[str]
) -> None:
    rows = found(around(display))
    assert [row.id if isinstance(row, Pair) else row.reason for row in rows] == wanted
    contexts = {(tuple(row.before), tuple(row.after)) for row in rows if isinstance(row, Pair)}
    assert len(contexts) <= 1


@pytest.mark.parametrize("display", [ROWS[0][0], ROWS[1][0], ROWS[3][0], ROWS[4][0]])
def test_the_paper_drops_a_display_of_several_rows(display: str) -> None:
    (dropped,) = found(around(display), rows="paper")
    assert isinstance(dropped, Dropped) and dropped.reason == "multiline"
    assert dropped.equation in display


def test_a_row_is_shown_by_itself_and_where_it_stands() -> None:
    first, second = found(around(rf"\begin{{align}} {LONG} \\ y + {LONG} \end{{align}}"))
    assert isinstance(first, Pair) and isinstance(second, Pair)
    assert first.equation == second.equation == rf"{LONG} \\ y + {LONG}"
    assert first.expanded == " ".join(first.tokens) != second.expanded


def test_a_long_chain_is_cut_by_the_longest_equation() -> None:
    chain = rf"\begin{{align}} h &= {LONG} \\ &= {LONG} \\ &= {LONG} \end{{align}}"
    assert [row.id for row in found(around(chain), max_tokens=150)] == ["a/b#0"]  # type: ignore
    cut = found(around(chain), max_tokens=60)
    assert [(row.id, row.tokens[:2]) for row in cut if isinstance(row, Pair)] == [
        ("a/b#0.0", ["h", "="]),
        ("a/b#0.1", ["h", "="]),
        ("a/b#0.2", ["h", "="]),
    ]


def test_what_the_paper_keeps_is_kept_alike() -> None:
    folder = Path(__file__).parents[2] / "examples" / "articles"
    paper = {pair.id: pair for pair in extract(folder, config=CorpusConfig(rows="paper"))}
    split = {pair.id: pair for pair in extract(folder)}
    beside = [id for id in paper if id not in split]  # equations in columns, which were a product
    assert all(split[id] == pair for id, pair in paper.items() if id not in beside)
    assert all(f"{id}.0" in split for id in beside)
    assert len(split) > 1.05 * len(paper)


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
