"""What two annotators said, position by position and by sentence."""

from __future__ import annotations

import numpy as np

from aune.tasks.entities.judgements import judgements, sentences
from aune.tasks.entities.model import Span, document

FIRST = document("d", [Span(0, 2, "PER"), Span(3, 4, "LOC")], length=4, sentences=np.asarray([0, 3]))
SECOND = document("d", [Span(0, 1, "PER")], length=4)


def test_positions_and_their_sentences() -> None:
    assert judgements([FIRST, SECOND, None]) == [
        ["B-PER", "B-PER", None], ["I-PER", "O", None], ["O", "O", None], ["B-LOC", "O", None],
    ]  # fmt: skip
    assert sentences([None, SECOND, FIRST]) == [1, 1, 1, 2]
    assert sentences([SECOND]) == [1, 1, 1, 1]
