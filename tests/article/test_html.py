"""Pages of HTML whose formulas still have their TeX."""

import pytest

from topiceq.article.equation.normal import normal_form
from topiceq.article.files import MemoryFiles
from topiceq.article.formats import read
from topiceq.article.page import read as read_for_people
from topiceq.article.pieces import Display, Heading, Piece, Prose
from topiceq.article.source import Article


def page(text: str, name: str = "page.html") -> Article:
    return Article("page", "", name, MemoryFiles({name: text.encode()}))


def pieces(text: str) -> list[Piece]:
    return read(page(text))


def prose(text: str) -> str:
    return " ".join(" ".join(p.text for p in pieces(text) if isinstance(p, Prose)).split())


def tokens(text: str) -> list[str]:
    found = [piece for piece in pieces(text) if isinstance(piece, Display)]
    return [" ".join(normal_form(each.tokens)) for each in found]


def annotated(latex: str, **attributes: str) -> str:
    given = "".join(f' {name}="{value}"' for name, value in attributes.items())
    annotation = f'<annotation encoding="application/x-tex">{latex}</annotation>'
    return f"<math{given}><semantics><mrow><mi>q</mi></mrow>{annotation}</semantics></math>"


def test_headings_paragraphs_and_displays_come_in_reading_order() -> None:
    text = (
        "<title>On heat</title><h1>Heat</h1><p>It is</p>\n<div>\\[a = b.\\]</div>\n"
        "<p>where <em>a</em> is \\(x_1\\).</p><h2>Part <math alttext='y'></math></h2><p>End.</p>"
    )
    assert [(type(piece).__name__, getattr(piece, "text", "")) for piece in pieces(text)] == [
        ("Heading", "Heat"), ("Prose", "\nIt is\n"), ("Display", ""),
        ("Prose", "\nwhere a is $x_1$.\n\n"), ("Heading", "Part $y$"), ("Prose", "\nEnd.\n\n"),
    ]  # fmt: skip
    assert [p.level for p in pieces(text) if isinstance(p, Heading)] == [1, 2]
    assert read_for_people(page(text)).title == "On heat"


@pytest.mark.parametrize(
    "written",
    [
        '<math alttext="\\displaystyle a=b" display="block"><mi>q</mi></math>',
        '<table class="ltx_equation ltx_eqn_table"><tr><td><math alttext="a=b" display="block">'
        '</math></td><td><span class="ltx_tag">(1)</span></td></tr></table>',
        annotated("a=b", display="block"),
        '<span class="katex-display"><span class="katex"><span class="katex-mathml">'
        + annotated("a=b")
        + '</span><span class="katex-html" aria-hidden="true">q</span></span></span>',
        '<span class="mwe-math-element mwe-math-element-block"><span style="display: none;">'
        + annotated("{\\displaystyle a=b}")
        + '</span><img class="mwe-math-fallback-image-display" alt="q"></span>',
        '<dl><dd><span class="mwe-math-element"><span>'
        + annotated("{\\displaystyle a=b}")
        + "</span></span>.</dd></dl>",
        '<script type="math/tex; mode=display">a=b</script>',
        '<span class="MathJax_Preview">q</span><script type="math/tex; mode=display">a=b</script>',
        '<div class="math notranslate"><span class="eqno">(1)</span>\\[a=b\\]</div>',
        '<span class="math display">\\[a=b\\]</span>',
        '<span class="math display">a=b</span>',
        '<div class="math"><p><img class="math" alt="a=b"></p></div>',
        "Text $$a=b$$ text",
        "\\[a=b\\]",
        "\\begin{equation}a=b\\end{equation}",
        "<p>\\begin{align*}a&amp;=b\\end{align*}</p>",
    ],
)
def test_a_display_however_it_was_made(written: str) -> None:
    assert tokens(f"<p>Before.</p>{written}<p>After.</p>") == ["a = b"]
    shown = prose(f"<p>Before.</p>{written}<p>After.</p>")
    assert "q" not in shown and "1" not in shown


