r"""Display equations and inline formulas: from what opens them to what closes them.

A display that a blank line or the end of its file cuts off is given up as `unbalanced`, so that a
forgotten \] costs one equation and not the article.
"""

from topiceq.corpus.commands import DIAGRAMS
from topiceq.corpus.latex.opened import OpenFiles
from topiceq.corpus.macros import MacroLimit
from topiceq.corpus.pieces import Display, Piece
from topiceq.corpus.source import Article
from topiceq.corpus.tex import FILE_END, Runaway, is_blank_line, join

DISPLAY_LIMIT = 20_000  # tokens; a longer display was never closed
INLINE_LIMIT = 2_000
TAKES_ARGUMENT = ("alignat", "xalignat", "xxalignat", "IEEEeqnarray")
SPECIAL = frozenset(("{", "}", "\\begin", "\\end", "\\label", "\\]", "$$", FILE_END))
CLOSERS = {"$$": "$$", "\\[": "\\]"}
DIAGRAM_COMMANDS = frozenset(
    "\\xymatrix \\diagram \\xygraph \\tikz \\begindc \\Tree \\infer \\inferrule \\AxiomC \\prftree "
    "\\includegraphics \\epsfbox \\epsfig \\psfig \\xy \\pspicture \\UnaryInfC \\BinaryInfC "
    "\\Diagram \\xygraph \\feyn \\Qcircuit \\young \\yng \\ytableaushort \\commdiag \\cfig "
    "\\includestandalone \\tikzfig \\put \\cxymatrix \\inferrule* \\dedu "
    "\\lstinline \\input".split()
)


class NotClosed(Exception):
    """A display that the paragraph or the file ends before it does."""


class Displays(OpenFiles):
    """An expander that collects the formulas of one article."""

    def __init__(self, article: Article) -> None:
        super().__init__(article)
        self.pieces: list[Piece] = []
        self.inside = 0

    def display(self, environment: str) -> None:
        """Collect one display equation."""
        start, as_written = self.place(), self.at_source()
        depth, line = len(self.scopes), self.files[-1].line_of(start)
        self.math = True
        if environment.startswith(TAKES_ARGUMENT):
            self.optional()
            self.argument()
        reason, tokens = "", []
        try:
            tokens = self.collect(environment)
        except (NotClosed, Runaway):
            reason = "unbalanced"
        except (MacroLimit, RecursionError):
            reason = "macro_limit"
            self.recover(environment)
        self.math = False
        self.forget_scopes(depth)
        if any(t in DIAGRAM_COMMANDS for t in tokens) or self.has_diagram(tokens):
            reason = "diagram"
        if not self.preamble:
            self.flush()
            written = self.written(start, environment) if as_written else join(tokens).strip()
            self.pieces.append(
                Display(self.article, line, environment, written, tuple(tokens), reason)
            )

    def written(self, start: int, environment: str) -> str:
        """The source of a display from a place on, without what closes it."""
        tokens = self.files[-1].tokens[start : self.place()]
        closing = self.macros.get(tokens[-1]) if tokens else None
        if closing is not None and "\\end" in closing.body:
            tokens = tokens[:-1]
        return (
            join(tokens)
            .strip()
            .removesuffix(f"\\end{{{environment}}}")
            .removesuffix(CLOSERS.get(environment, ""))
            .strip()
        )

    def has_diagram(self, tokens: list[str]) -> bool:
        return any(
            tokens[i] == "\\begin" and tokens[i + 2] in DIAGRAMS for i in range(len(tokens) - 2)
        )

    def recover(self, environment: str) -> None:
        """Skip to the end of a display whose expansion was given up."""
        closer = CLOSERS.get(environment)
        while self.stack and self.stack[-1] != FILE_END:
            token = self.stack.pop()
            if token == closer or token.count("\n") > 1:
                return
            if closer is None and token == "\\end" and self.stack[-2:-1] == [environment]:
                self.name()
                return

    def forget_scopes(self, depth: int) -> None:
        while len(self.scopes) > depth:
            self.close_scope(self.scopes[-1].kind)

    def collect(self, environment: str) -> list[str]:
        """The expanded tokens up to the end of the display."""
        closer = CLOSERS.get(environment)
        tokens: list[str] = []
        self.inside = 0  # environments open within the display
        while len(tokens) < DISPLAY_LIMIT:
            token = self.next()
            if token not in SPECIAL and token[0] not in "\n%":
                tokens.append(token)
            elif token == closer and not self.inside:
                return tokens
            elif token == "\\begin":
                tokens += self.begin_inner()
            elif token == "\\end":
                name = self.name()
                if name == environment and not self.inside:
                    return tokens
                tokens += self.end_inner(name)
            else:
                tokens += self.special(token)
        raise NotClosed

    def begin_inner(self) -> list[str]:
        """An environment within a display; one of the author's own is expanded."""
        name = self.name()
        if self.begin(name):
            return []
        self.inside += 1
        return ["\\begin", "{", name, "}"]

    def end_inner(self, name: str) -> list[str]:
        if self.end(name):
            return []
        self.inside -= 1
        if self.inside < 0:
            raise NotClosed
        return ["\\end", "{", name, "}"]

    def special(self, token: str) -> list[str]:
        """What a brace, a line end, a comment or a label leaves in a display."""
        if token == "{":
            self.open_scope("{")
        elif token == "}":
            self.close_scope("{")
        elif token == FILE_END:
            self.stack.append(token)
            raise NotClosed
        elif token == "\\label":
            self.argument()
            return []
        elif token[0] == "%":
            return []
        elif token[0] == "\n":
            if token.count("\n") > 1 and not self.inside:
                raise NotClosed
            return [" "]
        return [token]

    def inline(self, closer: str) -> str:
        """An inline formula up to its closer, as written."""
        stack, depth = self.stack, 0
        as_written = self.at_source()
        taken: list[str] = []
        while stack and len(taken) < INLINE_LIMIT:
            token = stack.pop()
            if depth <= 0 and (token == closer or (token == "$$" and closer == "$")):
                if token == "$$":
                    stack.append("$")
                break
            if token == "{":
                depth += 1
            elif token == "}":
                depth -= 1
            elif token == FILE_END or is_blank_line(token):
                stack.append(token)
                break
            taken.append(token)
        text = "".join(taken)
        if not as_written or "%" in text:
            text = join(taken)
        if text.isalnum():
            return text
        text = " ".join(text.split())
        return text + " " if text.endswith("\\") else text
