r"""Titles, authors and abstracts, as the classes of journals want them written."""

import re

import pytest

from topiceq.article.files import MemoryFiles
from topiceq.article.page import Reading, read
from topiceq.article.pieces import Prose
from topiceq.article.source import Article
from topiceq.views.page import FLOATS

ABSTRACT = r"\begin{abstract} We show it. \end{abstract}"
CLASSES = {
    "aastex": r"""\documentclass[twocolumn]{aastex631}
\shorttitle{Short} \shortauthors{Lovelace et al.} \received{May 1, 2023} \submitjournal{ApJ}
\begin{document}
\title{A Title\footnote{Released on a day.}}
\author[0000-0002-0000-0001,gname=Ada]{Ada Lovelace} \altaffiliation{Fellow}
\affiliation{Department of Engines, London} \affil{Elsewhere}
\author{Carl Gau{\ss}\altaffilmark{1,2}} \altaffiltext{1}{Observatory} \email{c@example.org}
\correspondingauthor{Ada Lovelace} \collaboration{2}{(The Group)} \nocollaboration{1}
\begin{abstract} We show it. \end{abstract}
\keywords{engines --- numbers} \facilities{HST(STIS)} \software{astropy \citep{a}}
Text follows. \end{document}""",
    "aastex5": r"""\documentclass{emulateapj} \begin{document} \title{A Title}
\author{Ada Lovelace\altaffilmark{1} and Carl Gau\ss\altaffilmark{2}}
\altaffiltext{1}{Engines, London} \altaffiltext{2}{Observatory} \slugcomment{Draft}
\begin{abstract} We show it. \end{abstract} \keywords{engines} \lefthead{L} \righthead{R}
Text follows. \end{document}""",
    "revtex": r"""\documentclass[aps,prl]{revtex4-2} \begin{document}
\preprint{ABC-1} \title{A Title} \author{Ada Lovelace} \email[Write to: ]{a@example.org}
\homepage[]{https://example.org} \altaffiliation[Also at ]{Observatory}
\affiliation{Engines, London} \author{Carl \surname{Gau\ss}} \noaffiliation
\collaboration{The Group} \date{\today} \pacs{01.02} \begin{abstract} We show it. \end{abstract}
\maketitle Text follows. \end{document}""",
    "elsarticle": r"""\documentclass{elsarticle} \begin{document} \begin{frontmatter}
\title{A Title\tnoteref{t1}} \tnotetext[t1]{Supported by a fund.} \journal{Journal of Engines}
\author[a]{Ada Lovelace\corref{c1}\fnref{f1}} \ead{a@example.org} \ead[url]{example.org}
\author[b,c]{Carl Gau\ss} \cortext[c1]{Corresponding author} \fntext[f1]{A note.}
\affiliation[a]{organization={Engines}, city={London}} \address[b]{Observatory}
\begin{abstract} We show it. \end{abstract} \begin{graphicalabstract} No. \end{graphicalabstract}
\begin{highlights} \item One \end{highlights}
\begin{keyword} engines \sep numbers \MSC[2010] 00-01 \end{keyword} \end{frontmatter}
Text follows. \end{document}""",
    "IEEEtran": r"""\documentclass[journal]{IEEEtran} \begin{document} \title{A Title}
\author{Ada Lovelace,~\IEEEmembership{Member,~IEEE,} and Carl~Gau\ss%
\thanks{A. Lovelace is in London.}\thanks{Manuscript received.}}
\markboth{Journal}{Lovelace} \IEEEpubid{0000--0000} \maketitle
\begin{abstract} We show it. \end{abstract} \begin{IEEEkeywords} engines \end{IEEEkeywords}
\IEEEpeerreviewmaketitle \IEEEPARstart{T}{ext} follows.
\begin{IEEEbiography}[{\includegraphics{a}}]{Ada Lovelace} was born. \end{IEEEbiography}
\begin{IEEEbiographynophoto}{Carl} too. \end{IEEEbiographynophoto} \end{document}""",
    "IEEEtran of conferences": r"""\documentclass[conference]{IEEEtran}
\IEEEoverridecommandlockouts \begin{document} \title{A Title}
\author{\IEEEauthorblockN{Ada Lovelace\IEEEauthorrefmark{1}}
\IEEEauthorblockA{\IEEEauthorrefmark{1}Engines\\ London\\ a@example.org} \and
\IEEEauthorblockN{Carl Gau\ss} \IEEEauthorblockA{\textit{Observatory} \\ Elsewhere}}
\maketitle \begin{abstract} We show it. \end{abstract} Text follows. \end{document}""",
    "llncs": r"""\documentclass{llncs} \begin{document} \title{A Title} \subtitle{Its Subtitle}
\titlerunning{Short} \authorrunning{A. Lovelace} \tocauthor{Ada} \toctitle{Short}
\author{Ada Lovelace\inst{1}\orcidID{0000-0001} \and Carl Gau\ss\inst{2,3}}
\institute{Engines, London \email{a@example.org}\and Observatory} \maketitle
\begin{abstract} We show it. \keywords{Engines \and Numbers} \end{abstract}
Text follows. \end{document}""",
    "amsart": r"""\documentclass{amsart} \begin{document} \title[Short]{A Title}
\author[A. Lovelace]{Ada Lovelace} \address{Engines, London} \curraddr{Elsewhere}
\email{a@example.org} \urladdr{example.org} \thanks{Supported.}
\author{Carl Gau\ss} \subjclass[2020]{Primary 00A00} \keywords{engines} \dedicatory{To all}
\commby{Somebody} \translator{Anybody} \date{May 1}
\begin{abstract} We show it. \end{abstract} \maketitle Text follows. \end{document}""",
    "acmart": r"""\documentclass[sigconf]{acmart} \setcopyright{acmcopyright} \copyrightyear{2018}
\acmYear{2018} \acmDOI{10.1145/1} \acmConference[C'18]{Conference}{June}{Place} \acmISBN{1}
\begin{document} \title{A Title} \subtitle{Its Subtitle} \titlenote{A note.}
\author{Ada Lovelace} \authornote{Both.} \email{a@example.org} \orcid{1234}
\affiliation{\institution{Engines} \city{London} \country{UK}}
\author{Carl Gau\ss} \authornotemark[1] \affiliation{\institution{Observatory}}
\renewcommand{\shortauthors}{Lovelace et al.} \begin{abstract} We show it. \end{abstract}
\begin{CCSXML} <ccs2012> </ccs2012> \end{CCSXML} \ccsdesc[500]{Hardware~Engines}
\keywords{engines} \received{20 February 2007} \received[revised]{12 March 2009}
\begin{teaserfigure} \includegraphics{a} \caption{Nobody} \end{teaserfigure}
\maketitle Text follows. \end{document}""",
    "mnras": r"""\documentclass{mnras} \title[Short]{A Title}
\author[A. Lovelace et al.]{Ada Lovelace,$^{1}$\thanks{E-mail: a@example.org} Carl
Gau\ss$^{2,3}$ \\ $^{1}$Engines, London\\ $^{2}$Observatory}
\date{Accepted XXX.} \pubyear{2015} \begin{document} \label{firstpage}
\pagerange{\pageref{firstpage}--\pageref{lastpage}} \maketitle
\begin{abstract} We show it. \end{abstract} \begin{keywords} engines \end{keywords}
Text follows. \end{document}""",
    "aa": r"""\documentclass{aa} \begin{document} \title{A Title} \subtitle{Its Subtitle}
\author{Ada Lovelace\inst{1}\fnmsep\thanks{Just} \and Carl Gau\ss\inst{2}}
\institute{Engines \and Observatory} \offprints{Ada} \titlerunning{S} \authorrunning{L}
\abstract{We show it.} \keywords{engines -- numbers} \maketitle
Text follows. \end{document}""",
    "sn-jnl": r"""\documentclass{sn-jnl} \begin{document} \title[Short]{A Title}
\author*[1,2]{\fnm{Ada} \sur{Lovelace}}\email{a@example.org} \equalcont{Both.}
\author[2]{\fnm{Carl} \sur{Gau\ss}} \affil*[1]{\orgdiv{Engines}, \orgname{Of London}}
\affil[2]{\orgname{Observatory}} \abstract{We show it.} \keywords{engines, numbers}
\pacs[JEL Classification]{D8} \maketitle Text follows. \end{document}""",
    "authblk": r"""\documentclass{article}\usepackage{authblk} \title{A Title}
\author[1]{Ada Lovelace\thanks{a@example.org}} \author[ ,2]{Carl Gau\ss$^*$}
\affil[1]{Engines, London} \affil[2]{Observatory} \begin{document} \maketitle
\begin{abstract} We show it. \end{abstract} Text follows. \end{document}""",
    "icml": r"""\documentclass{article}\usepackage{icml2021} \begin{document}
\twocolumn[ \icmltitle{A Title} \begin{icmlauthorlist} \icmlauthor{Ada Lovelace}{a,equal}
\icmlauthor{Carl Gau\ss}{b} \end{icmlauthorlist} \icmlaffiliation{a}{Engines}
\icmlcorrespondingauthor{Ada}{a@example.org} \icmlkeywords{engines} \vskip 0.3in ]
\printAffiliationsAndNotice{\icmlEqualContribution}
\begin{abstract} We show it. \end{abstract} Text follows. \end{document}""",
    "jmlr": r"""\documentclass{article} \jmlrheading{1}{2000}{1-48}{4/00}{10/00}{l00}{Ada}
\ShortHeadings{Short}{Lovelace} \firstpageno{1} \begin{document} \title{A Title}
\author{\name Ada Lovelace \email a@example.org \\ \addr Engines \\ London \AND
\name Carl Gau\ss \email c@example.org \\ \addr Observatory} \editor{Somebody} \maketitle
\begin{abstract}% <- trailing
We show it. \end{abstract} \begin{keywords} engines \end{keywords} Text follows.
\end{document}""",
}  # fmt: skip


