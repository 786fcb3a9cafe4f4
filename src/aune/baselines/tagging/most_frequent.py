"""Most frequent: every word with the tag that it has most often in a lexicon.

Words that the lexicon does not know get the most frequent tag of words with the same ending, or of rare words.
"""

from __future__ import annotations

from collections.abc import Sequence

from aune.baselines import Baseline
from aune.baselines.tagging._lexicon import Training, by_frequency, learn_lexicon, tag_by_word
from aune.tasks.tagging.model import Document


def respond(documents: Sequence[Document], *, training: Training = "") -> list[Document]:
    """Every word with its most frequent tag.

    >>> from aune.tasks.tagging.model import documents as given
    >>> known = given([("la", "D"), ("la", "D"), ("la", "P"), ("porte", "N")])
    >>> respond(given([("la", "_"), ("porte", "_")]), training=known)[0].columns["tag"].values()
    ['D', 'N']
    """
    lexicon = learn_lexicon(training)
    return tag_by_word(documents, lambda word: by_frequency(lexicon.tags(word))[:1])


BASELINE = Baseline(respond)
