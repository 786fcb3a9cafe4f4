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

from aune.core.errors import UsageError
from aune.core.files import text_of
from aune.core.measure import Column
from aune.core.options import OrFiles, kept_while_unchanged
from aune.tasks.speech.alignment.words import INSERTION, OPTIONAL, WordAlignment
from aune.tasks.speech.comparison import Comparison, Errors
from aune.tasks.speech.rates import error_rate
from aune.tasks.speech.text.phonemes import Language, tagger

Pos = Annotated[tuple[str, ...], "the parts of speech left out, by the names that gruut's tagger uses"]

LISTS = {
    "en": "a an the and or but if of in on at to from by for with about as into over after before between out up down "
    "off than then so is am are was were be been being do does did done have has had having will would shall should "
    "can could may might must i you he she it we they me him her us them my your his its our their this that these "
    "those there here not no nor what which who whom whose when where why how all any some each just also very too",
    "fr": "le la les l' un une des du de d' au aux à en dans sur sous par pour avec sans et ou où mais donc or ni car "
    "que qu' qui quoi dont ce c' cet cette ces je j' tu il elle on nous vous ils elles me m' te t' se s' lui leur y "
    "mon ma mes ton ta tes son sa ses notre nos votre vos leurs ne n' pas plus est sont été être était ai as a avons "
    "avez ont avait avoir si comme alors aussi très là",
}
Stop = Annotated[str, "the words left out: en, fr, none, or a file with a word on each line", OrFiles(("none", *LISTS))]


class Score(NamedTuple):
    """The error rate on content words, and its parts."""

    wer: Column
    substitutions: Column
    deletions: Column
    insertions: Column


def count(
    comparison: Comparison, *, stop: Stop = "en", pos: Pos = (), language: Language = "en",
    alignment: WordAlignment = "levenshtein",
) -> Errors:  # fmt: skip
    found = comparison.alignment(alignment)
    stops = stop_words(stop)
    content = np.array([word.lower() not in stops for word in comparison.words] or [True])
    said, given = content[found.key.codes], content[found.response.codes]
    if pos:
        tag = tagger(language)
        texts = list(comparison.wordings(alignment))
        said = said & ~np.isin([one for key, _ in texts for one in tag(key)], pos)
        given = given & ~np.isin([one for _, response in texts for one in tag(response)], pos)
    heard, meant = np.append(given, False)[found.response_at], np.append(said, False)[found.key_at]
    counted = (found.kind < OPTIONAL) & np.where(found.kind == INSERTION, heard, meant)
    words = comparison.per_row(comparison.word_rows(found)[said])
    return comparison.tallied(comparison.error_rows(found)[counted], found.kind[counted], words)


@kept_while_unchanged
def stop_words(name: str) -> frozenset[str]:
    """The words of a list, by its name or its path."""
    if name in ("none", *LISTS):
        return frozenset(LISTS.get(name, "").split())
    try:
        return frozenset(text_of(name).lower().split())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--stop {name}: expected en, fr, none or a file with a word on each line ({error})") from None


def score(words: Errors) -> Score:
    return Score(*words.rates)


MEASURE = error_rate(count, score, "the key has no content word")
