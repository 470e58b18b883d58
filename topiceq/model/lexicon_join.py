"""Two lexicons in, one out: what a corpus of one's own says, beside what a run knew already.

Articles are added up, so a few of one's own move little where many have spoken, and their sentences
are shown first. Weights and calibration are the old ones: they were fitted on more articles.
"""

from collections.abc import Sequence

import numpy as np

from topiceq.corpus.merging import merged
from topiceq.model.lexicon import NAMES, Array, Ints, Lexicon, Tables


def joined(base: Lexicon, own: Lexicon | None, topics: int) -> Lexicon:
    """The base with what `own` adds to it; topics behind the base's say nothing of its phrases."""
    if own is None:
        return Lexicon(base.names, _wide(base.tables, topics), base.weights, base.facts)
    keys = {merged(phrase): number for number, phrase in enumerate(base.phrases)}
    phrases = _places([merged(phrase) for phrase in own.phrases], keys)
    symbols = _places(own.names["symbols"], base.symbols)
    words = _places(own.names["words"], base.words)
    articles = _places(own.articles, {name: at for at, name in enumerate(base.articles)})
    vocabulary = _places(own.names["vocabulary"], base.vocabulary)
    letters = _places(own.names["letters"], base.letters)
    places = dict(zip(NAMES, (symbols, phrases, words, articles, vocabulary, letters), strict=True))
    names = {name: _longer(base.names[name], own.names[name], places[name]) for name in places}
    tables, entries, where = _entries(base, own, symbols, phrases, len(names["phrases"]))
    more = phrases >= len(base)
    mine = _wide(own.tables, topics).affinity[more]
    affinity = np.concatenate([_wide(base.tables, topics).affinity, mine])
    return Lexicon(
        names,
        Tables(
            **tables,
            entries=entries,
            defining=_added(base.tables.defining, own.tables.defining, symbols),
            uses=_added(base.tables.uses, own.tables.uses, phrases),
            affinity=affinity,
            **_words(base, own, more, words),
            **_wordings(base, own, np.where(more, phrases, -1), vocabulary),
            company=_company(base, own, more, letters),
            **_sources(base, own, where, articles),
        ),
        base.weights,
        base.facts | own.facts | {"definitions": _count(base) + _count(own)},
    )


def _count(lexicon: Lexicon) -> int:
    return int(lexicon.facts.get("definitions", 0))


def _wide(tables: Tables, topics: int) -> Tables:
    """With room for all topics; what is not told of one is 0, as likely as anywhere."""
    phrases, known = tables.affinity.shape
    if not known:
        return tables
    more = np.zeros((phrases, topics - known), dtype=tables.affinity.dtype)
    return Tables(**vars(tables) | {"affinity": np.concatenate([tables.affinity, more], axis=1)})


def _places(names: Sequence[str], known: dict[str, int]) -> Array:
    """Where each name stands among those that are known, new ones behind them."""
    places = dict(known)
    return np.array([places.setdefault(name, len(places)) for name in names], dtype=np.int64)


def _longer(base: list[str], own: list[str], places: Array) -> list[str]:
    """The names of both; of one that both have, the base's wording."""
    new = {at: name for at, name in zip(places.tolist(), own, strict=True) if at >= len(base)}
    return [*base, *(new[at] for at in sorted(new))]


def _sizes(starts: Array) -> Ints:
    return np.diff(starts.astype(np.int64)).astype(np.int64)


def _added(base: Array, own: Array, places: Array) -> Array:
    """Numbers of both, added where they are about the same."""
    both = np.zeros(max(len(base), int(places.max(initial=-1)) + 1), dtype=base.dtype)
    both[: len(base)] = base
    np.add.at(both, places, own.astype(base.dtype))
    return both


