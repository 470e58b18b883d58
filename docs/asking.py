"""The section "Asking the model" of docs/results.md: topics of equations, meanings of symbols.

In go results/known.json, results/paper_tables.json and benchmarks/verdicts.jsonl, in which a reader
has said which answers are right; out comes Markdown. What has not been run says so.
"""

import json
from collections.abc import Sequence

from entries import (
    BENCHMARKS,
    NOT_RUN,
    Entry,
    code,
    folded,
    largest,
    lines,
    math,
    read,
    run_name,
)

READ = 7  # words that a verdict is about
Verdicts = dict[tuple[str, str], Entry]  # by equation and words


def with_answers(what: str) -> list[Entry]:
    """The runs that were asked for equations, or for symbols."""
    return sorted((e for e in read("known") if what in e), key=lambda e: e["topics"])


# -- well-known equations -----------------------------------------------------------------------


def known_equations() -> str:
    """How many fields each run finds, and what it says where it is wrong."""
    entries = with_answers("equations")
    if not entries:
        return NOT_RUN
    heads = ["run", "first topic", "one of three", "same subject, first", "one of three"]
    heads += ["by chance", "with a topic of their field"]
    table = lines(heads, map(_equation_row, entries))
    notes = f"{_first_choice(entries)} {_in_corpus(entries[-1])}"
    return "\n\n".join([table, notes, _all_equations(largest(entries))])


def _equation_row(entry: Entry) -> list[str]:
    found = entry["equations"]
    field, subject = found["field"], found["subject"]
    shares = [field["top1"], field["top3"], subject["top1"], subject["top3"]]
    chance = f"{field['chance_top1']:.0%}, {field['chance_top3']:.0%}"
    topics = f"{field['has_a_topic']} of {found['asked']}"
    return [run_name(entry), *(f"{share:.0%}" for share in shares), chance, topics]


def _in_corpus(entry: Entry) -> str:
    found = entry["equations"]["in_corpus"]["whole"]
    return f"In the corpus, token for token: {', '.join(found) or 'none of them'}."


def _first_choice(entries: list[Entry]) -> str:
    """The same shares without the equations that were chosen late."""
    first = [(entry, entry["equations"]["first_choice"]) for entry in entries]
    shares = [f"{run_name(e)}: {found['top1']:.0%} and {found['top3']:.0%}" for e, found in first]
    return (
        "Four of the first sixty were in the corpus and were replaced by others of the same "
        "fields, when answers to the first sixty had already been seen. On the "
        f"{first[0][1]['asked']} that stayed, first topic and one of three: {'; '.join(shares)}."
    )


def _all_equations(entry: Entry | None) -> str:
    if entry is None:
        return ""
    rows = [
        [one["field"], one["name"], _right(one), _told(one["topics"])]
        for one in entry["equations"]["answers"]
    ]
    return folded(
        f"All answers of {run_name(entry)}",
        lines(["field", "equation", "right", "topics (field of the topic, probability)"], rows),
    )


def _right(answer: Entry) -> str:
    places = [n for n, t in enumerate(answer["topics"], 1) if t["field"] == answer["field"]]
    return {1: "first", None: "no"}.get(places[0] if places else None, "in three")


def _told(topics: Sequence[Entry]) -> str:
    return "; ".join(f"{t['label']} ({t['field'] or 'none'}, {t['p']:.2f})" for t in topics)


# -- well-known symbols -------------------------------------------------------------------------


def known_symbols() -> str:
    """How many meanings each run finds, and all that it says."""
    entries = with_answers("symbols")
    if not entries:
        return NOT_RUN
    heads = ["run", "among five phrases", "first", "among five, the phrase itself"]
    heads += ["among five, ordered by p", "among its 2,000 phrases"]
    return f"{lines(heads, map(_symbol_row, entries))}\n\n{_all_symbols(largest(entries))}"


def _symbol_row(entry: Entry) -> list[str]:
    found = entry["symbols"]
    shares = [found[name] for name in ("top5", "top1", "exact", "top5_paper_order")]
    sayable = f"{found['among_the_phrases']} of {found['asked']}"
    return [run_name(entry), *(f"{share:.0%}" for share in shares), sayable]


def _all_symbols(entry: Entry | None) -> str:
    if entry is None:
        return ""
    rows = [
        [math(one["symbol"]), one["field"], one["meaning"], str(one["place"] or "no"),
         ", ".join(one["phrases"]) or "does not know the symbol"]
        for one in entry["symbols"]["answers"]
    ]  # fmt: skip
    heads = ["symbol", "field", "meaning", "place", "phrases"]
    return folded(f"All answers of {run_name(entry)}", lines(heads, rows))


# -- the paper's tables -------------------------------------------------------------------------


def verdicts() -> Verdicts:
    """What a reader has said of topics for equations: right, vague or wrong."""
    path = BENCHMARKS / "verdicts.jsonl"
    read_ = map(json.loads, path.read_text(encoding="utf-8").splitlines()) if path.exists() else ()
    return {(one["equation"], one["words"]): one for one in read_}


def paper_equations() -> str:
    """The paper's inference table, for the equation decoder and for the bag of tokens."""
    entry = largest(read("paper_tables"))
    if entry is None:
        return NOT_RUN
    tables, said = entry["inference"], verdicts()
    rows = [
        [one[0]["name"], math(one[0]["equation"]), *(_topic(t, said) for t in one)]
        for one in zip(*(table["equations"] for table in tables), strict=True)
    ]
    heads = ["", "equation", *(table["row"] for table in tables)]
    same = [f"{t['row']} {'does' if t['same_taylor'] else 'does not'}" for t in tables]
    taylor = f"Gives both forms of Taylor's series the same topic: {', '.join(same)}."
    return "\n\n".join([f"Run: {run_name(entry)}.", lines(heads, rows), taylor])


def _topic(answer: Entry, said: Verdicts) -> str:
    """The first topic of an equation, its first words, and the verdict on them."""
    best = answer["topics"][0]
    words = " ".join(best["words"][:READ])
    verdict = said.get((answer["name"], words), {"verdict": "not read yet"})["verdict"]
    return f"{words} ({best['p']:.2f}): **{verdict}**"


def paper_symbols() -> str:
    """The paper's symbols under three topics, beside a run without topics."""
    entry = largest(read("paper_tables"))
    if entry is None:
        return NOT_RUN
    table = entry["symbols"]
    heads = ["symbol", "without topics"]
    heads += [f"{t['subject']}: {' '.join(t['words'][:4])}" for t in table["topics"]]
    rows = [
        [code(row["symbol"]), *(", ".join(told) for told in (row["alone"], *row["topics"]))]
        for row in table["rows"]
    ]
    names = f"Runs: {table['aligned']} and {table['alone']}, K = {entry['topics']}."
    return f"{names}\n\n{lines(heads, rows)}"
