from __future__ import annotations

from aune.tasks.entities.describe import describe, holdings
from aune.tasks.entities.model import Span, document


def test_profile_and_losses() -> None:
    spans = [Span(0, 4, "loc.fac"), Span(0, 1, "kind"), Span(6, 9, "pers", segments=((6, 7), (8, 9)))]
    found = [document("d", spans, length=10, typology="quaero", words=["w"].copy)]
    profile = describe(found)
    assert profile["entities"] == 2 and profile["components"] == 1 and profile["nested"] == 1
    assert profile["tokens"] == 10 and profile["labelled kind"] == 1 and profile["in pieces"] == 1
    assert holdings(found) == {"tokens": 1, "nesting": 1, "pieces": 1}
    assert describe([])["entities"] == 0
