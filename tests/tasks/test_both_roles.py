"""A record with the annotation of the key and of a response never scores the key against itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.contract import registry
from aune.errors import InputError
from aune.reading.corpus import read
from aune.syntax.field_roles import FIELD_AMBIGUOUS, SUBJECTS, field_role
from tests.evaluation import corpora

SPANS: list[Any] = [{"start": 0, "end": 2, "label": "PER"}]
OTHER_SPANS: list[Any] = [{"start": 2, "end": 3, "label": "LOC"}]
RECORDS: list[tuple[str, str, dict[str, Any], str]] = [
    ("entities", "jsonl", {"tokens": ["Ann", "Lee", "met"], "spans": SPANS, "predicted_spans": OTHER_SPANS}, "spans"),
    ("entities", "jsonl", {"text": "Ann Lee", "gold_entities": SPANS, "entities": OTHER_SPANS[:0]}, "spans"),
    ("entities", "jsonl", {"text": "Ann Lee", "spans": SPANS, "ents": []}, "spans"),
    ("entities", "tags_jsonl", {"tokens": ["Ann", "ran"], "ner_tags": ["B-PER", "O"], "predictions": ["O", "O"]},
     "tags"),
    ("entities", "tags_jsonl", {"tokens": ["Ann", "ran"], "ner_tags": ["B-PER", "O"], "pred_tags": ["O", "O"]}, "tags"),
    ("entities", "tags_jsonl", {"tokens": ["Ann", "ran"], "gold": ["B-PER", "O"], "predicted": ["O", "O"]}, "tags"),
    ("tagging", "jsonl", {"words": ["a", "b"], "tags": ["D", "N"], "predictions": ["N", "D"]}, "tags"),
    ("tagging", "jsonl", {"words": ["a", "b"], "upos": ["D", "N"], "pred_upos": ["N", "D"]}, "tags"),
]  # fmt: skip
MEASURE = {"entities": "f_measure", "tagging": "accuracy"}


def fields_of(record: dict[str, Any]) -> tuple[str, str]:
    """The fields of the key and of the response."""
    lists = [name for name in record if name not in ("tokens", "words", "text")]
    keys = sorted(lists, key=lambda name: ("gold" not in name, lists.index(name)))
    return keys[0], next(name for name in lists if name != keys[0])


@pytest.mark.parametrize(("task", "form", "record", "option"), RECORDS)
def test_a_file_with_both_roles_is_refused(
    tmp_path: Path, task: str, form: str, record: dict[str, Any], option: str
) -> None:
    path = tmp_path / "both.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    key, response = fields_of(record)
    with pytest.raises(InputError) as refusal:
        aune.score(task, str(path), str(path), key_format=form, response_format=form)
    message = refusal.value.problems[0].message
    assert all(f"`{name}`" in message for name in (key, response))
    assert f"--{option}-field {key} --response-{option}-field {response}" in message
    choice = {f"{option}_field": key, f"response_{option}_field": response}
    result = aune.score(
        task, str(path), str(path), measures=[MEASURE[task]], key_format=form, response_format=form, **choice
    )
    assert result[MEASURE[task]].main == 0
    choice = {f"{option}_field": key}
    result = aune.score(
        task, str(path), str(path), measures=[MEASURE[task]], key_format=form, response_format=form, **choice
    )
    assert result[MEASURE[task]].main == 1


@pytest.mark.parametrize(("task", "form", "record", "option"), RECORDS)
def test_python_records_with_both_roles_are_refused(task: str, form: str, record: dict[str, Any], option: str) -> None:
    key, response = fields_of(record)
    if response in ("ents", "entities"):
        return  # two usual names, or one that a role stands beside: JSON lines alone compare them
    with pytest.raises(aune.AuneError) as refusal:
        aune.score(task, [record], [record])
    assert f"{option}_field='{key}', response_{option}_field='{response}'" in str(refusal.value)
    choice = {f"{option}_field": (key,), f"response_{option}_field": (response,)}
    assert aune.score(task, [record], [record], measures=[MEASURE[task]], **choice)[MEASURE[task]].main == 0


def test_rows_with_both_roles_are_refused() -> None:
    words = [{"word": "Ann", "tag": "B-PER", "pred_tag": "O"}, {"word": "ran", "tag": "O", "pred_tag": "O"}]
    for task in ("entities", "tagging"):
        with pytest.raises(aune.AuneError, match="'tag' and 'pred_tag'"):
            aune.score(task, words, words)
        choice = {"tags_field": ("tag",), "response_tags_field": ("pred_tag",)}
        result = aune.score(task, words, words, measures=[MEASURE[task]], **choice)
        assert result[MEASURE[task]].main == (0 if task == "entities" else 0.5)


def test_columns_with_the_same_labels_are_refused(tmp_path: Path) -> None:
    """The output of CRF++ and of flair: the word, the tag of the key, and the predicted one."""
    path = tmp_path / "both.conll"
    path.write_text("Ann N B-PER O\nran V O B-PER\n\n", encoding="utf-8")
    with pytest.raises(aune.AuneError, match="column='3', response_column='4'"):
        aune.score("entities", str(path), str(path))
    chosen = aune.score("entities", str(path), str(path), column="3", response_column="4")
    assert chosen["f_measure"].main == 0
    path.write_text("Ann N B-NP B-PER\nran V O O\n\n", encoding="utf-8")  # chunks are no entities
    assert aune.score("entities", str(path), str(path))["f_measure"].main == 1


@pytest.mark.parametrize("header", ["Word,Gold,Predicted", "Token,Tag,Pred", "Word,Tag1,Tag2"])
def test_tables_with_both_roles_are_refused(tmp_path: Path, header: str) -> None:
    path = tmp_path / "both.csv"
    path.write_text(f"{header}\nAnn,B-PER,B-PER\nran,O,B-PER\n", encoding="utf-8")
    with pytest.raises(aune.AuneError, match=r"column='\w+', response_column="):
        aune.score("entities", str(path), str(path), key_format="table", response_format="table")
    names = header.split(",")
    choice = {"column": names[1], "response_column": names[2]}
    form = {"key_format": "table", "response_format": "table"}
    assert aune.score("entities", str(path), str(path), **form, **choice)["f_measure"].main < 1


# Every reader whose records have names of fields, and every table whose columns have names.


def named_formats() -> list[Any]:
    return [
        pytest.param(task, form.name, id=f"{task}-{form.name}")
        for task in registry.task_names()
        for form in registry.formats(task)
        if form.name not in corpora.ANSWERS
    ]


def with_predictions(key: str, response: str) -> str | None:
    """A file of records or rows with the annotation of a response beside the key's; None where nothing has a name."""
    if key.lstrip()[:1] in ("{", "["):
        sides = [json.loads(text) if text.startswith("[") else list(map(json.loads, text.splitlines()))
                 for text in (key, response)]  # fmt: skip
        records = [beside(*pair) for pair in zip(*sides, strict=True)]
        return json.dumps(records) if key.startswith("[") else "".join(json.dumps(record) + "\n" for record in records)
    mark = next((mark for mark in "\t," if mark in key.split("\n", 1)[0]), None)
    if mark is None or key.split("\n", 1)[0] != response.split("\n", 1)[0]:
        return None  # the first line has no names
    pairs = [(first.split(mark), second.split(mark)) for first, second in
             zip(key.splitlines(), response.splitlines(), strict=True)]  # fmt: skip
    differing = {column for first, second in pairs
                 for column, cells in enumerate(zip(first, second, strict=True)) if len(set(cells)) > 1}  # fmt: skip
    column = min(differing)
    names = [*pairs[0][0], f"{pairs[0][0][column]}-PRED"]
    rows = [[*first, second[column]] if len(first) > column else first for first, second in pairs[1:]]
    return "".join(mark.join(row) + "\n" for row in [names, *rows])


