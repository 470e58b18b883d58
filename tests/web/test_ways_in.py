"""What people type, paste and send, in Python, on the command line and over HTTP."""

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from arxiv_server import Server, gives, packed
from calling import call
from serving import served

import topiceq
from topiceq import TopicEq
from topiceq.errors import QuestionError
from topiceq.web.app import create_app

MASS = "E = m c ^ { 2 }"
GAUSS = r"\nabla \cdot E = \frac { \rho } { \varepsilon _ { 0 } }"
TWO = rf"{MASS} \\ F = m a"
SQUARE = "<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>"
PREFIXED = SQUARE.replace("<m", "<m:m").replace("</m", "</m:m")
WIKIPEDIA = (
    '<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;">'
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mstyle>'
    f'{SQUARE}</mstyle></mrow><annotation encoding="application/x-tex">'
    r"{\displaystyle E=mc^{2}}"
    '</annotation></semantics></math></span><img src="x.svg" class="mwe-math-fallback-image-inline"'
    ' aria-hidden="true" alt=""></span>'
)
ARXIV = (
    '<table class="ltx_equation ltx_eqn_table"><tr class="ltx_equation ltx_eqn_row"><td>'
    '<math alttext="\\displaystyle E=mc^{2}" class="ltx_Math" display="block"><semantics><mrow>'
    f'{SQUARE}</mrow></semantics></math></td><td class="ltx_eqn_cell ltx_eqn_eqno">(1)</td></tr>'
    "</table>"
)
KATEX = (
    '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>E</mi></mrow>'
    '<annotation encoding="application/x-tex">E=mc^2</annotation></semantics></math></span>'
    '<span class="katex-html" aria-hidden="true"><span>E=mc2</span></span></span>'
)
MATRIX = (
    "<math><mo>[</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd>"
    "<mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable><mo>]</mo></math>"
)
CASES = (
    "<math><mi>f</mi><mo>=</mo><mo>{</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mi>x</mi></mtd>"
    "</mtr><mtr><mtd><mn>0</mn></mtd><mtd><mi>y</mi></mtd></mtr></mtable></math>"
)

