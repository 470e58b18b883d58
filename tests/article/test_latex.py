"""The reader: prose, headings and displays of an article, in reading order."""

import pytest

from topiceq.article.equation.normal import normal_form
from topiceq.article.files import MemoryFiles
from topiceq.article.formats import read
from topiceq.article.latex import read_prose
from topiceq.article.pieces import Display, Heading, Piece, Prose
from topiceq.article.prose import Text
from topiceq.article.source import Article
from topiceq.article.tex import join


def pieces(text: str, **others: str) -> list[Piece]:
    names = {name.replace("_", "."): content for name, content in others.items()}
    contents = {"main.tex": text, **names}
    files = MemoryFiles({name: content.encode() for name, content in contents.items()})
    return read(Article("a", "", "main.tex", files))


def prose(text: str, **others: str) -> str:
    found = [p.text for p in pieces(text, **others) if isinstance(p, Prose)]
    return " ".join(" ".join(found).split())


def displays(text: str, **others: str) -> list[Display]:
    return [p for p in pieces(text, **others) if isinstance(p, Display)]


def equations(text: str, **others: str) -> list[str]:
    return [" ".join(join(d.tokens).split()) for d in displays(text, **others)]


def test_pieces_come_in_reading_order() -> None:
    found = pieces(r"One. \[ x \] Two. \section{Three $y$} Four.")
    kinds = [type(piece) for piece in found]
    assert kinds == [Prose, Display, Prose, Heading, Prose]
    assert found[3] == Heading("a", "Three $y$", 2)


def test_acronyms_are_words_and_sizes_are_not() -> None:
    assert prose(r"{\LARGE Large} \NASA flew.") == "Large NASA flew."


def test_every_kind_of_display_is_found() -> None:
    for opening, closing in [
        ("$$", "$$"),
        (r"\[", r"\]"),
        *((rf"\begin{{{name}}}", rf"\end{{{name}}}") for name in (
            "equation", "equation*", "displaymath", "align", "align*", "gather", "multline",
            "eqnarray", "eqnarray*", "flalign")),
    ]:  # fmt: skip
        assert equations(f"A {opening} x+1 {closing} b.") == ["x+1"], opening


def test_arguments_of_an_environment_are_no_part_of_its_display() -> None:
    assert equations(r"\begin{alignat}{2} a &= b \end{alignat}") == ["a &= b"]
    assert equations(r"\begin{IEEEeqnarray}{rCl} a &= b \end{IEEEeqnarray}") == ["a &= b"]
    assert equations(r"\begin{empheq}[box=\fbox]{align} a &= b \end{empheq}") == ["a &= b"]
    left = r"\begin{empheq}[left={f = \empheqlbrace}]{align} a &= b \end{empheq}"
    assert equations(left) == [r"{f = \{} a &= b"]


def test_what_is_for_latex_alone_is_read() -> None:
    text = (
        r"One. \begin{latexonly} Two. \[ x \] \end{latexonly} \begin{htmlonly} No. \end{htmlonly}"
    )
    assert prose(text) == "One. Two."
    assert equations(text) == ["x"]


def test_displays_hidden_in_the_authors_macros() -> None:
    short = r"\def\be{\begin{equation}}\def\ee{\end{equation}} \be a=b \ee"
    taking = r"\newcommand{\eqn}[1]{\begin{equation}#1\end{equation}} \eqn{a=b}"
    delimited = r"\def\beq#1\eeq{\begin{equation}#1\end{equation}} \beq a=b \eeq"
    own = r"\newenvironment{eqn}{\begin{equation}}{\end{equation}}\begin{eqn}a=b\end{eqn}"
    for text in (short, taking, delimited, own):
        assert equations(text) == ["a=b"], text


def test_macros_hold_where_they_are_defined() -> None:
    text = r"\def\a{1} \[ \a \] {\def\a{2} \[ \a \]} \[ \a \] \renewcommand{\a}{3} \[ \a \]"
    assert equations(text) == ["1", "2", "1", "3"]


