"""Markdown of every dialect, read to pieces."""

import pytest

from topiceq.article.equation.normal import normal_form
from topiceq.article.files import MemoryFiles
from topiceq.article.formats import read, read_into
from topiceq.article.marks import without
from topiceq.article.page import MarkedPieces
from topiceq.article.page import read as read_page
from topiceq.article.pieces import Display, Heading, Piece, Prose
from topiceq.article.prose import tidy
from topiceq.article.source import Article
from topiceq.article.tex import join


def article(text: str, name: str = "notes.md", **others: str) -> Article:
    contents = {name: text} | {other.replace("__", "."): held for other, held in others.items()}
    return Article("notes", "", name, MemoryFiles({n: t.encode() for n, t in contents.items()}))


def pieces(text: str, name: str = "notes.md") -> list[Piece]:
    return read(article(text, name))


def prose(text: str, name: str = "notes.md") -> str:
    """All prose of a text on one line; displays are ellipses."""
    parts = [p.text if isinstance(p, Prose) else " … " for p in pieces(text, name)]
    return tidy("".join(parts))


def displays(text: str, name: str = "notes.md") -> list[str]:
    """The displays as they expand, in one line each."""
    found = [p for p in pieces(text, name) if isinstance(p, Display)]
    assert not any(display.reason for display in found)
    return [" ".join(join(display.tokens).split()) for display in found]


def headings(text: str) -> list[tuple[int, str]]:
    return [(p.level, p.text) for p in pieces(text) if isinstance(p, Heading)]


# -- formulas ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "$$\nx = y\n$$",
        "$$x = y$$",
        "$$ x = y $$ (eq-x)",
        "$$ x = y $$ {#eq-x}",
        "$$\nx\n\n= y\n$$",
        "> $$\n> x = y\n> $$",
        "- item\n\n  $$\n  x = y\n  $$",
        "1. item\n   $$x = y$$",
        "\\[ x = y \\]",
        "\\[\nx\n= y\n\\]",
        "\\\\[ x = y \\\\]",
        "\\begin{equation}\nx = y\n\\end{equation}",
        "$$\\begin{align*}\nx = y\n\\end{align*}$$",
        "```math\nx = y\n```",
        "```{math}\n:label: eq-x\n\nx = y\n```",
        "```{math} x = y\n```",
        "~~~{math}\nx = y\n~~~",
        ":::{math}\nx = y\n:::",
        "$$x = y$$\n:eqlabel:`eq_x`",
        "\\begin{equation}\nx = y (\\#eq:x)\n\\end{equation}",
        "*   deep\n\n        $$x = y$$",
    ],
)
def test_displays_of_every_dialect(text: str) -> None:
    assert displays(f"Before.\n\n{text}\n\nAfter.") == ["x = y"]


def test_lines_of_displays_are_those_of_the_file() -> None:
    start = "---\ntitle: T\n---\nOne\n$$a$$\ntwo $$b$$\n\n<!-- no\nno -->\n"
    text = start + "```{math}\nc\n```\n> x\n> $$\n> d\n> $$"
    found = [(p.line, p.source) for p in pieces(text) if isinstance(p, Display)]
    assert found == [(5, "a"), (6, "b"), (11, "c"), (14, "d")]


def test_lines_of_a_display_are_no_lists_headings_or_quotes() -> None:
    text = "$$\na\n- b\n+ c\n= d\n> e\n$$\n"
    assert displays(text) == ["a - b + c = d > e"]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("with $x^2$ and $ y = 1 $.", "with $x^2$ and $y = 1$."),
        ("costs $5 and $6, or $7.", "costs ＄5 and ＄6, or ＄7."),
        ("from $5,000-$10,000 on", "from ＄5,000-＄10,000 on"),
        (r"\$5 and \$x\$", "＄5 and ＄x＄"),
        (r"$\text{if $x$ is}$ so", r"$\text{if x is}$ so"),
        (r"\\(x\\) or \(y_1\) or \(see below\)", "$x$ or $y_1$ or (see below)"),
        ("{math}`x^2` is", "$x^2$ is"),
        ("$`a_1`$ is", "$a_1$ is"),
        ("`$x$` is code", "＄x＄ is code"),
        ("$a &lt; b$ &lt; c", "$a < b$ < c"),
        ("`{latex} a_1` is", "$a_1$ is"),
        ("let $g(x) $ be", "let $g(x)$ be"),
        ("of $a\n+ b$ and", "of $a + b$ and"),
        ("an open $$ here", "an open here"),
        (r"\[1\] and \[see *x*\]", "[1] and [see x]"),
        (r"\[Note that $A$ is overdetermined by\] it", "[Note that $A$ is overdetermined by] it"),
    ],
)
def test_inline_formulas_and_what_is_none(text: str, read: str) -> None:
    assert prose(text) == read


