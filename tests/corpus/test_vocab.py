"""Vocabularies: order, ids, files, and the words that a topic model should not see."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiceq.article.equation.rules import END, PAD, SPECIAL, START, UNK
from topiceq.corpus.vocab import Vocab, stop_words, token_vocab, word_vocab
from topiceq.errors import CorpusError


def test_items_and_ids() -> None:
    vocab = Vocab(["b", "a"])
    assert (len(vocab), list(vocab), vocab[1], vocab.index("b")) == (2, ["b", "a"], "a", 0)
    assert "a" in vocab and "c" not in vocab
    with pytest.raises(KeyError):
        vocab.index("c")


def test_unknown_words_are_left_out_and_unknown_tokens_become_unk() -> None:
    words, tokens = Vocab(["field", "energy"]), Vocab([*SPECIAL, "x"])
    assert words.encode(["energy", "of", "field"]).tolist() == [1, 0]
    assert tokens.encode(["x", "y", "x"]).tolist() == [4, UNK, 4]
    assert words.encode([]).dtype == tokens.encode([]).dtype == np.int32


def test_the_special_tokens_come_first() -> None:
    vocab = token_vocab([pa.array([["x", "=", "x"]])])
    assert list(vocab) == ["<pad>", "<start>", "<end>", "<unk>", "x", "="]
    assert [vocab[i] for i in (PAD, START, END, UNK)] == list(SPECIAL)


@given(st.lists(st.lists(st.sampled_from(["x", "y", "z", "é"]), max_size=6), max_size=6))
def test_a_column_encodes_as_its_rows_do(rows: list[list[str]]) -> None:
    for vocab in (Vocab(["é", "x"]), Vocab([*SPECIAL, "x", "é"])):
        ids, lengths = vocab.encode_lists(pa.array(rows, pa.list_(pa.string())))
        expected = [vocab.encode(row).tolist() for row in rows]
        assert ids.tolist() == [number for row in expected for number in row]
        assert lengths.tolist() == [len(row) for row in expected]
        assert ids.dtype == np.int32


def test_a_part_of_a_column_encodes_as_its_rows_do() -> None:
    column = pa.array([["x"], ["y", "x"], ["x", "x"]])[1:]
    ids, lengths = Vocab(["x"]).encode_lists(column)
    assert (ids.tolist(), lengths.tolist()) == ([0, 0, 0], [1, 2])


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), unique=True))
def test_any_items_survive_the_file(
    tmp_path_factory: pytest.TempPathFactory, items: list[str]
) -> None:
    items = [item for item in items if "\n" not in item]
    path = tmp_path_factory.mktemp("vocab") / "items.txt"
    Vocab(items).save(path)
    assert Vocab.load(path) == Vocab(items)
    assert Vocab.load(path).digest == Vocab(items).digest


def test_the_digest_tells_order() -> None:
    assert Vocab(["a", "b"]).digest != Vocab(["b", "a"]).digest
    assert Vocab(["ab"]).digest != Vocab(["a", "b"]).digest


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"a\nb\na\n", "item 3, 'a', is also item 1"),
        (b"a\n\nb\n", "item 2 is empty"),
        (b"a\n\xff\n", "cannot be read"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes, fault: str) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match="words.txt' .*" + fault):
        Vocab.load(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="words.txt' cannot be read"):
        Vocab.load(tmp_path / "words.txt")


def test_items_that_cannot_be_lines_are_refused() -> None:
    with pytest.raises(CorpusError, match=r"item 2, 'a\\nb', has a line break"):
        Vocab(["x", "a\nb"])


def test_words_are_ordered_by_contexts_then_alphabet() -> None:
    contexts = [["beta", "beta", "beta", "alpha"], ["alpha", "gamma"], ["gamma", "rare"]]
    assert list(word_vocab([pa.array(contexts)], min_df=1)) == ["alpha", "gamma", "beta", "rare"]
    assert list(word_vocab([pa.array(contexts)], min_df=2)) == ["alpha", "gamma"]


def test_stop_words_are_dropped() -> None:
    context = "let x denote the energy of a field hence by the lemma we obtain equation".split()
    assert list(word_vocab([pa.array([context])], min_df=1)) == ["energy", "field"]


def test_contractions_are_stop_words_and_names_are_not() -> None:
    context = ["let's", "it’s", "doesn't", "we've", "newton's"]
    assert list(word_vocab([pa.array([context])], min_df=1)) == ["newton's"]


def test_stop_words_leave_the_subject_matter() -> None:
    named = (
        "let thus hence lemma theorem proposition corollary proof eq equation fig figure section"
    )
    assert stop_words().issuperset(named.split())
    assert stop_words().isdisjoint("set function state mean work order field energy group".split())
    assert all(word == word.lower().strip() for word in stop_words())


def test_only_the_most_frequent_tokens_are_kept() -> None:
    vocab = token_vocab([pa.array([["c", "c", "b", "a"], ["<unk>", "<unk>", "<unk>"]])], size=2)
    assert list(vocab)[len(SPECIAL) :] == ["c", "a"]