def test_a_display_knows_its_line_and_its_source() -> None:
    text = "One\n\n\\newcommand{\\R}{\\mathbb R}\n% comment\n\\[ x \\in\n  \\R \\]\n"
    (display,) = displays(text)
    assert (display.line, display.source) == (5, "x \\in\n  \\R")
    assert join(display.tokens).split() == ["x", "\\in", "\\mathbb", "R"]


def test_lines_are_counted_in_the_file_that_holds_the_display() -> None:
    found = displays("\n\n\\input{part}\n\\[ y \\]", part_tex="\n\\[ x \\]\n")
    assert [d.line for d in found] == [2, 4]


def test_a_display_that_is_never_closed_costs_itself_only() -> None:
    found = displays("A \\[ x \n\n Then \\[ y \\] B.")
    assert [(d.reason, join(d.tokens).strip()) for d in found] == [("unbalanced", ""), ("", "y")]
    assert "B." in prose("A \\[ x \n\n Then \\[ y \\] B.")


def test_a_display_without_end_stops_at_the_end_of_its_file() -> None:
    assert prose(r"\input{part} Behind.", part_tex=r"Before. \begin{equation} x") == (
        "Before. Behind."
    )


def test_a_recursive_macro_costs_the_equations_that_use_it() -> None:
    found = displays(r"\def\a{\a\a} \[ x \a \] Fine. \[ y \] And \[ \a \] \[ z \]")
    assert [d.reason for d in found] == ["macro_limit", "", "macro_limit", ""]


def test_a_recursive_macro_in_prose_is_left_out() -> None:
    assert prose(r"\def\a{\a\a} Before \a behind. \a End.") == "Before behind. End."


def test_diagrams_are_named() -> None:
    tikz = r"\[ \begin{tikzcd} A \arrow[r] & B \end{tikzcd} \]"
    xy = r"\[ \xymatrix{A \ar[r] & B} \]"
    assert [d.reason for d in displays(tikz + xy)] == ["diagram", "diagram"]


def test_floats_verbatim_and_the_bibliography_are_no_prose() -> None:
    for name in ("figure", "table*", "verbatim", "lstlisting", "tikzpicture", "thebibliography",
                 "comment", "algorithm", "tabular"):  # fmt: skip
        text = rf"One \begin{{{name}}} hidden \[ x \] \end{{{name}}} two."
        assert prose(text) == "One two.", name
        assert displays(text) == []


def test_an_environment_that_never_ends_does_not_swallow_the_article() -> None:
    assert prose(r"One \begin{figure} two \[ x \] three.") == "One two three."
    for end in ("", "x", "xy"):  # with which the file ends
        assert prose(rf"One. \begin{{figure}}{end}") == f"One. {end}".rstrip()


def test_comments_and_false_branches_are_left_out() -> None:
    assert prose("One % two\nthree \\iffalse four \\else five \\fi six \\% seven") == (
        "One three five six % seven"
    )
    assert prose("Fifty\\\\% comment\nmore") == "Fifty more"


def test_inline_math_stays_between_dollar_signs() -> None:
    assert prose(r"Let $x_1$ and \(y\) be $a$$b$.") == "Let $x_1$ and $y$ be $a$$b$."
    assert prose(r"\newcommand{\R}{\ensuremath{\mathbb{R}}} On \R{} we") == (r"On $\mathbb{R}$ we")


def test_inline_math_in_text_in_inline_math() -> None:
    assert prose(r"If $a \text{ for $b$ } c$ then.").startswith("If $a")
    assert prose(r"If $a \text{ for $b$ } c$ then.").endswith("$ then.")


def test_references_read_as_part_of_the_sentence() -> None:
    assert prose(r"By Eq.~(\ref{a}) and \cref{b} of \citet{c} this is known \cite[p. 3]{d}.") == (
        "By Eq. (…) and … of … this is known ."
    )
    assert prose(r"In \cite{a} and by \sidecite{b} it holds.") == "In … and by … it holds."
    assert prose(r"By \Propref{prop:x} it \uses{def:a, lem:b} holds.") == "By … it holds."


