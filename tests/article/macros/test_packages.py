"""What packages define: all of it expands to LaTeX that compiles."""

import shutil
import subprocess
from pathlib import Path

import pytest
from expanding import expand, expander, walk

from topiceq.article.commands import KNOWN, SIZED
from topiceq.article.equation.normal import normal_form, to_latex
from topiceq.article.macros.expander import Macro
from topiceq.article.macros.packages import lasting, packages, read_definitions
from topiceq.article.tex import lex

DEFAULTS, ENVIRONMENTS, PACKAGES, _ = packages()

# commands that make no formula by themselves: rows, environments, settings, text
ROWS = set(r"\cr \crcr \intertext \shortintertext \toprule \midrule \bottomrule \hdashline".split())
HALVES = set(r"\mleft \mright \centernot \sp \sb".split())


def formulas() -> dict[str, str]:
    """A formula for each macro that stands for one, as an author would write it."""
    names = [name for name in DEFAULTS if name[1:].isalpha() and name not in ROWS | HALVES]
    return {name: source(name, DEFAULTS[name]) for name in names if not is_setting(name)}


def is_setting(name: str) -> bool:
    """Whether a macro defines, sets or opens something."""
    body = DEFAULTS[name].body
    opens = {"\\begin", "\\end"} & set(body) and not DEFAULTS[name].params
    sets = {"\\sbox", "\\providecommand", "\\@namedef", "\\@nameuse", "\\glossary@print"}
    sets &= set(body)
    return not body or bool(opens or sets)


def source(name: str, macro: Macro) -> str:
    args = "".join(
        f"{{{letter}}}" for letter, param in zip("abcdef", required(macro), strict=False)
    )
    return f"x{name}{args} y"


def required(macro: Macro) -> list[str]:
    return [param.kind for param in macro.params if param.kind == "m"]


def normal(text: str, package: str = "") -> list[str]:
    x = expander(text, packages=True)
    x.macros.update(PACKAGES.get(package, {}))
    return normal_form(walk(x)[0])


def is_known(token: str) -> bool:
    if token[0] != "\\" or token in KNOWN or token.startswith(("\\begin{", "\\end{")):
        return True
    return any(token.startswith(each) and token != each for each in SIZED)


def test_the_table_is_large() -> None:
    assert len(formulas()) > 400
    assert len(ENVIRONMENTS) > 15


