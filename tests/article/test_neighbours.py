"""Definitions that other files of the same repository have."""

from pathlib import Path

import pytest

from topiceq.article import neighbours
from topiceq.article.files import Files, FolderFiles, MemoryFiles
from topiceq.article.formats import read
from topiceq.article.pieces import Display, Prose
from topiceq.article.source import Article, sources
from topiceq.article.tex import join

MAIN = r"\documentclass{article}\begin{document}%s\end{document}"


def read_of(files: Files, root: str) -> tuple[str, list[str]]:
    """The prose of an article, and its displays as they expand."""
    found = read(Article("a", "", root, files))
    prose = " ".join(" ".join(p.text for p in found if isinstance(p, Prose)).split())
    return prose, [" ".join(join(p.tokens).split()) for p in found if isinstance(p, Display)]


def folder(tmp_path: Path, *, field: str = "field", **files: str) -> FolderFiles:
    """Files in field/repo; `a__b` is a/b.tex."""
    for name, text in files.items():
        path = tmp_path / field / "repo" / (name.replace("__", "/") + ".tex")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    neighbours.forget()
    return FolderFiles(str(tmp_path))


def test_a_command_that_nobody_defines_here_is_looked_up_nearby(tmp_path: Path) -> None:
    files = folder(
        tmp_path,
        book__main=MAIN % r"In \prog{} it is $\vc{x}$ with \[ \vc{x} = \pr{A \given B} \]",
        slides__talk=r"\newcommand\vc[1]{\mathbf{#1}}\def\given{\mid}\newcommand{\prog}{Prog}",
        other__notes="% \\def\\pr{wrong}\n\\newcommand*{\\pr}[1]{\\Pr(#1)}",
    )
    prose, equations = read_of(files, "field/repo/book/main.tex")
    assert prose == r"In Prog it is $\mathbf{x}$ with"
    assert equations == [r"\mathbf{x} = \Pr(A \mid B)"]


def test_the_nearest_definition_counts(tmp_path: Path) -> None:
    text = MAIN % r"\[ \state \]"
    files = folder(
        tmp_path, one__main=text, one__macros__m=r"\def\state{s}", two__m=r"\def\state{S}"
    )
    assert read_of(files, "field/repo/one/main.tex")[1] == ["s"]


def test_of_files_below_the_one_with_fewer_folders_is_nearer(tmp_path: Path) -> None:
    text = MAIN % r"\[ \state \]"
    files = folder(
        tmp_path,
        main=text,
        macros=r"\def\state{s}",
        old__a=r"\def\state{S}",
        old__b=r"\def\state{S}",
    )
    assert read_of(files, "field/repo/main.tex")[1] == ["s"]


def test_a_definition_that_ends_in_a_command_hands_arguments_on(tmp_path: Path) -> None:
    text = MAIN % r"\[ \name{Sets} + \state{x} \]"
    files = folder(tmp_path, main=text, macros=r"\def\name{\operatorname}\def\state{s}")
    assert read_of(files, "field/repo/main.tex")[1] == [r"\operatorname{Sets} + \state{x}"]


def test_what_nobody_loads_means_what_the_repository_says(tmp_path: Path) -> None:
    text = r"\[ \qq + \eps + \abs{x} \]"
    files = folder(tmp_path, main=MAIN % text, macros=r"\def\qq{\mathbf{q}}\def\eps{\epsilon}")
    assert read_of(files, "field/repo/main.tex")[1] == [r"\mathbf{q} + \epsilon + \left|x\right|"]
    loaded = MAIN.replace(r"\begin{d", r"\usepackage{physics}\begin{d") % r"\[ x \qq{if} y \]"
    (tmp_path / "field" / "repo" / "main.tex").write_text(loaded)
    neighbours.forget()
    assert read_of(files, "field/repo/main.tex")[1] == [r"x \quad\text{if}\quad y"]


def test_a_guess_that_prints_as_the_repository_says_stays(tmp_path: Path) -> None:
    macros = r"\def\e{\mathop{\mathrm{e}}\nolimits}\DeclareMathOperator\dif{d}\def\ud{\mathbf{d}}"
    files = folder(tmp_path, main=MAIN % r"\[ \e + \dif x + \ud \]", macros=macros)
    assert read_of(files, "field/repo/main.tex")[1] == [r"\mathrm{e} + \mathrm{d} x + \mathbf{d}"]


def test_comments_in_a_definition_print_nothing(tmp_path: Path) -> None:
    macros = "\\newcommand{\\ket}[1]{%\n  \\ensuremath{\\left| #1 \\right\\rangle}\\xspace}"
    files = folder(tmp_path, main=MAIN % r"\[ \ket{x} \]", macros=macros)
    assert read_of(files, "field/repo/main.tex")[1] == [r"|x\rangle"]


def test_other_documents_lend_nothing_to_a_document(tmp_path: Path) -> None:
    talk = r"\newcommand\state{s}" + MAIN % "1"
    files = folder(tmp_path, main=MAIN % r"\[ \state \]", part=r"\[ \state \]", talk=talk)
    assert read_of(files, "field/repo/main.tex")[1] == [r"\state"]
    assert read_of(files, "field/repo/part.tex")[1] == ["s"]


