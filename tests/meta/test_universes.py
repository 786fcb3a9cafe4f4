"""The other tasks' small worlds, for the tasks that are there."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from aune.contract import registry
from aune.meta.audit import audit, make_world, task_universe
from aune.meta.severity import severity


def needs(task):
    if find_spec(f"aune.tasks.{task}.model") is None:
        pytest.skip(f"needs the task {task}")


def findings(task, name, size=3):
    findings = audit([registry.measure(name, task)], size=size, samples=50)
    return {entry.criterion: entry for entry in findings}


@pytest.mark.parametrize("task", ["coref", "entities", "speech", "tagging"])
def test_corrections_stay_in_the_universe_and_end_at_the_key(task):
    needs(task)
    here = make_world(task, 3, 20)
    before, after = here.steps
    assert len(before) and (after >= 0).all()
    outcome = task_universe(task)
    for key, response in here.pairs[:: max(1, len(here.pairs) // 200)]:
        for _ in range(20):
            better = outcome.corrections(key, response)
            if not better:
                break
            response = better[-1]
        if task != "entities":  # where spans lie across others there may be nothing to offer
            assert outcome.show(response) == outcome.show(key)


def test_the_word_error_rate():
    needs("speech")
    outcome = findings("speech", "wer")
    for criterion in ("BS: perfect gets the best", "BS: only perfect does", "monotony"):
        assert outcome[criterion].status == "holds"
    assert outcome["symmetry"].status == "counter-example"  # it divides by the key's words


def test_accuracy_of_tags():
    needs("tagging")
    outcome = findings("tagging", "accuracy")
    for criterion in ("BS: perfect gets the best", "BS: only perfect does", "bounds", "monotony", "BI-3"):
        assert outcome[criterion].status == "holds"


def test_f_of_entities():
    needs("entities")
    outcome = findings("entities", "f_measure")
    for criterion in ("BS: only perfect does", "bounds", "monotony", "BI-3"):
        assert outcome[criterion].status == "holds"
    ordered = severity([registry.measure("entities.f_measure"), registry.measure("entities.muc")], size=3)
    assert ordered
