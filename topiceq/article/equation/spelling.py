r"""One spelling per symbol: names that print the same, and Unicode characters as commands.

`SYNONYMS` maps a command to the one that counts, `spelled` any text to tokens in ASCII.
"""

import unicodedata

from topiceq.article.commands import values


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


# names of one glyph, of which the second counts; they may differ in the space around it
SYNONYMS = values("same")

UNICODE: dict[str, str] = _pairs(r"""
    α \alpha β \beta γ \gamma δ \delta ε \varepsilon ϵ \epsilon ζ \zeta η \eta θ \theta ϑ \vartheta
    ι \iota κ \kappa λ \lambda μ \mu ν \nu ξ \xi ο o π \pi ϖ \varpi ρ \rho ϱ \varrho σ \sigma
    ς \varsigma τ \tau υ \upsilon φ \varphi ϕ \phi χ \chi ψ \psi ω \omega Γ \Gamma Δ \Delta
    Θ \Theta Λ \Lambda Ξ \Xi Π \Pi Σ \Sigma Υ \Upsilon Φ \Phi Ψ \Psi Ω \Omega ∆ \Delta Α A Β B Ε E
    Ζ Z Η H Ι I Κ K Μ M Ν N Ο O Ρ P Τ T Χ X
    ≤ \leq ≥ \geq ⩽ \leqslant ⩾ \geqslant ≠ \neq ≈ \approx ≡ \equiv ∼ \sim ≃ \simeq ≅ \cong ≍ \asymp
    ≐ \doteq ≜ \triangleq ∝ \propto ≪ \ll ≫ \gg ≲ \lesssim ≳ \gtrsim ≺ \prec ≻ \succ ⪯ \preceq
    ⪰ \succeq ∈ \in ∉ \notin ∋ \ni ⊂ \subset ⊃ \supset ⊆ \subseteq ⊇ \supseteq ⊊ \subsetneq
    ⊋ \supsetneq ⊑ \sqsubseteq ⊒ \sqsupseteq ⊢ \vdash ⊣ \dashv ⊨ \models ⊥ \perp ∥ \parallel ∣ \mid
    ∪ \cup ∩ \cap ⊔ \sqcup ⊓ \sqcap ∖ \setminus ∧ \wedge ∨ \vee ¬ \neg ∀ \forall ∃ \exists
    ∄ \nexists ∅ \emptyset ⊤ \top ∴ \therefore ∵ \because
    ± \pm ∓ \mp × \times ÷ \div · \cdot ⋅ \cdot ∙ \cdot ∘ \circ • \bullet ⋆ \star ∗ * ⊕ \oplus
    ⊖ \ominus ⊗ \otimes ⊘ \oslash ⊙ \odot ⊞ \boxplus ⊠ \boxtimes ⋉ \ltimes ⋊ \rtimes † \dagger
    ‡ \ddagger ∑ \sum ∏ \prod ∐ \coprod ∫ \int ∬ \iint ∭ \iiint ∮ \oint ⋃ \bigcup ⋂ \bigcap
    ⋁ \bigvee ⋀ \bigwedge ⨁ \bigoplus ⨂ \bigotimes
    → \rightarrow ← \leftarrow ↔ \leftrightarrow ⇒ \Rightarrow ⇐ \Leftarrow ⇔ \Leftrightarrow
    ⟶ \longrightarrow ⟵ \longleftarrow ⟹ \Longrightarrow ⟸ \Longleftarrow ⟺ \Longleftrightarrow
    ↦ \mapsto ⟼ \longmapsto ↪ \hookrightarrow ↠ \twoheadrightarrow ⇀ \rightharpoonup
    ⇌ \rightleftharpoons ↝ \rightsquigarrow ↑ \uparrow ↓ \downarrow ↗ \nearrow ↘ \searrow
    ⟨ \langle ⟩ \rangle 〈 \langle 〉 \rangle ⌊ \lfloor ⌋ \rfloor ⌈ \lceil ⌉ \rceil ‖ \|
    ∞ \infty ∂ \partial ∇ \nabla √ \surd ℓ \ell ℏ \hbar ħ \hbar ℘ \wp ℵ \aleph ∠ \angle △ \triangle
    □ \square ◇ \lozenge ★ \bigstar ♯ \sharp ♭ \flat ♮ \natural § \S ¶ \P £ \pounds
    © \copyright ＄ \$ … \ldots ⋯ \cdots ⋮ \vdots ⋱ \ddots ı \imath ȷ \jmath ß \ss æ \ae Æ \AE
    œ \oe Œ \OE ø \o Ø \O ł \l Ł \L ′ ' ″ '' ’ ' ‘ ` “ " ” " „ " − - – - — - ‐ - ‑ - ⁄ / ∕ / ∶ :
""")
FONTS_BY_NAME = _pairs(r"""
    DOUBLE-STRUCK \mathbb  FRAKTUR \mathfrak  BLACK-LETTER \mathfrak  SCRIPT \mathcal
    SANS-SERIF \mathsf  MONOSPACE \mathtt  BOLD \boldsymbol
""")  # of two that a character's name holds, the first counts
MOST_ACCENTS = 5  # on one letter
ACCENTS = dict(
    zip(
        "\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u030a\u030c\u20d7",
        r"\grave \acute \hat \tilde \bar \overline \breve \dot \ddot \mathring \check \vec".split(),
        strict=True,
    )
)


def spelled(text: str) -> list[str]:
    r"""Text as LaTeX in ASCII: commands, fonts, accents, scripts; a character that has none stays.

    >>> spelled("a≤ℝ"), spelled("é₁₂")
    (['a', '\\leq', '\\mathbb', '{', 'R', '}'], ['\\acute', '{', 'e', '}', '_', '{', '1', '2', '}'])
    """
    parts: list[list[str]] = []
    accents = 0
    for character in unicodedata.normalize("NFC", text):
        for c in character if character in UNICODE else unicodedata.normalize("NFD", character):
            if unicodedata.combining(c):
                accents += 1
                if c in ACCENTS and parts and accents <= MOST_ACCENTS:
                    parts[-1] = [ACCENTS[c], "{", *parts[-1], "}"]
            elif part := _character(c):
                accents = 0
                _add(part, parts)
    return [token for part in parts for token in part]


def _add(part: list[str], parts: list[list[str]]) -> None:
    """One more part; of two scripts on one level one."""
    scripts = parts and len(part) > 1 and len(parts[-1]) > 1
    if scripts and part[0] == parts[-1][0] in ("_", "^"):
        parts[-1][-1:] = part[2:]
    else:
        parts.append(part)


def _character(c: str) -> list[str]:
    """One character that is no accent."""
    if c.isascii():
        return [c]
    if c in UNICODE:
        found = UNICODE[c]
        return [found] if found[0] == "\\" else [*found]
    if c == "°":
        return ["^", "{", "\\circ", "}"]
    kind = unicodedata.decomposition(c).partition(" ")[0]
    plain = [t for k in unicodedata.normalize("NFKD", c) if k != c for t in _character(k)]
    if kind == "<font>":
        return _in_font(unicodedata.name(c), plain)
    if kind in ("<sub>", "<super>"):
        return ["_" if kind == "<sub>" else "^", "{", *plain, "}"]
    return plain or ([] if unicodedata.category(c) in ("Cf", "Mn") else [c])


def _in_font(name: str, plain: list[str]) -> list[str]:
    for word, font in FONTS_BY_NAME.items():
        if word in name:
            upright = word == "BOLD" and "ITALIC" not in name and plain[0].isalnum()
            return ["\\mathbf" if upright else font, "{", *plain, "}"]
    return plain