@pytest.mark.parametrize(
    ("latex", "wanted"),
    [
        (r"It is so. \cite{a} determine it.", "It is so. … determine it."),
        (r"Recently, \cite{a} extended it.", "Recently, … extended it."),
        (r"It is used by both \cite{a} and \cite{b}.", "It is used by both … and …."),
        (r"See it in \cite{a}, \cite{b}, \cite{c} and \cite{d}.", "See it in …, …, … and …."),
        (r"It is fast \cite{a} or \cite{b}; see also \cite{c}.", "It is fast … or …; see also …."),
        (r"See Refs.~\cite{a},~\cite{b}, and \cite{c}.", "See Refs. …, …, and …."),
        (r"It is known. \cite{a} The rest is \cite{b} new.", "It is known. The rest is new."),
    ],
)
def test_a_citation_is_part_of_the_sentence_where_it_is_its_subject(
    latex: str, wanted: str
) -> None:
    assert " ".join(prose(latex).split()) == wanted


def test_boxes_in_an_inline_formula_keep_their_formulas() -> None:
    latex = r"\renewcommand\vec[1]{\mbox{\boldmath$\displaystyle#1$}} Let $\vec R^2$ be."
    assert prose(latex).strip() == r"Let $\boldsymbol { R } ^ { 2 }$ be."


def test_short_code_in_a_display_stays_text() -> None:
    (display,) = displays(r"\[ \verb.+. = \texttt{a_b} \]")
    assert " ".join(normal_form(display.tokens)) == r"+ = \mathtt { a \_ b }"


def test_footnotes_labels_titles_and_lengths_are_dropped() -> None:
    text = r"One\footnote{not this}\label{x} \vspace{1em}\hskip 2pt two \setlength\parskip{1em}."
    assert prose(text) == "One two ."


def test_the_space_behind_a_dropped_command_stays() -> None:
    assert prose("a ring\\index{ring} on a\nset\\footnote{x}\nof\\label{y} it.") == (
        "a ring on a set of it."
    )


def test_a_command_on_a_line_of_its_own_ends_no_paragraph() -> None:
    (piece,) = pieces("One\n\\index{x}\ntwo\n\\begin{figure}x\\end{figure}\nthree.")
    assert isinstance(piece, Prose) and "\n\n" not in piece.text


def test_keys_of_unknown_commands_are_no_prose() -> None:
    assert prose(r"a map\define{map!Frobenius} \X{x@\texttt{x}} is\index{general}{Maps} so.") == (
        "a map is so."
    )
    assert prose(r"see \textref{the table}{tab:one} of \cf{} it.") == "see the table of cf. it."


def test_titles_that_environments_print_are_no_part_of_the_sentence() -> None:
    text = r"\newenvironment{rmk}{{\bfseries Remark \thermk}\\ \noindent}{} \begin{rmk} It is."
    (piece,) = pieces(text)
    assert isinstance(piece, Prose)
    assert [part.strip() for part in piece.text.split("\n\n")][-2:] == ["Remark …", "It is."]


def test_notes_and_pictures_of_unknown_commands_are_dropped() -> None:
    assert prose(r"One\mnote{Recall it.} \myincludepdft{file}{alt text} two.") == "One two."


def test_numbers_that_latex_would_print() -> None:
    assert prose(r"Example \thesection.\arabic{example}: so.") == "Example ….…: so."


def test_a_comment_environment_ends_no_paragraph() -> None:
    (piece,) = pieces("One\n\\begin{comment}\n\nx\n\n\\end{comment}\ntwo \\[ x \\]")[:1]
    assert isinstance(piece, Prose) and "\n\n" not in piece.text
    (display,) = displays("One\n\\begin{comment}\n\nx\n\n\\end{comment}\ntwo \\[ x \\]")
    assert display.line == 7


def test_the_math_environment_is_inline() -> None:
    text = r"a \begin{math}x^2\end{math} b \begin{math}\sqrt{p} \end{math}. Hence $\bullet\ $c"
    assert prose(text) == r"a $x^2$ b $\sqrt{p}$. Hence $\bullet\ $c"


