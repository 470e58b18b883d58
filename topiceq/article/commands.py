r"""The commands of LaTeX and AMS: of equations, of prose, and those that structure articles.

The tables are data for the expander (what is defined already), the normal form (how many arguments
a command takes), the reader of articles (what a command prints or swallows in prose) and the
benchmark that counts what is left unexpanded. A command of prose that is in no table and is no
macro is passed over, and its braced arguments are read as text.
"""

import unicodedata


def names(text: str) -> frozenset[str]:
    r"""`"alpha beta"` -> {`\alpha`, `\beta`}."""
    return frozenset("\\" + name for name in text.split())


GREEK = names(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa varkappa lambda "
    "mu nu xi pi varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega digamma "
    "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega varGamma varDelta varTheta "
    "varLambda varXi varPi varSigma varUpsilon varPhi varPsi varOmega"
)
LETTERS = names(
    "aleph beth gimel daleth ell hbar hslash Re Im wp imath jmath partial nabla infty emptyset "
    "varnothing forall exists nexists neg top bot angle measuredangle sphericalangle triangle "
    "prime backprime surd flat natural sharp clubsuit diamondsuit heartsuit spadesuit Bbbk eth "
    "complement mho Finv Game diagup diagdown blacksquare square Box Diamond lozenge blacklozenge "
    "bigstar blacktriangle vartriangle triangledown blacktriangledown circledS circledR maltese "
    "checkmark yen dag ddag dagger ddagger S P copyright pounds ae AE oe OE o O l L ss i j "
    "ldots cdots vdots ddots dots dotsc dotsb dotsm dotsi dotso colon % & # _ $ mathdollar "
    "mathsection mathparagraph mathsterling mathellipsis"
)
LARGE = names(
    "sum prod coprod int iint iiint iiiint idotsint oint bigcap bigcup bigsqcup bigvee bigwedge "
    "bigodot bigoplus bigotimes biguplus intop ointop smallint"
)
BINARY = names(
    "pm mp times div ast star circ bullet cdot cap cup uplus sqcap sqcup vee wedge setminus wr "
    "diamond bigtriangleup bigtriangledown triangleleft triangleright lhd rhd unlhd unrhd oplus "
    "ominus otimes oslash odot bigcirc amalg ltimes rtimes leftthreetimes rightthreetimes "
    "barwedge veebar doublebarwedge curlywedge curlyvee dotplus divideontimes smallsetminus "
    "boxminus boxplus boxtimes boxdot circleddash circledast circledcirc intercal centerdot Cap "
    "Cup land lor doublecap doublecup"
)
RELATION = names(
    "leq geq equiv models prec succ sim perp preceq succeq simeq mid ll gg asymp parallel subset "
    "supset approx bowtie subseteq supseteq cong sqsubset sqsupset neq smile sqsubseteq sqsupseteq "
    "doteq frown in ni propto vdash dashv notin Join le ge ne owns leqslant geqslant eqslantless "
    "eqslantgtr lesssim gtrsim lessapprox gtrapprox approxeq lessdot gtrdot lll ggg lessgtr "
    "gtrless lesseqgtr gtreqless lesseqqgtr gtreqqless leqq geqq doteqdot Doteq llless gggtr "
    "risingdotseq fallingdotseq circeq triangleq eqcirc bumpeq Bumpeq thicksim thickapprox backsim "
    "backsimeq subseteqq supseteqq Subset Supset preccurlyeq succcurlyeq curlyeqprec curlyeqsucc "
    "precsim succsim precapprox succapprox vartriangleleft vartriangleright trianglelefteq "
    "trianglerighteq vDash Vdash Vvdash smallsmile smallfrown shortmid shortparallel between "
    "pitchfork varpropto blacktriangleleft blacktriangleright therefore because backepsilon nless "
    "ngtr nleq ngeq nleqslant ngeqslant nleqq ngeqq lneq gneq lneqq gneqq lvertneqq gvertneqq "
    "lnsim gnsim lnapprox gnapprox nprec nsucc npreceq nsucceq precneqq succneqq precnsim succnsim "
    "precnapprox succnapprox nsim ncong nshortmid nshortparallel nmid nparallel nvdash nvDash "
    "nVdash nVDash ntriangleleft ntriangleright ntrianglelefteq ntrianglerighteq nsubseteq "
    "nsupseteq nsubseteqq nsupseteqq subsetneq supsetneq varsubsetneq varsupsetneq subsetneqq "
    "supsetneqq varsubsetneqq varsupsetneqq eqsim not"
)
ARROW = names(
    "leftarrow gets rightarrow to leftrightarrow Leftarrow Rightarrow Leftrightarrow uparrow "
    "downarrow updownarrow Uparrow Downarrow Updownarrow mapsto longmapsto longleftarrow "
    "longrightarrow longleftrightarrow Longleftarrow Longrightarrow Longleftrightarrow iff implies "
    "impliedby nearrow searrow swarrow nwarrow hookleftarrow hookrightarrow leftharpoonup "
    "leftharpoondown rightharpoonup rightharpoondown rightleftharpoons leftrightharpoons leadsto "
    "dashleftarrow dashrightarrow leftleftarrows rightrightarrows leftrightarrows rightleftarrows "
    "Lleftarrow Rrightarrow twoheadleftarrow twoheadrightarrow leftarrowtail rightarrowtail "
    "looparrowleft looparrowright curvearrowleft curvearrowright circlearrowleft circlearrowright "
    "Lsh Rsh upuparrows downdownarrows upharpoonleft upharpoonright downharpoonleft "
    "downharpoonright restriction multimap leftrightsquigarrow rightsquigarrow nleftarrow "
    "nrightarrow nLeftarrow nRightarrow nleftrightarrow nLeftrightarrow dasharrow relbar Relbar "
    "lhook rhook mapstochar"
)
NAMED = names(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf injlim ker lg lim "
    "liminf limsup ln log max min Pr projlim sec sin sinh sup tan tanh varinjlim varliminf "
    "varlimsup varprojlim bmod"
)
OPERATORS = LARGE | NAMED
# those whose scripts stand above and below in a display anyway
LIMITED = LARGE - names("int iint iiint iiiint idotsint oint smallint") | names(
    "det gcd inf lim liminf limsup max min Pr sup injlim projlim varinjlim varliminf varlimsup "
    "varprojlim mathop operatorname* underbrace overbrace"
)
DELIMITERS = names(
    "{ } | langle rangle lbrace rbrace lbrack rbrack lvert rvert lVert rVert vert Vert lfloor "
    "rfloor lceil rceil lgroup rgroup lmoustache rmoustache uparrow downarrow updownarrow Uparrow "
    "Downarrow Updownarrow backslash ulcorner urcorner llcorner lrcorner"
) | frozenset("()[]|/.")
SIZED = names("left right middle") | frozenset(
    "\\" + size + side for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")
)

