"""The corpus on disk: pairs in Parquet, what is learned from train, and folders that do not fit."""

import gc
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import topiceq.corpus.parquet as parquet_module
import topiceq.corpus.store as store_module
from topiceq.article.equation.rules import SPECIAL, UNK
from topiceq.config import CorpusConfig
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.pair import SCHEMA, Pair, read_pairs, write_pairs
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab, Vocabularies
from topiceq.errors import ConfigError, CorpusError

PairsFactory = Callable[..., list[Pair]]


@pytest.fixture
def corpus(pairs: PairsFactory, phrase_file: Path, tmp_path: Path) -> Corpus:
    return Corpus.build(pairs(200, articles=50), phrases=phrase_file, path=tmp_path / "corpus")


def same(one: Encoded, other: Encoded) -> bool:
    arrays = [(one.tokens, other.tokens), (one.offsets, other.offsets)]
    arrays += [(one.articles, other.articles), *zip(one.order, other.order, strict=True)]
    sparse = [(one.words, other.words), (one.phrases, other.phrases)]
    return all(np.array_equal(a, b) for a, b in arrays) and not any((a != b).nnz for a, b in sparse)


# Parquet files of pairs


def test_pairs_survive_the_file(pairs: PairsFactory, tmp_path: Path) -> None:
    made = pairs(30)
    assert write_pairs(tmp_path / "a.parquet", iter(made)) == 30
    assert list(read_pairs(tmp_path / "a.parquet")) == made
    assert [file.name for file in tmp_path.iterdir()] == ["a.parquet"]


def test_no_pairs_make_a_readable_file(tmp_path: Path) -> None:
    write_pairs(tmp_path / "a.parquet", [])
    assert list(read_pairs(tmp_path / "a.parquet")) == []


def test_the_same_pairs_give_the_same_bytes(
    pairs: PairsFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_module, "ROWS", 16)
    write_pairs(tmp_path / "a.parquet", pairs(50))
    write_pairs(tmp_path / "b.parquet", iter(pairs(50)))
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    groups = pq.ParquetFile(tmp_path / "a.parquet").metadata
    assert [groups.row_group(i).num_rows for i in range(groups.num_row_groups)] == [16, 16, 16, 2]


def test_an_interrupted_file_leaves_the_old_one(pairs: PairsFactory, tmp_path: Path) -> None:
    def interrupted() -> object:
        yield from pairs(3)
        raise KeyboardInterrupt

    write_pairs(tmp_path / "a.parquet", pairs(5))
    with pytest.raises(KeyboardInterrupt):
        write_pairs(tmp_path / "a.parquet", interrupted())  # type: ignore[arg-type]
    assert len(list(read_pairs(tmp_path / "a.parquet"))) == 5
    assert [file.name for file in tmp_path.iterdir()] == ["a.parquet"]


def test_a_folder_of_shards_is_read_in_order(pairs: PairsFactory, tmp_path: Path) -> None:
    made = pairs(20)
    write_pairs(tmp_path / "shard-00001.parquet", made[10:])
    write_pairs(tmp_path / "shard-00000.parquet", made[:10])
    assert list(read_pairs(tmp_path)) == made


def test_what_holds_no_pairs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="There is no '.*x'. Give a Parquet file of pairs"):
        next(read_pairs(tmp_path / "x"))
    with pytest.raises(CorpusError, match="has no pairs. Make some: topiceq extract ARTICLES -o "):
        next(read_pairs(tmp_path))
    (tmp_path / "a.tex").write_text("no")
    with pytest.raises(CorpusError, match="Make some: topiceq extract .* -o PAIRS"):
        next(read_pairs(tmp_path))
    with pytest.raises(CorpusError, match="a.tex' is no Parquet file of pairs. Give one, or their"):
        next(read_pairs(tmp_path / "a.tex"))
    (tmp_path / "a.parquet").write_text("no")
    with pytest.raises(CorpusError, match="a.parquet' is not a readable Parquet file"):
        next(read_pairs(tmp_path))
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(CorpusError, match="does not hold pairs. Columns of pairs: id, article, fi"):
        next(read_pairs(tmp_path))
    with pytest.raises(CorpusError, match="Cannot write the pairs to '.*missing/a.parquet'"):
        write_pairs(tmp_path / "missing" / "a.parquet", [])


# build and load


def test_the_folder(corpus: Corpus) -> None:
    names = {"train.parquet", "valid.parquet", "test.parquet", "corpus.toml"}
    names |= {"words.txt", "tokens.txt", "phrases.txt", "definitions.parquet"}
    assert {file.name for file in corpus.path.iterdir()} == names
    assert [file.name for file in corpus.path.parent.glob(".*")] == []