READ: list[tuple[str, str]] = [  # as typed, and as LaTeX of the normal form
    # bare, between signs, in displays, as files and shells give them
    ("E=mc^2", MASS),
    ("E=mc^2\n", MASS),
    ("\r\n E = mc^2 \r\n\r\n", MASS),
    ("\ufeffE=mc^2", MASS),
    ("$E=mc^2$", MASS),
    ("$E=mc^2$.", MASS),
    ("$$\nE=mc^2\n$$", MASS),
    (r"\(E=mc^2\)", MASS),
    (r"\[ E=mc^2, \]", MASS),
    ("\\begin{equation}\\label{e}\nE=mc^2\n\\end{equation}", MASS),
    (r"\newcommand{\sq}[1]{#1^2} E=m\sq{c}", MASS),
    ("E=mc^2 % Einstein", MASS),
    # fences and the tags of wikis and chats
    ("```latex\nE=mc^2\n```", MASS),
    ("~~~\nE=mc^2\n~~~", MASS),
    ("```math\n$$E=mc^2$$\n```", MASS),
    ("`E=mc^2`", MASS),
    ("$`E=mc^2`$", MASS),
    ("<math>E=mc^2</math>", MASS),
    ('<math display="block">a<b</math>', "a < b"),
    ("[tex]E=mc^2[/tex]", MASS),
    ("$latex E=mc^2$", MASS),
    # several rows
    ("\\begin{align}\nE &= mc^2 \\\\\nF &= ma\n\\end{align}", TWO),
    (r"E=mc^2 \\ F=ma", TWO),
    ("E=mc^2\nF=ma\n", TWO),
    ("$E=mc^2$\n$F=ma$", TWO),
    ("$$E=mc^2$$\n\n$$F=ma$$", TWO),
    ("E = m\n  c^2", MASS),
    # entities and HTML
    ("a &lt; b", "a < b"),
    ("a &amp;lt; b", "a < b"),
    ("&alpha; &le; &#x3b2;", r"\alpha \leq \beta"),
    ("E = mc<sup>2</sup>", MASS),
    ("<i>x</i><sub>1</sub> = <b>y</b>", "x _ { 1 } = y"),
    ("<p>\\(E=mc^2\\)</p>", MASS),
    ('<script type="math/tex; mode=display">E=mc^2</script>', MASS),
    # MathML: what it was made from, or what it draws
    (WIKIPEDIA, MASS),
    (ARXIV, MASS),
    (KATEX, MASS),
    (f"<math>{SQUARE}</math>", MASS),
    (f'<?xml version="1.0"?><m:math xmlns:m="x">{PREFIXED}'
     "</m:math>", MASS),  # fmt: skip
    (SQUARE, MASS),
    ("&lt;math&gt;&lt;mi&gt;x&lt;/mi&gt;&lt;/math&gt;", "x"),
    (MATRIX, r"\left[ \begin{matrix} 1 & 0 \\ 0 & 1 \end{matrix} \right]"),
    (CASES, r"f = \begin{cases} 1 & x \\ 0 & y \end{cases}"),
    ("<math><mo>(</mo><mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></math>",
     r"\binom { n } { k }"),
    ("<math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mover><mi>x</mi><mo>^</mo>"
     "</mover></math>", r"\sum _ { i } ^ { n } \hat { x }"),
    # Unicode, and a keyboard
    ("∇·E = ρ/ε₀", GAUSS),
    ("$∇·E = ρ/ε₀$", GAUSS),
    ("E = mc²", MASS),
    (r"\frac{∂ρ}{∂t}", r"\frac { \partial \rho } { \partial t }"),
    ("∂²u/∂t² = c²∇²u",
     r"\frac { \partial ^ { 2 } u } { \partial t ^ { 2 } } = c ^ { 2 } \nabla ^ { 2 } u"),
    ("√(x²+1) ≥ ½", r"\sqrt { x ^ { 2 } + 1 } \geq \frac { 1 } { 2 }"),
    ("𝐱ᵀ𝐀𝐱 ∈ ℝ", r"\mathbf { x } ^ { T } \mathbf { A } \mathbf { x } \in \mathbb { R }"),
    ("Ĥψ = iħ ∂ψ/∂t", r"\hat { H } \psi = i \hbar \frac { \partial \psi } { \partial t }"),
    ("Σᵢ₌₁ⁿ xᵢ", r"\Sigma _ { i = 1 } ^ { n } x _ { i }"),
    ("e^(iπ) + 1 = 0", r"e ^ { i \pi } + 1 = 0"),
    ("sin(x)/x -> 1", r"\frac { \sin ( x ) } { x } \rightarrow 1"),
    ("sqrt(x^2) <= x**10", r"\sqrt { x ^ { 2 } } \leq x ^ { 1 0 }"),
]  # fmt: skip
DOUBTED = [  # as typed, as LaTeX, and what is said of it
    ("<p>where <math><mi>m</mi></math> is the mass</p>", "m", "left out: `where`, `is`, `the`"),
    (r"a = \\frac{b}{c} d", "a = f r a c b c d", r"If it was escaped, write `\\frac`."),
    ("E_{kinetic} = 3", "E _ { k i n e t i c } = 3", "`kinetic` was read letter by letter."),
    ("the energy equals mass", "t h e e n e r g y e q u a l s m a s s", "not look like LaTeX"),
]
REFUSED = [
    ("", "The equation is empty."),
    ("x^{2", "'{' is not closed, behind 'x^{2'"),
    ("notes/paper.tex", "is an article, not an equation. Type: topiceq annotate notes/paper.tex"),
    ("arXiv:1902.06034", "Type: topiceq annotate arXiv:1902.06034"),
    ("<math><apply><plus/><ci>x</ci></apply></math>", "The equation is empty."),
]


@pytest.fixture(scope="module")
def client(trained: Path) -> Iterator[httpx.Client]:
    with served(create_app(TopicEq.load(trained))) as address:
        with httpx.Client(base_url=address, timeout=60) as client:
            yield client


def three_ways(typed: str, client: httpx.Client) -> dict[str, object]:
    """The normal form over HTTP, once it is the same in Python and on the command line."""
    answer = client.post("/api/normal", json={"equation": typed})
    found: dict[str, object] = answer.json()
    done = call("normal", "--json", "--", typed)
    try:
        python = topiceq.normal(typed)
    except QuestionError as error:
        assert (answer.status_code, found["error"]) == (400, str(error))
        assert done.code == 1 and json.loads(done.out) == {"equation": typed} | found
    else:
        assert (python.latex, list(python.warnings)) == (found["latex"], found.get("warnings", []))
        assert done.code == 0 and json.loads(done.out) == found
    return found


@pytest.mark.parametrize(("typed", "latex"), READ)
def test_what_is_typed_is_read(typed: str, latex: str, client: httpx.Client) -> None:
    found = three_ways(typed, client)
    assert found["latex"] == latex and "warnings" not in found


@pytest.mark.parametrize(("typed", "latex", "warning"), DOUBTED)
def test_what_may_not_be_meant_so_is_said(
    typed: str, latex: str, warning: str, client: httpx.Client
) -> None:
    found = three_ways(typed, client)
    assert found["latex"] == latex and warning in str(found["warnings"])