def reading(text: str) -> Reading:
    return read(Article("a", "none", "a.tex", MemoryFiles({"a.tex": text.encode()})))


@pytest.mark.parametrize("name", CLASSES)
def test_the_front_matter_of_a_class(name: str) -> None:
    found = reading(CLASSES[name])
    group = ["The Group"] if "collaboration{" in CLASSES[name] else []
    assert (found.title, found.authors) == ("A Title", ["Ada Lovelace", "Carl Gauß", *group])
    text = " ".join(piece.text for piece in found.pieces if isinstance(piece, Prose))
    shown = re.sub("[\ue000-\ue009]", "", FLOATS.sub("", text))
    assert " ".join(shown.split()) == "Abstract. We show it. Text follows."


def test_a_table_of_aastex() -> None:
    found = reading(r"""\begin{document} Text. \begin{deluxetable*}{lc} \tablewidth{0pt}
\tablecaption{Sizes\label{t}} \tablehead{\colhead{Name} & \colhead{$r$}}
\startdata One & 2 \\ Two & \nodata \enddata \tablecomments{None.} \end{deluxetable*}
\end{document}""")
    [table] = found.floats
    assert (table.kind, table.number, table.caption) == ("Table", "1", "Sizes")
    rows = [[cell for cell, _ in row] for row in table.rows]
    assert rows == [["Name", "$r$"], ["One", "2"], ["Two", ""]]
