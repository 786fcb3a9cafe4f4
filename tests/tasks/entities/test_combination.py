"""Votes on entities, against counting them one by one."""

from __future__ import annotations

import random
import runpy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.errors import UsageError
from aune.tasks.entities.combination import combine, disagreements
from aune.tasks.entities.model import Span, documents, make_document

Triple = tuple[int, int, str]
spans = runpy.run_path(str(Path(__file__).parent / "strategies.py"))["spans"]


@given(st.lists(spans(4, 5), min_size=3, max_size=3), st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.integers(0, 9))
def test_an_entity_stays_with_enough_votes(given_spans: list[list[Triple]], least: float, seed: int) -> None:
    systems = {f"s{n}": documents({"d": span}) for n, span in enumerate(given_spans)}
    weights = {"s0": 2.0}
    expected = set()
    for entity in {item for span in given_spans for item in span}:
        share = sum((2, 1, 1)[n] * (entity in span) for n, span in enumerate(given_spans)) / 4
        if share > least or share == 1:
            expected.add(entity)
    text = documents({"d": {"tokens": ["x"] * 9, "spans": []}})
    [made] = combine(text, systems, weights=weights, least=least)
    assert set(made.triples()) == expected and made.length == 9
    names = random.Random(seed).sample(list(systems), 3)
    [again] = combine(text, {name: systems[name] for name in names}, weights=weights, least=least)
    assert again.triples() == made.triples(), "the order of systems does not matter"
    _, *rows = disagreements(text, systems, weights=weights)
    all_agree = set.intersection(*map(set, given_spans))
    assert {(row[1], row[2], row[3]) for row in rows} == {item for span in given_spans for item in span} - all_agree


PARTS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from(["pers.ind", "org.ent", "name", "kind"])),
    max_size=5, unique=True,
).map(lambda drawn: [(start, start + size, label) for start, size, label in drawn])  # fmt: skip


@given(st.lists(PARTS, min_size=3, max_size=3))
def test_a_component_stays_in_an_entity_that_stays(annotators: list[list[Triple]]) -> None:
    """What stands alone would be no tree, and the guide's own check would refuse it."""
    systems = {f"s{n}": [make_document("d", [Span(*item) for item in annotator], length=9, typology="quaero")]
               for n, annotator in enumerate(annotators)}  # fmt: skip
    voted = {item for annotator in annotators for item in annotator if sum(item in other for other in annotators) > 1}
    entities = [item for item in voted if "." in item[2]]
    expected = {
        item for item in voted if item in entities or any(e[0] <= item[0] and item[1] <= e[1] for e in entities)
    }
    messages: list[str] = []
    [made] = combine(systems["s0"], systems, tell=messages.append)
    assert set(made.triples()) == expected
    assert any("in no entity with enough" in text for text in messages) == (expected != voted)
    assert any("no entity has enough votes" in text for text in messages) == (not expected and any(annotators))


def test_what_cannot_be_combined() -> None:
    text = documents({"a": [], "b": []})
    with pytest.raises(UsageError, match="no document 'b'"):
        combine(text, {"s": documents({"a": [], "c": []})})
    with pytest.raises(UsageError, match="weights"):
        combine(text, {"s": text}, weights={"s": 0})
    with pytest.raises(UsageError, match="at least one system"):
        combine(text, {})


def test_seven_systems_together_are_better_than_the_best_of_them(data: Path) -> None:
    """WNUT-17: a vote of the seven submissions, read from their files."""
    from aune.contract import registry
    from aune.reading.corpus import read

    folder, task = data / "entities" / "wnut17", registry.task("entities")
    names = ["arcada", "drexel_cci", "flytxt", "mic-cis", "sjtu_adapt", "spinningbytes", "uh_ritual"]
    systems = {name: read(task, str(folder / f"{name}.conll")).documents for name in names}
    key = read(task, str(folder / "gold.conll")).documents
    result = aune.score("entities", key, combine(key, systems), measures=["f_measure"]).scores[0]
    assert f"{100 * result.f1:.2f}" == "43.48", "the best of them has 41.86"
