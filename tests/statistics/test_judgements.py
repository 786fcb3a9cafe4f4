"""Agreement on tags and entities, for the tasks that are there."""

from __future__ import annotations

import pytest

from aune.annotators import annotators_agreement


def test_entities_are_judged_position_by_position():
    model = pytest.importorskip("aune.tasks.entities.model")
    from aune.tasks.entities.judgements import judgements, spans

    first = model.document("d", [model.Span(0, 2, "pers"), model.Span(1, 2, "loc")], length=4)
    second = model.document("d", [model.Span(0, 1, "pers"), model.Span(3, 4, "loc")], length=4)
    assert judgements([first, second]) == [["B-pers", "B-pers"], ["I-pers", "O"], ["O", "O"], ["O", "B-loc"]]
    assert judgements([first, None])[0] == ["B-pers", None]
    assert spans(second) == [(0, 1, "pers"), (3, 4, "loc")]
    assert annotators_agreement("entities", {"A": [first], "B": [first]}).scores[0].kappa == 1.0


def test_tags_are_judged_word_by_word(data):
    pytest.importorskip("aune.tasks.tagging.model")
    folder = data / "tagging" / "conll2018-fr_sequoia"
    files = {name: str(folder / f"{name}.conllu.gz") for name in ("gold", "HIT-SCIR-18")}
    found = annotators_agreement("tagging", files)
    cohen = found["gold–HIT-SCIR-18", "cohen"]
    assert cohen.kappa > 0.95  # about 98 % of the tags are the same
    assert cohen.counts["units"] > 9000
