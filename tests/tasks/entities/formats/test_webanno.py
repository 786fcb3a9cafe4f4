"""WebAnno TSV 3."""

from __future__ import annotations

from pathlib import Path

from aune.contract import registry
from aune.tasks.entities.formats.webanno import write
from aune.tasks.entities.model import Span, make_document
from tests.tasks.formats import messages, read_with_warnings, write_text
from tests.tasks.formats import read as read_text

SAMPLES = Path(__file__).parent / "samples"
TASK = registry.task("entities")


HEADER = "#FORMAT=WebAnno TSV 3.3\n#T_SP=de.NamedEntity|identifier|value\n\n"


def test_spans_over_several_tokens_and_in_one_cell() -> None:
    text = HEADER + "1-1\t0-1\ta\t*[1]|*[2]\tper[1]|org[2]\n1-2\t2-3\tb\t*[1]\tper[1]\n2-1\t4-5\tc\t_\tloc\n"
    (document,) = read_text("entities", "webanno", text)
    assert document.triples() == [(0, 2, "per"), (0, 1, "org"), (2, 3, "loc")] and document.sentences.tolist() == [0, 2]


def test_features_by_name() -> None:
    text = HEADER + "1-1\t0-1\ta\tQ1\tper\n"
    assert read_text("entities", "webanno", text, feature="identifier")[0].triples() == [(0, 1, "Q1")]
    (message,) = messages("entities", "webanno", text, feature="colour")
    assert message.startswith(
        "1:1: found no feature 'colour', expected one of NamedEntity.identifier, NamedEntity.value"
    )


def test_labels_come_from_the_feature_whose_name_says_so_and_others_are_reported() -> None:
    header = "#FORMAT=WebAnno TSV 3.2\n#T_SP=webanno.custom.Referent|entity|identity\n\n"
    documents, warnings = read_with_warnings("entities", "webanno", header + "1-1\t0-1\ta\tperson\tAnn\n")
    assert documents[0].triples() == [(0, 1, "person")]
    assert warnings == ["labels are read from Referent.entity, one of Referent.entity, Referent.identity: "
                        "choose with --feature"]  # fmt: skip


def test_layers_without_features_label_their_spans_by_name() -> None:
    header = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Name|\n\n"
    text = header + "1-1\t0-1\ta\t*[1]\n1-2\t2-3\tb\t*[1]\n1-3\t4-5\tc\t_\n"
    assert read_text("entities", "webanno", text)[0].triples() == [(0, 2, "Name")]


def test_what_is_written_is_read_back() -> None:
    rows = "1-1\t0-1\ta\t*[1]|*[2]\tp\\|er[1]|org[2]\n1-2\t2-3\tb\t*[1]\tp\\|er[1]\n2-1\t4-5\tc\t_\tloc\n"
    documents = read_text("entities", "webanno", HEADER + rows)
    assert documents[0].triples() == [(0, 2, "p|er"), (0, 1, "org"), (2, 3, "loc")]
    [again] = read_text("entities", "webanno", write_text("entities", "webanno", documents))
    assert again.triples() == documents[0].triples() and again.sentences.tolist() == [0, 2]
    assert list(again.tokens) == ["a", "b", "c"]


def test_a_text_without_tokens_is_cut_into_words() -> None:
    spans = [Span(0, 3, "PER"), Span(6, 10, "LOC")]
    document = make_document("a", spans, unit="character", text="Ann's Rom\u0301e", length=11)
    [again] = read_text("entities", "webanno", "".join(write([document])))
    assert list(again.tokens or ()) == ["Ann", "'", "s", "Rom\u0301", "e"]
    assert again.triples() == [(0, 1, "PER"), (3, 4, "LOC")]
