"""The word error rate on content words: those of a stop list, or of some parts of speech, are left out.

    WER = (S + D + I) / N    over the words of the key that are not left out

A substitution or a deletion counts when the word said is a content word, an insertion when the word put in is one.
`stop` is `en`, `fr`, `none`, or a file with a word on each line; `pos` names parts of speech to leave out, as gruut's
tagger for `language` gives them (such as DT,IN in English or DET,ADP in French; needs the extra `phonemes`).

Source: Garofolo et al. 1999, in the thesis of Ben Jannet 2015, §2.6.
Edges: a key of stop words only has no rate (undefined). Words are looked up in small letters.

>>> MEASURE(["the cat sat on the mat"], ["a cat sat in the hat"])
speech.content_wer(wer=0.3333, substitutions=0.3333, deletions=0.0000, insertions=0.0000)
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from aune.contract.measure import Column
from aune.contract.options import NamesOrFiles, cache_while_unchanged
from aune.errors import UsageError
from aune.files import read_text
from aune.tasks.speech.alignment.words import INSERTION, OPTIONAL, WordAlignment
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.rates import error_rate
from aune.tasks.speech.text.phonemes import Language, tagger

Pos = Annotated[tuple[str, ...], "the parts of speech left out, by the names that gruut's tagger uses"]

STOP_LISTS = {
    "en": "a an the and or but if of in on at to from by for with about as into over after before between out up down "
    "off than then so is am are was were be been being do does did done have has had having will would shall should "
    "can could may might must i you he she it we they me him her us them my your his its our their this that these "
    "those there here not no nor what which who whom whose when where why how all any some each just also very too",
    "fr": "le la les l' un une des du de d' au aux à en dans sur sous par pour avec sans et ou où mais donc or ni car "
    "que qu' qui quoi dont ce c' cet cette ces je j' tu il elle on nous vous ils elles me m' te t' se s' lui leur y "
    "mon ma mes ton ta tes son sa ses notre nos votre vos leurs ne n' pas plus est sont été être était ai as a avons "
    "avez ont avait avoir si comme alors aussi très là",
}
USUAL_LANGUAGE: Language = "en"
Stop = Annotated[
    str, "the words left out: en, fr, none, or a file with a word on each line", NamesOrFiles(("none", *STOP_LISTS))
]


class Score(NamedTuple):
    """The error rate on content words, and its parts."""

    wer: Column
    substitutions: Column
    deletions: Column
    insertions: Column


def count(
    comparison: Comparison, *, stop: Stop = "en", pos: Pos = (), language: Language = USUAL_LANGUAGE,
    alignment: WordAlignment = "levenshtein",
) -> Errors:  # fmt: skip
    if language != USUAL_LANGUAGE and not pos:
        raise UsageError(
            f"--language {language}: expected --pos, for whose tagger it is; --stop fr leaves out French words"
        )
    word_alignment = comparison.alignment(alignment)
    stops = stop_words(stop)
    content = np.array([word.lower() not in stops for word in comparison.words] or [True])
    key_content, response_content = content[word_alignment.key.codes], content[word_alignment.response.codes]
    if pos:
        tag = tagger(language)
        texts = list(comparison.wordings(alignment))
        key_content = key_content & ~np.isin([part for key, _ in texts for part in tag(key)], pos)
        response_content = response_content & ~np.isin([part for _, response in texts for part in tag(response)], pos)
    response_mask, key_mask = (
        np.append(response_content, False)[word_alignment.response_at],
        np.append(key_content, False)[word_alignment.key_at],
    )
    errors = (word_alignment.kind < OPTIONAL) & np.where(word_alignment.kind == INSERTION, response_mask, key_mask)
    words = comparison.per_row(comparison.word_rows(word_alignment)[key_content])
    return comparison.tally_errors(comparison.error_rows(word_alignment)[errors], word_alignment.kind[errors], words)


@cache_while_unchanged
def stop_words(name: str) -> frozenset[str]:
    """The words of a list, by its name or its path."""
    if name in ("none", *STOP_LISTS):
        return frozenset(STOP_LISTS.get(name, "").split())
    try:
        return frozenset(read_text(name).lower().split())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--stop {name}: expected en, fr, none or a file with a word on each line ({error})") from None


def score(words: Errors) -> Score:
    return Score(*words.rates)


MEASURE = error_rate(count, score, "the key has no content word")
