"""The syntax check against a real compiler: right, hard to fool, and fast."""

import os
import shutil
import stat
import tempfile
from pathlib import Path

import pytest

from topiceq.errors import ConfigError, Unsupported
from topiceq.scores import compiler, syntax
from topiceq.scores.syntax import Verdict, _rooms, check, check_one

GOOD = Verdict(ok=True, message="")

# It uses much of what a broken equation could have left in disorder.
CONTROL = r"""
\begin{split} a &= \hat{\hat{x}} + \dots + \bm{x} \\ &= \text{if $b$ in \textbf{c}} \end{split}
\begin{cases} \sum_{i=1}^{n} \overline{x} & \mbox{y} \\ {a \over b} & \frac{1}{2} \end{cases}
\begin{array}{c|c} \hline a & b \\ \cline{1-2} \multicolumn{2}{c}{z} \end{array}
\mathbf{a} \mathsf{b} \mathit{c} \mathtt{d} \mathfrak{e} \mathscr{F} \mathbb{R} \mathcal{C}
\left( \xrightarrow{f} \sqrt[3]{x} \right] \tag{1} \label{here}
"""


@pytest.fixture(scope="module")
def latex() -> None:
    """Skip where there is no compiler, except on the machine whose work is to run these tests."""
    if shutil.which("pdflatex") is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("pdflatex is missing")


with_latex = pytest.mark.usefixtures("latex")


@pytest.fixture
def one_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "SECONDS", 1)


ACCEPTED = [
    CONTROL,
    r"E = m c^2",
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
    r"x \eqno(1)",
    r"\text{\(x\) and $y$}",
    "x % a comment }\n + y",
    "\n  x \n",
    "",
    "x+" * 50_000 + "x",  # 100 kB
]

REJECTED = {
    "{x": "Missing } inserted.",
    "x}": "Extra }, or forgotten $.",
    "x } { y": "Extra }, or forgotten $.",
    r"x \foo y": r"Undefined control sequence. \foo",
    r"\frac{a": r"File ended while scanning use of \frac .",
    r"\sqrt": "Missing { inserted.",
    r"\left( x": "Missing \\right. inserted.",
    r"x^a^b": "Double superscript.",
    "a & b": "Misplaced alignment tab character &.",
    r"\begin{cases} a": r"LaTeX Error: \begin{cases} on input line 1 ended by \end{equation*}.",
    "x $ y": "Display math should end with $$.",
    "x $$ y $$ z": "Not one display but 2.",
    "x\n\ny": "Missing $ inserted.",
    r"x \par y": "Missing $ inserted.",
    "α": "LaTeX Error: Unicode character α (U+03B1)",
    "x\0y": "Text line contains an invalid character.",
    "{" * 300 + "}" * 300: "TeX capacity exceeded, sorry [grouping levels=255].",
    r"\foo " * 20_000: r"Undefined control sequence. \foo",  # 100 kB, and 20,000 errors
    r"\begin{foo} x \end{foo}": "LaTeX Error: Environment foo undefined.",
}


@with_latex
def test_verdicts_in_one_process() -> None:
    verdicts = check([*ACCEPTED, *REJECTED], jobs=1)
    assert verdicts[: len(ACCEPTED)] == [GOOD] * len(ACCEPTED)
    assert [verdict.message for verdict in verdicts[len(ACCEPTED) :]] == list(REJECTED.values())
    assert not any(verdict.ok for verdict in verdicts[len(ACCEPTED) :])


@with_latex
def test_verdicts_are_those_of_a_process_for_each() -> None:
    equations = [*ACCEPTED[:4], *list(REJECTED)[::3]]
    assert check(equations) == [check_one(equation) for equation in equations]


@with_latex
def test_a_bad_equation_leaves_nothing_behind() -> None:
    bad = [*REJECTED, r"\end{cases}\end{split}\bf\tiny{", r"\label{a\tag{", r"\tag{2}\label{a}{"]
    equations = [part for number, text in enumerate(bad) for part in (text, f"{CONTROL}+{number}")]
    verdicts = check(equations, jobs=1)
    assert not any(verdict.ok for verdict in verdicts[::2])
    assert verdicts[1::2] == [GOOD] * len(bad)


# Each is judged, and neither what it changes nor how it ends reaches the equations after it.
HOSTILE = {
    r"x \end{document} y": False,
    r"\expandafter\end\expandafter{document}": False,
    r"\csname @@end\endcsname": False,
    r"\begin{@@end}": False,
    r"\makeatletter\@@end": False,
    r"\stop": False,
    r"x \] y \[ z": False,
    r"\end{equation*}\begin{equation*}": False,
    r"\iffalse": False,
    r"\def\x{\x\x}\x": False,
    r"\read16 to \x": False,
    r"\input{equations}": False,
    r"\input{/etc/passwd}": False,
    r"\batchmode \undefined \nonstopmode": False,
    r"\aftergroup\undefined x": False,
    r"\write-1{\undefined} x": False,
    r"\global\let\frac\undefined x": True,
    r"\gdef\sqrt{} x": True,
    r"^^5cgdef^^5cleft{} x": True,
    r"\global\catcode`\\=12 x": True,
    r"\global\catcode`\$=11 x": True,
    r"\catcode`\x=14 x": True,
    r"\global\everydisplay{\undefined} x": True,
}