def test_pandas_reads_it_directly(corpus: Corpus, pairs: PairsFactory) -> None:
    frame = pd.read_parquet(corpus.path / "train.parquet")
    assert list(frame.columns) == SCHEMA.names
    first = next(corpus.train.pairs())
    assert list(frame.tokens[0]) == first.tokens and frame.field[0] == first.field
    assert len(frame.before[0]) == len(frame.after[0]) == 5
    assert len(corpus.train.table.to_pandas()) == len(corpus.train) == len(frame)


def test_vocabularies_come_from_train_only(
    pairs: PairsFactory, phrase_file: Path, tmp_path: Path
) -> None:
    made = pairs(200, articles=50)
    plain = Corpus.build(made, phrases=phrase_file)
    held_out = {p.id for split in (plain.valid, plain.test) for p in split.pairs()}
    marked = [
        replace(p, words=["leak"], tokens=[r"\leak"] * (20 + n)) if p.id in held_out else p
        for n, p in enumerate(made)
    ]
    corpus = Corpus.build(marked, phrases=phrase_file)
    assert held_out and "leak" not in corpus.words and r"\leak" not in corpus.tokens
    assert list(corpus.words) == list(plain.words)
    assert corpus.test.encoded.unk_rate == 1.0


def test_what_is_learned(corpus: Corpus) -> None:
    assert len(corpus.words) == 41 and "space" in corpus.words and "let" not in corpus.words
    assert list(corpus.tokens)[:4] == list(SPECIAL) and r"\alpha" in corpus.tokens
    assert set(corpus.phrases) == {
        "electric field",
        "stopping time",
        "spectral sequence",
        "elliptic curve",
    }


def test_sizes_follow_the_config(pairs: PairsFactory, phrase_file: Path) -> None:
    config = CorpusConfig(token_vocab=3, phrase_vocab=2, min_df=10_000, seed=1)
    corpus = Corpus.build(pairs(), config=config, phrases=phrase_file)
    assert [len(vocab) for vocab in corpus.vocabularies] == [0, 7, 2]
    assert corpus.config == config


def test_split_and_seed_go_before_the_config(pairs: PairsFactory, phrase_file: Path) -> None:
    corpus = Corpus.build(pairs(), split=(50, 0, 50), seed=3, phrases=phrase_file)
    assert (corpus.config.split, corpus.config.seed) == ((50, 0, 50), 3)
    with pytest.raises(ConfigError, match="percentages that sum to 100"):
        Corpus.build(pairs(), split=(50, 0, 40), phrases=phrase_file)


def test_loading_gives_what_was_built(corpus: Corpus) -> None:
    loaded = Corpus.load(str(corpus.path))
    assert loaded.vocabularies == corpus.vocabularies
    assert (loaded.digest, loaded.counts, loaded.config) == (
        corpus.digest,
        corpus.counts,
        corpus.config,
    )
    assert list(loaded.valid.pairs()) == list(corpus.valid.pairs())
    assert loaded.config.min_df == 5  # the rule, resolved


def test_the_same_pairs_give_the_same_folder(
    pairs: PairsFactory, phrase_file: Path, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        Corpus.build(pairs(100), phrases=phrase_file, path=tmp_path / name)
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


def test_the_digest_tells_pairs_and_splits(pairs: PairsFactory, phrase_file: Path) -> None:
    def digest(made: list[Pair], seed: int = 0) -> str:
        return Corpus.build(made, phrases=phrase_file, seed=seed).digest

    made = pairs(100)
    renamed = [replace(made[0], id="other"), *made[1:]]
    assert digest(made) == digest(made)
    assert len({digest(made), digest(renamed), digest(made, seed=1)}) == 3


def test_a_temporary_corpus_lives_as_long_as_its_splits(
    pairs: PairsFactory, phrase_file: Path
) -> None:
    train = Corpus.build(pairs(), phrases=phrase_file).train
    gc.collect()
    path = train.path
    assert path.exists() and len(list(train.pairs())) == len(train)
    del train
    gc.collect()
    assert not path.parent.parent.exists()


def test_a_corpus_is_replaced_but_nothing_else(
    corpus: Corpus, pairs: PairsFactory, phrase_file: Path, tmp_path: Path
) -> None:
    smaller = Corpus.build(pairs(60), phrases=phrase_file, path=corpus.path)
    assert Corpus.load(corpus.path).counts == smaller.counts != corpus.counts
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "thesis.tex").write_text("precious")
    with pytest.raises(CorpusError, match="thesis' exists and is not a corpus. Give another name"):
        Corpus.build(pairs(60), phrases=phrase_file, path=other)
    with pytest.raises(CorpusError, match="exists and is not a corpus"):
        Corpus.build(pairs(60), phrases=phrase_file, path=other / "thesis.tex")
    assert (other / "thesis.tex").read_text() == "precious"
    (corpus.path / "runs").mkdir()
    with pytest.raises(CorpusError, match="corpus' also holds 'runs'. Move it away to replace"):
        Corpus.build(pairs(60), phrases=phrase_file, path=corpus.path)