def test_the_other_syntax_of_latex3_is_passed_over() -> None:
    assert prose(r"One \ExplSyntaxOn \clist_map:nn{x} \ExplSyntaxOff two.") == "One two."


def test_a_display_in_an_argument_is_given_as_it_was_expanded() -> None:
    text = "\\newcommand{\\solution}[2]{#2} \\solution{a}{Then\n\\[ x^2 \\]\nhere.} \\[ y \\]"
    first, second = displays(text)
    assert (first.source, second.source) == ("x^2", "y")


def test_registers_and_page_breaks_print_nothing() -> None:
    text = r"One \rightskip=0pt plus.25\textwidth two\parindent=0pt. \pagebreak[3]Three. \item[a] b"
    assert prose(text) == "One two. Three. b"


def test_accents_and_special_characters() -> None:
    assert prose(r"Schr\"odinger, Poincar\'{e}, \O re, na\"{\i}ve \& 5\% \LaTeX\ x") == (
        "Schrödinger, Poincaré, Øre, naïve & 5% LaTeX x"
    )


def test_author_macros_in_prose() -> None:
    text = r"\newcommand{\eg}{e.g.,\xspace} \newcommand{\term}[1]{\emph{#1}} So \eg a \term{ring}."
    assert prose(text) == "So e.g., a ring."


def test_theorems_keep_their_text_without_their_titles() -> None:
    text = "\\begin{theorem}[Fermat]\\label{x} It holds. \\end{theorem}\\begin{lemma}\n[Gauss] So. "
    assert prose(text) == "It holds. So."


def test_only_the_document_is_read() -> None:
    text = r"\documentclass{article} Not \[ this \] \begin{document} This. \end{document} Nor this."
    assert prose(text) == "This."
    assert displays(text) == []


def test_the_preamble_may_lie_in_another_file() -> None:
    text = r"\input{head} \begin{document} \[ \R \] \end{document}"
    head = r"\documentclass{article} Not this. \newcommand{\R}{r}"
    assert equations(text, head_tex=head) == ["r"]
    assert prose(text, head_tex=head) == ""


def test_subfiles_with_a_preamble_of_their_own() -> None:
    text = r"\documentclass{article}\begin{document} A \subfile{part} B \end{document}"
    part = r"\documentclass[main]{subfiles} Not this \begin{document} C \end{document}"
    assert prose(text, part_tex=part) == "A C B"


def test_files_that_read_themselves_or_lie_outside() -> None:
    assert prose(r"One \input{main} \input{/etc/passwd} \input{../x} \input{missing} two.") == (
        "One two."
    )


def test_a_macro_that_reads_a_file_for_ever_is_given_up() -> None:
    text = r"\def\a{\input{part}\a} One. \a Two."
    assert prose(text, part_tex="Part.").count("Part.") <= 20
    assert prose(text, part_tex="Part.").endswith("Two.")


def test_file_names_may_be_macros() -> None:
    assert prose(r"\def\where{part} \input{\where}", part_tex="Here.") == "Here."


def test_endinput_ends_the_file() -> None:
    assert prose(r"\input{part} Two.", part_tex=r"One. \endinput Not this.") == "One. Two."


def test_styles_of_the_source_are_read_for_definitions() -> None:
    text = r"\documentclass{own}\usepackage{mine}\begin{document}\[ \a\b \]\end{document}"
    found = equations(text, own_cls=r"\newcommand{\a}{1} text", mine_sty=r"\def\b{2} text")
    assert found == ["12"]
    assert prose(text, own_cls="text", mine_sty="text") == ""


def test_a_chapter_without_its_root_borrows_the_styles_beside_it() -> None:
    assert equations(r"\[ \vct{x} \]", macros_sty=r"\newcommand{\vct}[1]{\mathbf{#1}}") == [
        r"\mathbf{x}"
    ]


def test_a_chapter_borrows_from_files_of_macros_too() -> None:
    files = {"my-macros_tex": r"Text. \def\b{2}", "other_tex": r"\def\b{3}"}
    assert equations(r"\[ \b \]", **files) == ["2"]
    assert prose(r"\[ \b \]", **files) == ""
    assert prose(r"One.", notations_tex=r"\LaTeX{} prints $T$ and $p$.") == "One."