@pytest.mark.parametrize("name", formulas())
def test_each_macro_expands_to_known_commands(name: str) -> None:
    tokens = normal(formulas()[name])
    assert [token for token in tokens if not is_known(token)] == []


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs a LaTeX compiler")
def test_all_macros_compile(tmp_path: Path) -> None:
    lines = [to_latex(normal(text)) for text in formulas().values()]
    lines += [to_latex(normal(text, package)) for package, text, _ in EXAMPLES]
    head = r"\documentclass{article}\usepackage{amsmath,amssymb,bm,mathrsfs}\begin{document}"
    body = "\n".join(rf"\[ {line} \]" for line in lines)
    (tmp_path / "all.tex").write_text(f"{head}\n{body}\n\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-600:]


EXAMPLES = [
    ("physics", r"\dv{f}{x}", r"\frac{\mathrm{d}f}{\mathrm{d}x}"),
    ("physics", r"\dv[2]{x}(f)", r"\frac{\mathrm{d}^{2}}{\mathrm{d}x^{2}}\left(f\right)"),
    ("physics", r"\pdv{f}{x}{y}", r"\frac{\partial^2f}{\partial x\partial y}"),
    ("physics", r"\qty(\frac{a}{b})\qty\Big[x]", r"\left(\frac ab\right)\left[x\right]"),
    ("physics", r"\qty{y}\qty|z|", r"\left\{y\right\}\left|z\right|"),
    ("physics", r"\abs*{x}+\norm{\vb{a}}", r"\left|x\right|+\left\|\mathbf a\right\|"),
    ("physics", r"\bra{a}\ket{b}", r"\left\langle a\right|\left|b\right\rangle"),
    ("physics", r"\braket{a}{b}", r"\left\langle a\middle|b\right\rangle"),
    ("physics", r"\expval{A}{n}", r"\left\langle n\middle|A\middle|n\right\rangle"),
    ("physics", r"\mel{n}{A}{m}", r"\left\langle n\middle|A\middle|m\right\rangle"),
    ("physics", r"\div{E}+\grad f+\curl(B)", r"\nabla\cdot E+\nabla f+\nabla\times\left(B\right)"),
    ("physics", r"\eval{x^2}_0^1", r"\left.x^2\right|_0^1"),
    ("physics", r"\mqty(a&b\\c&d)", r"\begin{pmatrix}a&b\\c&d\end{pmatrix}"),
    ("physics", r"\comm{A}{B}=\order{h}", r"\left[A,B\right]=\mathcal O\left(h\right)"),
    ("braket", r"\braket{a|b}", r"\langle a|b\rangle"),
    ("siunitx", r"\SI{3}{\meter\per\second\squared}", r"3\mathrm{m/s^2}"),
    ("siunitx", r"\qty{3}{\kilo\gram}+\num{4}", r"3\mathrm{kg}+4"),
    ("", r"\norm[2]{x}+\norm[\big]{y}", r"\left\|x\right\|_2+\left\|y\right\|"),
    ("mathastext", r"\mathnormalbold{x}", r"\boldsymbol{x}"),
    ("mathtools", r"a\coloneqq b\xrightarrow{f}c", r"a:=b\xrightarrow{f}c"),
    ("mathtools", r"\begin{pmatrix*}[r]1\\2\end{pmatrix*}", r"\begin{pmatrix}1\\2\end{pmatrix}"),
    ("mathtools", r"\begin{dcases}a&b\\c&d\end{dcases}", r"\begin{cases}a&b\\c&d\end{cases}"),
    ("bm", r"\bm{x}+\mathds{1}+\mathbbm{1}", r"\boldsymbol x+\mathbb 1+\mathbb 1"),
    ("xfrac", r"\sfrac12+\nicefrac{a}{b}", r"1/2+a/b"),
    ("cancel", r"\cancel{x}+\slashed{p}", r"\not x+\not p"),
    ("mleftright", r"\mleft(x\mright)", r"\left(x\right)"),
    ("stmaryrd", r"\llbracket x\rrbracket", r"[[x]]"),
    ("tensor", r"R\indices{^a_{bc}^d}", r"R{}^a{}_{bc}{}^d"),
    ("upgreek", r"\upmu+\Updelta", r"\mu+\Delta"),
]


@pytest.mark.parametrize(("package", "text", "plain"), EXAMPLES)
def test_packages_in_plain_latex(package: str, text: str, plain: str) -> None:
    assert normal(text, package) == normal_form(lex(plain))


def test_packages_that_disagree_count_when_they_are_loaded() -> None:
    assert {"\\qty", "\\div", "\\braket"} <= set(PACKAGES["physics"])
    assert {"\\qty", "\\unit"} <= set(PACKAGES["siunitx"])
    assert "\\dv" not in PACKAGES["physics"] and "\\dv" in DEFAULTS
    assert PACKAGES["dsfont"] is not None and "\\div" not in DEFAULTS


def test_defaults_survive_what_authors_redefine() -> None:
    source = r"\renewcommand\mathbb{\mathbbm}\mathbb R"
    assert expand(source, packages=True) == r"\mathbb{R}"
    assert lasting(Macro((), ("\\alpha", "\\frac"))).body == ("\x01\\alpha", "\\frac")


def test_conventions_hold_only_where_an_article_says_nothing() -> None:
    assert expand(r"\R+\Hom", packages=True) == r"\mathbb{R}+\operatorname{Hom}"
    assert expand(r"\newcommand\R{r}\R", packages=True) == "r"


def test_alphabets_and_boxes_that_an_article_declares() -> None:
    source = r"\DeclareMathAlphabet{\mathss}{OT1}{cmss}{bx}{n}\mathss A"
    assert expand(source, packages=True) == r"\mathbf{A}"
    source = r"\DeclareMathAlphabet{\mathcal}{OMS}{x}{m}{n}\mathcal A"
    assert expand(source, packages=True) == r"\mathcal A"
    source = r"\newsavebox\b\savebox{\b}[1em]{$\bullet$}\usebox{\b}\usebox{\c}"
    assert expand(source, packages=True).endswith(r"\mbox{$\bullet$}")


def test_read_definitions_gives_macros_and_environments() -> None:
    macros, environments = read_definitions(r"text \def\a{x} \newenvironment{e}{<}{>} \[ y \]")
    assert set(macros) == {"\\a"} and set(environments) == {"e"}
    macros, _ = read_definitions(r"\def\a{\a}\a \def\b{x} {\def\c{")
    assert set(macros) == {"\\a", "\\b"}


def test_two_rows_that_are_drawn_above_each_other() -> None:
    drawn = r"\vbox{\offinterlineskip\ialign{\hfil##\hfil\cr$a$\cr$b$\cr}} = \mathchar`\="
    assert " ".join(normal_form(lex(expand(drawn, packages=True)))) == r"\overset { a } { b } = ="
