"""The words that a response tags wrong or leaves ambiguous, or that could not be evaluated.

Kinds: `wrong` (one tag, not accepted), `silence` (several tags, some or all of them right), `wrong silence` (several
tags, none right), `not evaluated` (shown with the other side's words at that place, cut differently). Their numbers are
those of `precision_decision`: ERR, SIL_ok + SIL_sil, SIL_err and NONEVAL (in words, whatever unit the cases have).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aune.contract.error_record import ErrorRecord
from aune.numeric.arrays import Ints
from aune.tasks.tagging.alignment import Side
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.grace.readings import Readings

CONTEXT_WORDS = 3  # words of context on each side


def errors(comparison: Comparison) -> list[ErrorRecord]:
    """One case for each word that is not fully right, in the order of the text."""
    cases = comparison.cases
    wrong = np.flatnonzero(cases.expected & ~(cases.strict & (cases.correct == 1)))
    relative = comparison.evaluation == "relative"
    side, other_side = (comparison.response, comparison.key) if relative else (comparison.key, comparison.response)
    side_cells, other_cells = comparison.key_readings, comparison.response_readings
    if relative:
        side_cells, other_cells = other_cells, side_cells
    error_cases = []
    for case in wrong.tolist():
        word, partner = int(cases.word[case]), int(cases.partner[case])
        if word < 0:
            error_cases.append(_missing_case(comparison, partner))
            continue
        side_text = _format_word(side, side_cells.tags, side_cells.codes, word)
        partners = range(partner, partner + 1) if partner >= 0 else _words_at(side, word, other_side)
        other_text = " ".join(
            _format_word(other_side, other_cells.tags, other_cells.codes, other_word) for other_word in partners
        )
        key, response = (other_text, side_text) if relative else (side_text, other_text)
        document = int(side.document[word])
        place = word - int(side.first[document])
        key_word, response_word = (partner, word) if relative else (word, partner)
        attributes = {
            "word": side.words.names[int(side.words.codes[word])],
            "tag": _tags(comparison.key_readings, key_word),
            "response_tag": _tags(comparison.response_readings, response_word),
            "silence": _silence(comparison.response_readings, response_word, int(cases.alternatives[case])),
        }
        kind = kind_of(int(cases.alternatives[case]), int(cases.correct[case]))
        name = comparison.key.documents[document].id
        error_cases.append(
            ErrorRecord(name, (place, place + 1), kind, key, response, context(side, word), 1.0, attributes)
        )
    return error_cases


def _missing_case(comparison: Comparison, word: int) -> ErrorRecord:
    """A key word without a response, in a relative evaluation."""
    key = comparison.key
    document = int(key.document[word])
    place = word - int(key.first[document])
    readings = comparison.key_readings
    attributes = {"word": key.forms(word, word + 1)[0], "tag": _tags(readings, word), "response_tag": "", "silence": ""}
    here = _format_word(key, readings.tags, readings.codes, word)
    name = key.documents[document].id
    return ErrorRecord(name, (place, place + 1), "not evaluated", here, "", context(key, word), 1.0, attributes)


KINDS = ("wrong", "silence", "wrong silence", "not evaluated")


def kind_of(alternatives: int, correct: int) -> str:
    """The kind of error of a word with this many alternatives, of which this many are right.

    >>> kind_of(0, 0), kind_of(1, 0), kind_of(2, 1), kind_of(2, 0)
    ('not evaluated', 'wrong', 'silence', 'wrong silence')
    """
    if alternatives == 0:
        return "not evaluated"
    if alternatives == 1:
        return "wrong"
    return "silence" if correct else "wrong silence"


def _tags(readings: Readings, word: int) -> str:
    return "|".join(readings.tags[int(readings.codes[word])]) or "_" if word >= 0 else ""


def _silence(readings: Readings, word: int, alternatives: int) -> str:
    """The origin of several alternatives: the response itself, or the table that projected its one tag."""
    if alternatives < 2 or word < 0:
        return ""
    return "own" if len(readings.alternatives[int(readings.codes[word])]) > 1 else "table"


def _format_word(side: Side, tags: Sequence[tuple[str, ...]], codes: Ints, word: int) -> str:
    return f"{side.words.names[int(side.words.codes[word])]}/{'|'.join(tags[int(codes[word])]) or '_'}"


def _words_at(side: Side, word: int, other_side: Side) -> range:
    """The other side's words over the same characters, cut differently: why a word could not be evaluated."""
    token = side.token[word]
    first = np.searchsorted(other_side.ends, side.starts[token], "right")
    after = np.searchsorted(other_side.starts, side.ends[token], "left")
    return range(*np.searchsorted(other_side.token, [first, after]).tolist())


def context(side: Side, word: int) -> str:
    """The context of a word, which is marked by brackets."""
    first, after = int(side.first[side.document[word]]), int(side.first[side.document[word] + 1])
    words = [
        side.words.names[code]
        for code in side.words.codes[max(first, word - CONTEXT_WORDS) : min(after, word + CONTEXT_WORDS + 1)].tolist()
    ]
    here = min(CONTEXT_WORDS, word - first)
    return " ".join([*words[:here], "[", words[here], "]", *words[here + 1 :]])
