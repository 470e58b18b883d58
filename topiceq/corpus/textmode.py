r"""What commands mean in prose: characters they print, arguments they swallow.

Tables for latex.py. A command that is in none of them and is no macro is passed over, and its
braced arguments are read as text.
"""

import unicodedata

from topiceq.corpus.commands import names

REFERENCE = "…"  # stands for a number or a citation that is read as part of the sentence

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
    "\\xspace": " ",
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
    "citenum onlinecite crefrange Crefrange zcref"
)

# how many braced arguments to drop, after a star and any number of brackets
DROPPED: dict[str, int] = {
    **dict.fromkeys(
        names("label cite citep parencite Parencite autocite Autocite footcite footfullcite "
              "supercite nocite citation index glossary vspace hspace bibliographystyle "
              "bibliography addbibresource pagestyle thispagestyle pagenumbering hypersetup "
              "graphicspath includegraphics includesvg includepdf epsfbox psfig epsfig "
              "usetikzlibrary usepgfplotslibrary pgfplotsset tikzset tikz lstset lstinputlisting "
              "verbatiminput footnote footnotetext thanks marginpar marginnote sidenote todo "
              "caption captionsetup title author date institute subtitle affiliation email "
              "address keywords subjclass thesaurus theoremstyle newcounter stepcounter "
              "refstepcounter font selectlanguage "
              "setcitestyle hyphenation PassOptionsToPackage "
              "newlength newsavebox usebox listoftodos missingfigure enlargethispage "
              "acro DTMdate DeclareGraphicsExtensions markright newblock "
              "setstretch linespread cline arraystretch "
              "everymath everydisplay tag sisetup bibliographyunit dedication "
              "publishers uppertitleback lowertitleback extratitle titlehead "
              "includeonly excludeonly tikzstyle inst pgfmathsetmacro "
              "pmcanonicalname pmcreated pmmodified pmowner pmmodifier pmtitle pmrecord "
              "pmprivacy pmauthor pmtype pmcomment pmclassification pmsynonym pmrelated pmdefines "
              "pmkeywords pmparent pmselfproof pmsection"), 1),
    **dict.fromkeys(
        names("setlength addtolength setcounter addtocounter newtheorem newtheorem* rule "
              "colorlet fontsize markboth captionof counterwithin numberwithin "
              "newfont hyperdef sbox pdfbookmark settowidth newtcbtheorem "
              "declaretheorem declaretheoremstyle PassOptionsToPackage "
              "DeclareUnicodeCharacter counterwithout pgfmathsetmacro "
              "SetKwInOut SetKwData SetKwFunction newlist"), 2),
    **dict.fromkeys(
        names("addcontentsline definecolor crefname Crefname newglossaryentry "
              "titlespacing newacronym DeclareMathAlphabet "), 3),
    **dict.fromkeys(names("DeclareMathSymbol SetSymbolFont usefont"), 4),
    "\\titleformat": 5, "\\DeclareMathAlphabet": 5, "\\DeclareSymbolFont": 5,
    "\\DeclareFontFamily": 3, "\\DeclareFontShape": 6, "\\titlespacing": 4, "\\setlist": 1,
    "\\newglossaryentry": 2, "\\pgfkeys": 1, "\\tcbset": 1, "\\newtcolorbox": 2,
    "\\tcbuselibrary": 1, "\\newmdenv": 1, "\\newtcbtheorem": 4, "\\newmdtheoremenv": 2,
    "\\mdfdefinestyle": 2, "\\mathtoolsset": 1, "\\lstdefinelanguage": 2, "\\lstdefinestyle": 2,
    "\\newcolumntype": 2, "\\DeclareGraphicsRule": 4, "\\ifpackageloaded": 1,
    "\\AtBeginDocument": 1, "\\AtEndDocument": 1, "\\newunicodechar": 2, "\\fancyhead": 1, "\\fancyfoot": 1, "\\lhead": 1,
    "\\chead": 1, "\\rhead": 1, "\\lfoot": 1, "\\cfoot": 1, "\\rfoot": 1, "\\fancyhf": 1,
    "\\geometry": 1, "\\bibinput": 1, "\\special": 1, "\\write": 1, "\\immediate": 0,
    "\\patchcmd": 5, "\\xpatchcmd": 5, "\\apptocmd": 4, "\\pretocmd": 4, "\\addtocmd": 2,
    "\\AtBeginEnvironment": 2, "\\AtEndEnvironment": 2, "\\BeforeBeginEnvironment": 2,
    "\\arabic": 1, "\\roman": 1, "\\Roman": 1, "\\alph": 1, "\\Alph": 1, "\\value": 1,
    "\\PMlinkescapetext": 1, "\\PMlinkescapeword": 1, "\\PMlinkescapephrase": 1,
    "\\uses": 1, "\\lean": 1, "\\proves": 1, "\\discussion": 1, "\\pdfinfo": 1, "\\sage": 1,
    "\\psfrag": 2, "\\psset": 1, "\\newpsobject": 3, "\\SweaveOpts": 1, "\\thlabel": 1,
}  # fmt: skip


def accented(mark: str, letter: str) -> str:
    r"""A letter with its accent: `\"o` is ö."""
    return unicodedata.normalize("NFC", letter[:1] + mark) + letter[1:] if letter else ""
