"""LaTeX -> MathML: what is drawn, what is marked, and what never gets through."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiceq.views import mathml as module
from topiceq.views.mathml import ATTRIBUTES, ELEMENTS, in_rows, mathml, source

HOSTILE = [
    r"\text{<script>alert(1)</script>}",
    r"\href{javascript:alert(1)}{x}",
    r"\mbox{<img src=x onerror=alert(1)>} & y",
    r"\style{background:url(javascript:1)}{x}",
    r"\class{x\" onmouseover=\"alert(1)}{y}",
    r"\substack{<b>}{</b>} & \unknown{<svg/onload=alert(1)>}",
    r"</math><script>alert(1)</script>",
    r"\text{&lt;b&gt; &amp; &quot;}",
    r"\data{onclick=alert(1)}{x} & z",
    "]]><!--",
]


def drawn(latex: str, **options: object) -> str:
    return mathml(latex, display=False, **options)  # type: ignore[arg-type]


def test_a_formula_is_drawn() -> None:
    assert drawn(r"\frac{1}{2}") == "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"
    assert mathml("x", display=True) == '<math display="block"><mi>x</mi></math>'


@pytest.mark.parametrize("latex", HOSTILE)
def test_nothing_but_formulas_gets_through(latex: str) -> None:
    for display in (False, True):
        tree = ElementTree.fromstring(mathml(latex, display=display))
        for element in tree.iter():
            assert element.tag in ELEMENTS | {"code"}
            assert set(element.attrib) <= ATTRIBUTES | {"style"}


@given(st.text(max_size=60))
def test_it_never_raises_and_is_always_well_formed(latex: str) -> None:
    found = drawn(latex, symbols={"x": 0})
    if "\x00" not in found and not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", found):
        ElementTree.fromstring(found)


@pytest.mark.parametrize(
    "latex", ["{" * 30_000, r"\frac{1}{" * 5_000, r"\hat" * 3_000 + "x", r"\left(" * 2_000]
)
def test_what_would_crash_a_converter_is_shown_as_source(latex: str) -> None:
    assert drawn(latex) == source(latex)


def test_the_source_is_escaped() -> None:
    assert source(" a<b & c ") == "<code>a&lt;b &amp; c</code>"


def test_the_second_converter_is_asked_when_the_first_gives_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(latex: str, display: bool) -> str:
        raise ValueError

    monkeypatch.setattr(module, "CONVERTERS", (refuse, module._as_written))
    assert "<msub><mi>q</mi><mn>12</mn></msub>" in drawn("q_{12}")


def test_a_panic_of_a_converter_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Panic(BaseException):
        pass

    def panic(latex: str, display: bool) -> str:
        raise Panic

    monkeypatch.setattr(module, "CONVERTERS", (panic,))
    assert drawn("z_{99}") == "<code>z_{99}</code>"


@pytest.mark.parametrize(
    ("latex", "symbols", "marks"),
    [
        (r"\hat H \psi = H", [r"\hat { H }", "H"], ["mover 0", "mi 1"]),
        (r"T_{\mu\nu} + T", [r"T _ { \mu \nu }", "T"], ["msub 0", "mi 1"]),
        (r"T_{\mu\nu}^2", [r"T _ { \mu \nu }"], ["mi 0", "mrow 0"]),
        (r"\mathbb{E} X", [r"\mathbb { E }"], ["mi 0"]),
        (r"{\bf x} + \mathbf x", [r"\mathbf { x }"], ["mi 0", "mi 0"]),
        (r"f'(x)", [r"f ^ { \prime }"], ["mrow 0"]),
        (r"x_1 + x_2", ["x"], ["mi 0", "mi 0"]),
        (r"\left(\frac{a}{b}\right)", ["b"], ["mi 0"]),
        (r"\begin{pmatrix} a & b \end{pmatrix}", ["a"], ["mi 0"]),
        ("y", ["x"], []),
    ],
)
def test_symbols_are_marked_wherever_they_stand(
    latex: str, symbols: list[str], marks: list[str]
) -> None:
    tree = ElementTree.fromstring(drawn(latex, symbols={s: n for n, s in enumerate(symbols)}))
    found = [f"{e.tag} {e.get('data-symbol')}" for e in tree.iter() if e.get("data-symbol")]
    assert found == marks


def test_several_forms_can_have_one_number() -> None:
    found = drawn("x_i x_j", symbols={"x _ { i }": 3, "x _ { j }": 3})
    assert found.count('<msub data-symbol="3">') == 2


@pytest.mark.parametrize(
    ("latex", "environment"),
    [
        (r"a &= b \nonumber \\ c &= d \tag{3}", "align"),
        (r"a &=& b \label{x} \\ c &=& d", "eqnarray*"),
        (r"a \\ b", "gather"),
        (r"\begin{split} a &= b \\ c &= d \end{split}", "equation"),
        (r"a &= \mathbf{1} && \text{if $x$ is odd} \\ b", "align*"),
    ],
)
def test_displays_of_several_rows_are_drawn(latex: str, environment: str) -> None:
    found = mathml(in_rows(latex, environment), display=True)
    assert found.count("<mtr>") == 2 and "<code>" not in found and "3" not in found


def test_a_relation_stands_beside_what_follows_it() -> None:
    rows = in_rows(r"a &=&b \\ & &c", "eqnarray")
    assert rows == r"\begin{aligned}a &= b \\ &c\end{aligned}"
    assert "&& x" in in_rows(r"a &= b && x", "align")


def test_words_inside_formulas_keep_their_formulas() -> None:
    found = drawn(r"\text{if $x$ is odd}").replace("\xa0", " ")
    assert "<mtext>if </mtext><mi>x</mi><mtext> is odd</mtext>" in found


def test_an_unknown_command_stands_there_by_its_name() -> None:
    assert "<mtext>\\foo</mtext>" in drawn(r"\foo + 1")


def test_accents_stand_just_above_their_letters() -> None:
    box = '<mpadded voffset="-0.4em" height="0.2em"><mo stretchy="false">'
    for latex, sign in ((r"\overline t", "¯"), (r"\hat t", "ˆ")):
        wanted = f'<mover accent="true"><mi>t</mi>{box}{sign}</mo></mpadded></mover>'
        assert drawn(latex) == f"<math>{wanted}</math>"


def test_colours_of_the_author_are_left_out() -> None:
    assert "color" not in drawn(r"\color{red} x")


@pytest.mark.parametrize(
    ("latex", "wanted"),
    [
        ("f'", '<mrow><mi>f</mi><mo lspace="0" rspace="0">′</mo></mrow>'),
        ("f''_1", '<mrow><msub><mi>f</mi><mn>1</mn></msub><mo lspace="0" rspace="0">″</mo></mrow>'),
        ("f'^2", '<msup><mrow><mi>f</mi><mo lspace="0" rspace="0">′</mo></mrow><mn>2</mn></msup>'),
    ],
)
def test_primes_stand_on_the_line(latex: str, wanted: str) -> None:
    assert drawn(latex) == f"<math>{wanted}</math>"


def test_rows_without_an_environment_are_rows() -> None:
    assert in_rows(r"a &= b \\ c &= d", "equation").startswith(r"\begin{aligned}")
    assert in_rows(r"a \\ b", "$$").startswith(r"\begin{gathered}")
    assert in_rows(r"\begin{matrix} a & b \\ c \end{matrix}", "$$").startswith(r"\begin{matrix}")


def test_braces_left_open_are_closed() -> None:
    assert mathml(r"\mathrm{d \foo", display=True).startswith("<math")
