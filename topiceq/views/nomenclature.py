r"""The nomenclature of an article as a file: its symbols, what they mean, and who says so.

The suffix says how: .tex is a table for \input, .csv a row for each symbol, .json a list of
objects.
"""

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path

from topiceq.errors import QuestionError
from topiceq.tasks.annotate import Annotated
from topiceq.tasks.explain import Explained

COLUMNS = ("symbol", "meaning", "source", "p", "sentence")
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
FORMULA = re.compile(r"(\$[^$]*\$)")
ESCAPED = re.compile(r"[\\~^&%$#_{}]")

Row = dict[str, str | float | None]


def nomenclature(annotated: Annotated, suffix: str) -> str:
    """The text of the file with that suffix; QuestionError if it is not one of three."""
    check_suffix(suffix)
    rows = [row(one) for one in annotated.glossary if one.phrases]
    if suffix == ".json":
        return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    return as_csv(rows) if suffix == ".csv" else as_latex(rows)


def check_suffix(suffix: str) -> None:
    """QuestionError if nomenclatures are not written so."""
    if suffix not in (".tex", ".csv", ".json"):
        raise QuestionError(
            f"A glossary cannot end in '{suffix}'. It ends in .tex (LaTeX), .csv or .json."
        )


def path_of(out: str | Path) -> Path:
    """The path of a glossary; QuestionError if its suffix is none."""
    check_suffix(Path(out).suffix)
    return Path(out)


def row(explained: Explained) -> Row:
    """A symbol with its first meaning."""
    best = explained.phrases[0]
    return {"symbol": explained.symbol, "meaning": best.phrase, "source": best.source,
            "p": best.p, "sentence": best.sentence}  # fmt: skip


def as_csv(rows: Sequence[Row]) -> str:
    """With a line of names, by RFC 4180."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_latex(rows: Sequence[Row]) -> str:
    r"""A table of two columns that needs no package; meanings from elsewhere are in italics."""
    lines = [
        f"${one['symbol']}$ & {in_text(str(one['meaning']), sure=one['source'] != 'lexicon')} \\\\"
        for one in rows
    ]
    return "\n".join([r"\begin{tabular}{ll}", *lines, r"\end{tabular}", ""])


def in_text(phrase: str, *, sure: bool) -> str:
    r"""A phrase as LaTeX: its formulas as they are, all else escaped.

    >>> in_text("50% of $x_1$", sure=True)
    '50\\% of $x_1$'
    """
    parts = FORMULA.split(phrase)
    parts[::2] = [ESCAPED.sub(lambda sign: SPECIAL.get(sign[0], "\\" + sign[0]), part)
                  for part in parts[::2]]  # fmt: skip
    text = "".join(parts)
    return text if sure else rf"\emph{{{text}}}"
