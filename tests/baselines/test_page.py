"""The tables of docs/baselines.md say what the baselines get today (the quick rows of them)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aune import baselines, evaluate
from aune.contract import registry
from aune.reading.corpus import Corpus, read

PAGE = Path(__file__).resolve().parents[2] / "docs" / "baselines.md"
SIMPLE = ("singletons", "one_chain", "same_string", "same_head", "agreement", "activation")


def table(name: str) -> dict[str, dict[str, str]]:
    """The cells of a table, by measure and system."""
    outcome = re.search(rf"<!-- table: {name} -->\n(.*?)<!-- end -->", PAGE.read_text(), re.DOTALL)
    assert outcome
    lines = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in outcome[1].strip().splitlines()]
    return {row[0]: dict(zip(lines[0][1:], row[1:], strict=True)) for row in lines[2:]}


@pytest.mark.parametrize(("name", "key"), [("litbank", "litbank/key"), ("fr-litbank", "fr-litbank/test.V2.key")])
def test_tables_are_current(data: Path, name: str, key: str) -> None:
    corpus = read(registry.task("coref"), str(data / "coref" / f"{key}.conll.gz"))
    answers = {entry: Corpus(baselines.baseline("coref", entry)(corpus.documents)) for entry in SIMPLE}
    result = evaluate(
        "coref", corpus, answers, measures=["muc", "b_cubed", "lea", "entropy", "conll", "exclusive_core"]
    )
    shown = table(name)
    for score in result:
        assert shown[score.name[6:]][score.system.replace("_", " ")] == f"{100 * (score.f1 or 0):.1f}", (
            "run docs/baselines.py"
        )


def test_real_systems_have_their_known_figures() -> None:
    conll, french = table("litbank")["conll"], table("fr-litbank")["conll"]
    assert [conll[name] for name in ("s1-strmatch", "s2-sieve", "s3-goldment")] == ["12.2", "55.1", "70.4"]
    assert [french[name] for name in ("s1-strmatch", "s2-sieve", "s3-goldment", "camembert")] == [
        "11.6",
        "44.7",
        "64.6",
        "76.7",
    ]