def test_a_loaded_package_decides_between_meanings() -> None:
    body = r"\begin{document}\[\div{E}\]\end{document}"
    assert equations(r"\documentclass{article}\usepackage{physics}" + body) == [r"\nabla\cdot E"]
    assert equations(r"\[ a \div b \]") == [r"a \div b"]


def test_the_chapters_of_a_book_are_articles() -> None:
    root = (
        r"\documentclass{book}\newcommand{\R}{r}\begin{document} Preface. \include{one}"
        r"\input{two} \chapter{Three}\input{three} End. \end{document}"
    )
    files = {
        "one_tex": r"One \[ \R \] \input{part}",
        "two_tex": r"\chapter{Two} two",
        "three_tex": "three",
        "part_tex": "part",
    }
    found = [(p.article, p.text.strip()) for p in pieces(root, **files) if isinstance(p, Prose)]
    assert found == [
        ("a", "Preface."),
        ("a/one", "One"),
        ("a/one", "part"),
        ("a/two", "two"),
        ("a/three", "three"),
        ("a", "End."),
    ]
    assert equations(root, **files) == ["r"]


def test_an_article_is_not_cut_at_its_files() -> None:
    root = r"\documentclass{article}\begin{document} One. \input{two} Three. \end{document}"
    found = [p.article for p in pieces(root, two_tex="Two.")]
    assert set(found) == {"a"}


def test_an_unclosed_brace_at_the_end() -> None:
    assert prose(r"One. \footnote{never closed. Two.").startswith("One.")
    assert prose(r"One. {\bf Two.") == "One. Two."


BODY = r"\begin{document} \[ \x \] \end{document}"
DEFINES = r"\documentclass{article}\newcommand\x{a+b}"


def test_a_main_file_whose_class_stands_elsewhere() -> None:
    assert equations("%&preamble\n" + BODY, preamble_tex=DEFINES) == ["a+b"]
    assert equations("\\input{preamble}\n" + BODY, preamble_tex=DEFINES) == ["a+b"]
    assert equations("% compiled with a format\n" + BODY, macros_tex=DEFINES) == ["a+b"]
    assert equations("%\\documentclass{book}\n\\[ \\x \\]", macros_tex=DEFINES) == ["a+b"]


def test_a_format_is_read_once() -> None:
    found = displays("%&preamble\n" + BODY, preamble_tex=DEFINES, macros_tex=r"\newcommand\x{c}")
    assert [join(each.tokens).strip() for each in found] == ["a+b"]


def test_a_part_that_is_read_alone_has_the_preamble_of_its_main_file() -> None:
    part = r"\documentclass[whole]{subfiles}" + BODY
    whole = DEFINES + r"\begin{document} \[ y \] \end{document}"
    assert equations(part, whole_tex=whole) == ["a+b"]
    assert equations(part, preamble_tex=DEFINES) == ["a+b"]


def test_a_class_that_is_not_there_may_be_the_style_of_its_name() -> None:
    text = r"\documentclass{own}" + BODY
    assert equations(text, own_sty=r"\newcommand\x{a+b}") == ["a+b"]


def test_what_a_main_file_reads_itself_is_not_read_before_it() -> None:
    header = r"\documentclass{article}\let\old\vec \renewcommand\vec[1]{\old{#1}}"
    text = r"\include{header} \begin{document} \[ \vec{x} \] \end{document}"
    assert equations(text, header_tex=header) == [r"\vec{x}"]


def test_siunitx_leaves_a_name_to_physics() -> None:
    text = r"\documentclass{article}\usepackage{%s}\begin{document} \[ \qty(x) \] \end{document}"
    assert equations(text % "physics,siunitx") == [r"\left(x\right)"]


def test_macros_of_inline_formulas_are_expanded() -> None:
    text = r"\newcommand{\R}{\mathbb{R}}\newcommand{\n}[1]{\|#1\|} For $x\in\R$ and \(\n{x}\), $y$."
    assert prose(text) == r"For $x\in\mathbb{R}$ and $\|x\|$, $y$."