def test_a_failed_build_leaves_the_old_corpus(
    corpus: Corpus, pairs: PairsFactory, phrase_file: Path
) -> None:
    def interrupted() -> object:
        yield from pairs(30)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Corpus.build(interrupted(), phrases=phrase_file, path=corpus.path)  # type: ignore[arg-type]
    assert Corpus.load(corpus.path).digest == corpus.digest
    assert [file.name for file in corpus.path.parent.glob(".*")] == []


def test_a_folder_that_cannot_be_made_is_an_error(
    pairs: PairsFactory, phrase_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CorpusError, match="file/corpus' cannot be written: "):
        Corpus.build(pairs(), phrases=phrase_file, path=tmp_path / "file" / "corpus")


def test_an_empty_train_split_is_an_error(pairs: PairsFactory, phrase_file: Path) -> None:
    with pytest.raises(CorpusError, match="None of the 1 articles fell into train. Give more art"):
        Corpus.build(pairs(5, articles=1), split=(1, 0, 99), phrases=phrase_file)


def test_a_corpus_for_evaluation_only(
    corpus: Corpus, pairs: PairsFactory, phrase_file: Path
) -> None:
    held_out = Corpus.build(pairs(40, seed=5), split=(0, 0, 100), phrases=phrase_file)
    assert (len(held_out.train), len(held_out.valid), len(held_out.test)) == (0, 0, 40)
    assert (held_out.path / "tokens.txt").read_bytes() == b""
    assert held_out.test.encode(corpus.vocabularies).words.shape == (40, len(corpus.words))
    with pytest.raises(CorpusError, match="no vocabularies: it was built for evaluation only"):
        _ = held_out.test.encoded


# a folder that does not fit together


def test_a_folder_without_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"is not a corpus. Make one: topiceq build PAIRS -o "):
        Corpus.load(tmp_path)
    (tmp_path / "a.tex").write_text("an article")
    with pytest.raises(CorpusError, match=r"Make one: topiceq build .* -o CORPUS"):
        Corpus.load(tmp_path)


def test_files_that_do_not_fit_are_refused(corpus: Corpus) -> None:
    def message() -> str:
        with pytest.raises(CorpusError) as error:
            Corpus.load(corpus.path)
        return str(error.value)

    toml, words = corpus.path / "corpus.toml", corpus.path / "words.txt"
    original = toml.read_text()
    toml.write_text(original.replace("version = 2", "version = 1"))
    assert "its format is 1, this is for 2. Build it again." in message()
    toml.write_text(original.replace("[counts]", "[count]"))
    assert "corpus.toml is damaged ('counts')" in message()
    toml.write_text("no")
    assert "corpus.toml is damaged" in message()
    toml.write_text(original.replace(f"train = {len(corpus.train)}", "train = 7"))
    assert f"train.parquet has {len(corpus.train)} pairs, corpus.toml says 7" in message()
    toml.write_text(original)
    content = words.read_text()
    words.write_text("other\n" + content)
    assert message() == (
        f"The corpus '{corpus.path}' does not fit together: its vocabularies are not its own. "
        "Build it again."
    )
    words.write_text(content)
    (corpus.path / "test.parquet").unlink()
    assert "test.parquet' is not a readable Parquet file" in message()


def test_unknown_splits_and_columns_are_refused(corpus: Corpus) -> None:
    assert corpus.split("valid") is corpus.valid
    with pytest.raises(CorpusError, match="no split 'dev'. Splits: train, valid, test."):
        corpus.split("dev")
    with pytest.raises(CorpusError, match="Pairs have no 'token'. They have: id, article"):
        corpus.train.column("token")
    assert corpus.test.column("id").to_pylist() == [pair.id for pair in corpus.test.pairs()]


# ids


