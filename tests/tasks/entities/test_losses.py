"""What conversions of entities lose is listed."""

from __future__ import annotations

import numpy as np

from aune.contract import registry
from aune.reading.conversion import convert_documents
from aune.tasks.entities.losses import conversion_losses
from aune.tasks.entities.model import Span, make_document

WORDS = ["a", "b", "c", "d", "e"]


def test_a_sentence_end_inside_an_entity_is_listed_by_conll() -> None:
    text = make_document("d", [Span(1, 4, "X")], words=WORDS.copy, length=5, sentences=np.array([0, 2, 4]))
    conversion = convert_documents(registry.task("entities"), registry.format("entities", "conll"), [text], "d.conll")
    assert conversion.lost == {"sentences": 1}


def test_sentences_that_moved_are_lost() -> None:
    texts = [
        make_document("d", [], words=WORDS.copy, length=5, sentences=np.array(starts))
        for starts in ([0, 2, 4], [0, 3, 4])
    ]
    assert conversion_losses(*texts) == {"sentences": 1}