@pytest.mark.parametrize(
    "written",
    [
        "\\(x\\)",
        annotated("{\\displaystyle x}"),
        '<math alttext="x"><mi>q</mi></math>',
        '<script type="math/tex">x</script>',
        '<span class="math inline">\\(x\\)</span>',
        '<span class="katex">' + annotated("x") + "</span>",
    ],
)
def test_an_inline_formula_however_it_was_made(written: str) -> None:
    assert prose(f"<p>It is {written} here.</p>") == "It is $x$ here."


def test_single_dollars_count_where_the_page_loads_what_reads_them() -> None:
    assert prose("<p>From $5 to $6.</p>") == "From ＄5 to ＄6."
    assert prose('<script src="mathjax.js"></script><p>A $x$ of $5.</p>') == "A $x$ of ＄5."


def test_rows_of_latexml_are_one_display() -> None:
    right = '<td><math alttext="=b"></math></td>'
    row = '<tr><td><math alttext="\\displaystyle {}"></math></td>' + right + "</tr>"
    text = f'<table class="ltx_equationgroup">{row.format("a")}{row.format("c")}</table>'
    (display,) = pieces(text)
    assert isinstance(display, Display)
    assert (display.environment, display.source) == (
        "align", "\\begin{align}a & =b \\\\\nc & =b\\end{align}",
    )  # fmt: skip


def test_mathml_without_its_tex_is_left_out() -> None:
    assert pieces("<p>A <math><mi>x</mi></math> b.</p>") == [Prose("page", "\nA  b.\n\n")]


@pytest.mark.parametrize(
    "aside",
    [
        "<nav>q</nav>", "<header>q</header>", "<footer>q</footer>", "<aside>q</aside>",
        "<style>q</style>", "<script>q</script>", "<pre>q</pre>", "<table><tr><td>q</table>",
        "<figure>q</figure>", '<div class="toc">q</div>', '<div id="toc">q</div>',
        '<div role="navigation">q</div>', '<sup class="reference">[1]</sup>',
        '<ol class="references"><li>q</li></ol>', '<a class="headerlink">q</a>', "<!-- q -->",
        '<section class="ltx_bibliography">q</section>', '<span class="mw-editsection">q</span>',
    ],
)  # fmt: skip
def test_what_surrounds_an_article_is_left_out(aside: str) -> None:
    assert prose(f"<p>One.</p>{aside}<p>Two.</p>") == "One. Two."


def test_lists_styles_and_entities() -> None:
    text = "<ol><li>One<li>Two</ol><ul><li><b>A</b> &amp; <code>b</code> &lt; &eacute;&nbsp;c</ul>"
    assert prose(text) == "One Two A & b < é c"
    (piece,) = read_for_people(page(text)).pieces
    assert isinstance(piece, Prose) and "2." in piece.text and "•" in piece.text


def test_macros_that_a_page_tells_mathjax() -> None:
    text = (
        '<script>MathJax = {tex: {macros: {R: "\\\\mathbb{R}", half: "\\\\frac{1}{2}"}}};</script>'
        "<p>\\(\\newcommand{\\E}{\\mathbb{E}}\\)</p>\\[\\E x \\in \\R\\]"
    )
    assert tokens(text) == [r"\mathbb { E } x \in \mathbb { R }"]


def test_lines_are_those_of_the_source() -> None:
    text = "<style>\n\n</style>\n<!--\n-->\n<p>Text\n\\[\na\n\\]\n<p>\n$$b$$ and\n$$c$$"
    assert [each.line for each in pieces(text) if isinstance(each, Display)] == [7, 11, 12]
    long = "<!-- " + "x\n" * 8_000 + "-->\n<p>$$b$$"
    assert [each.line for each in pieces(long) if isinstance(each, Display)] == [8_002]


def test_blank_lines_end_no_paragraph() -> None:
    assert pieces("<p>One\n\ntwo.") == [Prose("page", "\nOne\ntwo.\n\n")]


