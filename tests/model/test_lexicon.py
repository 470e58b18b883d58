"""The lexicon: planted definitions are found, probabilities hold, and a broken one is refused."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from planted import PHRASES, TOPICS

from topiceq.article.equation.normal import parse
from topiceq.article.equation.symbol import Symbol, head
from topiceq.article.nouns import plurals
from topiceq.corpus.store import Corpus
from topiceq.errors import CorpusError, RunError
from topiceq.model.lexicon import (
    SILENT,
    USUAL,
    Lexicon,
    forms,
    is_general,
    load_lexicon,
    packed,
    unpacked,
)
from topiceq.model.lexicon_build import (
    ENOUGH,
    LONGEST,
    DefinitionTable,
    build_lexicon,
    count_definitions,
    excerpt,
    fitted,
    without,
)
from topiceq.model.lexicon_evidence import companies
from topiceq.model.run import Run

MEANINGS = {  # of each symbol under topics 0 and 1
    "m": ("mass", "slope"),
    "T": ("temperature", "stopping time"),
    "v": ("velocity", "vector"),
    "r": ("radius", "interest rate"),
}
WORDS = ([f"motion{n}" for n in range(28)], [f"market{n}" for n in range(28)])


def symbol(latex: str) -> Symbol:
    found, _ = head(parse(latex))
    assert found is not None
    return found


def many(phrase: str) -> str:
    """A phrase in the plural."""
    *words, noun = phrase.split()
    return " ".join([*words, plurals(noun)[0]])


def table(articles: int, seed: int, *, noise: float = 0.25) -> DefinitionTable:
    """Articles with one topic each that define every symbol; some mean the other topic's."""
    draw = random.Random(seed)
    rows = DefinitionTable([], [], [], [], [], [], [], [], None)
    theta = []
    for number in range(articles):
        topic = draw.randrange(2)
        for letter, both in MEANINGS.items():
            phrase = both[topic if draw.random() > noise else 1 - topic]
            rows.symbols.append(symbol(letter))
            rows.phrases.append(draw.choice([phrase, many(phrase)]))
            rows.articles.append(f"article{number}")
            rows.fields.append(f"field{number % 10}")
            rows.sentences.append(f"where ${letter}$ is the {phrase}")
            rows.strengths.append(0.94)
            rows.places.append(0)
            rows.words.append(draw.choices(WORDS[topic], k=5))
            theta.append([0.9, 0.1] if topic == 0 else [0.1, 0.9])
    return DefinitionTable(**{**vars(rows), "theta": np.array(theta, dtype=np.float32)})


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return fitted(count_definitions(table(200, 0), "digest"), table(120, 1))


def theta(topic: int) -> np.ndarray:
    return np.eye(2, dtype=np.float32)[topic]


@pytest.mark.parametrize("topic", [0, 1])
def test_the_topic_tells_the_meaning(lexicon: Lexicon, topic: int) -> None:
    asked = lexicon.under(theta(topic), WORDS[topic])
    for letter, both in MEANINGS.items():
        first, *others = asked.meanings(symbol(letter), 5)
        assert first.phrase == both[topic] and all(first.p >= other.p for other in others)


def flat(rows: DefinitionTable) -> DefinitionTable:
    """The same under a theta that tells nothing, with a letter of its topic in each sentence."""
    sentences = [
        f"{sentence} beside ${'K' if words[0] in WORDS[1] else 'F'}$"
        for sentence, words in zip(rows.sentences, rows.words, strict=True)
    ]
    theta = np.full((len(rows), 2), 0.5, dtype=np.float32)
    return DefinitionTable(**{**vars(rows), "sentences": sentences, "theta": theta})


@pytest.mark.parametrize("topic", [0, 1])
def test_words_and_other_letters_tell_it_too(topic: int) -> None:
    known = fitted(count_definitions(flat(table(200, 0)), ""), flat(table(120, 1)))
    by_words = known.under(theta(0) * 0 + 0.5, WORDS[topic])
    by_company = known.under(theta(0) * 0 + 0.5, (), [forms(symbol("FK"[topic]))[2]])
    for letter, both in MEANINGS.items():
        assert by_words.meanings(symbol(letter), 1)[0].phrase == both[topic]
        assert by_company.meanings(symbol(letter), 1)[0].phrase == both[topic]


