"""The law of fields: what a reader knows of a record acts.

In every sample with JSON records, every field that the reader's module names is changed: something that is read
changes, or a warning, or the file is refused. A field that is read and then forgotten would pass every other test.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aune
from aune.contract import registry
from aune.contract.options import options_of
from aune.reading.corpus import read_with_problems

SAMPLES = sorted(Path(__file__).parent.glob("tasks/*/formats/samples/*.json*"))
ONE_ANNOTATOR = "who annotated matters where several did"
LABEL_STUDIO = "how Label Studio's page is built"
MEANINGLESS = {
    "anaphora/jsonlines-two.jsonl": {"other": "a field that nobody knows, which the sample makes up"},
    "entities/jsonl-prodigy.jsonl": {
        "_annotator_id": ONE_ANNOTATOR, "_input_hash": "a sign of Prodigy", "_task_hash": "a sign of Prodigy",
    },
    "entities/label_studio-task.json": {
        "annotations.completed_by": ONE_ANNOTATOR, "annotations.result.from_name": LABEL_STUDIO,
        "annotations.result.to_name": LABEL_STUDIO,
        "annotations.result.type": "the labels show what a region is",
    },
    "speech/manifest-slurp.jsonl": dict.fromkeys(
        ("entities.span", "entities.type", "tokens.id"), "entities of another shape, which is reported"
    ),
    "speech/recogniser_json-whisper.json": dict.fromkeys(
        ("segments.id", "text"), "the words of the segments, with their times, are read"
    ),
}  # fmt: skip
"""Fields that a reader's module names and that change nothing, by sample, with the reason."""
Step = str | None
"""The name of a field, or None for every item of a list."""


def field_paths(value: Any, path: tuple[Step, ...] = ()) -> Iterator[tuple[Step, ...]]:
    """The paths of all fields in a JSON value."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield (*path, name)
            yield from field_paths(item, (*path, name))
    elif isinstance(value, list):
        for item in value:
            yield from field_paths(item, (*path, None))


def changed_value(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return f"{value}x"
    if isinstance(value, list):
        return value[:-1] if value else ["x"]
    return {} if value else "x"


def with_change(value: Any, path: tuple[Step, ...]) -> Any:
    """A JSON value in which the field of a path is changed, wherever it occurs."""
    if not path:
        return changed_value(value)
    step, *rest = path
    if step is None:
        return [with_change(item, tuple(rest)) for item in value] if isinstance(value, list) else value
    if isinstance(value, dict) and step in value:
        return {**value, step: with_change(value[step], tuple(rest))}
    return value


def text_of(records: Any, are_lines: bool) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records) if are_lines else json.dumps(records)


def outcomes(task: str, form: str, path: Path) -> list[Any]:
    """What is read of a file, with all that is said about it, under every choice of the reader's options."""
    options = options_of(registry.format(task, form).read).values()
    choices = [{option.name: choice} for option in options for choice in option.choices if choice != option.default]
    return [outcome(task, form, path, choice) for choice in ({}, *choices)]


def outcome(task: str, form: str, path: Path, choice: dict[str, Any]) -> Any:
    try:
        corpus, problems = read_with_problems(registry.task(task), str(path), form, **choice)
    except aune.AuneError as error:
        return str(error)
    with np.printoptions(threshold=sys.maxsize):
        return list(map(repr, corpus.documents)), corpus.warnings, list(map(str, problems))


def names_of_module(task: str, form: str) -> frozenset[str]:
    """The words of a reader's module, without its description."""
    module = sys.modules[registry.format(task, form).read.__module__]
    text = Path(str(module.__file__)).read_text("utf-8").replace(module.__doc__ or "", "")
    return frozenset(re.findall(r"\w+", text))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: f"{path.parts[-4]}-{path.name}")
def test_a_field_that_a_reader_knows_acts(sample: Path, tmp_path: Path) -> None:
    task, form = sample.parts[-4], sample.name.partition("-")[0]
    text = sample.read_text("utf-8")
    are_lines = sample.suffix == ".jsonl" and not text.lstrip().startswith("[")
    records = [json.loads(line) for line in text.splitlines() if line.strip()] if are_lines else json.loads(text)
    known = names_of_module(task, form)
    copy = tmp_path / sample.name
    copy.write_text(text_of(records, are_lines), encoding="utf-8")
    before = outcomes(task, form, copy)
    silent = []
    for path in sorted(set(field_paths(records)), key=str):
        name = ".".join(step for step in path if step)
        if path[-1] in known:
            copy.write_text(text_of(with_change(records, path), are_lines), encoding="utf-8")
            if outcomes(task, form, copy) == before:
                silent.append(name)
    assert set(silent) == set(MEANINGLESS.get(f"{task}/{sample.name}", {}))


ENTITY_FIELDS = ("eid", "etype", "head", "minspan", "infstat", "other")


@pytest.mark.parametrize("field", ENTITY_FIELDS)
def test_a_field_of_corefud_acts(field: str, tmp_path: Path) -> None:
    """The fields of `Entity`, whose order each file declares."""
    usual = dict(zip(ENTITY_FIELDS, ("e1", "person", "1", "1", "new", "x"), strict=True))
    documents = []
    for number, values in enumerate((usual, {**usual, field: "e2" if field == "eid" else "2"})):
        rows = [f"1\tAnn\t_\t_\t_\t_\t0\t_\t_\tEntity=({'-'.join(values.values())}",
                f"2\tLee\t_\t_\t_\t_\t1\t_\t_\tEntity={values['eid']})",
                "3\tshe\t_\t_\t_\t_\t1\t_\t_\tEntity=(e1-person-1-1-giv-x)"]  # fmt: skip
        path = tmp_path / f"{number}.conllu"
        path.write_text("\n".join([f"# global.Entity = {'-'.join(ENTITY_FIELDS)}", "# newdoc id = d", *rows, "", ""]))
        documents.append(outcome("coref", "corefud", path, {})[0])
    assert documents[0] != documents[1]
