"""The features of a word in the models: the word itself and its neighbours.

    words      words and pairs of words from 2 before to 2 after
    affixes    beginnings and ends of 2 to 4 letters of the words from 2 before to 2 after
    pos        parts of speech and pairs of them from 1 before to 1 after (by gruut, the extra `phonemes`)
    capitals   whether the words from 1 before to 1 after have capitals

Every feature is a number that encodes its template and one or two numbers of words, affixes or tags. Features of
words that a lexicon does not contain are -1, for which no model has a weight.

Source: the thesis of Ben Jannet 2015, §5.6.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.contract.options import check_known
from aune.errors import UsageError
from aune.numeric.arrays import Ints, ranges

FEATURES = ("words", "affixes", "pos", "capitals")
WINDOW = (-2, -1, 0, 1, 2)
NEAR_WINDOW = (-1, 0, 1)
AFFIX_LENGTHS = (2, 3, 4)
EDGE = 1  # the number for positions before the first word and after the last
MARGIN = 2  # number of edges around every utterance
PAIR_FACTOR = 2**26  # the numbers of a pair are below this
TEMPLATE_FACTOR = 2**52


class Lexicon:
    """Numbers for strings: 0 for an unknown string, 1 for the edge of an utterance, then one each."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.numbers = {text: number for number, text in enumerate(known, EDGE + 1)}

    def __getitem__(self, text: str) -> int:
        return self.numbers.get(text, 0)

    def learn(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.numbers.setdefault(text, len(self.numbers) + EDGE + 1)


class Lexica(NamedTuple):
    """The strings that a model knows."""

    words: Lexicon
    affixes: Lexicon
    tags: Lexicon


class Template(NamedTuple):
    """A feature of every word: the columns (and offsets) whose numbers it combines."""

    name: str
    parts: tuple[tuple[str, int], ...]


def templates(features: Sequence[str]) -> list[Template]:
    """The templates of a selection of features, in a fixed order.

    >>> [template.name for template in templates(["words"])][:6]
    ['word[-2]', 'word[-1]', 'word[0]', 'word[1]', 'word[2]', 'word[-2]+word[-1]']
    """
    check_known(features, FEATURES, "features of ATENE")
    if "words" not in features:
        raise UsageError("the features of ATENE begin with words: give words, or words with others")
    selected = _grams("word", WINDOW)
    if "affixes" in features:
        names = [f"{kind}{length}" for kind in ("prefix", "suffix") for length in AFFIX_LENGTHS]
        selected += [Template(f"{name}[{place}]", ((name, place),)) for name in names for place in WINDOW]
    if "pos" in features:
        selected += _grams("pos", NEAR_WINDOW)
    if "capitals" in features:
        selected += [Template(f"capital[{place}]", (("capital", place),)) for place in NEAR_WINDOW]
    return selected


def _grams(column: str, window: Sequence[int]) -> list[Template]:
    single = [Template(f"{column}[{place}]", ((column, place),)) for place in window]
    pairs = [
        Template(f"{column}[{place}]+{column}[{place + 1}]", ((column, place), (column, place + 1)))
        for place in window[:-1]
    ]
    return single + pairs


def feature_columns(
    texts: Sequence[Sequence[str]],
    lexica: Lexica,
    features: Sequence[str],
    tag: Callable[[Sequence[str]], list[str]] | None = None,
) -> tuple[dict[str, Ints], Ints]:
    """A number per word for each column that templates use, with edges between utterances; and the words' indices."""
    lengths = np.array([len(words) for words in texts], np.int64)
    flat = [word for words in texts for word in words]
    starts = MARGIN + np.concatenate([[0], np.cumsum(lengths + MARGIN)[:-1]]) if len(texts) else np.zeros(0, np.int64)
    places = ranges(starts.astype(np.int64), lengths)
    size = int(lengths.sum() + MARGIN * (len(texts) + 1))
    distinct = list(dict.fromkeys(flat))
    ids = {word: number for number, word in enumerate(distinct)}
    word_ids = np.array([ids[word] for word in flat], np.int64)

    def to_column(numbers: Sequence[int]) -> Ints:
        column = np.full(size, EDGE)
        column[places] = np.array(numbers, np.int64)[word_ids] if flat else 0
        return column

    table = {"word": to_column([lexica.words[word.lower()] for word in distinct])}
    if "affixes" in features:
        for length in AFFIX_LENGTHS:
            for kind, cut in (("prefix", slice(None, length)), ("suffix", slice(-length, None))):
                numbers = [lexica.affixes[word.lower()[cut]] if len(word) > length else 0 for word in distinct]
                table[f"{kind}{length}"] = to_column(numbers)
    if "capitals" in features:
        table["capital"] = to_column([2 + capital_class(word) for word in distinct])
    if "pos" in features:
        if tag is None:
            raise UsageError("the features of ATENE include pos: a tagger is needed")
        column = np.full(size, EDGE)
        column[places] = [lexica.tags[tag_name] for words in texts for tag_name in tag(words)]
        table["pos"] = column
    return table, places


def capital_class(word: str) -> int:
    """0 for a word in lower case, 1 for an initial capital, 2 for capitals only."""
    if not word[:1].isupper():
        return 0
    return 2 if len(word) > 1 and word.isupper() else 1


def learn(lexica: Lexica, texts: Sequence[Sequence[str]], tags: Iterable[str] = ()) -> None:
    """Add the words of texts, and their affixes, to the lexica."""
    distinct = list(dict.fromkeys(word.lower() for words in texts for word in words))
    lexica.words.learn(distinct)
    for length in AFFIX_LENGTHS:
        lexica.affixes.learn(word[:length] for word in distinct)
        lexica.affixes.learn(word[-length:] for word in distinct)
    lexica.tags.learn(tags)


def feature_keys(table: dict[str, Ints], places: Ints, selected: Sequence[Template]) -> NDArray[np.int64]:
    """(words, templates): the number of each feature of each word; -1 if the lexica do not contain it."""
    matrix = np.empty((len(places), len(selected)), np.int64)
    for number, template in enumerate(selected):
        parts = [table[column][places + offset] for column, offset in template.parts]
        joined = parts[0] if len(parts) == 1 else parts[0] * PAIR_FACTOR + parts[1]
        known = np.all([part > 0 for part in parts], axis=0)
        matrix[:, number] = np.where(known, number * TEMPLATE_FACTOR + joined, -1)
    return matrix
