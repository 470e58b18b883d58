r"""A real pdflatex in a closed room: equations go in, what it says about each comes out.

One process sets many equations, each as one display on a page of its own. Each is read as a file
of its own (\scantokens), so it cannot swallow what follows, and after each the process must stand
where it stood before, or it stops. The room is a private folder, with limits on time, memory and
output, without a shell, and with no file in reach but its own and those of the TeX distribution.
"""

import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from topiceq.errors import Unsupported

SECONDS = 4  # processor time of one process; a thousand equations take one
MEMORY = 1_000_000  # kB; pdflatex itself takes a tenth
OUTPUT = 65_536  # blocks of 512 bytes, for each file it writes
ADVICE = "apt install texlive-latex-recommended texlive-fonts-recommended"

# \message is flushed at once (\typeout is not), so the output of a killed process tells how far it
# came. A line is ours if it begins with the secret, which the equation cannot know: it is an
# argument on the command line, in no file and in no macro.
_DRIVER = r"""
\documentclass{article}
\usepackage{amsmath,amssymb,amsfonts,bm,mathrsfs,mathtools}
\makeatletter
\hbadness=10000 \vbadness=10000 \hfuzz=\maxdimen \vfuzz=\maxdimen
\def\check@say#1{\message{^^J#1^^J}}

% How many displays were begun outside of any box: "x $$ y $$ z" is two.
\newcount\check@displays
\everydisplay\expandafter{\the\everydisplay
  \ifnum\currentgrouplevel<8 \global\advance\check@displays 1 \fi}

% \check@text is made of the lines up to the separator, which is the first line of the file.
\newread\check@file
\def\check@read{\ifeof\check@file\expandafter\@@end\fi
  \readline\check@file to\check@line
  \ifx\check@line\check@separator\else
    \edef\check@text{\check@text\check@line^^J}\expandafter\check@read\fi}

% What an error left open: \endgroup makes TeX close it, whatever it is.
\def\check@unwind{\ifnum\currentgrouplevel>1 \endgroup\expandafter\check@unwind\fi}

% The equation is in a group, so all it changes is forgotten, and in four more, since an error often
% closes one too many. If it has closed them all, and so forgotten \check@inside, or left something
% open, nothing more can be trusted.
\def\check@inside{outside}
\def\check@clean{inside10}
\def\check@one#1{%
  \def\check@text{}\endlinechar=-1 \check@read \endlinechar=13
  \global\check@displays=0 \global\let\df@tag\@empty \global\let\df@label\@empty
  \begingroup \def\check@inside{inside}\begingroup\begingroup\begingroup\begingroup
  \[\expandafter\scantokens\expandafter{\check@text}\]\check@unwind\clearpage
  \edef\check@state{\check@inside\the\currentgrouplevel\the\currentiflevel}%
  \ifx\check@state\check@clean\else\read-1 to\check@state\fi % ends the process at once
  \endgroup
  \check@say{#1 \the\check@displays}}
\def\check@all#1{\check@one{#1}\check@all{#1}}
\def\CheckEquations#1{\begin{document}%
  \openin\check@file=equations \endlinechar=-1 \readline\check@file to\check@separator
  \check@say{#1 1}\check@all{#1}}

\def\TellMeanings#1{\begin{document}\check@say{#1 1}%
  \def\ask##1{\check@say{#1 ##1
    \ifcsname##1\endcsname\expandafter\meaning\csname##1\endcsname\fi}}%
  \input{names}\@@end}
\makeatother
"""


@dataclass(frozen=True)
class Transcript:
    """What a process said of each equation it finished ("": nothing wrong), and how it ended."""

    messages: list[str]
    end: str


def typeset(equations: Sequence[str], *, halt: bool = False) -> Transcript:
    """Set equations in one process; with `halt` the first error ends it.

    There are fewer messages than equations if one of them stopped the process.
    """
    separator = secrets.token_hex(16)
    # A blank line would be a \par, which no display allows.
    texts = [equation.strip() or "%" for equation in equations]
    lines = [separator, *(line for text in texts for line in (text, separator)), ""]
    secret, output, end = _run(r"\CheckEquations", "equations.tex", "\n".join(lines), halt)
    _, *pieces, rest = re.split(rf"^{secret} (\d+)\n", output, flags=re.M)[1:]
    said = zip(pieces[::2], pieces[1::2], strict=True)
    messages = [_first_error(text) or _one_display(displays) for text, displays in said]
    return Transcript(messages, _first_error(rest) or end)