def test_markdeep_is_markdown() -> None:
    code = "    ~~~~~~~~~~ C++\n    int x = 0;\n    ~~~~~~~~~~\n    [Listing [x]: Code]\n"
    text = f"A title\n====\n\nOne `x`.\n\n{code}\n\nTwo.\n\n<script src='markdeep.js'></script>\n"
    assert prose(text).split() == ["One", "x.", "Two."]


@pytest.mark.parametrize("suffix", ["htm", "xhtml", "HTML"])
def test_other_suffixes(suffix: str) -> None:
    text = '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html><p>Déjà.</p></html>'
    (piece,) = read(page(text, f"page.{suffix}"))
    assert isinstance(piece, Prose) and piece.text.strip() == "Déjà."


# -- hostile pages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "  \n", "<!-- -->", "<", "<html>", "&", "</p>" * 1000])
def test_pages_with_nothing_in_them(text: str) -> None:
    assert prose(text) in ("", "<", "&")


@pytest.mark.parametrize(
    "text",
    [
        "<div>" * 1_000_000,
        "<b>" * 200_000,
        "<p><b>" * 20_000,
        "<h1>" * 20_000 + "a",
        "<a " + " ".join(f"a{i}=1" for i in range(50_000)) + ">",
        "<a " * 500_000,
        "&bogus;&#0;&#x110000;&#xD800;&amp" * 10_000,
        "$$" + "a$ " * 50_000,
        "\\[" * 50_000,
        "\\begin{align}" * 20_000,
        "<math alttext='x'>" * 50_000,
        "<dd>" + "<math alttext='x'></math> " * 3_000,
        "<ol>" + "<li>a" * 5_000,
        "<script>" + "macros: {" * 20_000 + "</script>",
        "<script>" + "\\newcommand{" * 20_000 + "</script>",
        "<table class='ltx_equation'><tr>" + "<math alttext='x'>" * 1_000,
        '<!DOCTYPE x [<!ENTITY a "&b;&b;"><!ENTITY b "&a;&a;">]><p>&a;</p>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><p>&a;</p>',
    ],
)
def test_hostile_pages_are_read_to_their_end(text: str) -> None:
    pieces(text)
    assert prose("<p>Still here.</p>") == "Still here."


def test_scripts_are_not_run_nor_shown_and_entities_open_nothing() -> None:
    assert prose("<p onclick='a()'>One<script>document.write('q')</script>.</p>") == "One."
    bomb = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><p>It is &a;</p>'
    assert "root" not in prose(bomb) and "&a;" in prose(bomb)


def test_references_in_the_text_are_numbers() -> None:
    assert prose(r"<p>In Eq. \eqref{eq:h} and \ref {x} it is.</p>") == "In Eq. … and … it is."


def test_the_head_of_a_function_is_no_prose() -> None:
    text = '<dl class="py method"><dt id="f">f(x, y)</dt><dd><p>Adds it.</p></dd></dl>'
    assert prose(text) == "Adds it."
    assert prose("<dl><dt>Heat</dt><dd>is energy.</dd></dl>") == "Heat is energy."


@pytest.mark.parametrize(
    ("written", "formula"),
    [
        ('<span class="texhtml mvar" style="font-style:italic;">m</span>', "$m$"),
        ('<span class="texhtml"><i>E</i> = <i>mc</i><sup>2</sup></span>', "$E = mc^{2}$"),
        ('<span class="texhtml"><b>F</b><sub>max</sub></span>', r"$\mathbf{F}_{\max }$"),
        ("<i>T</i>", "$T$"),
        ("<i>x</i><sub>1</sub>", "$x_{1}$"),
        ("<var>ρ</var><sub>0</sub><sup>2</sup>", "$ρ_{0}^{2}$"),
        ("<i>to</i>", "to"),
        ("<em>a</em>", "a"),
        ("<i>x</i> <sub>1</sub>", "$x$ 1"),
    ],
)
def test_formulas_that_are_set_as_text(written: str, formula: str) -> None:
    assert prose(f"<p>Here {written} is the mass.</p>") == f"Here {formula} is the mass."
