"""The published cases of the CorefUD scorer and of the Universal Anaphora scorer, with the figures that these give."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aune
from aune.contract import registry
from aune.reading.corpus import read
from aune.tasks.coref.model import Document

REFUSED = {
    "tests-corefud/exact-match/TC-A-8.response": "a span in two chains: the scorer counts one mention of each chain",
    "tests-corefud/exact-match/TC-A-9.response": "a span in two chains: the scorer counts one mention of each chain",
}
"""Cases whose figures aune does not reproduce, with the reason; it refuses the files unless --duplicates is given."""


def load_cases(folder: Path) -> list[dict[str, Any]]:
    path = folder / "expected.json"
    if not path.exists():
        pytest.skip(f"{path} is absent: the published cases of the scorers are in ../shared/data")
    rows: list[dict[str, Any]] = json.loads(path.read_text())
    return rows


def triples(result: aune.Result, names: Sequence[str]) -> dict[str, Any]:
    return {name: [result[name].recall, result[name].precision, result[name].f1] for name in names}


def expected_triples(figures: dict[str, Sequence[float]]) -> dict[str, Any]:
    return {name: pytest.approx(list(triple), abs=1e-6) for name, triple in figures.items()}


@pytest.mark.filterwarnings("ignore::aune.AuneWarning")
@pytest.mark.parametrize("match", ["exact", "partial", "head"])
def test_corefud_scorer(data: Path, match: str) -> None:
    folder = data / "coref" / "corefud-scorer-cases"
    rows = [row for row in load_cases(folder) if row["match"] == match and row["response"] not in REFUSED]
    assert len(rows) > 300
    for row in rows:
        figures = row["recall_precision_f1"]
        result = aune.score(
            "coref", str(folder / row["key"]), str(folder / row["response"]), measures=[*figures], convention="corefud",
            match=match, singletons=row["singletons"], zeros=row["zeros"], duplicates="conll",
        )  # fmt: skip
        assert triples(result, [*figures]) == expected_triples(figures), row["response"]


@pytest.mark.parametrize("response", REFUSED)
def test_spans_in_two_chains_are_refused(data: Path, response: str) -> None:
    folder = data / "coref" / "corefud-scorer-cases"
    load_cases(folder)
    with pytest.raises(aune.InputError, match="in two chains, expected every span once"):
        aune.score("coref", str(folder / "tests-corefud/exact-match/TC-A.key"), str(folder / response))


def test_universal_anaphora_scorer(data: Path) -> None:
    """The convention counts split antecedents, as the scorer does when nothing else is asked of it."""
    folder = data / "coref" / "ua-scorer-cases"
    rows = load_cases(folder)
    assert len(rows) == 15
    for row in rows:
        for field, options in (("with_split_antecedents", {}), ("without", {"split_antecedents": "ignore"})):
            figures = {name: figure for name, figure in row[field].items() if name != "conll_f1"}
            result = aune.score(
                "coref", str(folder / row["key"]), str(folder / row["response"]), measures=[*figures, "conll"],
                convention="universal_anaphora", **options,
            )  # fmt: skip
            assert triples(result, [*figures]) == expected_triples(figures), row["response"]
            assert result["conll"].f1 == pytest.approx(row[field]["conll_f1"], abs=1e-6), row["response"]


# Heads and minimal spans


@pytest.mark.parametrize("name", ["GUM_news_nasa", "GUM_voyage_oakland"])
def test_minimal_spans_of_the_key_do_not_change_heads(data: Path, name: str) -> None:
    """GUM with heads from its trees: a response with the same heads and without `minspan` is perfect."""
    path = data / "exports" / "corefud" / f"{name}.conllu"
    if not path.exists():
        pytest.skip(f"{path} is absent: the exports are in ../shared/data")
    [document] = read(registry.task("coref"), str(path)).documents
    heads = tree_heads(document, governors(path))
    key = replace(document, heads=heads)
    response = replace(key, minima=None)
    assert key.minima is not None and (key.minima[:, 0] != heads).any()
    for options in ({"match": "head"}, {"convention": "corefud"}):
        result = aune.score("coref", [key], [response], measures=["conll", "blanc"], **options)
        assert (result["conll"].f1, result["blanc"].f1) == (1, 1)
        assert not result.warnings


def governors(path: Path) -> list[int]:
    """The governor of each word of a CoNLL-U file, both numbered from 0 through the document; -1 for a root."""
    return list(_governors(path.read_text(encoding="utf-8").split("\n\n")))


def _governors(sentences: Sequence[str]) -> Iterator[int]:
    first = 0
    for sentence in sentences:
        rows = [line.split("\t") for line in sentence.splitlines() if line[:1].isdigit()]
        words = [row for row in rows if row[0].isdigit()]
        yield from (first + int(word[6]) - 1 if int(word[6]) else -1 for word in words)
        first += len(words)


def tree_heads(document: Document, governor: Sequence[int]) -> Any:
    """The first word of each mention whose governor lies outside it."""
    assert document.positions is None and len(document.tokens or ()) == len(governor)
    return np.asarray(
        [
            next(word for word in range(start, end) if not start <= governor[word] < end)
            for start, end in document.spans.tolist()
        ]
    )
