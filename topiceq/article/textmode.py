r"""What commands mean in prose: characters they print, arguments they swallow.

Tables for the reader of articles (latex/) and for text inside equations (normal/mathtext.py). A
command that is in none of them and is no macro is passed over, and its braced arguments are read
as text.
"""

import unicodedata

from topiceq.article.commands import names

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

ACCENTS: dict[str, str] = {
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
        "acro addbibresource address affiliation arraystretch AtBeginDocument "
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
        "lstdefinestyle markboth mdfdefinestyle newcolumntype newfont newglossaryentry newlist "
        "newmdtheoremenv newtcolorbox newtheorem newtheorem* newunicodechar numberwithin "
        "PassOptionsToPackage pdfbookmark pgfmathsetmacro psfrag rule sbox setcounter SetKwData "
        "SetKwFunction SetKwInOut setlength settowidth"
    ),
    3: (
        "Newassociation addcontentsline crefname Crefname "
        "DeclareFontFamily definecolor newacronym newpsobject"
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