def test_what_keeps_a_definition_company() -> None:
    rows = DefinitionTable([], [], [], [], [], [], [], [], None)
    said = [("m", "a", 0), ("v", "a", 4), ("q", "a", 40), ("m", "b", 0)]
    for letter, article, place in said:
        rows.symbols.append(symbol(letter))
        rows.articles.append(article)
        rows.sentences.append(f"where ${letter}$ is it, $x_1$ and $" + "y_{$")
        rows.places.append(place)
    beside = [" ".join(name.removesuffix(" **") for name in some) for some in companies(rows)]
    assert beside == ["v x", "m x", "x", "x"]


def test_probabilities_are_those_of_being_right(lexicon: Lexicon) -> None:
    held_out, right, told = table(150, 2), 0, 0.0
    for at in range(len(held_out)):
        asked = lexicon.under(held_out.theta[at], held_out.words[at])  # type: ignore[index]
        first = asked.meanings(held_out.symbols[at], 1)[0]
        told += first.p
        right += held_out.phrases[at] in (first.phrase, many(first.phrase))
    assert told / len(held_out) == pytest.approx(right / len(held_out), abs=0.05)
    assert right / len(held_out) == pytest.approx(0.75, abs=0.06)


def test_an_article_counts_once() -> None:
    rows = table(40, 0, noise=0)
    loud = [at for at, name in enumerate(rows.articles) if name == "article0"] * 50
    columns = {
        name: list(column) + [column[at] for at in loud]
        for name, column in vars(rows).items() if name != "theta"
    }  # fmt: skip
    assert rows.theta is not None
    louder = DefinitionTable(**columns, theta=np.concatenate([rows.theta, rows.theta[loud]]))
    one, other = (count_definitions(some, "") for some in (rows, louder))
    assert np.array_equal(one.tables.counts, other.tables.counts)
    assert np.array_equal(one.tables.defining, other.tables.defining)


def test_wordings_are_one_phrase(lexicon: Lexicon) -> None:
    assert sorted(lexicon.phrases) == sorted(p for both in MEANINGS.values() for p in both)


def test_a_form_backs_off_to_its_letter(lexicon: Lexicon) -> None:
    asked = lexicon.under(theta(0), ())
    for form in ("m_1", r"\hat{m}", r"\mathbf{m}_{\max}"):
        assert asked.meanings(symbol(form), 1)[0].phrase == "mass"
    assert asked.meanings(symbol("q"), 1) == []
    assert asked.meanings(Symbol(("|",)), 1) == []


def test_a_form_of_its_own_means_its_own() -> None:
    rows = table(60, 0)
    for at in range(60):
        rows.symbols[4 * at] = symbol("m_e")
        rows.phrases[4 * at] = "electron mass"
    asked = count_definitions(rows, "").under(theta(0), ())
    assert asked.meanings(symbol("m_e"), 1, 0)[0].phrase == "electron mass"


def test_forms_of_a_symbol() -> None:
    assert forms(symbol(r"T_{\mu\nu}"))[0] == forms(symbol(r"T_{\alpha\beta}"))[0]
    assert forms(symbol("x_1"))[0] == forms(symbol("x_2"))[0] != forms(symbol("x_i"))[0]
    assert forms(symbol("k_B"))[0] != forms(symbol("k_F"))[0]
    assert forms(symbol(r"\hat{\mathbf{x}}"))[2] == forms(symbol("x"))[2] == "x **"


def test_what_is_too_likely_to_be_wrong_is_not_said(lexicon: Lexicon) -> None:
    asked = lexicon.under(theta(0), ())
    best = asked.meanings(symbol("m"), 1)[0].p
    assert best > SILENT
    assert asked.meanings(symbol("m"), 1, best + 0.01) == []


def test_sources_say_so(lexicon: Lexicon) -> None:
    for source in lexicon.under(theta(0), ()).meanings(symbol("T"), 1)[0].sources:
        assert source.article.startswith("article")
        assert source.sentence == "where $T$ is the temperature"


