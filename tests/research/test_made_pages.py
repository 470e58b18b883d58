"""The pages of docs/ that are made are what their makers make."""

import re
from pathlib import Path

import pytest

import topiceq
from research import claims, docs, entries, known, page, writing


# signatures and docstrings; the command's help
@pytest.mark.parametrize("name", ["api", "cli", "http"])
def test_a_page_made_from_the_code_is_up_to_date(name: str) -> None:
    shown = (entries.DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert shown == docs.PAGES[name](), f"run: python -m research docs {name}"


def test_the_results_page_is_up_to_date() -> None:
    shown = page.PAGE.read_text(encoding="utf-8")
    assert shown == page.made_page() + "\n", "run: python -m research page"


def test_what_was_not_run_says_so(results: Path) -> None:
    sections = [known.known_equations_shown, known.known_symbols_shown, known.paper_equations_shown,
                known.paper_symbols_shown, writing.interpolations_shown, claims.claims_shown,
                claims.scratch_shown, claims.controls_shown, writing.writing_shown,
                writing.thetas_shown, writing.syntax_shown, page.stability, page.told]  # fmt: skip
    assert {section() for section in sections} == {"Not run yet."}


@pytest.mark.parametrize("name", topiceq.__all__)
def test_the_page_on_python_has_all_that_is_public(name: str) -> None:
    shown = (entries.DOCS / "api.md").read_text(encoding="utf-8")
    assert f"### {name}\n" in shown
    public = getattr(topiceq, name)
    methods = [n for n in vars(public) if not n.startswith("_")] if isinstance(public, type) else []
    assert [n for n in methods if not re.search(rf"^#### \w+\.{n}$", shown, re.M)] == []


def test_the_tutorial_is_made_from_its_text() -> None:
    shown = docs.OUTPUT.sub("", (entries.DOCS / "tutorial.md").read_text(encoding="utf-8"))
    assert shown == docs.answered(lambda block: ""), "run: python -m research docs tutorial"


def test_blocks_of_the_tutorial_are_run(tmp_path: Path) -> None:
    session = docs.Session(tmp_path)

    def shown(language: str, code: str, end: str | None = None, lines: str | None = None) -> str:
        return docs.shown(docs.Block(language, " run", end, lines, code), session.answer)

    assert shown("python", "x = 6 * 7\n") == "```python\nx = 6 * 7\n```\n"
    assert shown("python", "print(x)\n") == "```python\nprint(x)\n```\n\n```text\n42\n```\n"
    assert "\n```text\n1\n2\n…\n```\n" in shown("sh", "seq 9\n", "first", "2")
    assert "\n```text\n…\n8\n9\n```\n" in shown("sh", "seq 9\n", "last", "2")
    assert "a terminal" in shown("sh", "test -t 1 && echo a terminal; ls examples\n")
    with pytest.raises(SystemExit, match="exit code 3:\nexit 3"):
        shown("sh", "exit 3\n")
