"""Articles that are no LaTeX, read beside pandoc: the same displays, the same tokens, how fast."""

import random
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Annotated

from research.corpus import own_form, pandoc, processor_seconds
from research.entries import Entry, report
from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.normal import normal_form
from topiceq.article.files import Broken, MemoryFiles
from topiceq.article.formats import read
from topiceq.article.macros.expander import MacroLimit
from topiceq.article.macros.packages import latex_expander
from topiceq.article.pieces import Display, Piece, Prose
from topiceq.article.source import Article, sources
from topiceq.article.tex import clean, lex
from topiceq.article.typed import without_delimiters

READERS = {".md": "markdown", ".qmd": "markdown", ".rmd": "markdown", ".ipynb": "ipynb"}
KINDS = {"markdown": (".md", ".qmd", ".rmd"), "notebooks": (".ipynb",)}
WRITTEN = re.compile(r"\s+|\\label\{[^}]*\}|\(\\#[\w:.-]+\)|&amp;|&lt;|&gt;|[<>&]")
FORMULA = re.compile(r"\$([^$]*)\$")

Form = tuple[str, ...] | None


def formats(
    articles: Annotated[Path, "a folder"],
    *,
    count: Annotated[int, "articles of each kind; 0: all"] = 200,
    timed: Annotated[int, "articles of each kind for speed"] = 60,
    seed: int = 0,
) -> None:
    """Markdown and notebooks: agreement with pandoc and speed beside it.

    Only articles in which either finds a display count. Each is given alone, without settings, so
    that both readers see the same. Speeds are of processor time, the best of three rounds, in this
    run: read them as a ratio. Writes results/formats.json.
    """
    found: Entry = {"seed": seed}
    for kind, suffixes in KINDS.items():
        some = single_files(articles, suffixes, count, seed)
        found[kind] = {"agreement": agreement(some), "speed": speed(some[:timed])}
    report("formats", found)


def single_files(folder: Path, suffixes: tuple[str, ...], count: int, seed: int) -> list[Article]:
    """Random articles of a kind, each alone."""
    drawn = []
    for source in sources([folder]):
        if source.key and source.size and has_suffix(source, suffixes):
            for article in source.articles():
                if isinstance(article, Article):
                    text = article.files.read(article.root) or ""
                    name = "main" + Path(article.root).suffix.lower()
                    files = MemoryFiles({name: text.encode()})
                    drawn.append(Article(article.id, article.field, name, files))
    random.Random(seed).shuffle(drawn)
    return drawn[: count or None]


def has_suffix(source: object, suffixes: tuple[str, ...]) -> bool:
    return getattr(source, "root", "").lower().endswith(suffixes)


def text_of(article: Article) -> str:
    return article.files.read(article.root) or ""


def displays_of_pandoc(article: Article) -> list[str] | None:
    return pandoc(text_of(article), READERS[Path(article.root).suffix])


def own_pieces(article: Article) -> list[Piece]:
    try:
        return read(article)
    except Broken:
        return []


def agreement(articles: list[Article]) -> Entry:
    """Displays that pandoc finds: how many we find too, and with the same tokens.

    What prints nothing (a label, definitions, a comment between dollars) is no display. What we
    take for inline, as kramdown does where `$$x$$` stands in a sentence, is counted apart.
    """
    counts: Counter[str] = Counter()
    differences: list[dict[str, str]] = []
    for article in articles:
        theirs = displays_of_pandoc(article)
        if theirs is None:
            counts["failed"] += 1
            continue
        own = Own(own_pieces(article))
        counts["own"] += sum(map(len, own.displays.values()))
        for latex in theirs:
            form = normal(latex)
            verdict, tokens = own.verdict(latex, form) if form != () else ("prints nothing", form)
            counts[verdict] += 1
            if verdict in ("missing", "other tokens"):
                differences.append({
                    "article": article.id, "verdict": verdict, "pandoc": latex,
                    "tokens": " ".join(tokens or ()), "tokens of pandoc's": " ".join(form or ()),
                })  # fmt: skip
    return shares(counts) | {"differences": differences}


class Own:
    """What we find in an article, to be compared with what pandoc finds."""

    def __init__(self, pieces: list[Piece]) -> None:
        self.displays: defaultdict[str, list[Display]] = defaultdict(list)
        self.inline: set[str] = set()
        for piece in pieces:
            if isinstance(piece, Display):
                self.displays[written(piece.source)].append(piece)
            elif isinstance(piece, Prose):
                self.inline.update(written(each) for each in FORMULA.findall(piece.text))
        self.forms = {own_form(d) for own in self.displays.values() for d in own} - {None}

    def verdict(self, latex: str, form: Form) -> tuple[str, Form]:
        """Whether a display of pandoc's is one here, by what is written, else by its tokens."""
        if same := self.displays.get(written(latex)):
            own = own_form(same.pop(0))
            if form is None and own is None:
                return "same, no equation", None
            return ("same" if own == form else "other tokens"), own
        if form in self.forms:  # pandoc gives macros expanded
            return "same", form
        return ("inline here" if written(latex) in self.inline else "missing"), None


def shares(counts: Counter[str]) -> Entry:
    both = counts["same"] + counts["other tokens"] + counts["same, no equation"]
    theirs = both + counts["missing"]
    return {
        "pandoc_failed_articles": counts["failed"],
        "displays": counts["own"],
        "displays_by_pandoc": theirs,
        "found_by_both": both,
        "found_share": round(both / max(theirs, 1), 4),
        "same_tokens_share": round(
            counts["same"] / max(counts["same"] + counts["other tokens"], 1), 4
        ),
        "prints_nothing": counts["prints nothing"],
        "inline_here": counts["inline here"],
    }


def written(latex: str) -> str:
    """A display as written, without what readers spell in different ways."""
    return WRITTEN.sub("", latex).rstrip(".,;")


def normal(latex: str) -> Form:
    """The normal form of what pandoc gives, whose macros it has expanded."""
    x = latex_expander()
    x.math = True
    try:
        return tuple(normal_form(without_delimiters(x.expanded(lex(clean(latex))))[0]))
    except (NotNormal, MacroLimit):
        return None


def speed(articles: list[Article]) -> Entry:
    """Megabytes a second of both readers."""
    total = sum(len(text_of(article).encode()) for article in articles) / 1e6
    times = {
        "topiceq": processor_seconds(lambda: [own_pieces(article) for article in articles]),
        "pandoc": processor_seconds(lambda: [displays_of_pandoc(article) for article in articles]),
    }
    rates = {name: round(total / spent, 3) for name, spent in times.items()}
    return {
        "articles": len(articles),
        "megabytes": round(total, 2),
        "megabytes_per_second": rates,
        "times_pandoc": round(rates["topiceq"] / rates["pandoc"], 1),
    }
