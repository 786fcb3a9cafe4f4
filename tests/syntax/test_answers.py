"""What models write before they answer changes nothing of what is read, in every format of raw answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aune.core import registry
from aune.core.corpus import Source
from aune.core.errors import InputError
from aune.core.recognition import recognised

TASKS = Path(__file__).parents[1] / "tasks"
SAMPLES = sorted(TASKS.glob("*/formats/samples/*-answers.jsonl"))
THOUGHT = 'Ann may be [["Ann", "LOC"]], <LOC>Ann</LOC> or [Ann]1.\nAnn (LOC)\n'


def name(path: Path) -> str:
    return f"{path.parts[-4]}-{path.stem}"


def documents(path: Path, before: str) -> tuple[list[Any], list[str]]:
    """The documents of a file whose answers all have this before them, read in the format that is recognised."""
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines = [json.dumps({**record, "answer": before + record["answer"]}) + "\n" for record in records]
    source = Source("x.jsonl", "".join(lines).encode())
    form = recognised(registry.task(path.parts[-4]), source)
    assert form is not None and path.name.startswith(f"{form.name}-")
    read = [replace(document, line=0) for document in form.read(source)]
    source.finish()
    return read, [note.kind for note in source.notes]


@pytest.mark.parametrize("path", SAMPLES, ids=name)
@pytest.mark.parametrize("before", [f"<think>{THOUGHT}</think>", f"{THOUGHT}</think>\n\n", "<reasoning></reasoning> "])
def test_what_was_thought_is_no_answer(path: Path, before: str) -> None:
    plain, kinds = documents(path, "")
    thought, more = documents(path, before)
    assert repr(thought) == repr(plain)
    assert set(more) - set(kinds) == {"after the model's reasoning, which was taken off"}


def test_every_format_of_raw_answers_has_a_sample() -> None:
    assert [name(path) for path in SAMPLES] == [
        "coref-inline_text-answers", "coref-mentions_json-answers", "entities-inline_text-answers",
        "entities-llm_json-answers", "entities-llm_lines-answers",
    ]  # fmt: skip


@pytest.mark.parametrize("task", ["entities", "coref"])
@pytest.mark.parametrize("answer", ["| Ann | PER |", "I cannot help with that.", "<think>[['Ann', 'PER']]"])
def test_answers_in_no_known_form_are_refused_with_the_formats_for_answers(task: str, answer: str) -> None:
    source = Source("x.jsonl", json.dumps({"id": "a", "answer": answer}).encode())
    names = {"entities": "inline_text, llm_json, llm_lines", "coref": "inline_text, mentions_json"}[task]
    with pytest.raises(InputError, match=f"expected one of {names}: name it"):
        recognised(registry.task(task), source)
