"""The small worlds of anaphora, and what every measure gives in them to the key itself."""

from __future__ import annotations

import pytest

import aune
from aune.contract import registry
from aune.contract.measure import Measure
from aune.evaluation.plan import select_measures
from aune.meta.audit import audit
from aune.tasks.anaphora.small_worlds import UNIVERSE

MEASURES = [
    measure
    for measure in select_measures(registry.task("anaphora"), ["all"])
    if measure.name.rpartition(".")[2] not in UNIVERSE.excluded_measures
]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_the_key_itself_is_perfect(measure: Measure) -> None:
    """Or undefined; `graded` gives less where a chain has pronouns alone."""
    for size in (1, 2, 3):
        for document in UNIVERSE.documents(size):
            value = aune.score("anaphora", [document], [document], measures=[measure]).scores[0].main
            pronouns_alone = any(all(map(document.is_pronominal, chain)) for chain in document.members.values())
            if measure.name == "anaphora.graded" and pronouns_alone:
                assert value is not None and value < 1
            else:
                assert value is None or value == pytest.approx(1), UNIVERSE.show(document)


def test_every_task_can_be_audited() -> None:
    assert all(registry.task(task).extras.small_worlds for task in registry.task_names())


def test_the_audit_finds_that_pairs_know_the_perfect_response() -> None:
    findings = {
        finding.criterion: finding.status
        for finding in audit([registry.measure("anaphora.pairs")], size=2, samples=5, task="anaphora")
    }
    assert findings["BS: only perfect does"] in ("holds", "proven")
