"""Features of entities and relations between them: every format keeps them, or says how many it loses."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

import aune
from aune.contract import registry
from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.conversion import convert_documents, splice_documents
from aune.reading.source import Source
from aune.tasks.entities.describe import link_counts
from aune.tasks.entities.model import Document, Features, Relation, Span, empty, make_document, spans_of
from tests.tasks.formats import read as read_text
from tests.tasks.formats import read_with_warnings, write_text

TASK = registry.task("entities")
WRITTEN = [form for form in registry.formats("entities") if form.write]
KINDS = ("features", "relations", "features of relations")


def link_entities(unit: str = "character") -> Document:
    """Ann Lee founded Acme."""
    words = ["Ann", "Lee", "founded", "Acme"]
    places = [(0, 7), (16, 20)] if unit == "character" else [(0, 2), (3, 4)]
    features: list[Features] = [(("case", "nom"), ("sure", "true")), (("case", "acc"),)]
    spans = [
        Span(*place, label, features=values)
        for place, label, values in zip(places, ("PER", "ORG"), features, strict=True)
    ]
    rest: dict[str, Any] = (
        {"text": " ".join(words), "length": 20} if unit == "character" else {"words": words.copy, "length": 4}
    )
    relations = [Relation("founder", 1, 0, (("certain", "no"),)), Relation("next", 0, 1)]
    return make_document("d", spans, unit=unit, relations=relations, **rest)


def links(document: Document) -> Any:
    """What a document says beside its spans, in terms of their labels."""
    labels = [document.names[number] for number in document.labels.tolist()]
    relations = sorted((kind, labels[a], labels[b], features) for kind, a, b, features in document.relations)
    return {labels[number]: features for number, features in document.features.items()}, relations


@pytest.mark.parametrize("unit", ["character", "token"])
@pytest.mark.parametrize("form", WRITTEN, ids=lambda form: form.name)
def test_links_come_back_or_are_listed_with_their_number(form: Format, unit: str) -> None:
    """The law for `carries`: what a format carries is kept, and what it does not carry is counted."""
    before = link_entities(unit)
    try:
        conversion = convert_documents(TASK, form, [before], f"d{form.suffixes[0]}")
    except UsageError as error:
        pytest.skip(str(error))
    lost = {kind: conversion.lost[kind] for kind in KINDS if kind in conversion.lost}
    expected = {kind: count for kind, count in link_counts([before]).items() if kind not in form.carries}
    assert lost == expected


@pytest.mark.parametrize("form", [form for form in WRITTEN if "features" in form.carries], ids=lambda form: form.name)
def test_features_of_many_kinds_come_back(form: Format) -> None:
    values = ("a", "true", "0.5", "é 😀 z", "x", "ab c", "a|b", "a;b", "<&>", "[1]", "*", "_")
    spans = [Span(2 * n, 2 * n + 1, "X", features=(("note", value),)) for n, value in enumerate(values)]
    text = "w " * len(values)
    before = make_document("d", spans, unit="character", text=text, length=len(text))
    conversion = convert_documents(TASK, form, [before], f"d{form.suffixes[0]}")
    assert "features" not in conversion.lost, conversion.data


def test_order_of_relations_and_features_does_not_matter() -> None:
    before = link_entities()
    spans = [replace_features(span, span.features[::-1]) for span in reversed(spans_of(before))]
    relations = [relation._replace(source=1 - relation.source, target=1 - relation.target)
                 for relation in reversed(before.relations)]  # fmt: skip
    other = make_document("d", spans, unit="character", text=before.text, length=20, relations=relations)
    assert write_text("entities", "jsonl", [other]) == write_text("entities", "jsonl", [before])


def replace_features(span: Span, features: Features) -> Span:
    return span._replace(features=features)


def test_links_change_no_score() -> None:
    key = link_entities("token")
    bare = replace(key, features={}, relations=(), ids={})
    response = make_document("d", [Span(0, 2, "PER")], words=key.words, length=4)
    scores = [aune.evaluate("entities", [side], {"a": [response]}).records() for side in (key, bare)]
    assert [row["score"] for row in scores[0]] == [row["score"] for row in scores[1]]


def test_without_its_spans_a_document_has_no_links() -> None:
    assert link_counts([empty(link_entities())]) == {} and empty(link_entities()).ids == {}


BY_NUMBER = '{"from": 0, "to": 1, "label": "founder"}'
BY_ID = '{"from_id": "p", "to_id": "o", "type": "founder"}'
BY_PLACE = '{"head": 0, "child": 9, "head_span": {"start": 0, "end": 7}, "child_span": {"start": 16, "end": 20, ' \
           '"label": "ORG"}, "label": "founder", "color": "#fff"}'  # fmt: skip
BY_TOKEN = '{"head": 1, "child": 3, "label": "founder"}'
SPERT = '{"head": 0, "tail": 1, "type": "founder"}'


@pytest.mark.parametrize("relation", [BY_NUMBER, BY_ID, BY_PLACE, BY_TOKEN, SPERT])
def test_ends_of_relations_in_json(relation: str) -> None:
    spans = '{"start": 16, "end": 20, "label": "ORG", "id": "o", "token_start": 3, "token_end": 3}'
    first = '{"start": 0, "end": 7, "label": "PER", "id": "p", "token_start": 0, "token_end": 1}'
    text = f'{{"text": "Ann Lee founded Acme", "spans": [{first}, {spans}], "relations": [{relation}]}}'
    [document], warnings = read_with_warnings("entities", "jsonl", text)
    assert document.relations == (Relation("founder", 0, 1),) and not warnings


def test_plain_fields_of_spans_are_features() -> None:
    span = '{"start": 0, "end": 3, "label": "PER", "kb_id": "Q1", "score": 0.5, "text": "Ann", "token_end": 0}'
    [document] = read_text("entities", "jsonl", f'{{"text": "Ann ran", "spans": [{span}]}}')
    assert document.features == {0: (("kb_id", "Q1"), ("score", "0.5"))}


LABEL_STUDIO = json.dumps([{"id": 5, "data": {"text": "😀 Ann met Bob"}, "annotations": [{"result": [
    {"id": "a", "type": "labels", "value": {"start": 3, "end": 6, "labels": ["PER"]}, "meta": {"text": ["sure"]}},
    {"id": "a", "from_name": "gender", "type": "choices", "value": {"start": 3, "end": 6, "choices": ["f"]}},
    {"id": "b", "type": "labels", "value": {"start": 11, "end": 14, "labels": ["MAN"]}},
    {"id": "b", "from_name": "note", "type": "textarea", "value": {"start": 11, "end": 14, "text": ["x", "y"]}},
    {"id": "b", "from_name": "age", "type": "number", "value": {"start": 11, "end": 14, "number": 40}},
    {"from_id": "a", "to_id": "b", "type": "relation", "direction": "left", "labels": ["met", "saw"]},
    {"from_id": "a", "to_id": "b", "type": "relation", "direction": "bi"},
]}]}])  # fmt: skip


def test_relations_and_answers_of_label_studio() -> None:
    [document], warnings = read_with_warnings("entities", "label_studio", LABEL_STUDIO)
    assert not warnings and document.ids == {0: "a", 1: "b"}
    assert links(document) == (
        {"PER": (("gender", "f"), ("meta", "sure")), "MAN": (("age", "40"), ("note", "x"), ("note", "y"))},
        [("met", "MAN", "PER", ()), ("relation", "PER", "MAN", (("direction", "bi"),)), ("saw", "MAN", "PER", ())],
    )
    again = read_text("entities", "label_studio", write_text("entities", "label_studio", [document]))
    assert [(links(item), item.ids) for item in again] == [(links(document), document.ids)]


BRAT = """T1	PER 0 7	Ann Lee
T2	ORG 16 20	Acme
T3	SHE 22 25	She
T4	Meet 26 29	met
T5	MAN 30 33	Bob
#1	AnnotatorNotes T1	no doubt
COREF	T1	ann
A1	Gender T1 f
N1	Reference T2 Q:42	Acme Inc
A2	Negated T4
R1	Founder Arg1:T1 Arg2:T2
A3	Sure R1
R2	Meets Agent:T3 Patient:T5
*	Same T1 T3
E1	Meet:T4 Who:T3 Whom:T5
"""


def test_every_kind_of_line_of_brat_comes_back() -> None:
    [document], warnings = read_with_warnings("entities", "brat", BRAT)
    text = re.sub(r"^(T.*\t).*$", r"\1", BRAT, flags=re.MULTILINE)  # a file without its text beside it
    assert write_text("entities", "brat", [document]) == text and not warnings
    features, relations = links(document)
    assert features["PER"] == (("AnnotatorNotes", "no doubt"), ("COREF", "ann"), ("Gender", "f"))
    assert relations == [
        ("Founder", "PER", "ORG", (("Sure", "true"),)),
        ("Meets", "SHE", "MAN", (("roles", "Agent Patient"),)),
        ("Same", "PER", "SHE", (("equivalence", "1"),)),
        ("Who", "Meet", "SHE", (("event", "E1"),)),
        ("Whom", "Meet", "MAN", (("event", "E1"),)),
    ]


def test_attributes_of_events_are_those_of_their_triggers_and_others_are_counted() -> None:
    text = "T1\tMeet 0 3\tmet\nE1\tMeet:T1 \nM1\tNegated E1\nA1\tSure T9\nR1\tIn Arg1:T1 Arg2:T9\n"
    [document], warnings = read_with_warnings("entities", "brat", text)
    assert document.features == {0: (("Negated", "true"),)}
    assert warnings == [
        "not read: 1 attributes and notes of what is no span, 1 events without arguments, "
        "1 relations between what is no span"
    ]


def splice_text(form: str, text: str, change: Any, name: str = "d.ann") -> str:
    """A file with a changed document, and that nothing of the document is lost in it."""
    source = Source(name, text.encode())
    [document] = registry.format("entities", form).read(source)
    after = change(document)
    conversion = splice_documents(TASK, registry.format("entities", form), source, [after])
    assert not conversion.lost
    [again] = registry.format("entities", form).read(Source(name, conversion.data))
    assert links(again) == links(after)
    return conversion.data.decode()


def with_feature(document: Document) -> Document:
    return replace(document, features={**document.features, 0: (("Gender", "m"), ("New", "a b"))})


def without_first_relation(document: Document) -> Document:
    return replace(document, relations=document.relations[1:])


def with_relation(document: Document) -> Document:
    return replace(document, relations=(*document.relations, Relation("Owns", 1, 0)))


PLAIN_BRAT = (
    "T1\tPER 0 7\tAnn Lee\nR1\tFounder Arg1:T1 Arg2:T2\nT2\tORG 16 20\tAcme\nA1\tGender T1 f\n#1\tOther T1\tx\n"
)


def test_features_and_relations_are_spliced_into_brat() -> None:
    remaining = "T1\tPER 0 7\tAnn Lee\nR1\tFounder Arg1:T1 Arg2:T2\nT2\tORG 16 20\tAcme\n#1\tOther T1\tx\n"
    assert splice_text("brat", PLAIN_BRAT, with_feature) == f"{remaining}A2\tGender T1 m\nA3\tNew T1 a b\n"
    assert splice_text("brat", PLAIN_BRAT, without_first_relation) == PLAIN_BRAT.replace(
        "R1\tFounder Arg1:T1 Arg2:T2\n", ""
    )
    assert splice_text("brat", PLAIN_BRAT, with_relation) == f"{PLAIN_BRAT}R2\tOwns Arg1:T2 Arg2:T1\n"


JSON = (
    '{"text": "Ann Lee founded Acme",  "spans": [{"end": 20, "start": 16, "label": "ORG"}, '
    '{"start": 0, "end": 7, "label": "PER", "features": {"Gender": "f"}}], '
    '"relations": [{"from": 1, "to": 0, "label": "Founder"}]}\n'
)


def test_features_and_relations_are_spliced_into_json() -> None:
    assert '"features": {"Gender": "m", "New": "a b"}' in splice_text("jsonl", JSON, with_feature)
    assert splice_text("jsonl", JSON, without_first_relation) == JSON.replace(
        '{"from": 1, "to": 0, "label": "Founder"}', ""
    )
    owns = '{"from": 1, "to": 0, "label": "Founder"}, {"from": 0, "to": 1, "label": "Owns"}'
    assert splice_text("jsonl", JSON, with_relation) == JSON.replace('{"from": 1, "to": 0, "label": "Founder"}', owns)
    assert splice_text("jsonl", JSON.replace(', "relations": [{"from": 1, "to": 0, "label": "Founder"}]', ""),
                   with_relation).endswith(', "relations": [{"from": 0, "to": 1, "label": "Owns"}]}\n')  # fmt: skip


def test_relations_follow_their_spans_when_one_is_removed() -> None:
    """Numbers of spans change with the list; what names a place, as Prodigy does, stays as it is."""
    three = JSON.replace('"spans": [', '"spans": [{"start": 8, "end": 15, "label": "ACT"}, ').replace(
        '"from": 1, "to": 0', '"from": 2, "to": 1'
    )

    def without_act(document: Document) -> Document:
        spans = [span for span in spans_of(document) if span.label != "ACT"]
        return make_document(document.id, spans, unit="character", text=document.text, length=20,
                             relations=[Relation("Founder", 0, 1)])  # fmt: skip

    assert '"relations": [{"from": 1, "to": 0, "label": "Founder"}]' in splice_text("jsonl", three, without_act)


GATE = """<GateDocument version="3"><GateDocumentFeatures><Feature><Name>x</Name><Value>y</Value></Feature>
</GateDocumentFeatures><TextWithNodes><Node id="0"/>Ann<Node id="3"/> in <Node id="7"/>Rome<Node id="11"/>
</TextWithNodes><AnnotationSet><Annotation Id="4" Type="Person" StartNode="0" EndNode="3">
<Feature><Name className="java.lang.String">gender</Name><Value className="java.lang.String">f</Value></Feature>
</Annotation>
<Annotation Id="5" Type="Place" StartNode="7" EndNode="11"></Annotation></AnnotationSet>
<RelationSet><Relation Id="6" Type="in" Members="4;5"/><Relation Id="7" Type="in" Members="4;9"/></RelationSet>
</GateDocument>"""


def test_features_and_relations_of_gate() -> None:
    [document], warnings = read_with_warnings("entities", "gate", GATE)
    assert links(document) == ({"Person": (("gender", "f"),)}, [("in", "Person", "Place", ())])
    assert warnings == ["not read: 1 relations between what is no span"]
    annotation = '{"type": "A", "start": 0, "end": 2, "id": 1, "features": {"n": 2, "list": ["x", "y"], "none": null}}'
    text = f'{{"text": "ab", "annotation_sets": {{"": {{"annotations": [{annotation}]}}}}}}'
    assert read_text("entities", "gate", text)[0].features == {0: (("list", "x"), ("list", "y"), ("n", "2"))}


def test_attributes_of_tei_are_features() -> None:
    names = '<persName ref="#a" xml:id="p1" type="main">Ann</persName> <rs type="place" cert="low">there</rs>'
    [document] = read_text("entities", "tei", f"<TEI><text><p>{names}</p></text></TEI>")
    assert document.features == {0: (("ref", "#a"), ("type", "main")), 1: (("cert", "low"),)}
    assert document.ids == {0: "p1"}


def test_links_of_hipe_and_chains_of_booknlp_are_features() -> None:
    header = "TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\tNEL-LIT\tNEL-METO\tMISC\n"
    table = f"{header}Rome\tB-loc\tB-org\tQ220\tNIL\t_\na\tO\tO\t_\t_\t_\n"
    text = read_text("entities", "hipe", table, columns=("NE-COARSE-LIT", "NE-COARSE-METO"))
    assert links(text[0])[0] == {"loc": (("NEL-LIT", "Q220"),), "org": (("NEL-METO", "NIL"),)}
    rows = "COREF\tstart_token\tend_token\tprop\tcat\ttext\n3\t0\t1\tPROP\tPER\tAnn Lee\n"
    assert read_text("entities", "booknlp", rows)[0].features == {0: (("COREF", "3"), ("prop", "PROP"))}


TSV = """#FORMAT=WebAnno TSV 3.3
#T_SP=custom.Named|identifier|value
#T_SP=custom.Other|x
#T_RL=custom.Rel|label|sure|BT_custom.Named


#Text=Ann in Rome
1-1\t0-3\tAnn\t*\tPER\tz\t_\t_\t_\t
1-2\t4-6\tin\t_\t_\t_\t_\t_\t_\t
1-3\t7-11\tRome\tQ\\_1\tLOC\t_\tin\t*\t1-1\t
"""


def test_relations_of_tsv_go_from_the_governor() -> None:
    [document], warnings = read_with_warnings("entities", "webanno", TSV, feature="custom.Named")
    assert links(document) == ({"LOC": (("identifier", "Q_1"),)}, [("in", "PER", "LOC", ())])
    assert warnings == ["not read: 1 annotations of the layer Other"]