def meanings(names: Iterable[str]) -> dict[str, str]:
    r"""What TeX says that each command is, as its \meaning; "" for one that is not defined."""
    asked = "\n".join(rf"\ask{{{name}}}" for name in names)
    secret, output, _ = _run(r"\TellMeanings", "names.tex", asked, halt=True)
    return dict(re.findall(rf"^{secret} (\S+) (.*)$", output, flags=re.M))


def program() -> str:
    """Where the compiler is; Unsupported says what to install if it is not there."""
    found = shutil.which("pdflatex")
    if found is None:
        raise Unsupported(f"There is no LaTeX compiler: pdflatex is not on PATH. Type: {ADVICE}")
    return found


def _run(command: str, file: str, text: str, halt: bool) -> tuple[str, str, str]:
    """Run the driver's `command` on a file; the secret, all it printed, and how it ended."""
    compiler = program()
    secret = secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="topiceq-") as room:
        Path(room, "driver.tex").write_text(_DRIVER)
        Path(room, file).write_bytes(text.encode("utf-8", "surrogatepass"))
        Path(room, "room.log").symlink_to(os.devnull)  # it would tell the secret
        output, end = _process(compiler, room, rf"\input{{driver}}{command}{{{secret}}}", halt)
    if f"\n{secret} 1\n" not in output:
        raise Unsupported(f"pdflatex does not work: {_first_error(output) or end} Type: {ADVICE}")
    return secret, output, end


def _process(compiler: str, room: str, command: str, halt: bool) -> tuple[str, str]:
    """Run pdflatex in the room; what it printed, and how it ended."""
    limits = f"ulimit -t {SECONDS}; ulimit -v {MEMORY}; ulimit -f {OUTPUT}"
    options = ["-no-shell-escape", "-draftmode", "-interaction=nonstopmode", "-jobname=room"]
    arguments = [compiler, *options, *["-halt-on-error"] * halt, command]
    with tempfile.TemporaryFile() as said:  # not in the room either
        process = subprocess.Popen(
            ["sh", "-c", limits + '; exec "$0" "$@"', *arguments],
            cwd=room,
            env=_environment(room),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.DEVNULL,
        )
        end = _ending(_wait(process))
        said.seek(0)
        return said.read().decode("utf-8", "replace"), end


def _wait(process: subprocess.Popen[bytes]) -> int:
    """The exit code; a process that sleeps instead of working is ended too."""
    try:
        return process.wait(timeout=10 * SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _environment(room: str) -> dict[str, str]:
    """All that TeX can see of ours: it expands $NAME in file names."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": room,
        "openin_any": "p",  # only files below the room and those of the TeX distribution
        "openout_any": "p",
        "MKTEXTFM": "0",  # no programs to make missing fonts
        "MKTEXPK": "0",
        "max_print_line": "100000",  # a long line, broken, could look like an error
    }


def _ending(code: int) -> str:
    if code in (-signal.SIGKILL, -signal.SIGXCPU):
        return f"No answer within {SECONDS} seconds."
    if code == -signal.SIGXFSZ:
        return f"More than {OUTPUT // 2048} MB of output."
    return "TeX ended too early."


def _first_error(text: str) -> str:
    """The first error message in TeX's output, with the culprit if it is an unknown command."""
    found = re.search(r"^! ?(.*)\n(.*)", text, flags=re.M)
    if found is None:
        return ""
    message, context = found.groups()
    culprit = re.search(r"\\([A-Za-z@]+|.)\s*$", context)
    if message == "Undefined control sequence." and culprit:
        message += " " + culprit[0].strip()
    return str(message)


def _one_display(displays: str) -> str:
    return "" if displays == "1" else f"Not one display but {displays}."
