"""Lexical: every word with all the tags that it has in a lexicon, the most frequent one first.

It never decides between them, so its precision is high and its decision low. Words that the lexicon does not know get
the tags of words with the same ending, or of rare words.

Source: «Lexical» in Adda et al. 1999, §5.
"""

from __future__ import annotations

from collections.abc import Sequence

from aune.baselines import Baseline
from aune.baselines.tagging._lexicon import Training, by_frequency, learn_lexicon, tag_by_word
from aune.tasks.tagging.model import Document


def respond(documents: Sequence[Document], *, training: Training = "") -> list[Document]:
    """Every word with all its tags.

    >>> from aune.tasks.tagging.model import documents as given
    >>> known = given([("la", "D"), ("la", "D"), ("la", "P"), ("porte", "N")])
    >>> respond(given([("la", "_"), ("porte", "_")]), training=known)[0].columns["tag"].values()
    ['D|P', 'N']
    """
    lexicon = learn_lexicon(training)
    return tag_by_word(documents, lambda word: by_frequency(lexicon.tags(word)))


BASELINE = Baseline(respond)
