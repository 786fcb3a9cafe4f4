from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from aune.tasks.entities.describe import describe, holdings
from aune.tasks.entities.model import Span, make_document


def test_profile_and_losses() -> None:
    spans = [Span(0, 4, "loc.fac"), Span(0, 1, "kind"), Span(6, 9, "pers", segments=((6, 7), (8, 9)))]
    result = [make_document("d", spans, length=10, typology="quaero", words=["w"].copy)]
    profile = describe(result)
    assert profile["entities"] == 2 and profile["components"] == 1 and profile["nested"] == 1
    assert profile["tokens"] == 10 and profile["labelled kind"] == 1 and profile["in pieces"] == 1
    assert holdings(result) == {"tokens": 1, "nesting": 1, "pieces": 1}
    assert describe([])["entities"] == 0


def test_entities_and_slots_are_counted_apart() -> None:
    """Metonymy is one entity with two type slots, as tables 3.4 and 4.3 of the thesis count."""
    france = [Span(0, 1, "org.adm"), Span(0, 1, "loc.adm.nat"), Span(0, 1, "name", depth=2), Span(3, 4, "amount")]
    profile = describe([make_document("d", france, typology="quaero")])
    assert (profile["entities"], profile["type slots"]) == (2, 3)
    assert (profile["components"], profile["component slots"]) == (1, 1)


SPANS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["org.adm", "loc.adm.nat", "pers.ind", "name", "kind"])), unique=True
)


@given(SPANS)
def test_entities_and_slots_place_by_place(spans: Sequence[tuple[int, str]]) -> None:
    """An entity for each place with types, a type slot for each of its types."""
    result = [Span(place, place + 1, label) for place, label in spans]
    profile = describe([make_document("d", result, length=4, typology="quaero")])
    types = [(place, label) for place, label in spans if "." in label]
    assert profile["entities"] == len({place for place, _ in types})
    assert profile["type slots"] == len(types)
    assert profile["component slots"] == len(spans) - len(types)