def test_kramdown_has_inline_formulas_between_two_dollars() -> None:
    text = "Let $$x$$ be a number, and $$y$$\ntoo, with $$z$$ given.\n\n$$\nx = y\n$$\n\nEnd."
    assert prose(text) == "Let $x$ be a number, and $y$ too, with $z$ given. … End."
    mixed = "Let $x$ and $y$ be.\nThen $$x = y$$ holds."
    assert prose(mixed) == "Let $x$ and $y$ be. Then … holds."


def test_julia_has_inline_formulas_between_two_backticks() -> None:
    text = "Let ``x^2`` be [`f`](@ref).\n\n```math\nx = y\n```\n"
    assert prose(text) == "Let $x^2$ be f. …"
    assert prose("Let ``x^2`` be code.") == "Let x^2 be code."


def test_macros_of_the_text_its_front_matter_and_its_site() -> None:
    text = (
        "---\nmath:\n  macros:\n    F: '\\mathbb{F}'\n---\n\\newcommand{\\R}{\\mathbb{R}}\n\n"
        "$$\\newcommand{\\E}{\\mathbb{E}}$$\n\n$$\\R \\E \\C \\F \\N$$"
    )
    settings = 'mathjax:\n  macros:\n    "C" : "\\\\mathbb{C}"\n'
    made = article(text, _config__yml=settings, macros__txt="\\N:{\\mathbb{N}}\n")
    (display,) = read(made)
    assert isinstance(display, Display)
    assert normal_form(display.tokens) == [
        part for letter in "RECFN" for part in ("\\mathbb", "{", letter, "}")
    ]


