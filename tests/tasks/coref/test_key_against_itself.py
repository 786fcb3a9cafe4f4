"""The key against itself is perfect: on real corpora and in small worlds, for every measure."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import pytest

import aune
from aune.contract import registry
from aune.evaluation.plan import select_measures
from aune.tasks.coref.small_worlds import UNIVERSE

NAMES = [
    measure.name.rpartition(".")[2]
    for measure in select_measures(registry.task("coref"), ["all"])
    if measure.name.rpartition(".")[2] not in UNIVERSE.excluded_measures
]


def assert_perfect(result: aune.Result) -> None:
    for score in result:
        for value, number in score.values.items():
            perfect = score.measure.perfect_of(value)
            assert number is None or math.isnan(perfect) or number == pytest.approx(perfect, abs=1e-12), score


@pytest.mark.parametrize("convention", ["conll", "partition", "corefud", "universal_anaphora"])
@pytest.mark.parametrize(
    "path", ["litbank/key.conll.gz", "fr-litbank/test.V2.key.conll.gz", "ua-scorer-cases/plural-tests/TC-PB.key"]
)
def test_real_corpora(data: Path, path: str, convention: str) -> None:
    key = data / "coref" / path
    if not key.exists():
        pytest.skip(f"{key} is absent: the corpora are in ../shared/data")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # heads that the files do not name
        assert_perfect(aune.score("coref", str(key), str(key), measures=NAMES, convention=convention))


@pytest.mark.parametrize("convention", ["conll", "partition"])
def test_small_worlds(convention: str) -> None:
    documents = [document for size in (2, 3, 4) for document in UNIVERSE.documents(size)]
    for undefined in ("one", "none"):
        for document in documents:
            result = aune.score(
                "coref", [document], [document], measures=NAMES, convention=convention, undefined=undefined
            )
            assert_perfect(result)