ACCENTS = names(
    "hat check breve acute grave tilde bar vec dot ddot dddot ddddot mathring widehat widetilde "
    "Hat Check Breve Acute Grave Tilde Bar Vec Dot Ddot overline underline overrightarrow "
    "overleftarrow overleftrightarrow underrightarrow underleftarrow underleftrightarrow overbrace "
    "underbrace"
)
ALPHABETS = names("mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathscr mathnormal")
FONTS = ALPHABETS | names("boldsymbol")
ARITY: dict[str, int] = {
    **dict.fromkeys(ACCENTS | FONTS, 1),
    **dict.fromkeys(
        names("operatorname operatorname* mathop boxed sqrt substack pmod pod xrightarrow "
              "xleftarrow hdotsfor"), 1),
    **dict.fromkeys(names("frac binom overset underset stackrel"), 2),
    "\\sideset": 2, "\\overunderset": 3, "\\genfrac": 6,
}  # fmt: skip
OPTIONAL = names("sqrt xrightarrow xleftarrow hdotsfor")  # may carry [..] before their argument
MATRICES = frozenset(
    "array matrix pmatrix bmatrix vmatrix Vmatrix Bmatrix smallmatrix cases".split()
)  # environments of rows and columns that stand inside one line
CLASSES = names("mathord mathbin mathrel mathopen mathclose mathpunct mathinner")  # only spacing
HYPHEN = "\\text{-}"  # one token, as \begin{array} is: a minus is longer, and has space around it
OTHER = CLASSES | names("limits nolimits \\ hline begin end")

KNOWN = (
    GREEK | LETTERS | LARGE | BINARY | RELATION | ARROW | NAMED | DELIMITERS | SIZED | OTHER
    | frozenset(ARITY) | {HYPHEN}
)  # fmt: skip

