r"""What lies among articles and is not read, so that it is said: print, and documents without text.

In goes a folder, or an article of which nothing was read; out comes how many files, or a reason.
"""

import os
import re
from pathlib import Path

from topiceq.article.archive import LATEX_SUFFIXES, TEXT_SUFFIXES, is_hidden
from topiceq.article.source import Article, is_latex

PRINTED = (".pdf", ".ps", ".djvu", ".doc", ".docx", ".odt")
AMSTEX = re.compile(
    r"^[^%\n]*\\(?:input\s*(?:\{\s*)?ams(?:tex|ppt)\b|documentstyle\s*\{amsppt\}|UseAMSsymbols)",
    re.M,
)
CLASS = re.compile(r"^[^%\n]*\\document(?:class|style)\b", re.M)
BODY = re.compile(r"^[^%\n]*\\begin\s*\{document\}", re.M)
WHY = {
    "amstex": "it is AMS-TeX, which is not read",
    "no_document": r"its \begin{document} is commented out or missing",
}


def why_silent(article: Article) -> str:
    """The reason that an article in LaTeX has no text: one of WHY, or "" if none is known."""
    text = article.files.read(article.root) if is_latex(article.root) else None
    if text is None:
        return ""
    if AMSTEX.search(text):
        return "amstex"
    return "no_document" if CLASS.search(text) and not BODY.search(text) else ""


def printed(paths: list[str]) -> int:
    """How many articles in print (PDF and the like) lie in folders, as they cannot be read.

    What LaTeX beside it shows, or was set from, is a figure or the article itself.
    """
    folders = [path for path in paths if Path(path).is_dir()]
    return sum(_in_folder(folder, False) for folder in folders)


def _in_folder(folder: str, is_below_latex: bool) -> int:
    with os.scandir(folder) as found:
        entries = [entry for entry in found if not is_hidden(entry.name)]
    names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    latex = [name for name in names if name.lower().endswith(LATEX_SUFFIXES)]
    print_names = [name for name in names if name.lower().endswith(PRINTED)]
    stems = {Path(name).stem for name in names if name.lower().endswith(TEXT_SUFFIXES)}
    alone = [name for name in print_names if Path(name).stem not in stems]
    if alone and latex:
        shown = "".join(_text(Path(folder, name)) for name in latex)
        alone = [name for name in alone if Path(name).stem not in shown]
    count = 0 if is_below_latex and not latex else len(alone)
    below = (entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    return count + sum(_in_folder(path, is_below_latex or bool(latex)) for path in below)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
