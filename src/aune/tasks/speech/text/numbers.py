"""Spell numbers as they are spoken, in English and French.

`spell_number("$1.5", "en")` is `one point five dollars`. The readings are usual ones, and identical on both
sides: a year is read in pairs (nineteen ninety nine, twenty twenty), a hyphen never joins the words of a number. A
comma between groups of three digits is ignored in English and a decimal point in French; blanks are ignored in both.
Numbers with a colon, a slash or a dash between them are read one after the other (3:30, 24/7, 1990-95).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

BLANK = "_"  # joins groups of three digits that were separated by a blank
GROUPS = {"en": rf"[,{BLANK}\u202f\xa0]", "fr": rf"[{BLANK}\u202f\xa0]"}
NUMBER = {
    language: re.compile(
        rf"(?P<sign>[-+−])?(?P<before>[$€£])?(?P<digits>\d{{1,3}}(?:{between}\d{{3}})+|\d+)(?P<decimals>[.,]\d+)?"
        r"(?P<ending>st|nd|rd|th|s|'s|er|ère|re|e|ème|nd|nde)?(?P<after>[%€$£°])?[.,;:!?]*"
    )
    for language, between in GROUPS.items()
}
BETWEEN = re.compile(r"(?<=\d)[:/–—-](?=\d)")  # the separator of two numbers in one word
HEAD = re.compile(r"[-+−]?[$€£]?\d{1,3}")
SIGN = re.compile(r"[%€$£°][.,;:!?]*")
GROUP = re.compile(r"\d{3}(?![\d:/–—-]).*")
ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
EN = ENGLISH.split()
EN_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
EN_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
FRENCH = "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
FR = FRENCH.split()
FR_TENS = {20: "vingt", 30: "trente", 40: "quarante", 50: "cinquante", 60: "soixante", 80: "quatre vingt"}
FR_ORDINALS = {"cinq": "cinquième", "neuf": "neuvième", "vingts": "vingtième", "cents": "centième"}
EN_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (1000, "thousand"))
FR_SCALES = ((10**12, "billion"), (10**9, "milliard"), (10**6, "million"), (1000, "mille"))
SIGNS = {
    "en": {"$": "dollars", "€": "euros", "£": "pounds", "%": "percent", "°": "degrees"},
    "fr": {"$": "dollars", "€": "euros", "£": "livres", "%": "pour cent", "°": "degrés"},
}
MOST_DIGITS = 15  # longer ones are read digit by digit


def spell_number(word: str, language: str) -> list[str] | None:
    """The words of a number written with digits, or None if the word is no number.

    >>> spell_number("21st", "en"), spell_number("$1.5", "en"), spell_number("1999", "en")
    (['twenty', 'first'], ['one', 'point', 'five', 'dollars'], ['nineteen', 'ninety', 'nine'])
    >>> spell_number("91", "fr"), spell_number("80%", "fr"), spell_number("B2B", "en")
    (['quatre', 'vingt', 'onze'], ['quatre', 'vingts', 'pour', 'cent'], None)
    >>> spell_number("3:30", "en"), spell_number("1,5", "fr")
    (['three', 'thirty'], ['un', 'virgule', 'cinq'])
    """
    match = NUMBER[language].fullmatch(word)
    if not match:
        return _spell_several(word, language)
    digits = re.sub(r"\D", "", match["digits"])
    words = _spell_integer(digits, language, grouped=len(digits) != len(match["digits"]))
    if match["decimals"]:
        words += ["point" if language == "en" else "virgule", *_spell_digits(match["decimals"][1:], language)]
    if match["ending"]:
        words = _with_ending(words, match["ending"], language)
    for sign in (match["before"], match["after"]):
        words += SIGNS[language][sign].split() if sign else []
    return [("minus" if language == "en" else "moins"), *words] if match["sign"] in ("-", "−") else words


def _spell_several(word: str, language: str) -> list[str] | None:
    """The words of several numbers in one word, or None."""
    parts = BETWEEN.split(word)
    if len(parts) == 1:
        return None
    readings = [spell_number(part, language) for part in parts]
    return None if None in readings else [name for names in readings for name in names or ()]


def join_groups(words: Sequence[str], language: str) -> tuple[list[str], list[int]]:
    """The words, with blanks removed from numbers (12 000), and the index of the first word of each.

    In French, the blank before a sign (12 000 €, 80 %) is removed too. In English, where blanks in numbers are rare, a
    group is only joined if it begins with a zero and cannot be a number by itself.

    >>> join_groups("les 12 000 du 1 234 567 et 12".split(), "fr")[0]
    ['les', '12_000', 'du', '1_234_567', 'et', '12']
    >>> join_groups("rooms 12 345 for 12 000".split(), "en")[0]
    ['rooms', '12', '345', 'for', '12_000']
    """
    result: list[str] = []
    places: list[int] = []
    start = 0
    while start < len(words):
        end = start + 1
        if HEAD.fullmatch(words[start]):
            while end < len(words) and GROUP.fullmatch(words[end]) and NUMBER[language].fullmatch(words[end]):
                end += 1
                if not words[end - 1].isdecimal():
                    break  # a comma, a sign or a suffix ends the number
        if language == "en" and not any(word[0] == "0" for word in words[start + 1 : end]):
            end = start + 1
        number = BLANK.join(words[start:end])
        if language == "fr" and end < len(words) and number[-1].isdecimal() and SIGN.fullmatch(words[end]):
            number, end = number + words[end], end + 1
        result.append(number)
        places.append(start)
        start = end
    return result, places


def _spell_integer(digits: str, language: str, grouped: bool) -> list[str]:
    if len(digits) > MOST_DIGITS or (len(digits) > 1 and digits[0] == "0"):
        return _spell_digits(digits, language)
    number = int(digits)
    if language == "en":
        return _year(number) if len(digits) == 4 and not grouped and _is_year(number) else _english(number)
    return _french(number)


def _spell_digits(digits: str, language: str) -> list[str]:
    return [(EN if language == "en" else FR)[int(digit)] for digit in digits]


def _is_year(number: int) -> bool:
    return 1100 <= number < 2000 or 2010 <= number < 2100


def _year(number: int) -> list[str]:
    century, rest = divmod(number, 100)
    if not rest:
        return [*_english(century), "hundred"]
    return [*_english(century), *(["oh"] if rest < 10 else []), *_english(rest)]


def _english(number: int) -> list[str]:
    if number < 20:
        return [EN[number]]
    if number < 100:
        tens, rest = divmod(number, 10)
        return [EN_TENS[tens], *([EN[rest]] if rest else [])]
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return [EN[hundreds], "hundred", *(_english(rest) if rest else [])]
    return _spell_scales(number, EN_SCALES, _english)


def _french(number: int) -> list[str]:
    if number < 17:
        return [FR[number]]
    if number < 20:
        return ["dix", FR[number - 10]]
    if number < 100:
        return _french_tens(number)
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        head = [] if hundreds == 1 else [FR[hundreds]]
        return [*head, "cents" if hundreds > 1 and not rest else "cent", *(_french(rest) if rest else [])]
    return _spell_scales(number, FR_SCALES, _french, plural=("billion", "milliard", "million"))


def _before_mille(words: list[str]) -> list[str]:
    """Number words before mille, which is no noun: deux cent mille, but deux cents millions; mille, but un million."""
    if words == ["un"]:
        return []
    return [*words[:-1], words[-1].removesuffix("s") if words[-1] in ("cents", "vingts") else words[-1]]


def _french_tens(number: int) -> list[str]:
    base = 60 if 60 <= number < 80 else 80 if number >= 80 else number // 10 * 10
    rest = number - base
    tens = FR_TENS[base].split()
    if not rest:
        return ["quatre", "vingts"] if base == 80 else tens
    if rest in (1, 11) and base != 80:
        return [*tens, "et", FR[rest]]
    return [*tens, *_french(rest)]


def _spell_scales(
    number: int,
    scales: tuple[tuple[int, str], ...],
    smaller: Callable[[int], list[str]],
    plural: tuple[str, ...] = (),
) -> list[str]:
    words: list[str] = []
    for scale, name in scales:
        many, number = divmod(number, scale)
        if many:
            head = _before_mille(smaller(many)) if name == "mille" else smaller(many)
            words += [*head, name + "s" if name in plural and many > 1 else name]
    return words + (smaller(number) if number else [])


def _with_ending(words: list[str], ending: str, language: str) -> list[str]:
    *first, last = words
    if ending in ("s", "'s"):
        return [*first, f"{last[:-1]}ies" if last.endswith("y") else f"{last}s"]
    if language == "en":
        return [*first, EN_ORDINALS.get(last) or (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")]
    if words == ["un"]:
        return ["première" if ending in ("ère", "re") else "premier"]
    return [*first, FR_ORDINALS.get(last) or f"{last.removesuffix('e')}ième"]
