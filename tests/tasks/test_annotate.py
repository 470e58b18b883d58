"""An article with notes beside its equations: what is beside what, and a page that is safe."""

import csv
import json
import re
import tarfile
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from planted import PHRASES, WORDS, planted_config

from topiceq.article.marks import EMPHASIS, LABEL, without
from topiceq.article.source import one_article
from topiceq.corpus.store import Corpus
from topiceq.errors import CorpusError, QuestionError, Unsupported
from topiceq.model.lexicon import SURE
from topiceq.model.run import Run
from topiceq.model.train import Training
from topiceq.questions import Annotate
from topiceq.tasks.annotate import annotate as annotate_article
from topiceq.tasks.annotate import read_article
from topiceq.views.nomenclature import in_text, nomenclature
from topiceq.views.page import Page, paragraph_at

ARTICLES = Path(__file__).parents[2] / "examples" / "articles"
RED = " ".join(f"{word} {other}." for word, other in zip(WORDS[0], WORDS[0][1:], strict=False))
BODY = rf"""
\begin{{abstract}} We study {RED} \end{{abstract}}
\section{{First \emph{{things}}}} \label{{s}}
{RED} The energy is
\begin{{equation}} E = m + \hat T \label{{e}} \end{{equation}}
where $m$ is the mass of the {WORDS[0][0]}. {RED}
By \eqref{{e}} in Section \ref{{s}} and \ref{{nowhere}},
\begin{{align}} a &= b + c, \\ E &= m \end{{align}}
\begin{{itemize}} \item one \item two \end{{itemize}}
\[ \xymatrix{{ a \ar[r] & b }} \]

{RED}
"""
HOSTILE = r"""
<script>alert(1)</script> <b onclick="x">bold</b> & "quotes" \texttt{<img src=x>}
\section{<script>alert(2)</script>} where $<b>$ and $\text{<i>x</i>}$ is the <u>mass</u>
\[ m = \text{<script>alert(3)</script>} \] where $m$ is the mass of <iframe> things
"""


