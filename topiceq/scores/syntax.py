r"""Does an equation compile? Equations go in, verdicts of a real LaTeX compiler come out.

`check_one` gives an equation a pdflatex of its own. `check` gives the same verdicts much faster:
many equations share a process, except those with a command that could end it or change something
beyond its own equation (\def, \catcode, \input, ...): each of these gets its own.
"""

import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import ceil

from topiceq.errors import ConfigError
from topiceq.scores import compiler

TOGETHER = 500  # equations a process; its start costs as much as a few hundred of them


@dataclass(frozen=True)
class Verdict:
    """Whether an equation compiles as one display; if not, the compiler's first message."""

    ok: bool
    message: str


@dataclass(frozen=True)
class SyntaxScore:
    """Of equations that a model has written."""

    sampled: int
    error: float  # share that does not compile; one that was not finished counts as an error
    unfinished: float  # share that reached the length limit
    tokens: float  # mean length: the longer an equation, the more places for an error


def syntax_score(
    equations: Sequence[str], finished: Sequence[bool], tokens: Sequence[int]
) -> SyntaxScore:
    """The share of errors among equations, given which came to their end and how long they are."""
    whole = [equation for equation, done in zip(equations, finished, strict=True) if done]
    good = sum(verdict.ok for verdict in check(whole))
    count = max(1, len(equations))
    length = sum(tokens) / count
    return SyntaxScore(len(equations), 1 - good / count, 1 - len(whole) / count, length)


def check(equations: Sequence[str], *, jobs: int | None = None) -> list[Verdict]:
    """Compile each equation as one display, on `jobs` cores (default: all); verdicts in order."""
    jobs = (os.cpu_count() or 1) if jobs is None else jobs
    if jobs < 1:
        raise ConfigError(f"jobs = {jobs} is not possible. It must be at least 1.")
    rooms = _rooms(list(dict.fromkeys(equations)), jobs)
    with ThreadPoolExecutor(jobs) as pool:
        verdicts = dict(
            item
            for room, judged in zip(rooms, pool.map(_check_room, rooms), strict=True)
            for item in zip(room, judged, strict=True)
        )
    return [verdicts[equation] for equation in equations]


def check_one(equation: str) -> Verdict:
    """Compile one equation in a process of its own."""
    transcript = compiler.typeset([equation], halt=True)
    return _verdict(transcript.messages[0] if transcript.messages else transcript.end)


def _verdict(message: str) -> Verdict:
    return Verdict(ok=not message, message=message)


def _check_room(equations: list[str]) -> list[Verdict]:
    """One process for all. Whatever stops it is judged alone, then a new one takes the rest."""
    verdicts: list[Verdict] = []
    while rest := equations[len(verdicts) :]:
        if len(rest) > 1:
            verdicts += map(_verdict, compiler.typeset(rest).messages)
        if len(verdicts) < len(equations):
            verdicts.append(check_one(equations[len(verdicts)]))
    return verdicts


def _rooms(equations: list[str], jobs: int) -> list[list[str]]:
    """Who shares a process with whom: the harmless in groups, every other equation alone."""
    commands = {equation: _commands(equation) for equation in equations}
    harmful = _harmful(set().union(*commands.values()))
    together = [equation for equation in equations if not commands[equation] & harmful]
    alone = [equation for equation in equations if commands[equation] & harmful]
    size = max(1, min(TOGETHER, ceil(len(together) / jobs)))
    groups = [together[start : start + size] for start in range(0, len(together), size)]
    return groups + [[equation] for equation in alone]


def _commands(equation: str) -> set[str]:
    r"""The commands that an equation can execute; \begin{x} executes \x, and \end{x} \endx.

    >>> sorted(_commands(r"\begin{cases} \alpha \\ 1 \end{cases}"))
    ['\\', 'alpha', 'cases', 'endcases']
    """
    found = {begin or name or f"end{end}" for begin, end, name in _COMMAND.findall(equation)}
    if _BOLD_IN_BOLD.search(equation):
        found.add("bold in bold")  # hangs: others should not have to wait for it
    return found | {"^^"} if "^^" in equation else found  # ^^5c is another way to write \


def _harmful(commands: set[str]) -> set[str]:
    """Those of the commands that we do not know to be harmless, nor the compiler."""
    unknown = commands - HARMLESS
    named = {name for name in unknown if _NAME.fullmatch(name)}
    meanings = compiler.meanings(sorted(named)) if named else {}
    return unknown - {name for name, meaning in meanings.items() if _SYMBOL.match(meaning)}


