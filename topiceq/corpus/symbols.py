r"""One spelling per symbol: synonyms that print the same, and Unicode characters as commands."""

import unicodedata

from topiceq.corpus.commands import names

SYNONYMS: dict[str, str] = {
    "\\le": "\\leq", "\\ge": "\\geq", "\\ne": "\\neq", "\\to": "\\rightarrow",
    "\\gets": "\\leftarrow", "\\owns": "\\ni", "\\land": "\\wedge", "\\lor": "\\vee",
    "\\lnot": "\\neg", "\\lbrace": "\\{", "\\rbrace": "\\}", "\\lbrack": "[", "\\rbrack": "]",
    "\\vert": "|", "\\Vert": "\\|", "\\ast": "*", "\\hdots": "\\ldots", "\\dotsc": "\\ldots",
    "\\dotsb": "\\cdots", "\\dotsm": "\\cdots", "\\dotsi": "\\cdots", "\\dag": "\\dagger",
    "\\ddag": "\\ddagger", "\\Box": "\\square", "\\restriction": "\\upharpoonright",
    "\\Doteq": "\\doteqdot", "\\doublecap": "\\Cap", "\\doublecup": "\\Cup", 
    "\\dfrac": "\\frac", "\\tfrac": "\\frac", "\\dbinom": "\\binom", "\\tbinom": "\\binom",
    "\\slash": "/", "\\i": "\\imath", "\\j": "\\jmath", "\\unlhd": "\\trianglelefteq",
    "\\unrhd": "\\trianglerighteq", "\\lhd": "\\vartriangleleft", "\\rhd": "\\vartriangleright",
    "\\leadsto": "\\rightsquigarrow", "\\Diamond": "\\lozenge",
    "\\mathellipsis": "\\ldots", "\\mathdollar": "\\$", "\\textdollar": "\\$",
    "\\textbar": "|", "\\textperiodcentered": "\\cdot", "\\dotso": "\\ldots", "\\aa": "a",
    "\\textasteriskcentered": "*", 
    "\\textbackslash": "\\backslash",
    "\\trianglelefteqslant": "\\trianglelefteq",
    "\\bigcdot": "\\cdot", "\\sdot": "\\cdot", "\\longto": "\\longrightarrow", "\\o": "o",
    "\\O": "O", "\\l": "l", "\\L": "L", "\\AA": "A",
    "\\mathsection": "\\S",
}  # fmt: skip

SPACES = names(
    ", ; : ! > quad qquad thinspace medspace thickspace negthinspace negmedspace negthickspace "
    "enspace enskip space nobreakspace hfill hfil hss displaystyle textstyle scriptstyle "
    "scriptscriptstyle nonumber notag relax mathstrut strut null qed qedhere normalsize small "
    "footnotesize scriptsize tiny large Large LARGE huge Huge noindent indent displaylimits "
    "allowbreak nobreak break smallskip boldmath unboldmath protect par ignorespaces unskip "
    "centering raggedright hrulefill dotfill allowdisplaybreaks displaybreak normalfont "
    "nulldelimiterspace bgroup egroup begingroup endgroup linebreak nolinebreak pagebreak "
    "nopagebreak vfill goodbreak thinmuskip expandafter mathsurround @ / - vss newpage samepage"
) | {"\\ ", "\\\n", "~"}  # fmt: skip

# braced arguments of commands that print nothing
SILENT: dict[str, int] = {
    **dict.fromkeys(
        names("label tag hspace vspace mspace ref eqref cite citep citet pageref footnote "
              "footnotemark index marginpar todo cref Cref autoref url "
              " colour thispagestyle"), 1),
    **dict.fromkeys(names("setlength addtolength setcounter addtocounter rule"), 2),
}  # fmt: skip
LENGTHS = names("hskip vskip kern mkern mskip raise lower moveleft moveright vglue hglue")

SWITCHES: dict[str, str] = {
    "\\rm": "\\mathrm", "\\bf": "\\mathbf", "\\it": "\\mathit", "\\sl": "\\mathit",
    "\\sf": "\\mathsf", "\\tt": "\\mathtt", "\\cal": "\\mathcal", "\\mit": "\\mathit",
    "\\sc": "\\mathrm", "\\em": "\\mathit", "\\bfseries": "\\mathbf", "\\rmfamily": "\\mathrm",
    "\\itshape": "\\mathit", "\\sffamily": "\\mathsf", "\\ttfamily": "\\mathtt",
    "\\scr": "\\mathscr", "\\upshape": "\\mathrm", "\\oldstyle": "\\mathit",
}  # fmt: skip
TEXTS: dict[str, str] = {
    **dict.fromkeys(
        names("text mbox hbox textrm textnormal textup textmd textsc vbox mathmbox "
              "tn textlf ftext"), "\\mathrm"),
    "\\textbf": "\\mathbf", "\\textit": "\\mathit", "\\textsl": "\\mathit",
    "\\textsf": "\\mathsf", "\\texttt": "\\mathtt", "\\emph": "\\mathit",
}  # fmt: skip

UNICODE: dict[str, str] = {
    **{c: "\\" + n for c, n in zip(
        "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩϕϑϵϱϖ",
        "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma "
        "tau upsilon varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi "
        "Omega phi vartheta epsilon varrho varpi".split(), strict=True)},
    **{c: "\\" + n for c, n in zip(
        "≤≥≠≈≡∼≃≅∝∈∉∋⊂⊃⊆⊇∪∩∧∨¬∀∃∅∞∂∇∑∏∫∮√±∓×÷·∘•⊕⊗⊙→←↔⇒⇐⇔↦↑↓⟨⟩⌊⌋⌈⌉⊥∥∣…⋯′ℓℏ†‡°∖≪≫⊢⊨△□⟶⟹⟺",
        "leq geq neq approx equiv sim simeq cong propto in notin ni subset supset subseteq "
        "supseteq cup cap wedge vee neg forall exists emptyset infty partial nabla sum prod int "
        "oint surd pm mp times div cdot circ bullet oplus otimes odot rightarrow leftarrow "
        "leftrightarrow Rightarrow Leftarrow Leftrightarrow mapsto uparrow downarrow langle "
        "rangle lfloor rfloor lceil rceil perp parallel mid ldots cdots prime ell hbar dagger "
        "ddagger circ setminus ll gg vdash models triangle square longrightarrow Longrightarrow "
        "Longleftrightarrow".split(), strict=True)},
    "−": "-", "–": "-", "—": "-", "‘": "'", "’": "'", "\u00a0": "~", "＄": "\\$", "µ": "\\mu",
    "Ω": "\\Omega", "‖": "\\|",
}  # fmt: skip
DOUBLE_STRUCK = dict(zip("ℝℂℕℤℚℙℍ𝔼", "RCNZQPHE", strict=True))


def in_ascii(character: str) -> list[str]:
    r"""A character as LaTeX: a command, a font, its plain letter, or itself if there is none.

    >>> in_ascii("≤"), in_ascii("ℝ"), in_ascii("é")
    (['\\leq'], ['\\mathbb', '{', 'R', '}'], ['e'])
    """
    if character in UNICODE:
        return [UNICODE[character]]
    if character in DOUBLE_STRUCK:
        return ["\\mathbb", "{", DOUBLE_STRUCK[character], "}"]
    plain = unicodedata.normalize("NFKD", character)
    kept = [c for c in plain if c.isascii() and not c.isspace()]
    return kept if kept else [UNICODE.get(c, c) for c in plain if not unicodedata.combining(c)]