def test_a_definition_in_an_inline_formula_ends_with_it() -> None:
    assert prose(r"\def\a{1} $\def\a{2} \a$ and $\a$.") == "$2$ and $1$."


def test_an_inline_macro_without_end_is_left_as_written() -> None:
    assert prose(r"\def\a{x\a} Let $\a+1$ be.") == r"Let $\a+1$ be."


def test_an_open_picture_leaves_later_ones_alone() -> None:
    later = r"\begin{figure}[ht] Hidden. \end{figure} Shown."
    assert prose(r"One. \begin{figure}[ht] Read. " + later) == "One. Read. Shown."
    options = r"\begin{tikzpicture}[remember picture,overlay] "
    assert prose(rf"One. {options} {later}") == "One. Shown."


def test_a_picture_may_be_closed_by_a_macro() -> None:
    text = r"\def\bfig{\begin{figure}}\def\efig{\end{figure}} One. \bfig[ht] No. \efig{} Two."
    assert prose(text) == "One. Two."


def test_words_of_several_arguments_are_kept_apart() -> None:
    assert prose(r"See \strange{first}{second}third.") == "See first secondthird."
    assert prose(r"\runin{A title}Text of \textit{non}linear waves.") == (
        "A title Text of nonlinear waves."
    )
    assert prose(r"\runin{A title.}Text.") == "A title. Text."
    assert prose(r"One.\parbox{3cm}{Two.}\framebox[1cm]{Three.}Four.") == "One. Two. Three. Four."
    assert prose(r"The \glslink{key}{visible words}.") == "The visible words."


ACRONYMS = [
    r"\newacronym{pde}{PDE}{partial differential equation}",
    r"\DeclareAcronym{pde}{short = PDE, long = {partial differential equation}}",
    r"\acrodef{pde}[PDE]{partial differential equation}",
]


@pytest.mark.parametrize("definition", ACRONYMS)
def test_acronyms_are_printed_in_full_once(definition: str) -> None:
    full = "partial differential equation (PDE)"
    assert prose(rf"{definition} A \ac{{pde}} is a \gls{{pde}}.") == f"A {full} is a PDE."
    assert prose(rf"{definition} \acp{{pde}}, \acs{{pde}}, \acl{{pde}}.") == (
        f"{full}s, PDE, partial differential equation."
    )
    assert prose(rf"{definition} \Acl{{pde}}s.") == "Partial differential equations."


def test_an_entry_of_a_glossary_may_be_a_symbol() -> None:
    entry = r"\newglossaryentry{real}{name={$\mathbb{R}$},description={the reals, all of them}}"
    text = entry + r" Over \gls{real}: \[ x \in \gls+{real} \]"
    assert prose(text) == r"Over $\mathbb{R}$:"
    assert equations(text) == [r"x \in \mathbb{R}"]


def test_an_acronym_that_nobody_defines_prints_its_key() -> None:
    assert prose(r"A \gls{MDP} and a \ac{RL} agent.") == "A MDP and a RL agent."
    assert equations(r"\[ \gls{policy} = 1 \]") == [r"\gls{policy} = 1"]
    assert equations(r"\newcommand{\ac}{a_c} \[ \ac = 1 \]") == ["a_c = 1"]


def test_the_line_of_a_display_in_the_argument_of_a_macro() -> None:
    own = "\\newcommand{\\own}[1]{\\centering #1}\n\\own{One\n"
    inside = "\\[ x \\]\n$$ y $$\n$$ z $$\n\\begin{equation} w \\end{equation}\n}\n"
    found = displays(own + inside + "\\[ v \\]")
    assert [(d.source, d.line) for d in found] == [
        ("x", 3), ("y", 4), ("z", 5), ("w", 6), ("v", 8),
    ]  # fmt: skip


def test_the_line_of_a_display_that_a_macro_makes_is_that_of_its_call() -> None:
    text = "\\newcommand{\\eqn}[1]{\\begin{equation}#1\\end{equation}}\n\n\\eqn{x\n+ y}\n\n\\eqn{z}"
    assert [d.line for d in displays(text)] == [3, 6]


