"""The simple taggers of the campaign: what they write is read and scored."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from aune import score
from aune.errors import UsageError
from aune.tasks.tagging.formats import tsv
from aune.tasks.tagging.model import Document, documents

KNOWN = [
    ("la", "Da-fs-d"),
    ("la", "Pp3fs--"),
    ("la", "Da-fs-d"),
    ("porte", "Vmip3s-"),
    ("porte", "Ncfs"),
    ("Zoé", "Npfs"),
]
TEXT = [("la", "Da-fs-d"), ("porte", "Ncfs"), ("Zaza", "Npfs")]


def respond(name: str, *arguments: Any, **options: Any) -> list[Document]:
    outcome: list[Document] = import_module(f"aune.baselines.tagging.{name}").respond(*arguments, **options)
    return outcome


@pytest.mark.parametrize("name", ["lexical", "most_frequent", "heuristic_random"])
def test_it_writes_what_score_reads(name: str, tmp_path: Path) -> None:
    training, out = tmp_path / "training.tsv", tmp_path / "out.tsv"
    training.write_text("".join(tsv.write(documents(KNOWN))))
    out.write_text("".join(tsv.write(respond(name, documents(TEXT), training=str(training)))))
    assert score("tagging", TEXT, str(out))["precision_decision"].counts["noneval"] == 0
    with pytest.raises(UsageError, match="--training"):
        respond(name, documents(TEXT))


def test_lexical_never_decides() -> None:
    outcome = respond("lexical", documents(TEXT), training=documents(KNOWN))
    assert outcome[0].columns["tag"].values()[:2] == ["Da-fs-d|Pp3fs--", "Ncfs|Vmip3s-"]
    assert score("tagging", TEXT, outcome)["precision_decision"].p_max == 1.0


def test_most_frequent_always_decides() -> None:
    outcome = respond("most_frequent", documents(TEXT), training=documents(KNOWN))
    assert outcome[0].columns["tag"].values()[0] == "Da-fs-d"
    assert score("tagging", TEXT, outcome)["precision_decision"].decision == 1.0


def test_rules_come_before_chance() -> None:
    for seed in range(8):
        outcome = respond("heuristic_random", documents(TEXT), training=documents([*KNOWN[:1], *KNOWN[3:]]), seed=seed)
        assert outcome[0].columns["tag"].values() == ["Da-fs-d", "Ncfs", "Npfs"]


def test_a_seed_is_a_draw() -> None:
    text = documents([("porte", "_")] * 30)
    drawn = [
        respond("heuristic_random", text, training=documents(KNOWN), seed=seed)[0].columns["tag"].values()
        for seed in (0, 0, 1)
    ]
    assert drawn[0] == drawn[1] != drawn[2]


def test_other_columns() -> None:
    text = [{"form": "la", "upos": "DET"}, {"form": "mer", "upos": "NOUN"}]
    outcome = respond("most_frequent", documents(text), training=documents(text))
    assert outcome[0].columns["upos"].values() == ["DET", "NOUN"]
    assert score("tagging", text, outcome)["upos"].f1 == 1.0