DISPLAYS = frozenset(
    "equation equation* displaymath align align* alignat alignat* flalign flalign* gather gather* "
    "multline multline* eqnarray eqnarray* dmath dmath* xalignat xalignat* xxalignat IEEEeqnarray "
    "IEEEeqnarray* subeqnarray subeqnarray* empheq falign falign* narrowmultline "
    "narrowmultline*".split()
)
DIAGRAMS = frozenset(
    "tikzpicture tikzcd CD xy diagram picture pspicture psmatrix prooftree bussproofs "
    "feynmandiagram fmffile fmfgraph fmfgraph* forest qtree dynkinDiagram circuitikz tabular "
    "tabular* tabularx algorithmic figure table lstlisting verbatim dependency young ytableau "
    "codi kbordermatrix gmatrix quantikz pgfpicture".split()
)
SKIPPED = DIAGRAMS | frozenset(
    "figure* table* wrapfigure wraptable marginfigure margintable SCfigure floatingfigure "
    "sidewaystable sidewaysfigure longtable longtabu supertabular tabu tabbing algorithm "
    "algorithm* algorithm2e algorithmicx thebibliography titlepage axis scope subfigure "
    "subtable pgfonlayer pdfcomment lrbox biblist bibdiv references htmlonly rawhtml "
    "psfrags filecontents filecontents* keywords CJK musicflexcode figwindow tabwindow "
    "marginnote sidenote overpic program pseudocode codebox Schunk Sinput Soutput snugshade "
    "snugshade* Shaded Highlighting acknowledgements acknowledgments acknowledgement".split()
)

STRUCTURE = (
    names(
        "begin end documentclass documentstyle usepackage RequirePackage input include subfile "
        "subfileinclude import subimport InputIfFileExists part chapter section subsection "
        "subsubsection paragraph subparagraph sidecite sidecitet Newassociation uses lean item "
        "label ref eqref pageref autoref cref Cref "
        "nameref vref cite citep citet footnote footnotetext caption captionof bibliography "
        "bibitem includegraphics left right frac sqrt text mbox hbox [ ] ( ) $ par newcommand "
        "renewcommand def let ensuremath url href index maketitle endinput appendix title author "
        "date addcontentsline hspace vspace"
    )
    | {"\\begin{" + name for name in DISPLAYS | SKIPPED | MATRICES}
    | {"\\begin{document", "\\begin{split", "\\begin{aligned", "\\begin{gathered"}
)

# -- prose ----------------------------------------------------------------------------------------


CHARACTERS: dict[str, str] = {
    "~": " ", "\\ ": " ", "\\\n": " ", "\\,": " ", "\\;": " ", "\\:": " ", "\\!": "",
    "\\@": "", "\\/": "", "\\-": "", "\\&": "&", "\\%": "%", "\\#": "#", "\\_": "_", "\\{": "{",
    "\\}": "}", "\\$": "＄", "\\quad": " ", "\\qquad": " ", "\\space": " ", "\\thinspace": " ",
    "\\enspace": " ", "\\newline": " ", "\\linebreak": " ", "\\tab": " ", "\\nobreakspace": " ",
    "\\LaTeX": "LaTeX", "\\TeX": "TeX", "\\LaTeXe": "LaTeX", "\\BibTeX": "BibTeX",
    "\\dots": "…", "\\ldots": "…", "\\textellipsis": "…", "\\textendash": "–",
    "\\textemdash": "—", "\\ss": "ß", "\\ae": "æ", "\\AE": "Æ", "\\oe": "œ", "\\OE": "Œ",
    "\\aa": "å", "\\AA": "Å", "\\o": "ø", "\\O": "Ø", "\\l": "ł", "\\L": "Ł", "\\i": "i",
    "\\j": "j", "\\S": "§", "\\P": "¶", "\\pounds": "£", "\\euro": "€", "\\texteuro": "€",
    "\\copyright": "©", "\\textregistered": "®", "\\texttrademark": "™", "\\dag": "†",
    "\\ddag": "‡", "\\textquotedblleft": "“", "\\textquotedblright": "”", "\\textquoteleft": "‘",
    "\\textquoteright": "’", "\\textquotesingle": "'", "\\textasciitilde": "~",
    "\\textunderscore": "_", "\\textbackslash": "\\", "\\textbullet": "•", "\\&c": "&c",
    "\\lq": "‘", "\\rq": "’", "\\guillemotleft": "«", "\\guillemotright": "»",
    "\\slash": "/", "\\textasteriskcentered": "*", "\\textperiodcentered": "·", "&": " ",
}  # fmt: skip

TEXT_ACCENTS: dict[str, str] = {
    "\\'": "\u0301", "\\`": "\u0300", '\\"': "\u0308", "\\^": "\u0302", "\\~": "\u0303",
    "\\=": "\u0304", "\\.": "\u0307", "\\u": "\u0306", "\\v": "\u030c", "\\H": "\u030b",
    "\\c": "\u0327", "\\k": "\u0328", "\\r": "\u030a", "\\d": "\u0323", "\\b": "\u0331",
    "\\t": "",
}  # fmt: skip