def test_macros_that_speak_of_the_document_are_borrowed_all_the_same() -> None:
    macros = DEFINES + "\n% these hold after \\begin{document}"
    assert equations("% made with a format\n" + BODY, macros_tex=macros) == ["a+b"]


def test_a_wide_bar_drawn_by_hand_is_a_bar() -> None:
    drawn = r"\renewcommand\widebar[1]{\@ifnextchar^{{\wide@bar{#1}{0}}}{\wide@bar{#1}{1}}}"
    assert equations(drawn + r"\[ \widebar{x} \]") == [r"\overline{x}"]


def test_proof_trees_and_feynman_diagrams_are_diagrams() -> None:
    for body in (r"\Axiom$A \fCenter B$ \DisplayProof", r"x = \feynmandiagram[large]{a -- b};"):
        assert [d.reason for d in displays(rf"\[ {body} \]")] == ["diagram"]


def test_a_chapter_is_read_with_the_folder_of_macros_above_it() -> None:
    contents = {
        "src/ch/a.tex": rb"Let $\op$ be.",
        "src/macros/all.tex": rb"\newcommand\op{\diamond}",
    }
    (found,) = read(Article("a", "", "src/ch/a.tex", MemoryFiles(contents)))
    assert isinstance(found, Prose) and found.text == r"Let $\diamond$ be."


def test_an_unknown_command_with_a_formula_shows_it() -> None:
    text = r"Then we see from \numeq{eq:H}{ \int h^r = \alpha } that \unheard{x_1^\alpha} is."
    assert equations(text) == [r"\int h^r = \alpha"]
    assert prose(text) == r"Then we see from that $x_1^\alpha$ is."


@pytest.mark.parametrize(
    "latex",
    [
        r"\inputdir{folder} It is.",
        r"It \labelkey{one|two} is.",
        r"It \plotted{error}{width=0.9\textwidth}{The error.} is.",
    ],
)
def test_what_unknown_commands_hold_that_is_no_text(latex: str) -> None:
    assert prose(latex) == "It is."


def test_an_unknown_command_in_capitals_is_an_acronym() -> None:
    assert prose(r"In \SCF~the value of \UHF is.") == "In SCF the value of UHF is."


def test_a_size_begins_no_paragraph() -> None:
    latex = r"It is (\begin{scriptsize}small\end{scriptsize}), one for each."
    assert prose(latex) == "It is (small), one for each."


def test_an_inline_formula_that_is_a_reference() -> None:
    assert prose(r"See $\ref{eq:x}$, $\cref{lem:z}$ and $\eqref{eq:y}$.") == "See …, … and …."


def test_space_behind_a_macro_that_may_have_an_option_is_printed() -> None:
    macros = r"\newcommand\mean[1][]{\ensuremath{\mu_{#1}}\xspace}"
    latex = macros + "The \\mean is \\mean[2]\nand \\mean\n\\emph{small}, \\mean [3] not."
    assert prose(latex) == r"The $\mu_{}$ is $\mu_{2}$ and $\mu_{}$ small, $\mu_{3}$ not."


@pytest.mark.parametrize(
    "latex",
    [
        r"\mode<presentation>{It is} so.",
        r"\onslide<2->{It is} \alert<1,3>{so}.",
        r"\begin{itemize}\item<1-> It is so.\end{itemize}",
        r"\begin{block}<2->{Title} It is so.\end{block}",
    ],
)
def test_when_a_slide_shows_something_is_no_text(latex: str) -> None:
    assert prose(latex) == "It is so."


def test_wide_spaces_part_words() -> None:
    assert prose(r"Heat\hfill{}example \today:\hspace{1em}it is.") == "Heat example …: it is."


def test_a_listing_in_a_line_is_text() -> None:
    latex = r"We set \lstinline{HEAT} to \[ \hbox{\lstinline[x]{HEAT}} = 2 \]"
    assert prose(latex) == "We set HEAT to"
    assert [d.reason for d in displays(latex)] == [""]