class Tags(HTMLParser):
    """The tags of a page, and whether they fit together."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def article(tmp_path: Path, body: str, preamble: str = r"\title{Red \& gold}") -> Path:
    path = tmp_path / "article.tex"
    path.write_text(
        f"\\documentclass{{article}}{preamble}\\begin{{document}}{body}\\end{{document}}"
    )
    return path


def annotate(run: Run, path: Path) -> Page:
    return Page(**vars(annotate_article(run, read_article(Annotate(article=str(path))))))


@pytest.fixture(scope="module")
def annotated(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Page:
    return annotate(run, article(tmp_path_factory.mktemp("article"), BODY))


def test_each_display_has_a_note(annotated: Page, learned: list[int]) -> None:
    first, second, third = annotated.notes.values()
    assert (first.number, first.equation) == ("1", r"E = m + \hat T \label{e}")
    assert second.latex.strip() == r"a &= b + c, \\ E &= m" and second.environment == "align"
    assert (second.number, third.number) == ("2", "")
    assert third.latex == "" and third.equation == r"\xymatrix{ a \ar[r] & b }"
    assert first.topics[0].topic == second.topics[0].topic == learned[0]
    assert all(0.05 <= topic.p <= 1 for note in annotated.notes.values() for topic in note.topics)


def test_the_text_outranks_the_lexicon(annotated: Page) -> None:
    first, second, _ = annotated.notes.values()
    best = {one.symbol: one.phrases[0] for one in first.symbols if one.phrases}
    assert (best["m"].phrase, best["m"].source) == (f"mass of the {WORDS[0][0]}", "text")
    assert best["m"].sentence.startswith("The energy is … where $m$ is the mass")
    assert (best["E"].phrase, best["E"].source) == ("energy", "text")  # led in by "The energy is"
    assert (best[r"\hat { T }"].phrase, best[r"\hat { T }"].source) == (PHRASES[0][1], "lexicon")
    assert [one.symbol for one in second.symbols] == ["a", "b", "c", "E", "m"]


def test_what_is_not_sure_enough_is_not_shown(run: Run, tmp_path: Path) -> None:
    body = rf"{RED} \[ E = T_0 + \sum_i x_i \] {' '.join(WORDS[3])}"
    (note,) = annotate(run, article(tmp_path, body)).notes.values()
    assert [one.symbol for one in note.symbols] == ["E", "T _ { 0 }", "x _ { i }"]
    assert all(p.p is None or p.p >= SURE for one in note.symbols for p in one.phrases[:1])
    assert note.symbols[2].phrases == []


def test_the_topics_of_the_whole(annotated: Page, learned: list[int]) -> None:
    assert annotated.topics[0].topic == learned[0]
    assert annotated.timeline.shape[1] == 4
    assert annotated.timeline.sum(1) == pytest.approx([1] * len(annotated.timeline), abs=1e-4)


def test_json_is_plain(annotated: Page) -> None:
    found = json.loads(json.dumps(annotated.json()))
    assert found.keys() == {"article", "title", "topics", "timeline", "pieces", "glossary"}
    assert (found["title"], found["article"]) == ("Red & gold", "article")
    kinds = [next(iter(piece)) for piece in found["pieces"]]
    assert kinds.count("display") == 3 and kinds.count("heading") == 1
    display = next(piece["display"] for piece in found["pieces"] if "display" in piece)
    assert display.keys() == {"number", "line", "equation", "topics", "symbols"}
    assert display["topics"][0].keys() == {"topic", "p", "label", "words"}


INLINE = r"""
\section{Of $q$} Let $m$ be the frog mass. The first sentence is over.
\begin{theorem}[$E$] The value $m + v$ is large, as \emph{is} $2 \pi m$. \end{theorem}
\begin{itemize} \item[$m$] is heavy. Now $v$ is the frog velocity, and $m v$ is not. \end{itemize}
"""


def test_formulas_inside_sentences_have_notes(run: Run, tmp_path: Path) -> None:
    found = annotate(run, article(tmp_path, INLINE))
    told = [{one.symbol: one.phrases[0].phrase for one in note.symbols}
            for notes in found.inline.values() for note in notes]  # fmt: skip
    pi = "ratio of a circle's circumference to its diameter"
    # m; m + v; 2 pi m; v; m v: what its own sentence says needs no note
    assert told == [
        {},
        {"m": "frog mass", "v": "frog velocity"},
        {r"\pi": pi, "m": "frog mass"},
        {},
        {"m": "frog mass"},
    ]
    place = found.inline[list(found.inline)[-1]][-1].symbols[0].phrases[0].place
    assert place is not None
    piece, start = found.sentences[place]
    assert without(found.reading.pieces[piece].text)[start:].startswith("Let $m$ be the frog mass")  # type: ignore[union-attr]


def test_formulas_inside_sentences_lead_to_what_is_said(run: Run, tmp_path: Path) -> None:
    page = annotate(run, article(tmp_path, INLINE + RED)).html()
    assert Tags(page).open == []
    (number,) = set(re.findall(r'<mi class="told" data-symbol="(\d+)">m</mi>', page))
    entry = page[page.index(f'<div id="m{number}">') :].split("</div>")[0]
    assert "frog mass" in entry and "The article says: “Let" in entry
    there = re.search(r'<a class="there" href="#([^"]*)"', entry)
    assert there and f'<p id="{there[1]}">Let' in page
    head = page[page.index('<span class="head">') :].split("</span>")[0]
    assert "data-symbol" not in head


def test_which_paragraph_says_so() -> None:
    text = LABEL.around("•") + " One. $x$.\n\nTwo " + EMPHASIS.around("and") + " three.\n\n Four."
    assert [paragraph_at(text, at) for at in (0, 11, 14, 30)] == [0, 1, 1, 2]


def test_the_p_of_a_p_value_is_none(run: Run, tmp_path: Path) -> None:
    body = "Let $p$ be the frog share. The $p$ value and $p$-values tell $p$."
    (notes,) = annotate(run, article(tmp_path, body)).inline.values()
    assert [[one.symbol for one in note.symbols] for note in notes] == [[], [], [], ["p"]]


def test_inline_notes_stand_in_json(run: Run, tmp_path: Path) -> None:
    pieces = annotate(run, article(tmp_path, INLINE)).json()["pieces"]
    told = [(each["formula"], [one["symbol"] for one in each["symbols"]])
            for piece in pieces for each in piece.get("formulas", [])]  # fmt: skip
    assert told[0] == (1, ["m", "v"]) or told[0] == (0, ["m", "v"])


def test_the_glossary_of_an_article(run: Run, tmp_path: Path) -> None:
    text = INLINE + RED + r" Let $x_1$ be 50\% of the mass & \_rest. \[ E = \hbar v \] " + RED
    found = annotate(run, article(tmp_path, text)).glossary
    told = {one.symbol: (one.phrases[0].phrase, one.phrases[0].source) for one in found}
    assert told["m"] == ("frog mass", "text") and told["v"] == ("frog velocity", "text")
    assert told[r"\hbar"] == ("reduced Planck constant", "constant")
    assert told["E"] == (PHRASES[0][0], "lexicon")


@pytest.mark.parametrize("suffix", [".tex", ".csv", ".json"])
def test_a_glossary_is_a_file(run: Run, tmp_path: Path, suffix: str) -> None:
    page = annotate(run, article(tmp_path, INLINE))
    text = nomenclature(page, suffix)
    if suffix == ".json":
        first = json.loads(text)[0]
        assert (first["symbol"], first["meaning"], first["source"]) == ("m", "frog mass", "text")
    elif suffix == ".csv":
        first = next(csv.DictReader(text.splitlines()))
        assert (first["symbol"], first["meaning"]) == ("m", "frog mass")
    else:
        assert r"$m$ & frog mass \\" in text and text.startswith(r"\begin{tabular}{ll}")


def test_a_glossary_needs_a_suffix(run: Run, tmp_path: Path) -> None:
    with pytest.raises(QuestionError) as caught:
        nomenclature(annotate(run, article(tmp_path, INLINE)), ".doc")
    assert str(caught.value) == (
        "A glossary cannot end in '.doc'. It ends in .tex (LaTeX), .csv or .json."
    )
    assert in_text(r"a_b & 3% of $x_1$ \x", sure=False) == (
        r"\emph{a\_b \& 3\% of $x_1$ \textbackslash{}x}"
    )


def test_the_page_reads_like_the_article(annotated: Page) -> None:
    page = annotated.html()
    assert Tags(page).open == []
    assert "<title>Red &amp; gold</title>" in page and "<h1>Red &amp; gold</h1>" in page
    assert '<span class="head">Abstract.</span> We study' in page
    assert '<span class="count">1</span>First <em>things</em></h2>' in page
    assert page.count("<figure") == page.count('<aside role="note">') == 3
    assert re.search(r'<p id="p\d+(-\d)?" class="item"><span class="label">•</span> one</p>', page)
    assert r"<pre><code>\xymatrix{ a \ar[r] &amp; b }</code></pre>" in page
    equation, section = re.findall(r'<a href="#p(\d+)">1</a>', page)[:2]
    assert f'<figure id="p{equation}">' in page and f'<h2 id="p{section}">' in page
    assert "1</a> and …," in page  # a label that is nowhere


def test_symbols_in_the_formula_carry_the_number_of_their_entry(annotated: Page) -> None:
    figure = annotated.html().split("<figure")[1]
    number = re.search(r'<div data-symbol="(\d)"><dt><math><mi>m</mi></math></dt>', figure)
    assert number
    assert f'<mi data-symbol="{number[1]}" tabindex="0" class="said">m</mi>' in figure
    assert "The article says: “The energy is … where" in figure
    assert "Not said here; right in about" in figure and "article0" in figure


def test_what_was_said_before_is_folded_away(annotated: Page) -> None:
    second = annotated.html().split("<figure")[2]
    assert re.search(r"<summary>\d more as before</summary>|symbols? as before", second)


def test_the_page_is_self_contained(annotated: Page) -> None:
    page = annotated.html()
    assert not re.search(r"(src|href)=[\"'](?!#)", page) and "@import" not in page
    assert page.count("url(") == page.count("url(data:font/woff2;base64,") == 1
    assert page.count("<script") == 1
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy and "default-src 'none'" in policy[1] and "'sha256-" in policy[1]


def test_html_in_an_article_shows_as_text(run: Run, tmp_path: Path) -> None:
    path = article(tmp_path, HOSTILE + RED, r"\title{<script>alert(0)</script>}")
    found = annotate(run, path)
    tags = Tags(found.html())
    assert tags.open == [] and tags.names.count("script") == 1
    assert not {"img", "iframe", "u"}.intersection(tags.names)
    assert not [name for name in tags.attributes if name.startswith("on")]
    page = found.html()
    assert "&lt;script&gt;alert(0)&lt;/script&gt;</h1>" in page
    assert "&lt;b onclick=&#34;x&#34;&gt;bold&lt;/b&gt;" in page
    assert "mass of &lt;iframe&gt;" in page.replace("</span>", "")


def test_an_article_without_displays(run: Run, tmp_path: Path) -> None:
    found = annotate(run, article(tmp_path, "Only text, no formulas."))
    assert found.notes == {} and "<figure" not in found.html()


def test_folders_and_archives_with_one_article(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    path = article(tmp_path / "in", BODY)
    with tarfile.open(tmp_path / "one.tar.gz", "w:gz") as archive:
        archive.add(path, "main.tex")
    assert annotate(run, tmp_path / "in").json()["title"] == "Red & gold"
    assert len(annotate(run, tmp_path / "one.tar.gz").notes) == 3


@pytest.mark.parametrize("name", ["ml/vae", "quantum/perturbation", "fluids/viscous_flow"])
def test_real_articles(run: Run, name: str) -> None:
    found = annotate(run, ARTICLES / name)
    page = found.html()
    assert Tags(page).open == [] and len(found.notes) > 5
    assert "<pre>" not in page  # every display is drawn
    said = [one for note in found.notes.values() for one in note.symbols
            if one.phrases and one.phrases[0].source == "text"]  # fmt: skip
    assert len(said) > 5


def test_sources_that_cannot_be_annotated(run: Run, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"holds 2 articles \(canonical_forms, group_characters"):
        annotate(run, ARTICLES / "algebra")
    with pytest.raises(CorpusError, match="does not exist"):
        annotate(run, tmp_path / "nothing.tex")
    (tmp_path / "empty.tex").write_text("")
    with pytest.raises(CorpusError, match="empty.tex' has no text. Give one article; LaTeX,"):
        annotate(run, tmp_path / "empty.tex")
    (tmp_path / "binary.tex").write_bytes(b"\0\1\2")
    with pytest.raises(CorpusError, match="is binary, not text. Give one article; LaTeX,"):
        annotate(run, tmp_path / "binary.tex")
    (tmp_path / "broken.ipynb").write_text("{")
    with pytest.raises(
        CorpusError, match=r"broken.ipynb' is no notebook \(its JSON is broken\). G"
    ):
        annotate(run, tmp_path / "broken.ipynb")


def test_a_readme_beside_an_article_is_none(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("About $x$.")
    assert one_article(str(tmp_path)).root == "README.md"
    (tmp_path / "main.tex").write_text("Text $x$.")
    assert one_article(str(tmp_path)).root == "main.tex"
    (tmp_path / "notes.md").write_text("More.")
    with pytest.raises(CorpusError, match=r"holds 2 articles \(main, notes, ...\). Give the file"):
        one_article(str(tmp_path))


def test_articles_of_other_kinds_are_annotated(run: Run, tmp_path: Path) -> None:
    source = "# Of mass\n\nHere $m$ is the mass:\n\n$$E = m c^2$$ (eq-e)\n\nSee {eq}`eq-e`."
    (tmp_path / "notes.md").write_text(source)
    cells = [{"cell_type": "markdown", "source": source}]
    (tmp_path / "notes.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "notes.dox").write_text(source.replace("$$", "\\f[", 1).replace("$$", "\\f]"))
    for name in ("notes.md", "notes.ipynb", "notes.dox"):
        found = annotate(run, tmp_path / name)
        (note,) = found.notes.values()
        assert (found.title, note.number, note.equation) == ("Of mass", "1", "E = m c^2")
        assert [p.phrase for s in note.symbols for p in s.phrases if p.source == "text"] == ["mass"]
        assert Tags(found.html()).open == []


def test_without_a_lexicon_only_the_text_explains(run: Run, tmp_path: Path) -> None:
    found = annotate(replace(run, lexicon=None), article(tmp_path, BODY))
    sources = {p.source for n in found.notes.values() for s in n.symbols for p in s.phrases}
    assert sources == {"text", "constant"} and "it guesses no others" in found.html()


def test_without_topics_there_is_nothing_to_say(corpus: Corpus, tmp_path: Path) -> None:
    training = Training(corpus, planted_config("model.theta=none", 'model.decoders=["lstm"]'))
    for _ in training.steps():
        break
    with pytest.raises(Unsupported, match="has no topics"):
        annotate(training.run, article(tmp_path, BODY))


def test_a_page_that_cannot_be_written(annotated: Page, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="^Cannot write '.*page.html': No such file"):
        annotated.save(tmp_path / "no" / "page.html")
