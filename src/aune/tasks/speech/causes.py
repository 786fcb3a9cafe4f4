"""Assign exactly one cause to each word error, so that the rates by cause add up to the word error rate.

Errors are examined in text order, in windows: one error alone, then with its neighbours up to the next few errors and
the correct words between them. The first rule of `RULES` that makes both sides of the smallest window equal explains
all errors in it. Errors that no window explains are examined one by one; `other` is the cause of the rest.

The alignment is `similar`, which pairs words that look alike; it has as many errors as `levenshtein`.

Source: the thesis of Ben Jannet 2015, §5.2.3, for homophones, disfluencies and unknown words; the rest is ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Annotated, Literal, NamedTuple, TypeAlias

from aune.contract.options import NO_FILE
from aune.tasks.speech.alignment.words import DELETION, INSERTION, OPTIONAL, SUBSTITUTION, Alignment
from aune.tasks.speech.comparison import Comparison
from aune.tasks.speech.measures.oov_wer import known_words
from aune.tasks.speech.text.normalisation import FILLERS
from aune.tasks.speech.text.numbers import join_groups, spell_number
from aune.tasks.speech.text.open_asr import MORE_FILLERS, OTHERWISE, names
from aune.tasks.speech.text.phonemes import phonemes
from aune.tasks.speech.text.spelling import american
from aune.tasks.speech.text.traced_text import trace_words
from aune.tasks.speech.text.whisper import CONTRACTIONS, ENDINGS, PACKAGE_CONTRACTIONS, TITLES, strip_signs
from aune.tasks.speech.text.whisper_numbers import NUMERALS, SPECIAL, write_digits

Sounds: TypeAlias = Annotated[
    Literal["none", "en", "fr"],
    "the language whose sounds tell homophones (needs the extra phonemes); none: no homophones",
]
CauseLanguage: TypeAlias = Annotated[
    Literal["en", "fr"], "the language of the transcripts, for numbers, fillers and endings"
]
WIDEST = 7  # maximal number of columns in a window
LONGEST_ROW = 10  # consecutive errors among which words that belong together are searched for
LONGEST_BLOCK = 4  # maximal number of words that belong together
RUN = 4  # consecutive inserted, or deleted, words that form a run
LONGEST_LOOP = 6  # maximal number of words in a repeated sequence
SIGNS = re.compile(r"[^\w\s'%$€£¢]|_")  # the signs of amounts count as words
Words: TypeAlias = tuple[str, ...]


class Rule(NamedTuple):
    """A cause, its description, and an example: what was said and what was recognised."""

    name: str
    meaning: str
    key: str
    response: str


RULES = (
    Rule("case", "only capitals differ", "the Bank", "the bank"),
    Rule("punctuation", "only signs differ, apostrophes too", "well, yes", "well yes"),
    Rule("number format", "the same number in other words or digits", "twenty one", "21"),
    Rule("contraction", "a short form and the words it stands for", "it is", "it's"),
    Rule("compound", "the same letters, with blanks elsewhere", "white paper", "whitepaper"),
    Rule(
        "spelling variant",
        "British and American, names, titles and others that are spelled in two ways",
        "colour",
        "color",
    ),
    Rule("filler", "a hesitation or a false start, left out, put in or taken for a word", "um yes", "yes"),
    Rule("repetition", "words said twice, or a loop of the recogniser", "the plan", "the the plan"),
    Rule(
        "inserted run",
        "four or more words in a row that nobody said (hallucination)",
        "so",
        "so thanks for all the fish",
    ),
    Rule("omitted run", "four or more words in a row that are missing", "we think it is fine", "we"),
    Rule("homophone", "other words that sound the same", "their house", "there house"),
    Rule("inflection", "another form of the same word", "two houses", "two house"),
    Rule("out of vocabulary", "a word that the recogniser does not know (with --vocabulary)", "zyxin", "sixin"),
    Rule(
        "name or entity",
        "a word of an entity of the key, or with a capital inside a sentence",
        "by Monro now",
        "by morrow now",
    ),
    Rule("other", "none of these", "cat", "dog"),
)
"""All causes, in the order in which they are tested."""
CAUSES = tuple(rule.name for rule in RULES)
IRREGULAR = (
    "be am is are was were been being|have has had having|do does did done doing|go goes went gone going|say said|"
    "make made making|take took taken taking|come came coming|see saw seen|get got gotten getting|give gave given|"
    "know knew known|think thought|tell told|find found|leave left|feel felt|bring brought|begin began begun|keep kept|"
    "hold held|write wrote written|mean meant|meet met|run ran running|pay paid|sit sat|speak spoke spoken|lead led|"
    "grow grew grown|lose lost|fall fell fallen|send sent|build built|understand understood|draw drew drawn|"
    "drive drove driven|buy bought|sell sold|rise rose risen|this these|that those|man men|woman women|"
    "child children|a an"
)
ENGLISH_ENDINGS = "|s|es|ed|d|ing|ies|ied|y|e|er|ers|ly|'s|s'"
FRENCH_ENDINGS = (
    "|s|x|e|es|é|ée|és|ées|er|ez|ent|ais|ait|aient|ions|iez|ons|ai|as|a|era|erai|eront|erait|ant|i|is|it|ir|ie|ies|"
    "u|ue|us|ues|al|aux|ale|ales|le|les|ne|nes"
)
ENDINGS_OF_WORDS = {"en": frozenset(ENGLISH_ENDINGS.split("|")), "fr": frozenset(FRENCH_ENDINGS.split("|"))}
UNITS = SPECIAL - {"and"}  # words of amounts
FRENCH_FORMS = (
    "il ils|elle elles|le la les|un une des|ce cet cette ces|mon ma mes|ton ta tes|son sa ses|leur leurs|notre nos|"
    "votre vos|du de des|au aux|est sont était étaient sera seront été être suis es|"
    "a ont avait avaient aura auront avoir ai|fait font faisait faire|va vont allait aller|"
    "peut peuvent pouvait pouvoir|doit doivent devait devoir|tout tous toute toutes|quel quels quelle quelles"
)
FORMS = {"en": IRREGULAR, "fr": FRENCH_FORMS}
SHORTEST_STEM = 3
FOLDED_SOUNDS = {"en": {}, "fr": {"ɛ": "e", "ɔ": "o", "œ": "ø", "ɑ": "a"}}  # open and closed vowels


class AlignedWords(NamedTuple):
    """A column of an alignment: a word of the key, of the response, or of both."""

    error: int
    """The number of the error, or -1 for a correct column."""
    kind: int
    key: int
    response: int


def error_causes(
    comparison: Comparison, sounds: Sounds = "none", language: CauseLanguage = "en", vocabulary: str = NO_FILE
) -> tuple[Alignment, list[int]]:
    """The alignment, and the number of the cause of each of its errors (-1 if it is no error)."""
    return comparison.compute_once(
        ("causes", sounds, language, str(vocabulary)),
        lambda: _find_causes(comparison, _Tests(sounds, language, vocabulary)),
    )


def _find_causes(comparison: Comparison, tests: _Tests) -> tuple[Alignment, list[int]]:
    alignment = comparison.alignment("similar")
    labels = comparison.units.get("label")
    rows = comparison.error_rows(alignment).tolist() if labels else []
    in_entity = [bool(labels[row]) for row in rows] if labels else [False] * len(alignment.kind)
    causes = [-1] * len(alignment.kind)
    for unit, columns in _columns(alignment):
        key, response = (
            [comparison.words[code] for code in side.codes[side.starts[unit] : side.starts[unit + 1]].tolist()]
            for side in (alignment.key, alignment.response)
        )
        for number, name in _Text(columns, key, response, tests).causes(in_entity):
            causes[number] = CAUSES.index(name)
    return alignment, causes


def _columns(alignment: Alignment) -> Iterator[tuple[int, list[AlignedWords]]]:
    """The columns of each utterance that contains errors."""
    bounds = alignment.unit.tolist()
    start = 0
    while start < len(bounds):
        end = start
        while end < len(bounds) and bounds[end] == bounds[start]:
            end += 1
        unit = bounds[start]
        columns: list[AlignedWords] = []
        i = j = 0
        for number in range(start, end):
            kind = int(alignment.kind[number])
            key_at = int(alignment.key_at[number] - alignment.key.starts[unit])
            response_at = int(alignment.response_at[number] - alignment.response.starts[unit])
            matches = max(0, min(key_at - i, response_at - j))
            columns += [AlignedWords(-1, -1, i + place, j + place) for place in range(matches)]
            i, j = i + matches, j + matches
            has_key, has_response = kind in (SUBSTITUTION, DELETION, OPTIONAL), kind not in (DELETION, OPTIONAL)
            columns.append(
                AlignedWords(number if kind < OPTIONAL else -1, kind, i if has_key else -1, j if has_response else -1)
            )
            i, j = i + has_key, j + has_response
        size = int(alignment.key.lengths[unit]) - i
        columns += [AlignedWords(-1, -1, i + place, j + place) for place in range(size)]
        yield unit, columns
        start = end


class _Tests:
    """The rules that make two sides equal, for a language."""

    def __init__(self, sounds: Sounds, language: CauseLanguage, vocabulary: str) -> None:
        self.language = language
        self.sounds = sounds
        self.vocabulary = known_words(vocabulary) if vocabulary else None
        self.fillers = FILLERS[language] | frozenset(MORE_FILLERS.split() if language == "en" else ())
        self.wide: list[tuple[str, Callable[[Words], object]]] = [
            ("case", lambda words: tuple(word.casefold() for word in words)),
            ("punctuation", bare_words),
            ("number format", self._number),
            ("contraction", expansions if language == "en" else bare_words),
            ("compound", lambda words: "".join(bare_words(words))),
            ("spelling variant", usual_spellings),
        ]

    def forms(self, name: str, form: Callable[[Words], object], words: Words) -> list[object]:
        """The forms that words may represent under a rule."""
        result = form(words)
        return list(result) if isinstance(result, set) else [result]

    def explain(self, key: Words, response: Words) -> str:
        """The first rule that makes two sides equal; '' if there is none."""
        for name, form in self.wide:
            if name != "number format" or any(map(_is_numeric, (*key, *response))):
                shared = set(self.forms(name, form, key)) & set(self.forms(name, form, response))
                if any(shared):
                    return name
        return ""

    def sound_alike(self, key: Words, response: Words) -> bool:
        return self.sounds != "none" and self._sounds(key) == self._sounds(response) != ""

    def _sounds(self, words: Words) -> str:
        assert self.sounds != "none"
        folded = FOLDED_SOUNDS[self.sounds]
        return "".join(folded.get(sound, sound) for word in words for sound in phonemes(word, self.sounds))

    def _number(self, words: Words) -> object:
        if self.language == "fr":
            joined, _ = join_groups([word.lower() for word in words], "fr")
            spelled = [part for word in joined for part in spell_number(word, "fr") or [word]]
            return bare_words(" ".join(spelled).replace("-", " ").split())
        return _digits(tuple(word.lower() for word in words))

    def is_inflected(self, key: str, response: str) -> bool:
        """Whether two words are forms of one lemma: equal stems with usual endings, or forms listed as irregular."""
        first, second = key.casefold(), response.casefold()
        groups = _irregular_forms(self.language)
        if groups.get(first, frozenset()) & groups.get(second, frozenset()):
            return True
        size = 0
        while size < min(len(first), len(second)) and first[size] == second[size]:
            size += 1
        endings = ENDINGS_OF_WORDS[self.language]
        stems = range(max(SHORTEST_STEM, size - 2), size + 1)
        return any(first[stem:] in endings and second[stem:] in endings for stem in stems) or any(
            _without_doubled(first, stem) in endings and _without_doubled(second, stem) in endings for stem in stems
        )


def _without_doubled(word: str, stem: int) -> str:
    """The ending of a word without a doubled consonant, such as the p of stopped."""
    return word[stem + 1 :] if word[stem - 1 : stem] == word[stem : stem + 1] else word[stem:]


@cache
def _irregular_forms(language: CauseLanguage) -> dict[str, frozenset[int]]:
    """The groups of irregular forms to which each word belongs."""
    forms: dict[str, set[int]] = {}
    for number, group in enumerate(FORMS[language].split("|")):
        for form in group.split():
            forms.setdefault(form, set()).add(number)
    return {form: frozenset(numbers) for form, numbers in forms.items()}


def _is_numeric(word: str) -> bool:
    parts = word.lower().strip(".,-").split("-")
    return any(letter.isdecimal() for letter in word) or any(part in NUMERALS or part in UNITS for part in parts)


@cache
def _digits(words: Words) -> Words:
    """The words with numbers in digits, as Whisper writes them, and without signs outside numbers."""
    text = " ".join(words).replace("-", " ")
    text = re.sub(r"(?<=\d),(?=\d)", "", text)
    text = re.sub(r"[.,](?!\d)", " ", text)
    written = write_digits(strip_signs(trace_words([(part, 0) for part in text.split()]))).text
    plain = {"one": "1", "ones": "1s"}
    return tuple(plain.get(word, word) for word in written.split())


def bare_words(words: Sequence[str]) -> Words:
    """Words in lower case without signs; a word of signs alone is dropped.

    >>> bare_words(["Well,", "don't", "-"])
    ('well', 'dont')
    """
    bare = (SIGNS.sub("", word.casefold()).replace("'", "").replace("’", "") for word in words)
    return tuple(word for word in bare if word)


SHORT_FORMS = CONTRACTIONS | PACKAGE_CONTRACTIONS
AMBIGUOUS = {"s": ("is", "has"), "d": ("would", "had")}


@cache
def expansions(words: Words) -> set[Words]:
    """The full forms that words with contractions may represent.

    >>> sorted(expansions(("It's", "gonna")))
    [('it', 'has', 'going', 'to'), ('it', 'is', 'going', 'to')]
    """
    results: list[Words] = [()]
    for word in words:
        readings = _readings(SIGNS.sub("", word.casefold().replace("’", "'")))
        results = [(*before, *reading) for before in results for reading in readings][:16]
    return set(results)


def _readings(word: str) -> list[Words]:
    """The sequences of words that one word may represent."""
    if word in SHORT_FORMS:
        return [tuple(SHORT_FORMS[word].split())]
    if word == "cannot":
        return [("can", "not")]
    if word.endswith("n't"):
        return [(word[:-3], "not")]
    head, apostrophe, ending = word.rpartition("'")
    if apostrophe and head and ending in ENDINGS:
        return [(head, full) for full in AMBIGUOUS.get(ending, (ENDINGS[ending],))]
    return [(word,)] if word else [()]


@cache
def _usual_spelling(word: str) -> str:
    bare = "".join(bare_words([word]))
    spelling = OTHERWISE.get(bare) or american(bare)
    spelling = TITLES.get(spelling, spelling)
    return names().get(spelling, spelling)


def usual_spellings(words: Sequence[str]) -> Words:
    """Each word in its most usual spelling.

    >>> usual_spellings(["Colour", "Kathryn", "Mr."])
    ('color', 'catherine', 'mister')
    """
    return tuple(_usual_spelling(word) for word in words)


class _Text:
    """An utterance whose errors are to be explained."""

    def __init__(
        self, columns: Sequence[AlignedWords], key: Sequence[str], response: Sequence[str], tests: _Tests
    ) -> None:
        self.columns = columns
        self.key = key
        self.response = response
        self.tests = tests
        self.mixed_case = any(word != word.lower() for word in key) and any(word != word.upper() for word in key)

    def sides(self, start: int, end: int) -> tuple[Words, Words]:
        """The words of both sides in a range of columns."""
        part = self.columns[start:end]
        return (
            tuple(self.key[column.key] for column in part if column.key >= 0),
            tuple(self.response[column.response] for column in part if column.response >= 0),
        )

    def causes(self, in_entity: Sequence[bool]) -> Iterator[tuple[int, str]]:
        """The number and the cause of each error."""
        explained = self._explained_by_windows()
        runs = self._runs(explained)
        for place, column in enumerate(self.columns):
            if column.error >= 0:
                cause = explained.get(place) or self._cause_of_one(place, column, runs, explained)
                yield column.error, cause or ("name or entity" if self._is_name(column, in_entity) else "other")

    def _explained_by_windows(self) -> dict[int, str]:
        """The causes of the columns that a window explains."""
        errors = [place for place, column in enumerate(self.columns) if column.error >= 0]
        explained: dict[int, str] = {}
        done = -1
        for number, start in enumerate(errors):
            if start <= done:
                continue
            for last in errors[number:]:
                if last - start >= WIDEST:
                    break
                key, response = self.sides(start, last + 1)
                cause = self._explain_window(key, response)
                if cause:
                    explained |= {place: cause for place in errors if start <= place <= last}
                    done = last
                    break
        for row in self._rows(explained):
            self._explain_row(row, explained)
        return explained

    def _rows(self, explained: dict[int, str]) -> Iterator[list[int]]:
        """Runs of consecutive errors that have no cause yet."""
        row: list[int] = []
        for place, column in enumerate(self.columns):
            if column.error >= 0 and place not in explained:
                row.append(place)
            elif row:
                yield row
                row = []
        if row:
            yield row

    def _explain_row(self, row: Sequence[int], explained: dict[int, str]) -> None:
        """Explain errors in which the alignment did not pair the words that belong together."""
        keys = [place for place in row if self.columns[place].key >= 0]
        responses = [place for place in row if self.columns[place].response >= 0]
        if not keys or not responses or len(row) > LONGEST_ROW:
            return
        for name, form in self.tests.wide:
            table: dict[object, list[int]] = {}
            for run in _short_runs(responses):
                words = tuple(self.response[self.columns[place].response] for place in run)
                for shape in self.tests.forms(name, form, words):
                    table.setdefault(shape, run)
            for run in _short_runs(keys):
                words = tuple(self.key[self.columns[place].key] for place in run)
                for shape in self.tests.forms(name, form, words):
                    block = {*run, *table.get(shape, ())}
                    answer = table.get(shape, [])
                    block_words = (*words, *(self.response[self.columns[place].response] for place in answer))
                    if not shape or not answer or block & explained.keys():
                        continue
                    if name != "number format" or any(map(_is_numeric, block_words)):
                        explained |= dict.fromkeys(block, name)

    def _explain_window(self, key: Words, response: Words) -> str:
        return self.tests.explain(key, response) if key and response else _signs_alone(key or response)

    def _runs(self, explained: dict[int, str]) -> set[int]:
        """The columns in long runs of words that only one side has."""
        inside: set[int] = set()
        row: list[int] = []
        for place, column in [*enumerate(self.columns), (-1, AlignedWords(-1, -1, 0, 0))]:
            is_same = bool(row) and self.columns[row[-1]].kind == column.kind
            if column.kind in (INSERTION, DELETION) and place not in explained and (is_same or not row):
                row.append(place)
                continue
            inside |= set(row) if len(row) >= RUN else set()
            row = [place] if column.kind in (INSERTION, DELETION) and place not in explained else []
        return inside

    def _cause_of_one(self, place: int, column: AlignedWords, runs: set[int], explained: dict[int, str]) -> str:
        key = self.key[column.key] if column.key >= 0 else ""
        response = self.response[column.response] if column.response >= 0 else ""
        tests = self.tests
        if _is_fragment(key) or any("".join(bare_words([word])) in tests.fillers for word in (key or response, key)):
            return "filler"
        if not (key and response) and self._is_repeated(column):
            return "repetition"
        if place in runs:
            return "inserted run" if response else "omitted run"
        if self._sounds_alike(place, explained):
            return "homophone"
        if key and response and tests.is_inflected(*("".join(bare_words([word])) for word in (key, response))):
            return "inflection"
        if key and tests.vocabulary is not None and key.lower() not in tests.vocabulary:
            return "out of vocabulary"
        return ""

    def _is_repeated(self, column: AlignedWords) -> bool:
        """Whether a word that one side lacks is part of a sequence of words that is repeated."""
        words, place = (self.key, column.key) if column.key >= 0 else (self.response, column.response)
        low = [word.casefold() for word in words]
        for size in range(1, LONGEST_LOOP + 1):
            for start in range(max(0, place - size + 1), place + 1):
                block = low[start : start + size]
                if len(block) == size and block in (low[start - size : start] if start >= size else [],
                                                    low[start + size : start + 2 * size]):  # fmt: skip
                    return True
        return False

    def _sounds_alike(self, place: int, explained: dict[int, str]) -> bool:
        """Whether a window of up to three columns around an error sounds the same on both sides."""
        if self.tests.sounds == "none":
            return False
        for start in range(max(0, place - 2), place + 1):
            for end in range(place + 1, min(len(self.columns), start + 3) + 1):
                window = range(start, end)
                if any(self.columns[other].error < 0 or other in explained for other in window):
                    continue
                key, response = self.sides(start, end)
                if key and response and self.tests.sound_alike(key, response):
                    return True
        return False

    def _is_name(self, column: AlignedWords, in_entity: Sequence[bool]) -> bool:
        if in_entity[column.error]:
            return True
        if column.key < 1 or not self.mixed_case:
            return False
        word = self.key[column.key]
        return (
            word[:1].isupper()
            and word not in ("I", "I'm", "I'll", "I've", "I'd")
            and self.key[column.key - 1][-1:] not in ".?!"
        )


def _is_fragment(word: str) -> bool:
    """Whether a word is the beginning of a word that the speaker broke off."""
    return word[-1:] == "-" and len(word) > 1


def _short_runs(places: Sequence[int]) -> Iterator[list[int]]:
    """Short runs of consecutive positions, in order of increasing length."""
    for size in range(1, LONGEST_BLOCK + 1):
        for start in range(len(places) - size + 1):
            yield list(places[start : start + size])


def _signs_alone(words: Words) -> str:
    """Punctuation, if one side has nothing but signs."""
    return "punctuation" if words and not bare_words(words) else ""
