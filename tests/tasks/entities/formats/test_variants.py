"""What real exports of other tools vary in: each is read whole, or refused with a reason that a user accepts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aune.contract import registry
from aune.errors import InputError
from aune.reading.corpus import Corpus, read

TASK = registry.task("entities")


def read_file(folder: Path, name: str, content: Any, task: str = "entities", **options: Any) -> Corpus:
    """A file as the command line reads it, recognised by its content and its name."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read(registry.task(task), str(path), **options)


def triples(corpus: Corpus) -> dict[str, list[tuple[int, int, str]]]:
    return {document.id: document.triples() for document in corpus.documents}


def region(start: Any, end: Any, text: str, label: str, kind: str = "labels", **more: Any) -> dict[str, Any]:
    return {"id": "r", "type": kind, "value": {"start": start, "end": end, "text": text, kind: [label], **more}}


PERSON = region(0, 3, "Ann", "PER")
DATA = {"text": "Ann ran"}
CELL = '"[{""start"":0,""end"":3,""text"":""Ann"",""labels"":[""PER""]}]"'
OFFSETS = {"globalOffsets": {"start": 0, "end": 3}}
LABEL_STUDIO: dict[str, Any] = {
    "completions.json": [{"id": 1, "data": DATA, "completions": [{"id": 1, "result": [PERSON]}]}],
    "storage.json": {"id": 7, "task": {"id": 1, "data": DATA}, "completed_by": {"id": 1}, "result": [PERSON]},
    "rows.csv": f"annotation_id,annotator,id,label,lead_time,text\n1,1,1,{CELL},1.2,Ann ran\n",
    "rows.tsv": f"text\tid\tlabel\tannotator\tannotation_id\nAnn ran\t1\t{CELL}\t1\t1\n",
    "hypertext.json": [{"id": 1, "data": DATA, "annotations": [
        {"result": [region("/text()[1]", "/text()[1]", "Ann", "PER", "hypertextlabels", **OFFSETS)]}]}],
}  # fmt: skip


@pytest.mark.parametrize("name", LABEL_STUDIO)
def test_exports_of_label_studio(name: str, tmp_path: Path) -> None:
    corpus = read_file(tmp_path, name, LABEL_STUDIO[name])
    assert (corpus.format, triples(corpus)) == ("label_studio", {"1": [(0, 3, "PER")]}) and not corpus.warnings


def test_drafts_of_label_studio_are_counted(tmp_path: Path) -> None:
    tasks = [{"id": 1, "data": DATA, "annotations": [{"result": [PERSON]}], "drafts": [{"result": [PERSON]}]}]
    assert any("not read: 1 drafts" in warning for warning in read_file(tmp_path, "a.json", tasks).warnings)


SPANS = [{"start": 0, "end": 3, "label": "PER"}]
ARGILLA: dict[str, Any] = {
    "nested.json": [{"id": "1", "fields": DATA, "metadata": {}, "suggestions": {},
                     "responses": {"names": [{"value": SPANS, "user_id": "ann"}]}, "status": "completed"}],
    "flat.json": [{"id": "1", **DATA, "names.responses": [SPANS, []], "names.responses.users": ["ann", "ben"],
                   "names.responses.status": ["submitted", "discarded"], "names.suggestion": None}],
    "feedback.jsonl": {"fields": DATA, "metadata": {}, "responses": [
        {"user_id": "ann", "status": "submitted", "values": {"names": {"value": SPANS}, "good": {"value": 1}}}]},
}  # fmt: skip


@pytest.mark.parametrize("name", ARGILLA)
def test_records_of_argilla_2(name: str, tmp_path: Path) -> None:
    corpus = read_file(tmp_path, name, ARGILLA[name])
    assert (corpus.format, triples(corpus)) == ("jsonl", {"1": [(0, 3, "PER")]})


def test_annotators_and_questions_of_argilla_2(tmp_path: Path) -> None:
    answers = [{"value": SPANS, "user_id": "ann"}, {"value": [], "user_id": "ben"}]
    record = {"id": "1", "fields": {"sentence": "Ann ran"}, "responses": {"names": answers}}
    assert triples(read_file(tmp_path, "a.jsonl", record, annotator="ben")) == {"1": []}
    with pytest.raises(InputError, match="annotation of 2 annotators"):
        read_file(tmp_path, "a.jsonl", record)
    two = {**record, "responses": {"names": answers[:1], "places": answers[:1]}}
    with pytest.raises(InputError, match="found answers to names, places, expected those to one question"):
        read_file(tmp_path, "a.jsonl", two)
    assert triples(read_file(tmp_path, "a.jsonl", two, spans_field=("places",))) == {"1": [(0, 3, "PER")]}
    unanswered = read_file(tmp_path, "a.jsonl", {**record, "responses": {}})
    assert not unanswered.documents and "1 text left out" in unanswered.warnings[0]


def test_a_file_of_prodigy_without_any_entity_is_recognised(tmp_path: Path) -> None:
    task = {"text": "It rains", "_input_hash": 1, "_view_id": "ner_manual", "answer": "accept"}
    assert triples(read_file(tmp_path, "a.jsonl", task)) == {"1": []}


REFUSED = {
    "old.tsv": ("# webanno.custom.X | value\n\n#id=1\n#text=Ann met\n1-1\tAnn\tB-PER\t\n",
                "found WebAnno TSV 1 or 2, expected WebAnno TSV 3"),
    "old.json": ('{"_context": {}, "_views": {}, "_referenced_fss": {"1": {"_type": "Sofa", "sofaString": "Ann"}}}',
                 "expected JSON of UIMA 0.4"),
    "gliner.jsonl": ('{"tokenized_text": ["Ann"], "ner": [[0, 0, "PER"]]}\n', "found no spans, expected an object"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_files_of_other_versions_are_refused_as_what_they_are(name: str, tmp_path: Path) -> None:
    text, reason = REFUSED[name]
    with pytest.raises(InputError, match=reason):
        read_file(tmp_path, name, text)


def test_chains_of_tsv_whose_columns_are_the_other_way_round(tmp_path: Path) -> None:
    layer = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|referenceRelation"
    rows = "1-1\t0-3\tAnn\tnam[1]\t*->1-1\t\n1-2\t4-7\tmet\t_\t_\t\n1-3\t8-11\ther\tpr[2]\tana->1-2\t\n"
    text = f"#FORMAT=WebAnno TSV 3.3\n#T_CH={layer}\n\n\n#Text=Ann met her\n{rows}"
    [document] = read_file(tmp_path, "a.tsv", text, "coref").documents
    assert document.clusters() == [[(0, 1), (2, 3)]]