@pytest.mark.parametrize("name", ["cverbatim", "lstinput", "ccode", "Soutput", "bash"])
def test_environments_whose_names_say_code(name: str) -> None:
    assert prose(rf"One. \begin{{{name}}} x_1 & y \end{{{name}}} Two.").split() == ["One.", "Two."]


def test_an_environment_of_ones_own_around_verbatim() -> None:
    latex = r"""\newenvironment{sample}{\begin{quote}\begin{alltt}}{\end{alltt}\end{quote}}
    One. \begin{sample} x_1 = {tt: 2} \end{sample} Two."""
    assert prose(latex).split() == ["One.", "Two."]


def test_a_glossary_entry_with_a_key_prints_nothing() -> None:
    assert (
        prose(r"It is. \glossary(ua){$u$}%\n{the axiom}{page} So.".replace("\\n", "\n"))
        == "It is. So."
    )


def test_an_environment_of_ones_own_is_a_command_too() -> None:
    latex = r"\newenvironment{resp}[1]{\texttt{#1}}{}\newenvironment{sum}{a}{b}"
    assert prose(latex + r"Roll \resp{one} here.") == "Roll one here."
    assert equations(latex + r"\[ \sum P(\resp{1}) \]") == [r"\sum P(\texttt{1})"]


def test_names_of_some_packages_count_only_where_they_are_loaded() -> None:
    latex = r"\[ \dod[2]{f}{x} + \sbr{x} \]"
    assert equations(latex) == [r"\dod[2]{f}{x} + \sbr{x}"]
    loaded = equations(rf"\documentclass{{x}}\usepackage{{commath}}\begin{{document}}{latex}")
    assert loaded == [r"\frac{\mathrm{d}^{2}f}{\mathrm{d}x^{2}} + \left[x\right]"]


def test_a_hook_drawn_by_hand_is_a_hook() -> None:
    drawn = r"\newcommand\hook{\mathbin{\vrule width 3pt \vrule height 6pt}}"
    assert equations(drawn + r"\[ v \hook x \]") == [r"v \lrcorner x"]


def test_an_unknown_command_where_a_word_is_wanted_is_an_ellipsis() -> None:
    latex = r"Fitted with \prog and \bigthing it is; in \prog, not. \bigthing Then."
    assert prose(latex) == "Fitted with … and … it is; in …, not. Then."


def test_a_label_that_begins_a_sentence_is_part_of_it() -> None:
    latex = r"\begin{itemize}\item[\texttt{fit}] for fits. \item[Note] It is. \item[(i)] if so."
    assert prose(latex).split() == "fit for fits. It is. if so.".split()


def test_environments_that_draw_are_no_prose() -> None:
    latex = r"One. \begin{sequencediagram}\mess{a}{Bob}{b}\end{sequencediagram} Two."
    assert prose(latex) == "One. Two."
    own = r"\newenvironment{mydiagram}{}{}\begin{mydiagram}So.\end{mydiagram}"
    assert prose(own) == "So."


def test_the_space_behind_a_letter_of_its_own_may_be_a_line_end() -> None:
    assert prose("the \\L\nukasiewicz logic") == "the Łukasiewicz logic"


def test_a_citation_behind_an_article_is_a_noun() -> None:
    assert prose(r"See the \cite{a} for more.") == "See the … for more."


def test_what_is_announced_and_passed_over_ends_a_sentence() -> None:
    code = "\\begin{lstlisting}\nx\n\\end{lstlisting}\n"
    text = Text("a", read_prose(f"We run the following:\n{code}This is it. Run\n{code}and go."))
    found = [text.sentence(i) for i in range(len(text.spans))]
    assert found == ["We run the following:", "This is it.", "Run … and go."]


def test_an_equation_that_its_author_redefined_takes_its_arguments() -> None:
    article = r"""\newtagform{link}{(}{)} \renewenvironment{equation}[1]{\align}{\endalign}
        \begin{document} A \begin{equation}{https://example.org/a_b} x+1 \end{equation}
        \begin{equation}{} y \end{equation} \end{document}"""
    assert equations(article) == ["x+1", "y"]
