"""A name that an object of JSON has twice is never resolved in silence: JSON itself keeps the last one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import aune
from aune.contract import registry
from aune.reading.corpus import read
from tests.evaluation import corpora

RECORDS = 3  # of a file


def json_formats() -> Iterator[Any]:
    for task in registry.task_names():
        for form in registry.formats(task):
            if {".json", ".jsonl"} & set(form.suffixes) or form.name in corpora.ANSWERS:
                yield pytest.param(task, form.name, id=f"{task}-{form.name}")


def names_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every name in a JSON value; of a list, the names in its first item."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*path, name)
            yield from names_of(inner, (*path, name))
    elif isinstance(value, list) and value:
        yield from names_of(value[0], (*path, 0))


def write_text(value: Any, path: tuple[Any, ...], *, twice: bool) -> str:
    """JSON without the name that a path leads to, or with it twice: the other value comes first."""
    if isinstance(value, dict):
        parts = []
        for name, inner in value.items():
            here = bool(path) and path[0] == name
            if here and len(path) == 1:
                parts += [f"{json.dumps(name)}: {other}" for other in (("null", json.dumps(inner)) if twice else ())]
            else:
                parts.append(f"{json.dumps(name)}: {write_text(inner, path[1:] if here else (), twice=twice)}")
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list) and path:
        return "[" + ", ".join(write_text(item, path[1:] if n == path[0] else (), twice=twice) for n, item in
                               enumerate(value)) + "]"  # fmt: skip
    return json.dumps(value)


def outcome(task: str, form: str, path: Path) -> str:
    try:
        corpus = read(registry.task(task), str(path), form, **corpora.OPTIONS.get(f"{task}.{form}", {}))
    except aune.AuneError as error:
        return f"refused: {error}"
    return repr((corpus.documents, corpus.warnings))


@pytest.mark.parametrize(("task", "form"), list(json_formats()))
def test_a_name_twice_in_an_object_is_refused(task: str, form: str, tmp_path: Path) -> None:
    """Unless the reader does not look at the name: then the file without it reads the same."""
    path = Path(corpora.write_text(tmp_path, "key", task, form, corpora.records(task, RECORDS)[0]))
    path = sorted(path.iterdir())[0] if path.is_dir() else path
    text = path.read_text("utf-8")
    if not text.lstrip().startswith(("{", "[")):
        pytest.skip("what is written in this format is XML")
    try:
        values = [json.loads(text)]
    except ValueError:
        values = [json.loads(line) for line in text.splitlines()]
    assert values and outcome(task, form, path)
    for name in names_of(values[0]):
        others = [json.dumps(value) for value in values[1:]]
        outcomes = []
        for twice in (True, False):
            path.write_text("\n".join([write_text(values[0], name, twice=twice), *others]) + "\n", encoding="utf-8")
            outcomes.append(outcome(task, form, path))
        assert outcomes[0].startswith("refused") or outcomes[0] == outcomes[1], name