# -- prose and what is none ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("A *word*, a **word**, a _word_, a ***word***.", "A word, a word, a word, a word."),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("A [link](http://x.y/z_(a) \"t\") and [one][1] and [none].\n\n[1]: http://x",
         "A link and one and [none]."),
        ("Go [back](Lecture 1 -- a.ipynb) now.", "Go back now."),
        ("See [Name].\n\n[name]: http://x", "See Name."),
        ("A ![picture *x*](a.png) and [![badge](b.svg)](c) here.", "A and here."),
        ("An interval [0, 1] and [a, b).", "An interval [0, 1] and [a, b)."),
        ("By <https://x.org>, https://y.org/a_b.", "By …, …."),
        ("A <b>bold</b> word<br>and <a href='x'>link</a>.", "A bold word and link."),
        ("A note[^1] here.\n\n[^1]: Not prose.\n    Nor this.\n\nEnd.", "A note here. End."),
        ("Black&nbsp;hole &amp; star&#33;", "Black hole & star!"),
        (r"Escaped \*stars\*, \_x\_, \# and \`tick\`.", "Escaped *stars*, _x_, # and `tick`."),
        ("See {eq}`eq-x`, {ref}`Part <p>` and {term}`mass`.", "See …, Part and mass."),
        ("By {cite:t}`a2020` it is known {cite}`b2021`.", "By … it is known."),
        ("In :numref:`fig_x` and :eqref:`eq_y`.\n:label:`sec_x`", "In … and …."),
        (r"See \@ref(eq:x) and \eqref{eq:y} in @sec-a [@b; @c].", "See … and … in …."),
        ("mail a@b.org", "mail a@b.org"),
        ("A {% include x.html %}{{ site.url }} {{< video x >}} end.", "A end."),
        ("A [span]{.smallcaps} and text{: .class}", "A span and text"),
        ("The value `r mean(x)` is", "The value … is"),
        ("Text <!-- not\nprose --> goes on.", "Text goes on."),
        ("[[ecut]] and [[cite:Gonze2016|G16]] and [[a|b]]", "ecut and … and b"),
        ("- one\n- two\n  goes on\n* [x] three", "one two goes on three"),
        ("Formulas\n1. one\n2. two", "Formulas one two"),
        ("In the year\n1986. A year", "In the year 1986. A year"),
        ("> quoted\n> text\nand lazy", "quoted text and lazy"),
        ("> [!NOTE]\n> Mind it.", "Mind it."),
        ("Term\n: Its definition.", "Term Its definition."),
        ("~~gone~~ stays", "gone stays"),
        (r"\textbf{bold} \newpage text", "bold text"),
    ],
)  # fmt: skip
def test_prose(text: str, read: str) -> None:
    assert prose(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx = $y$\n```",
        "~~~\ncode $$x$$\n~~~",
        "````\n```\ncode\n```\n````",
        "```{code-cell} ipython3\n:tags: [x]\ncode\n```",
        "```{r, echo=FALSE}\ncode\n```",
        "```{.python .input}\ncode\n```",
        "```{figure} a.png\n---\nname: x\n---\nA caption.\n```",
        "```{bibliography}\n```",
        "    indented code",
        "| a | b |\n|---|---|\n| $x$ | 2 |",
        "a | b\n--|--\n1 | 2",
        "+---+---+\n| a | b |\n+---+---+",
        "<script>\nvar x;\n\nlet y;\n</script>",
        "<table>\n<tr><td>\n\ncell</td></tr>\n</table>",
        "<!-- hidden\n\ntext -->",
        "{% highlight python %}\ncode\n{% endhighlight %}",
        "***\n",
        "(label)=\n",
        "% a comment\n% of MyST",
        "[x]: http://y",
        "*[HTML]: Hyper Text",
        "{% assign x = 1 %}",
        "![alt text](picture.png)",
        "```{index} single: x\n```",
    ],
)
def test_what_is_no_prose(text: str) -> None:
    assert prose(f"Before.\n\n{text}\n\nAfter.") == "Before. After."


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("```{note}\nBody.\n```", "Note."),
        (":::{warning}\n:class: x\nBody.\n:::", "Warning."),
        ("::: {.callout-tip title=\"Mass\"}\nBody.\n:::", "Tip (Mass)."),
        ("```{prf:theorem} Of $x$\n:label: t\nBody.\n```", "Theorem (Of $x$)."),
        ("````{admonition} A title\n```{math}\nx\n```\nBody.\n````", "A title."),
        ("!!! note \"Mind\"\n\n    Body.", "Mind."),
        ("??? example\n    Body.", "Example."),
        ("> [!TIP]\n> Body.", "Tip."),
        (":::{exercise}\nBody.\n```{code-cell}\ncode\n```\n:::", "Exercise."),
    ],
)  # fmt: skip
def test_blocks_of_prose_have_heads(text: str, head: str) -> None:
    reading = read_page(article(f"{text}\n\nAfter."))
    whole = "".join(p.text for p in reading.pieces if isinstance(p, Prose))
    assert head in whole
    assert without(whole).split()[-2:] == ["Body.", "After."]


def test_divs_without_a_head() -> None:
    assert prose("::: {.column-margin}\nBody.\n:::\n\n:::: a\n::: b\nInner.\n:::\n::::\nEnd.") == (
        "Body. Inner. End."
    )


def test_headings_of_both_kinds() -> None:
    text = "# Title\n\n## One {#sec:one .x}\n\nTwo\n---\n\n### Three *$x$* ###\n\n<h2>Four</h2>\n"
    assert headings(text) == [(2, "One"), (2, "Two"), (3, "Three $x$"), (2, "Four")]


def test_a_rule_below_a_display_makes_no_heading() -> None:
    assert displays("- item\n\n  $$\n  x = y\n  $$\n------\n- item") == ["x = y"]


def test_titles() -> None:
    assert read_page(article('---\ntitle: "A: b"\nx: &a [*a]\n---\n# H\nText.')).title == "A: b"
    assert read_page(article("---\ntitle: >-\n  Long\n---\n")).title == "Long"
    assert read_page(article("# Of *mass*\n\nText.")).title == "Of \ue000mass\ue001"
    assert read_page(article("Text.\n\n## H")).title == "notes"


def test_a_display_belongs_to_the_sentence_around_it() -> None:
    found = pieces("We have\n\n$$x$$\n\nwhere $x$ is.\n\n$$y$$\n\nThen it is.")
    texts = [p.text for p in found if isinstance(p, Prose)]
    assert texts == ["We have\n", "\nwhere $x$ is.\n", "\nThen it is.\n\n"]


def test_text_behind_a_fenced_display_begins_anew() -> None:
    found = pieces("```math\nx.\n```\nThen it is.")
    assert isinstance(found[1], Prose) and found[1].text == "\nThen it is.\n\n"


def test_labels_and_references_meet() -> None:
    sink = MarkedPieces()
    text = (
        "# T\n\n(sec)=\n## S\n\n$$x$$ (eq-x)\n\n$$y$$ {#eq-y}\n\n```{math}\n:label: eq-z\nz\n```\n"
    )
    read_into(sink, article(text))
    assert {key: target.number for key, target in sink.labels.items()} == {
        "sec": "1", "eq-x": "1", "eq-y": "2", "eq-z": "3",
    }  # fmt: skip


# -- hostile input -------------------------------------------------------------------------------

SIZE = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "`" * SIZE,
        "".join("`" * size + " " for size in range(1, 400)),
        "[" * SIZE,
        "![" * SIZE,
        "[" * 3000 + "](x)" * 3000,
        "*" * SIZE,
        "*a " * (SIZE // 3),
        "$" * SIZE,
        "$a " * (SIZE // 3),
        "${\\text " * (SIZE // 20),
        "$$\n\na\n" * (SIZE // 60),
        "\\[ " * (SIZE // 3),
        "\\begin{equation}\n" * (SIZE // 60),
        "<" * SIZE,
        "<!--" * (SIZE // 4),
        "<script>\n" * (SIZE // 9),
        "{{" * (SIZE // 8),
        "> " * (SIZE // 2),
        "- " * (SIZE // 2),
        "\n".join(" " * depth + "- a" for depth in range(1000)),
        "\n".join("> " * depth + "a" for depth in range(1000)),
        "```{note}\n" * (SIZE // 10),
        "!!! note\n" * (SIZE // 10),
        "[a](" + " " * SIZE,
        "http://a(" * (SIZE // 9),
        "---\n" * (SIZE // 4),
        "---\na: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]\ntitle: *c\n---\n",
        "a\0b \ue000 $x\0$ \x01",
        "```",
        "$$",
        "\\",
        "<h1",
        ">",
        "-",
        "| a |",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_no_input_is_too_hard(text: str) -> None:
    found = pieces(text)
    assert not any("\0" in p.text or "\ue000" in p.text for p in found if isinstance(p, Prose))


def test_a_formula_that_is_not_closed_costs_no_more_than_itself() -> None:
    text = "An open $$ x = 1\n\n## Next\n\nText with $y$.\n\n$$z = 1$$\n"
    assert displays(text) == ["z = 1"]
    assert headings(text) == [(2, "Next")]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It is so.^[A note, [see](x).] Then $x$.", "It is so. Then $x$."),
        ("See [the code]({{ site.url }}/a/main.cpp) now.", "See the code now."),
        ("As in [Smith:2019](@cite) it is.", "As in … it is."),
        ("Call {func}`~.solve` or {py:meth}`~a.b.Expr.integrate`.", "Call solve or integrate."),
        ("The {ref}`*steady state* <x>` value.", "The steady state value."),
        (r"Let $\sigma\_c^\*$ be.", r"Let $\sigma_c^*$ be."),
        (r"Let $\text{a\_b}$ be.", r"Let $\text{a\_b}$ be."),
    ],
)
def test_marks_of_pages_that_readers_do_not_see(text: str, wanted: str) -> None:
    assert [" ".join(p.text.split()) for p in pieces(text) if isinstance(p, Prose)] == [wanted]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("See Eq. $\\ref{eq14}$ and $\\eqref{b}$.", "See Eq. … and …."),
        ("by Equation~{eq}`mass` and H~2~O", "by Equation … and H~2~O"),
        ('One.\n\n+++ {"tags": []}\n\nTwo.', "One. Two."),
        ("One.\n\n\\- a dash\n", "One. - a dash"),
    ],
)
def test_what_people_write_beside_the_rules(text: str, read: str) -> None:
    assert prose(text) == read


def test_a_footnote_goes_on_in_the_next_line() -> None:
    text = (
        "[TOC]\n\nIt is[^a].\n\n[^a]: see Eq. 3,\nwhere it\nis not.\n\nThen this.\n[^b]: One\n- two"
    )
    assert prose(text) == "It is. Then this. two"


def test_labels_of_markdeep_print_numbers() -> None:
    assert prose("In equation [eq:a] it is.") == "In equation … it is."
    assert prose("As figure [shadows] and Table [t] show, in [this] it is.") == (
        "As figure … and Table … show, in [this] it is."
    )


def test_a_macro_named_without_its_backslash() -> None:
    assert displays("$$\\newcommand{NoL}{n \\cdot l}$$\n\n$$x = \\NoL$$") == ["x = n \\cdot l"]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("See Appendix A of [^1]. As said.[^2]", "See Appendix A of …. As said."),
        ("As in [#Heitz16], not [#Heitz16](x).", "As in …, not #Heitz16."),
        ("Ask [a.b@x.de](mailto:a.b@x.de) (see [@ab; @cd]).", "Ask a.b@x.de (see …)."),
        ('One.\n\n[a]: https://a.b\n  "A title"\n\nTwo.', "One. Two."),
        ("<!DOCTYPE html>\nOne.", "One."),
        (r"the \emph{component of $\mu$ at $a$} is", r"the component of $\mu$ at $a$ is"),
        (
            "the diagram\n\\begin{tikzcd}\nFa & Ga\n\\end{tikzcd}\ncommutes.",
            "the diagram commutes.",
        ),
        ("a \\begin{tikzcd} is", "a is"),
    ],
)
def test_notes_keys_and_pictures_among_sentences(text: str, read: str) -> None:
    assert prose(text) == read