def test_ids_are_those_of_the_pairs(corpus: Corpus) -> None:
    split = corpus.train
    encoded, made = split.encoded, list(split.pairs())
    assert len(encoded) == len(made)
    flat, at = encoded.order
    for row in (0, len(made) // 2, len(made) - 1):
        known = [word for word in made[row].words if word in corpus.words]
        assert [corpus.words[i] for i in flat[at[row] : at[row + 1]]] == known
        assert encoded.words[row].sum() == len(known)
        assert encoded.words[row, corpus.words.index(known[0])] == known.count(known[0])
        own = encoded.tokens[encoded.offsets[row] : encoded.offsets[row + 1]]
        assert [corpus.tokens[i] for i in own] == made[row].tokens
        topic = int(made[row].field[-1])
        phrase = ["electric field", "stopping time", "spectral sequence", "elliptic curve"][topic]
        assert encoded.phrases[row].toarray().sum() == 2
        assert encoded.phrases[row, corpus.phrases.index(phrase)] == 2
    articles = list(dict.fromkeys(pair.article for pair in made))
    assert [articles[i] for i in encoded.articles] == [pair.article for pair in made]


def test_types_of_the_arrays(corpus: Corpus) -> None:
    for encoded in (corpus.train.encoded, Corpus.load(corpus.path).train.encoded):
        assert encoded.words.dtype == encoded.phrases.dtype == np.float32
        assert encoded.tokens.dtype == encoded.order[0].dtype == encoded.articles.dtype == np.int32
        assert encoded.offsets.dtype == encoded.order[1].dtype == np.int64
        assert encoded.tokens.flags.writeable and encoded.words.has_canonical_format


def test_other_vocabularies(corpus: Corpus) -> None:
    words, tokens = Vocab(["word0a"]), Vocab([*SPECIAL, "="])
    encoded = corpus.test.encode(Vocabularies(words, tokens, Vocab(["field"])))
    assert encoded.words.shape == (len(corpus.test), 1) and encoded.phrases.shape[1] == 1
    assert set(encoded.tokens.tolist()) == {UNK, 4}
    assert encoded.unk_rate == pytest.approx(1 - len(corpus.test) / len(encoded.tokens))
    assert corpus.test.encode(corpus.vocabularies) is corpus.test.encoded


def test_encoding_in_groups_changes_nothing(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = corpus.train.encoded
    monkeypatch.setattr(parquet_module, "ROWS", 7)
    monkeypatch.setattr(store_module, "kept", lambda folder, digest: None)
    assert same(Corpus.load(corpus.path).train.encoded, whole)


def test_ids_are_kept_and_made_again_when_stale(corpus: Corpus) -> None:
    first = corpus.valid.encoded
    kept = corpus.path / "encoded" / "valid"
    assert same(Corpus.load(corpus.path).valid.encoded, first)
    marked = np.load(kept / "tokens.npy")
    marked[:] = 4
    np.save(kept / "tokens.npy", marked)
    assert set(Corpus.load(corpus.path).valid.encoded.tokens.tolist()) == {4}  # read, not made
    (kept / "digest.txt").write_text("of another corpus")
    assert same(Corpus.load(corpus.path).valid.encoded, first)
    (kept / "words.npy").write_bytes(b"")
    assert same(Corpus.load(corpus.path).valid.encoded, first)
    assert sorted(file.name for file in kept.parent.iterdir()) == ["valid"]


def test_a_corpus_that_cannot_be_written_is_encoded_all_the_same(corpus: Corpus) -> None:
    (corpus.path / "encoded").write_text("in the way")
    assert len(corpus.train.encoded) == len(corpus.train)


def test_an_empty_split_is_encoded(pairs: PairsFactory, phrase_file: Path) -> None:
    corpus = Corpus.build(pairs(), split=(100, 0, 0), phrases=phrase_file)
    for encoded in (corpus.test.encoded, Corpus.load(corpus.path).test.encoded):
        assert encoded.words.shape == (0, len(corpus.words)) and encoded.offsets.tolist() == [0]
        assert encoded.unk_rate == 0.0


def test_a_corpus_from_before_rows_were_split_is_the_papers(corpus: Corpus) -> None:
    assert corpus.config.rows == "split"
    toml = corpus.path / "corpus.toml"
    toml.write_text(toml.read_text().replace('rows = "split"\n', ""))
    assert Corpus.load(corpus.path).config.rows == "paper"


def test_the_facts_are_toml(corpus: Corpus) -> None:
    facts = tomllib.loads((corpus.path / "corpus.toml").read_text())
    assert facts["counts"]["articles"] == 50 and facts["counts"]["duplicate"] == 0
    assert facts["format"]["digest"] == corpus.digest