_COMMAND = re.compile(
    r"\\(?:begin\s*\{([A-Za-z0-9]+\*?)\}|end\s*\{([A-Za-z0-9]+\*?)\}|([A-Za-z]+|.))", re.DOTALL
)
_BOLD_IN_BOLD = re.compile(r"\\(boldsymbol|bm)\s*\{[^{}]*\\(boldsymbol|bm)\b")
_NAME = re.compile(r"[A-Za-z0-9]+\*?")
# A command that is not defined is an error and no more; a character, delimiter or operator is set.
_SYMBOL = re.compile(r'$|\\(math)?char"|\\protected macro:->\\(delimiter|qopname) ')

_ENVIRONMENTS = """
    aligned alignedat array cases dcases drcases gathered lgathered multlined rcases rgathered split
    subarray matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix psmallmatrix bsmallmatrix
    Bsmallmatrix vsmallmatrix Vsmallmatrix cases* dcases* rcases* matrix* pmatrix* bmatrix* Bmatrix*
    vmatrix* Vmatrix*
""".split()

# Commands whose effect ends with the equation; the rest of what equations are made of are symbols.
HARMLESS = frozenset(
    [
        *_ENVIRONMENTS,
        *(f"end{name}" for name in _ENVIRONMENTS),
        *" \n\t()\\,:;!>/-&%$#_{}|'`^~=.\"",
        *"""
    frac dfrac tfrac cfrac binom dbinom tbinom genfrac over atop choose brace brack sqrt
    left right middle big Big bigg Bigg bigl Bigl biggl Biggl bigr Bigr biggr Biggr bigm Bigm biggm
    Biggm limits nolimits displaylimits sum prod coprod int iint iiint iiiint idotsint oint bigcup
    bigcap bigvee bigwedge biguplus bigsqcup bigoplus bigotimes bigodot varlimsup varliminf
    varinjlim varprojlim operatorname mod bmod pmod pod
    hat widehat tilde widetilde bar vec dot ddot dddot ddddot check breve acute grave mathring
    Hat Tilde Bar Vec Dot Ddot Check Breve Acute Grave
    overline underline underbar overbrace underbrace overbracket underbracket overrightarrow
    overleftarrow overleftrightarrow underrightarrow underleftarrow underleftrightarrow
    overset underset stackrel buildrel substack sideset xrightarrow xleftarrow xleftrightarrow
    xmapsto xhookrightarrow xhookleftarrow xRightarrow xLeftarrow xLeftrightarrow
    mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathscr mathnormal bm boldsymbol pmb
    Bbb rm bf it sf tt sl cal displaystyle textstyle scriptstyle scriptscriptstyle
    text textrm textbf textit textsf texttt textup textsc textsl textnormal emph mbox hbox fbox
    boxed raisebox ensuremath rule tiny scriptsize footnotesize small normalsize large Large
    mathop mathbin mathrel mathord mathopen mathclose mathpunct mathinner mathstrut strut vcenter
    phantom hphantom vphantom smash rlap llap clap mathrlap mathllap mathclap lefteqn
    quad qquad enspace enskip thinspace medspace thickspace negthinspace negmedspace negthickspace
    hspace hskip kern mkern mskip mspace hfill hfil allowbreak nobreakspace
    dots ldots cdots vdots ddots hdots dotsb dotsc dotsi dotsm dotso mathellipsis hdotsfor colon
    neq ne notin cong mapsto longmapsto doteq models bowtie implies impliedby iff hookrightarrow
    hookleftarrow longrightarrow longleftarrow longleftrightarrow Longrightarrow Longleftarrow
    Longleftrightarrow rightleftharpoons joinrel relbar Relbar surd angle slash lbrack rbrack sp sb
    coloneqq Coloneqq coloneq Coloneq eqqcolon Eqqcolon eqcolon colonapprox colonsim dblcolon
    vcentcolon ordinarycolon nuparrow ndownarrow bigtimes checkmark maltese circledR yen
    dag ddag P S pounds copyright AA aa AE ae OE oe O o L l ss i j b c d k r t u v H
    par hline cline cr crcr multicolumn label tag notag nonumber ref eqref
    """.split(),
    ]
)
