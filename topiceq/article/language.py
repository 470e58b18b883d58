"""Prose in, the language that it reads like: by its commonest little words, or by its script."""

import re
import unicodedata
from collections import Counter

LITTLE = {
    "English": "the of and to in is that for it as with be by this are on from which at we an or "
    "has its not can where if then",
    "German": "der die das und ist ein eine nicht mit von den dem des auf sich für wird werden als "
    "auch im zu aus bei wir",
    "French": "le la les des est une et dans que qui pour par sur avec sont nous ce cette du au "
    "aux pas",
    "Spanish": "el los las una del y es que por con para se como su son esta este más lo al",
    "Italian": "il lo gli di che è una per con sono della del nel questa questo come si dei alla",
    "Portuguese": "o os uma que do da dos das em não com para por é são como se na no ao",
    "Dutch": "het een van en dat zijn niet voor met worden wordt wij aan deze bij door",
    "Polish": "jest nie się na że do z w i dla oraz przez który jako są",
}
WORDS = {language: frozenset(words.split()) for language, words in LITTLE.items()}
SCRIPTS = {"CYRILLIC": "Russian", "CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese",
           "HANGUL": "Korean", "ARABIC": "Arabic", "HEBREW": "Hebrew",
           "DEVANAGARI": "Hindi"}  # fmt: skip
LEAST = 3  # little words that make a language


def other_language(text: str) -> str:
    """The language of prose, if it is none that the pretrained model has learned: "" for English.

    >>> other_language("Die Energie ist die Masse mal das Quadrat der Lichtgeschwindigkeit.")
    'German'
    >>> other_language("The energy of a field in the vacuum is not zero.")
    ''
    """
    letters = [c for c in text[:5_000] if c.isalpha()]
    scripts = Counter(unicodedata.name(c, "").partition(" ")[0] for c in letters if not c.isascii())
    if scripts:
        script, count = scripts.most_common(1)[0]
        if script in SCRIPTS and 2 * count > len(letters):
            return SCRIPTS[script]
    words = re.findall(r"[^\W\d_]+", text.lower())
    found = {language: sum(word in own for word in words) for language, own in WORDS.items()}
    best = max(found, key=found.__getitem__)
    is_other = best != "English" and found[best] >= LEAST and found[best] > 2 * found["English"]
    return best if is_other else ""