def test_what_is_said_more_narrowly_counts_for_it() -> None:
    assert is_general(("mass",), ("electron", "mass"))
    assert is_general(("set",), ("finite", "set"))
    assert not is_general(("function",), ("loss", "function"))
    assert not is_general(("mass",), ("mass", "matrix"))
    assert not is_general(("mass",), ("mass",)) and not is_general((), ("mass",))


def test_too_few_questions_leave_the_usual_weights() -> None:
    known = count_definitions(table(40, 0), "")
    assert fitted(known, table(10, 1)).weights == USUAL
    assert ENOUGH > 40


def test_saved_and_loaded_it_answers_alike(lexicon: Lexicon, tmp_path: Path) -> None:
    lexicon.save(tmp_path)
    again = load_lexicon(tmp_path, 2)
    assert again is not None and again.facts == lexicon.facts
    for topic in (0, 1):
        for letter in MEANINGS:
            both = [some.under(theta(topic), WORDS[topic]).meanings(symbol(letter), 9)
                    for some in (lexicon, again)]  # fmt: skip
            assert both[0] == both[1]
    again.save(tmp_path)  # where it was read from
    assert load_lexicon(tmp_path, 2) is not None
    assert load_lexicon(tmp_path / "nowhere", 2) is None


@pytest.mark.parametrize("name", ["lexicon.json", "symbols.txt", "entries.npy", "sentences.npy"])
def test_a_damaged_lexicon_is_refused(lexicon: Lexicon, tmp_path: Path, name: str) -> None:
    lexicon.save(tmp_path)
    (tmp_path / "lexicon" / name).write_bytes(b"{}")
    with pytest.raises(RunError, match=r"is damaged .*Make it again: topiceq lexicon"):
        load_lexicon(tmp_path, 2)
    (tmp_path / "lexicon" / name).unlink()
    with pytest.raises(RunError, match="is damaged"):
        load_lexicon(tmp_path, 2)


def test_a_lexicon_of_another_version_or_other_topics(lexicon: Lexicon, tmp_path: Path) -> None:
    lexicon.save(tmp_path)
    with pytest.raises(RunError, match="belongs to other topics"):
        load_lexicon(tmp_path, 3)
    path = tmp_path / "lexicon" / "lexicon.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 99}))
    with pytest.raises(RunError, match="it was made by another version"):
        load_lexicon(tmp_path, 2)


def test_a_run_keeps_its_lexicon(run: Run, tmp_path: Path) -> None:
    assert run.lexicon is not None and len(run.lexicon) == 2 * TOPICS
    assert set(run.lexicon.phrases) == {phrase for both in PHRASES for phrase in both}
    run.save(tmp_path)
    again = Run.load(tmp_path).lexicon
    assert again is not None and again.phrases == run.lexicon.phrases


def test_a_run_with_a_damaged_lexicon(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    (folder / "lexicon" / "counts.npy").unlink()
    with pytest.raises(RunError, match="is damaged"):
        Run.load(folder)


def test_a_corpus_without_definitions(run: Run, tmp_path: Path) -> None:
    from planted import planted_pairs

    corpus = Corpus.build(planted_pairs(60, 12), path=tmp_path / "silent")
    assert not corpus.defines()
    with pytest.raises(CorpusError, match="says nothing of symbols: no train article defines any"):
        build_lexicon(run, corpus)


def test_sentences_are_packed_and_cut() -> None:
    for sentence in ("", "where $m$ is the mass", "ρ ist die Dichte, 𝐱 der Ort"):
        assert unpacked(packed(sentence)) == sentence
    long = "We begin here. " * 20 + r"where $\frac{a b c}{d e f}$ is the mass " + "and so on " * 20
    cut = excerpt(long, "mass")
    assert "mass" in cut and len(cut) < 2 * LONGEST
    assert cut.startswith("… ") and cut.endswith(" …") and cut.count("$") % 2 == 0


def test_a_question_does_not_hold_its_answer() -> None:
    words = ["before", "it", "where", "is", "the", "mass", "and", "behind"]
    assert without(words, "where $m$ is the mass") == ["before", "it", "and", "behind"]
    assert without(words, "what is not there") == words