@pytest.mark.parametrize(("typed", "message"), REFUSED)
def test_what_is_no_equation_is_refused(typed: str, message: str, client: httpx.Client) -> None:
    assert message in str(three_ways(typed, client)["error"])


@pytest.mark.filterwarnings("ignore:.* equations have `warnings`")
def test_all_of_it_at_once_gives_an_answer_each_in_order(
    trained: Path, client: httpx.Client, tmp_path: Path
) -> None:
    lines = [typed for typed, _ in READ if "\n" not in typed.strip("\r\n")]
    lines = [line.strip("\r\n\ufeff") for line in lines] + ["x^{2", r"\begin{align} a"]
    file = tmp_path / "equations.txt"
    file.write_text("\n\n".join(lines) + "\n")
    done = call("infer", trained, "--equations", file, "--top", 1, "--json")
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert [answer["equation"] for answer in answers] == lines
    failed = sum("error" in answer for answer in answers)
    assert done.code == 1 and 2 <= failed < len(lines)
    assert done.err.endswith(f"{failed} of {len(lines)} equations cannot be read; "
                             "their 'error' tells why.\n")  # fmt: skip
    question = {"equations": lines, "top": 1}
    assert client.post("/api/infer", json=question).json() == answers
    with client.stream(
        "POST", "/api/infer", json=question, headers={"accept": "application/x-ndjson"}
    ) as answer:
        assert [json.loads(line) for line in answer.iter_lines()] == answers
    with pytest.warns(UserWarning, match=f"{failed} of {len(lines)} equations cannot be read"):
        python = TopicEq.load(trained).infer(equations=lines)
    assert [str(e) if e else None for e in python.errors] == [a.get("error") for a in answers]


def test_a_file_may_hold_displays_of_several_lines(trained: Path) -> None:
    text = (
        "E = a\n\\begin{align}\nE &= b \\\\\n a &= c\n\\end{align}\n\n$$\nE = x\n$$\n$$\nE\n\nc\n"
    )
    answers = [json.loads(line) for line in call("infer", trained, "-", text=text).out.splitlines()]
    assert len(answers) == 6 and len(answers[1]["rows"]) == 2
    assert answers[2]["equation"] == "$$\nE = x\n$$"
    assert "error" in answers[3] and "topics" in answers[4]


# -- articles ------------------------------------------------------------------------------------


TEX = r"""\documentclass{article}\begin{document}\title{Notes}The blue field. \[ E = a \]
Red words.\end{document}"""


def article(kind: str) -> tuple[str, bytes]:
    if kind == "tar.gz":
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            entry = tarfile.TarInfo("main.tex")
            entry.size = len(TEX)
            archive.addfile(entry, io.BytesIO(TEX.encode()))
        return "paper.tar.gz", packed.getvalue()
    if kind == "ipynb":
        cell = {"cell_type": "markdown", "metadata": {}, "source": ["The field\n", "$$ E = a $$\n"]}
        return "notes.ipynb", json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4,
                                          "nbformat_minor": 5}).encode()  # fmt: skip
    return "paper.tex", TEX.encode()


@pytest.mark.parametrize("kind", ["tex", "tar.gz", "ipynb"])
def test_an_article_three_ways(
    kind: str, trained: Path, client: httpx.Client, tmp_path: Path
) -> None:
    name, content = article(kind)
    path = tmp_path / name
    path.write_bytes(content)
    done = json.loads(call("annotate", trained, path, "--json").out)
    sent = client.post("/api/annotate?format=json", files={"file": (name, content)}).json()
    python = json.loads(json.dumps(TopicEq.load(trained).annotate(path).json()))
    displays = [piece["display"]["equation"] for piece in done["pieces"] if "display" in piece]
    assert len(displays) == 1 and displays[0].split() == ["E", "=", "a"]
    assert done["pieces"] == sent["pieces"] == python["pieces"]


def test_an_id_of_arxiv(trained: Path, server: Server, tmp_path: Path) -> None:
    """On the command line and in Python; over HTTP articles are sent, an id is refused above."""
    server.answers = [gives(packed({"main.tex": TEX.encode()}))]
    done = call("annotate", trained, "arXiv:1902.06034", "--cache", tmp_path, "--json")
    python = TopicEq.load(trained).annotate("arXiv:1902.06034", cache=tmp_path)
    assert json.loads(done.out)["pieces"] == json.loads(json.dumps(python.json()))["pieces"]
    assert "E = a" in done.out.replace("  ", " ") and len(server.requests) == 1  # kept


def test_a_run_that_is_not_there_is_no_equation() -> None:
    done = call("infer", "runs/none", "E = a")
    assert (done.code, done.out) == (1, "") and "'runs/none' is not a run" in done.err