def _entries(
    base: Lexicon, own: Lexicon, symbols: Array, phrases: Array, count: int
) -> tuple[dict[str, Array], Array, list[Array]]:
    """The phrases of each symbol, counted; and where the entries of each have gone."""
    keys, counts = [], []
    for tables, of_symbol, of_phrase in (
        (base.tables, np.arange(len(base.symbols)), np.arange(len(base))),
        (own.tables, symbols, phrases),
    ):
        owner = np.repeat(of_symbol, _sizes(tables.starts))
        keys.append(owner * count + of_phrase[tables.entries.astype(np.int64)])
        counts.append(tables.counts)
    found, place = np.unique(np.concatenate(keys), return_inverse=True)
    total = np.bincount(place, np.concatenate(counts), len(found))
    size = max(len(base.symbols), int(symbols.max(initial=-1)) + 1)
    starts = np.concatenate([[0], np.cumsum(np.bincount(found // count, minlength=size))])
    tables_of: dict[str, Array] = {
        "starts": starts.astype(np.uint32),
        "counts": np.minimum(total, 65_535).astype(np.uint16),
    }
    cut = len(keys[0])
    return tables_of, (found % count).astype(np.uint32), [place[:cut], place[cut:]]


def _words(base: Lexicon, own: Lexicon, more: Array, places: Array) -> dict[str, Array]:
    """The words of all phrases: behind those of the base, those of phrases that only `own` has."""
    sizes = _sizes(own.tables.word_starts)
    kept = places[own.tables.word_ids.astype(np.int64)][np.repeat(more, sizes)]
    starts = int(base.tables.word_starts[-1]) + np.cumsum(sizes[more])
    idf = np.zeros(max(len(base.words), int(places.max(initial=-1)) + 1), dtype=np.float32)
    idf[places] = own.tables.idf
    idf[: len(base.words)] = base.tables.idf
    return {
        "word_starts": np.concatenate([base.tables.word_starts, starts]).astype(np.uint32),
        "word_ids": np.concatenate([base.tables.word_ids, kept]).astype(np.uint32),
        "idf": idf,
    }


def _wordings(base: Lexicon, own: Lexicon, new: Array, places: Array) -> dict[str, Array]:
    """The words around all phrases; of what `own` tells that about `new` ones (-1: an old one)."""
    size = max(len(base.vocabulary), int(places.max(initial=-1)) + 1)
    of_base, of_own = (
        np.repeat(at, _sizes(lexicon.tables.wording_starts))
        for lexicon, at in ((base, np.arange(len(base.vocabulary))), (own, places))
    )
    about = new[own.tables.wording_phrases.astype(np.int64)]
    word = np.concatenate([of_base, of_own[about >= 0]])
    phrase = np.concatenate([base.tables.wording_phrases, about[about >= 0]])
    steps = np.concatenate([base.tables.wording_steps, own.tables.wording_steps[about >= 0]])
    order = np.lexsort((phrase, word))
    starts = np.cumsum([0, *np.bincount(word, minlength=size)])
    return {
        "wording_starts": starts.astype(np.uint32),
        "wording_phrases": phrase[order].astype(np.uint32),
        "wording_steps": steps[order].astype(np.uint8),
    }


def _company(base: Lexicon, own: Lexicon, more: Array, places: Array) -> Array:
    """The letters beside all phrases; what is not told is 0, as likely as anywhere."""
    letters = max(len(base.letters), int(places.max(initial=-1)) + 1)
    both = np.zeros((len(base) + int(more.sum()), letters), dtype=np.int8)
    both[: len(base), : len(base.letters)] = base.tables.company
    both[len(base) :, places] = own.tables.company[more]
    return both


def _sources(base: Lexicon, own: Lexicon, where: list[Array], articles: Array) -> dict[str, Array]:
    """The sentences of both, by entry; of one entry one's own come first."""
    rows, blobs = [], []
    of_base = np.arange(len(base.articles))
    for lexicon, entries, names in ((own, where[1], articles), (base, where[0], of_base)):
        tables = lexicon.tables
        said = tables.sources.astype(np.int64)
        rows += np.stack([entries[said[:, 0]], names[said[:, 1]]], axis=1).tolist()
        starts = tables.sentence_starts.tolist()
        whole = tables.sentences.tobytes()
        blobs += [whole[a:b] for a, b in zip(starts[:-1], starts[1:], strict=True)]
    order = sorted(range(len(rows)), key=lambda at: rows[at][0])
    return {
        "sources": np.array([rows[at] for at in order], dtype=np.uint32).reshape(-1, 2),
        "sentence_starts": np.cumsum([0, *(len(blobs[at]) for at in order)]).astype(np.uint32),
        "sentences": np.frombuffer(b"".join(blobs[at] for at in order), dtype=np.uint8),
    }
