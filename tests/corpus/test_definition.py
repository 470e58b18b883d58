"""Definitions as rows: found in whole articles, written beside the pairs."""

from pathlib import Path

from topiceq.article.pieces import Display, Prose
from topiceq.article.prose import Text
from topiceq.article.source import sources
from topiceq.config import CorpusConfig
from topiceq.corpus.definition import (
    SymbolDefinition,
    defined_in,
    read_definitions,
    symbol_definitions,
    write_definitions,
)
from topiceq.corpus.extract import contents
from topiceq.corpus.pair import Pair
from topiceq.corpus.shards import extract_shards, shard_files

ENERGY = ("E", "=", "h", r"\nu")


def text() -> Text:
    display = Display("a", "a.tex", 3, "equation", r"E = h \nu", ENERGY)
    return Text("a", [
        Prose("a", "Here is a first sentence. Let $m$ be the mass of the body. Nothing is said. "
                   "Let us go on. The energy of the photon is"),
        display,
        Prose("a", r"where $\nu$ is the frequency. A last sentence."),
    ])  # fmt: skip


def test_definitions_of_sentences_and_of_displays() -> None:
    found = {d.symbol.latex: (d.phrase, d.place, d.strength) for d in defined_in(text())}
    assert found == {
        "m": ("mass of the body", 1, 0.94),
        r"\nu": ("frequency", 4, 0.94),
        "E": ("energy of the photon", 4, 0.8),
    }


def test_rows_have_the_words_around_the_sentence() -> None:
    rows = list(symbol_definitions(text(), "physics", 1))
    assert [row.place for row in rows] == sorted(row.place for row in rows)
    assert rows[0] == SymbolDefinition(
        article="a", field="physics", place=1, symbol="m", tokens=["m"],
        phrase="mass of the body", strength=0.94, sentence="Let $m$ be the mass of the body.",
        words="here is first sentence let be the mass of the body nothing is said".split(),
    )  # fmt: skip
    assert rows[1].words[:3] == ["let", "us", "go"] and rows[1].words[-2:] == ["last", "sentence"]


def test_rows_survive_the_file(tmp_path: Path) -> None:
    rows = list(symbol_definitions(text(), "physics", 5))
    assert write_definitions(tmp_path / "a.definitions.parquet", iter(rows)) == 3
    (batch,) = read_definitions(tmp_path / "a.definitions.parquet")
    assert [SymbolDefinition(**row) for row in batch.to_pylist()] == rows
    (symbols,) = read_definitions(tmp_path / "a.definitions.parquet", columns=["symbol"])
    assert symbols.to_pydict() == {"symbol": [row.symbol for row in rows]}


# -- from articles --------------------------------------------------------------------------------

BODY = (
    "We study a body that moves through a medium. It is what we have seen in the lectures. "
    "Let $m$ be the mass of the body. The of and to in is that for we with by be as are. "
)


def article(tmp_path: Path, name: str, body: str) -> None:
    (tmp_path / "articles").mkdir(exist_ok=True)
    latex = rf"\documentclass{{article}}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "articles" / name).write_text(latex)


def test_articles_without_displays_define_symbols_too(tmp_path: Path) -> None:
    article(tmp_path, "a.tex", BODY)
    article(tmp_path, "b.tex", "Es sei $m$ is the Masse. " + "Der Hund beisst die Katze nie. " * 9)
    found = [
        each
        for source in sources([tmp_path / "articles"])
        for one in source.articles()
        for each in contents(one, CorpusConfig())
    ]
    assert [(d.article, d.phrase) for d in found if isinstance(d, SymbolDefinition)] == [
        ("a", "mass of the body")
    ]
    assert not [each for each in found if isinstance(each, Pair)]


def test_extraction_writes_definitions_beside_the_pairs(tmp_path: Path) -> None:
    article(tmp_path, "a.tex", BODY)
    out = tmp_path / "pairs"
    extract_shards([tmp_path / "articles"], out, jobs=1)
    beside = out / "00000000.definitions.parquet"
    (batch,) = read_definitions(beside)
    assert batch["phrase"].to_pylist() == ["mass of the body"]
    assert [path.name for path in shard_files(out)] == ["00000000.parquet"]
    before = beside.read_bytes()
    beside.unlink()  # a shard without it is not complete
    extract_shards([tmp_path / "articles"], out, jobs=1)
    assert beside.read_bytes() == before