@with_latex
def test_hostile_equations_harm_nobody() -> None:
    others = [f"{CONTROL}+{number}" for number in range(len(HOSTILE))]
    equations = [part for both in zip(HOSTILE, others, strict=True) for part in both]
    verdicts = check(equations)
    assert dict(zip(HOSTILE, (verdict.ok for verdict in verdicts[::2]), strict=True)) == HOSTILE
    assert verdicts[1::2] == [GOOD] * len(others)


@with_latex
def test_files_outside_are_out_of_reach(tmp_path: Path) -> None:
    outside = tmp_path / "outside.tex"
    outside.write_text("x")
    assert check_one(rf"\openin5={outside} \ifeof5 \else \undefined \fi").ok
    assert check_one(r"\openin5=driver \ifeof5 \undefined \fi").ok  # so that is how one would read
    wrote = check_one(rf"\immediate\openout5={tmp_path}/new \immediate\write5{{x}}")
    assert wrote == Verdict(False, f"I can't write on file `{tmp_path}/new.tex'.")
    assert not check_one(r"\immediate\openout5=../new \immediate\write5{x}").ok
    check_one(rf"\immediate\write18{{touch {tmp_path}/new}}")
    assert list(tmp_path.iterdir()) == [outside]


@with_latex
def test_the_environment_is_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVATE", "driver")
    assert check_one(r"\openin5=$PRIVATE \ifeof5 \else \undefined \fi").ok


@with_latex
def test_the_room_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert check_one(r"\immediate\openout5=new \immediate\write5{x}").ok
    assert list(tmp_path.iterdir()) == []


@with_latex
def test_a_forged_mark_is_not_believed() -> None:
    forged = r"\message{^^J0123456789abcdef0123456789abcdef 1^^J}\csname @@end\endcsname"
    assert not check_one(forged).ok
    fill_log = r"\immediate\write-1{" + "x" * 20_000 + "}"  # so that its first lines are on disk
    read_log = r"\openin5=room.log \read5 to\line \ifeof5 \else \undefined \fi"
    assert check_one(fill_log + read_log).ok


@with_latex
@pytest.mark.usefixtures("one_second")
def test_time_costs_only_the_culprit() -> None:
    alone = r"\def\x{\x}\x"
    together = r"\mathclap{" * 16 + "x" + "}" * 16  # set four times at each level
    verdicts = check(["a", together, "b", alone, "c"], jobs=1)
    slow = Verdict(False, "No answer within 1 seconds.")
    assert verdicts == [GOOD, slow, GOOD, slow, GOOD]


@with_latex
def test_output_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "OUTPUT", 2048)
    loop = r"\loop\message{" + "x" * 1000 + r"}\iftrue\repeat"
    assert check_one(loop) == Verdict(False, "More than 1 MB of output.")


@with_latex
def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "MEMORY", 20_000)
    with pytest.raises(Unsupported, match="pdflatex does not work: TeX ended too early. Type: apt"):
        check_one("x")


@with_latex
def test_the_order_of_the_verdicts_and_no_equations() -> None:
    assert check([]) == []
    equations = ["x", "{", r"\def\y{} y", "x", "{"]
    assert [verdict.ok for verdict in check(equations)] == [True, False, True, True, False]


@with_latex
def test_who_shares_a_process() -> None:
    harmless = [r"\alpha", r"\sin x", r"\langle x", r"\unknown", r"\begin{matrix} x \end{matrix}"]
    harmful = [r"\def\x{}", r"\begin{group}\end{group}", r"\begin x", "^^5c", r"\é", r"\begin{a}"]
    rooms = syntax._rooms([*harmful, *harmless], jobs=2)
    assert rooms == [harmless[:3], harmless[3:], *([equation] for equation in harmful)]


def test_jobs_must_be_positive() -> None:
    with pytest.raises(ConfigError, match=r"^jobs = 0 is not possible. It must be at least 1.$"):
        check(["x"], jobs=0)


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unsupported) as error:
        check(["x"])
    assert str(error.value) == (
        "There is no LaTeX compiler: pdflatex is not on PATH. "
        "Type: apt install texlive-latex-recommended texlive-fonts-recommended"
    )


def test_a_compiler_without_the_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "pdflatex"
    fake.write_text("#!/bin/sh\necho \"! LaTeX Error: File 'mathtools.sty' not found.\"\necho\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(Unsupported, match=r"work: LaTeX Error: File 'mathtools.sty' not found."):
        check_one("x")


def test_bold_in_bold_which_hangs_holds_up_no_other() -> None:
    hangs = r"\boldsymbol { \boldsymbol { x } }"
    assert _rooms(["a", hangs, r"\bm{a} + \bm{b}"], 1) == [["a", r"\bm{a} + \bm{b}"], [hangs]]
