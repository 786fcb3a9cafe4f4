"""Simple systems for anaphora: the three of GAP, whose outputs are known, and hand-made candidates."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune import baselines
from aune.contract import registry
from aune.reading.corpus import read
from aune.tasks.anaphora.model import Anaphor, Candidate, make_document

TASK = registry.task("anaphora")
FILES = {"first": "first", "recent": "recency", "title": "title"}


@pytest.mark.parametrize("name", baselines.names("anaphora"))
def test_gap_answers_are_the_known_ones(data: Path, name: str) -> None:
    folder = data / "anaphora" / "gap"
    key = read(TASK, str(folder / "gap-test.tsv")).documents
    form = registry.format("anaphora", "gap")
    assert form.write is not None
    written = "".join(form.write(baselines.baseline("anaphora", name)(key)))
    assert written.splitlines() == (folder / f"responses/own/gap-test.{FILES[name]}.tsv").read_text().splitlines()


def test_candidates_have_to_agree() -> None:
    candidates = (Candidate("0"), Candidate("3"), Candidate("5", agrees=False))
    key = make_document("d", [Anaphor("7", ("0",), candidates), Anaphor("9", ("0",))])
    answers = {name: baselines.baseline("anaphora", name)([key])[0] for name in baselines.names("anaphora")}
    assert answers["recent"].by_mention["7"].antecedents == ("3",)
    assert answers["first"].by_mention["7"].antecedents == ("0",)
    assert answers["title"].by_mention["7"].antecedents == ()
    assert all(answer.by_mention["9"].antecedents == () for answer in answers.values())