def test_a_definition_without_parameters_is_none_of_a_command_with_arguments(
    tmp_path: Path,
) -> None:
    text = MAIN % r"\[ \rest{29}{7} = \state{} \] and \rest{x}."
    files = folder(tmp_path, main=text, macros=r"\def\rest{rem}\def\state{s}")
    assert read_of(files, "field/repo/main.tex") == ("and x.", [r"\rest{29}{7} = s{}"])


def test_neighbours_that_do_not_agree_lend_nothing(tmp_path: Path) -> None:
    text = MAIN % r"\[ \state + \same \]"
    two = {"two__a": r"\def\state{s}\def\same{x }", "two__b": r"\def\state{S}\def\same{x}"}
    files = folder(tmp_path, one__main=text, **two)
    assert read_of(files, "field/repo/one/main.tex")[1] == [r"\state + x"]


def test_a_repository_whose_parts_lie_in_several_fields_is_one(tmp_path: Path) -> None:
    folder(tmp_path, field="logic", tex__macros=r"\def\state{s}", other__a=r"\def\state{S}")
    files = folder(tmp_path, tex__sets__part=r"\[ \state + \own \]", tex__m=r"\def\own{o}")
    assert read_of(files, "field/repo/tex/sets/part.tex")[1] == ["s + o"]


def test_what_a_definition_is_made_of_is_looked_up_too(tmp_path: Path) -> None:
    style = r"\newif\ifis@bold\def\quat{\quat@}\def\quat@#1{\ifis@bold\mathbf{#1}\else#1\fi}"
    files = folder(tmp_path, main=MAIN % r"\[ \quat{q} \]", style=style)
    assert read_of(files, "field/repo/main.tex")[1] == ["q"]


def test_what_the_article_defines_counts(tmp_path: Path) -> None:
    text = MAIN % r"\newcommand\state{z}\[ \state \]"
    files = folder(tmp_path, main=text, other=r"\def\state{s}")
    assert read_of(files, "field/repo/main.tex")[1] == ["z"]


@pytest.mark.parametrize(
    "definition",
    [
        r"\newcommand\state{\state x}",
        r"\newcommand\state{\next}\newcommand\next{\state}",
        r"\newcommand\state{" + "x" * 5_000,
        r"\let\state",
        r"\def\state",
    ],
)
def test_definitions_without_an_end(tmp_path: Path, definition: str) -> None:
    files = folder(tmp_path, main=MAIN % r"\[ a\state = b \] Then.", other=definition)
    prose, equations = read_of(files, "field/repo/main.tex")
    assert prose == "Then." and equations[0].startswith("a") and equations[0].endswith("= b")


def test_other_repositories_and_loose_files_lend_nothing(tmp_path: Path) -> None:
    files = folder(tmp_path, main=MAIN % r"\[ \state \]")
    for name in ("field/another/m.tex", "field/m.tex", "m.tex", "field/loose.tex"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(MAIN % r"\[ \state \]" if "loose" in name else r"\def\state{s}")
    assert read_of(files, "field/repo/main.tex")[1] == [r"\state"]
    assert read_of(files, "field/loose.tex")[1] == [r"\state"]


def test_the_members_of_an_archive_are_neighbours() -> None:
    contents = {"main.tex": MAIN % r"\[ \state \]", "talk/talk.tex": r"\def\state{s}"}
    files = MemoryFiles({name: text.encode() for name, text in contents.items()})
    assert read_of(files, "main.tex")[1] == ["s"]


def test_pages_that_are_no_latex_borrow_too(tmp_path: Path) -> None:
    files = folder(tmp_path, manual=r"\newcommand\jump[1]{[\![#1]\!]}")
    (tmp_path / "field/repo/notes.md").write_text("Then $\\jump{u}$ in\n\n$$\\jump{v}$$\n")
    prose, equations = read_of(files, "field/repo/notes.md")
    assert prose == r"Then $[\![u]\!]$ in" and equations == [r"[\![v]\!]"]


def test_the_key_changes_with_what_may_be_lent(tmp_path: Path) -> None:
    folder(tmp_path, main=MAIN % "1", other=r"\def\state{s}")
    (tmp_path / "field/second/sub").mkdir(parents=True)
    (tmp_path / "field/second/sub/main.tex").write_text(MAIN % "2")

    def keys() -> dict[str, str]:
        return {source.id: source.key for source in sources([tmp_path])}

    before = keys()
    folder(tmp_path, other=r"\def\state{another}")
    changed = {id for id, key in keys().items() if key != before[id]}
    assert changed == {"field/repo/main", "field/repo/other"}


def test_where_the_highest_files_differ_all_of_the_nearest_count(tmp_path: Path) -> None:
    one, two = r"\def\uu{u}", r"\def\uu{\mathbf{u}}"
    files = folder(tmp_path, main=MAIN % r"\[ \uu \]", a=one, b=two)
    (tmp_path / "field" / "repo" / "deep").mkdir()
    (tmp_path / "field" / "repo" / "deep" / "c.tex").write_text(two)
    neighbours.forget()
    assert read_of(files, "field/repo/main.tex")[1] == [r"\mathbf{u}"]