def beside(key: Any, response: Any) -> Any:
    """A record of the key, with what a response has otherwise under the name of a prediction."""
    if isinstance(key, dict):
        added = {f"predicted_{name}": response[name] for name in key if key[name] != response.get(name, key[name])}
        return {**key, **added}
    return key


@pytest.mark.parametrize(("task", "form"), named_formats())
def test_no_reader_takes_one_side_of_two_in_silence(task: str, form: str, tmp_path: Path) -> None:
    sides = corpora.records(task, 12)
    paths = [Path(corpora.write_text(tmp_path, name, task, form, records))
             for name, records in zip(("key", "response"), sides, strict=True)]  # fmt: skip
    if not paths[0].is_file() or (text := with_predictions(*(path.read_text("utf-8") for path in paths))) is None:
        pytest.skip("neither fields nor columns of this format have names")
    paths[0].write_text(text, encoding="utf-8")
    options = corpora.OPTIONS.get(f"{task}.{form}", {})
    with pytest.raises(aune.InputError) as refusal:
        read(registry.task(task), str(paths[0]), form, **options)
    assert {FIELD_AMBIGUOUS, "column.ambiguous"} & {problem.code for problem in refusal.value.problems}


ROLES = st.tuples(
    st.sampled_from(["", "gold_", "true_", "reference_"]), st.sampled_from(["pred_", "predicted_", "hyp_", "system_"])
)


@given(ROLES, st.sampled_from([("ner_tags", "tags"), ("spans", "spans"), ("entities", "spans")]), st.randoms())
@settings(max_examples=60)
def test_generated_records_are_refused_or_resolved(roles: tuple[str, str], field: tuple[str, str], random: Any) -> None:
    base, option = field
    values = (["B-PER", "O"], ["O", "B-LOC"]) if option == "tags" else ([(0, 1, "PER")], [(1, 2, "LOC")])
    items = [("tokens", ["Ann", "ran"]), (roles[0] + base, values[0]), (roles[1] + base, values[1])]
    random.shuffle(items)
    record = dict(items)
    with pytest.raises(aune.AuneError, match="expected one of them"):
        aune.score("entities", [record], [record])
    choice = {f"{option}_field": (roles[0] + base,), f"response_{option}_field": (roles[1] + base,)}
    assert aune.score("entities", [record], [record], **choice)["f_measure"].main == 0


def test_other_fields_have_no_role() -> None:
    for name in ("tokens", "meta", "pos_tags", "model_name", "reference_id", "keywords", "predictable"):
        assert field_role(name, SUBJECTS["entities"]) is None, name