HEADINGS: dict[str, int] = {
    "\\part": 0, "\\chapter": 1, "\\section": 2, "\\subsection": 3, "\\subsubsection": 4,
    "\\paragraph": 5, "\\subparagraph": 6, "\\frametitle": 3, "\\addchap": 1, "\\addsec": 2,
}  # fmt: skip

PARAGRAPHS = names(
    "par item endgraf bigskip medskip smallskip newpage clearpage cleardoublepage pagebreak "
    "bibitem maketitle tableofcontents hrule hrulefill"
)

REFERENCES = names(
    "ref eqref pageref autoref cref Cref nameref vref vpageref labelcref cpageref fref Fref sref "
    "Sref tref Tref rref subref thref Autoref prettyref secref figref tabref eqnref thmref lemref "
    "citet Citet textcite Textcite citeauthor Citeauthor citealt citealp shortcite citeyear "
    "citenum onlinecite crefrange Crefrange zcref arabic roman Roman alph Alph"
)

CITATIONS = names(
    "cite citep parencite Parencite autocite Autocite footcite footfullcite supercite sidecite "
    "fullcite smartcite cites parencites autocites"
)

# how many braced arguments to drop, after a star and any number of brackets
_DROPPED = {
    0: "immediate",
    1: (
        "mathversion nocite citation BeginAccSupp EndAccSupp citestyle "
        "addbibresource address affiliation arraystretch AtBeginDocument "
        "AtEndDocument author bibinput bibliography bibliographystyle "
        "bibliographyunit caption captionsetup cfoot chead cline date "
        "DeclareGraphicsExtensions dedication discussion DTMdate email enlargethispage epsfbox "
        "epsfig everydisplay everymath excludeonly extratitle fancyfoot fancyhead fancyhf font "
        "footnote footnotetext geometry glossary graphicspath hspace "
        "hypersetup hyphenation ifpackageloaded includegraphics includeonly includepdf "
        "includesvg index inst institute keywords label lean lfoot lhead linespread listoftodos "
        "lowertitleback lstinputlisting lstset marginnote marginpar markright mathtoolsset "
        "missingfigure newblock newcounter newlength newmdenv newsavebox pagenumbering "
        "pagestyle pdfinfo pgfkeys pgfplotsset pmauthor pmcanonicalname "
        "pmclassification pmcomment pmcreated pmdefines pmkeywords PMlinkescapephrase "
        "PMlinkescapeword pmmodified pmmodifier pmowner pmparent pmprivacy "
        "pmrecord pmrelated pmsection pmselfproof pmsynonym pmtitle pmtype proves psfig psset "
        "publishers refstepcounter rfoot rhead sage selectlanguage setcitestyle "
        "setlist setstretch sidenote sisetup special stepcounter subjclass subtitle "
        "SweaveOpts tag tcbset tcbuselibrary thanks theoremstyle thesaurus thispagestyle "
        "thlabel tikz tikzset tikzstyle title titlehead todo uppertitleback usebox "
        "usepgfplotslibrary uses usetikzlibrary value verbatiminput vspace write"
    ),
    2: (
        "nomenclature addtocmd addtocounter addtolength AtBeginEnvironment AtEndEnvironment "
        "BeforeBeginEnvironment captionof colorlet counterwithin counterwithout declaretheorem "
        "declaretheoremstyle DeclareUnicodeCharacter fontsize hyperdef lstdefinelanguage "
        "lstdefinestyle markboth mdfdefinestyle newcolumntype newfont newlist "
        "newmdtheoremenv newtcolorbox newtheorem newtheorem* newunicodechar numberwithin "
        "pdfbookmark pgfmathsetmacro psfrag rule sbox setcounter SetKwData "
        "SetKwFunction SetKwInOut setlength settowidth"
    ),
    3: (
        "Newassociation addcontentsline crefname Crefname DeclareFontFamily definecolor newpsobject"
    ),
    4: (
        "apptocmd DeclareGraphicsRule DeclareMathSymbol newtcbtheorem pretocmd SetSymbolFont "
        "prompt titlespacing usefont"
    ),
    5: "DeclareMathAlphabet DeclareSymbolFont patchcmd titleformat xpatchcmd",
    6: "DeclareFontShape",
}
DROPPED = {name: count for count, text in _DROPPED.items() for name in names(text)}


def accented(mark: str, letter: str) -> str:
    r"""A letter with its accent: `\"o` is ö."""
    return unicodedata.normalize("NFC", letter[:1] + mark) + letter[1:] if letter else ""
