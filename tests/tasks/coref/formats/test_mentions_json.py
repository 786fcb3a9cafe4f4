"""Mentions as models list them."""

from __future__ import annotations

from pathlib import Path

from aune.core import registry
from aune.core.corpus import read

SAMPLES = Path(__file__).parent / "samples"


def test_flat_lists_clusters_and_lists_cut_off() -> None:
    flat, clusters, cut = read(registry.task("coref"), SAMPLES / "mentions_json-answers.jsonl").documents
    assert [(it.string, it.chain) for it in flat.listed or ()] == [("Marie", "1"), ("sa", "1")]
    assert [(it.string, it.chain) for it in clusters.listed or ()] == [("Marie", "1"), ("sa", "1"), ("sa sœur", "2")]
    assert [(it.string, it.chain) for it in cut.listed or ()] == [("Marie", "1"), ("sa", "1")]
    assert (flat.lost, clusters.lost, cut.lost) == (0, 0, 1)
