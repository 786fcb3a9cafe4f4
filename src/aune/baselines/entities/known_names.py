"""Known names: every string that was an entity in the training texts, with the label that it had most often.

From left to right, the longest string that is known is taken. It finds what was seen before and nothing else, so it
says how much of a score is memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from aune.baselines import Baseline
from aune.baselines.entities._names import Training, learn_documents, learn_names, read_words, usual_label, with_spans
from aune.tasks.entities.model import Document


def respond(documents: Sequence[Document], *, training: Training = "") -> list[Document]:
    """Every known name.

    >>> from aune.tasks.entities.model import documents as parse
    >>> known = parse([("New", "B-LOC"), ("York", "I-LOC"), ("Ann", "B-PER")])
    >>> respond(parse([("Ann", "O"), ("left", "O"), ("New", "O"), ("York", "O")]), training=known)[0].triples()
    [(0, 1, 'PER'), (2, 4, 'LOC')]
    """
    names = learn_names(learn_documents(training))
    return [with_spans(document, _find_names(document, names)) for document in documents]


def _find_names(document: Document, names: Mapping[tuple[str, ...], Counter[str]]) -> Iterator[tuple[int, int, str]]:
    """The spans of known names, from left to right, the longest first."""
    words, place = read_words(document), 0
    lengths: dict[str, list[int]] = {}
    for name in names:
        lengths.setdefault(name[0], []).append(len(name))
    sizes = {first: sorted(set(counts), reverse=True) for first, counts in lengths.items()}
    while place < len(words):
        for size in sizes.get(words[place].text, ()):
            stretch = words[place : place + size]
            labels = names.get(tuple(word.text for word in stretch))
            if labels and len(stretch) == size:
                yield stretch[0].start, stretch[-1].end, usual_label(labels)
                place += size - 1
                break
        place += 1


BASELINE = Baseline(respond)
