"""Mentions as models list them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aune.contract import registry
from aune.reading.corpus import read
from tests.tasks.formats import messages
from tests.tasks.formats import read as read_text

SAMPLES = Path(__file__).parent / "samples"


def test_flat_lists_clusters_and_lists_cut_off() -> None:
    flat, clusters, cut = read(registry.task("coref"), SAMPLES / "mentions_json-answers.jsonl").documents
    assert [(it.string, it.chain) for it in flat.listed or ()] == [("Marie", "1"), ("sa", "1")]
    assert [(it.string, it.chain) for it in clusters.listed or ()] == [("Marie", "1"), ("sa", "1"), ("sa sœur", "2")]
    assert [(it.string, it.chain) for it in cut.listed or ()] == [("Marie", "1"), ("sa", "1")]
    assert (flat.lost, clusters.lost, cut.lost) == (0, 0, 1)


CLUSTERS = [["Marie", "elle"], ["Paul", "il"]]


def objects(name: str, members: str) -> list[dict[str, Any]]:
    return [{name: number, members: cluster} for number, cluster in enumerate(CLUSTERS, 1)]


@pytest.mark.parametrize(
    "answer",
    [
        CLUSTERS, {"clusters": CLUSTERS}, {"text": "Marie…", "Coreference Chains": CLUSTERS}, objects("id", "mentions"),
        {"clusters": objects("entity", "members")}, {"1": CLUSTERS[0], "2": CLUSTERS[1]},
        {"chains": {"1": CLUSTERS[0], "2": CLUSTERS[1]}}, [[{"text": string} for string in it] for it in CLUSTERS],
        [[string, f"e{number}"] for number, it in enumerate(CLUSTERS) for string in it],
        [{"Mention": string, "Cluster ID": number} for number, it in enumerate(CLUSTERS) for string in it],
        {"name": "resolve", "arguments": json.dumps({"clusters": CLUSTERS})},
    ],
)  # fmt: skip
def test_every_way_of_listing_chains(answer: Any) -> None:
    (text,) = read_text("coref", "mentions_json", json.dumps({"id": "d", "answer": json.dumps(answer)}))
    chains: dict[str, list[str]] = {}
    for item in text.listed or ():
        chains.setdefault(item.chain, []).append(item.string)
    assert (list(chains.values()), text.lost) == (CLUSTERS, 0)


def test_links_are_no_chains() -> None:
    answer = json.dumps([{"mention": "elle", "antecedent": "Marie"}])
    [message] = messages("coref", "mentions_json", json.dumps({"id": "d", "answer": answer}))
    assert "expected a string and the name of its chain" in message
