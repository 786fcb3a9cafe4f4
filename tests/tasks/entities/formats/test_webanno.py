"""WebAnno TSV 3."""

from __future__ import annotations

from pathlib import Path

from aune.contract import registry
from tests.tasks.formats import messages
from tests.tasks.formats import read as read_text

SAMPLES = Path(__file__).parent / "samples"
TASK = registry.task("entities")


HEADER = "#FORMAT=WebAnno TSV 3.3\n#T_SP=de.NamedEntity|identifier|value\n\n"


def test_spans_over_several_tokens_and_in_one_cell() -> None:
    text = HEADER + "1-1\t0-1\ta\t*[1]|*[2]\tper[1]|org[2]\n1-2\t2-3\tb\t*[1]\tper[1]\n2-1\t4-5\tc\t_\tloc\n"
    (one,) = read_text("entities", "webanno", text)
    assert one.triples() == [(0, 2, "per"), (0, 1, "org"), (2, 3, "loc")] and one.sentences.tolist() == [0, 2]


def test_features_by_name() -> None:
    text = HEADER + "1-1\t0-1\ta\tQ1\tper\n"
    assert read_text("entities", "webanno", text, feature="identifier")[0].triples() == [(0, 1, "Q1")]
    (message,) = messages("entities", "webanno", text, feature="colour")
    assert message.startswith(
        "1:1: found no feature 'colour', expected one of NamedEntity.identifier, NamedEntity.value"
    )
