"""What models write before they answer changes nothing of what is read, in every format of raw answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aune.contract import registry
from aune.errors import InputError
from aune.reading.recognition import recognise_format
from aune.reading.source import Source
from aune.syntax.llm_answers import answers

TASKS = Path(__file__).parents[1] / "tasks"
SAMPLES = sorted(TASKS.glob("*/formats/samples/*-answers.jsonl"))
THOUGHT = 'Ann may be [["Ann", "LOC"]], <LOC>Ann</LOC> or [Ann]1.\nAnn (LOC)\n'


def name(path: Path) -> str:
    return f"{path.parts[-4]}-{path.stem}"


Shell = Callable[[str], dict[str, Any]]


def wrap(before: str, after: str = "") -> Shell:
    return lambda answer: {"answer": f"{before}{answer}{after}"}


def documents(path: Path, shell: Shell) -> tuple[list[Any], list[str]]:
    """The documents of a file whose answers are all written so, read in the format that is recognised."""
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines = [json.dumps({**record, "answer": None, **shell(record["answer"])}) + "\n" for record in records]
    source = Source("x.jsonl", "".join(lines).encode())
    form = recognise_format(registry.task(path.parts[-4]), source)
    assert form is not None and path.name.startswith(f"{form.name}-")
    read = [_without_places(document) for document in form.read(source)]
    source.raise_problems()
    return read, [note.kind for note in source.notes]


def _without_places(document: Any) -> Any:
    """A document without the columns of its file, which depend on where an answer stands in its record."""
    listed = document.listed and tuple(item._replace(column=1) for item in document.listed)
    return replace(document, line=0, listed=listed, **({"columns": None} if hasattr(document, "columns") else {}))


@pytest.mark.parametrize("path", SAMPLES, ids=name)
@pytest.mark.parametrize(
    "shell",
    [
        wrap(f"<think>{THOUGHT}</think>"), wrap(f"{THOUGHT}</think>\n\n"), wrap("<reasoning></reasoning> "),
        wrap(f"<thought>{THOUGHT}</thought>"), wrap(f"[THINK]{THOUGHT}[/THINK]\n"), wrap("<answer>", "</answer>"),
        wrap(f"<think>{THOUGHT}</think>It is <answer>\n", "\n</answer>"), wrap("", "<|im_end|>\n"),
        wrap(f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|channel|>final<|message|>", "<|return|>"),
    ],
)  # fmt: skip
def test_what_was_thought_is_no_answer(path: Path, shell: Shell) -> None:
    plain, kinds = documents(path, wrap(""))
    thought, more = documents(path, shell)
    assert repr(thought) == repr(plain)
    assert set(more) - set(kinds) == {"with the model's reasoning or marks of its own around it, which were taken off"}


def message(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


RETURNED: dict[str, Shell] = {
    "chat": lambda answer: {"answer": message(answer)},
    "choices": lambda answer: {"response": {"body": {"choices": [{"index": 0, "message": message(answer)}]}}},
    "output": lambda answer: {
        "output": [{"type": "reasoning"}, {"type": "message", **message([{"type": "output_text", "text": answer}])}]
    },
    "blocks": lambda answer: {
        "result": {"message": message([{"type": "thinking", "thinking": THOUGHT}, {"type": "text", "text": answer}])}
    },
    "candidates": lambda answer: {"candidates": [{"content": {"parts": [{"text": answer}], "role": "model"}}]},
    "tool calls": lambda answer: {
        "answer": message(None, tool_calls=[{"id": "1", "function": {"name": "list", "arguments": answer}}])
    },
    "tool use": lambda answer: {
        "answer": [{"type": "text", "text": "Now."}, {"type": "tool_use", "name": "list", "input": answer}]
    },
}


@pytest.mark.parametrize("path", SAMPLES, ids=name)
@pytest.mark.parametrize("service", RETURNED)
def test_what_a_service_returned_is_read_as_the_answer_in_it(path: Path, service: str) -> None:
    assert repr(documents(path, RETURNED[service])) == repr(documents(path, wrap("")))


@pytest.mark.parametrize("path", SAMPLES, ids=name)
@pytest.mark.parametrize("field", ["response", "output", "completion", "prediction", "generated_text", "content"])
def test_an_answer_under_another_usual_name_is_the_answer(path: Path, field: str) -> None:
    assert repr(documents(path, lambda answer: {field: answer})) == repr(documents(path, wrap("")))


def test_two_fields_that_could_be_the_answer_are_asked_about() -> None:
    source = Source("x.jsonl", b'{"id": "d", "response": "Ann (PER)", "output": "no entities"}\n')
    assert not list(answers(source, "answer", ""))
    with pytest.raises(InputError, match="name its field \\(text is in `id`, `response`, `output`\\)"):
        source.raise_problems()


@pytest.mark.parametrize(
    "returned", [{"choices": [{"text": "a"}, {"text": "b"}]}, {"output": [{"name": "f", "arguments": "[]"}] * 2}]
)
def test_several_answers_in_one_record_are_refused(returned: dict[str, Any]) -> None:
    source = Source("x.jsonl", json.dumps({"custom_id": "a", **returned}).encode())
    assert not list(answers(source, "answer", ""))
    assert "expected one in one record" in str(source.problems[0])


def test_every_format_of_raw_answers_has_a_sample() -> None:
    assert [name(path) for path in SAMPLES] == [
        "coref-inline_text-answers", "coref-mentions_json-answers", "entities-inline_text-answers",
        "entities-llm_json-answers", "entities-llm_lines-answers",
    ]  # fmt: skip


@pytest.mark.parametrize("task", ["entities", "coref"])
@pytest.mark.parametrize(
    "answer", ["| Ann | PER |", "Ann: PER", "", "I cannot help with that.", "<think>[['Ann', 'PER']]"]
)
def test_answers_in_no_known_form_are_refused_with_the_formats_for_answers(task: str, answer: str) -> None:
    source = Source("x.jsonl", json.dumps({"id": "a", "answer": answer}).encode())
    names = {"entities": "inline_text, llm_json, llm_lines", "coref": "inline_text, mentions_json"}[task]
    with pytest.raises(InputError, match=f"expected one of {names}: name it"):
        recognise_format(registry.task(task), source)
