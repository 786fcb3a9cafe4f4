"""Records of Argilla 2: answers of several people to questions about spans.

    {"id": "1", "fields": {"text": "Ann ran"}, "responses": {"names": [
        {"value": [{"start": 0, "end": 3, "label": "PER"}], "user_id": "ann"}]}}
    {"text": "Ann ran", "names.responses": [[{"start": 0, "end": 3, "label": "PER"}]], "names.responses.users": ["ann"]}

Answers that were discarded or are drafts do not count, nor do suggestions and answers to other kinds of questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

SIGNS = re.compile(r'"fields"\s*:\s*\{[^{}]*\}.*"responses"\s*:\s*[\[{]|"[\w-]+\.responses"\s*:', re.DOTALL)
SUBMITTED = ("submitted", "", None)


class Response(NamedTuple):
    """The answer of one annotator to one question."""

    question: str
    annotator: str
    spans: list[Any]


class ArgillaRecord(NamedTuple):
    """A text with the answers of everybody."""

    id: str | int | None
    text: str | None
    responses: list[Response]


def is_argilla(text: str) -> bool:
    """Whether the text of a record, or the beginning of a file, is of Argilla 2."""
    return "responses" in text and SIGNS.search(text) is not None


def argilla_responses(record: Mapping[str, Any]) -> ArgillaRecord | None:
    """What a record says; None if it is of another kind."""
    if not isinstance(record, dict):
        return None
    fields = record.get("fields")
    fields = record if not isinstance(fields, dict) else fields
    strings = {name: value for name, value in fields.items() if isinstance(value, str)}
    text = strings.get("text", next(iter(strings.values()), None) if fields is not record else None)
    responses = [
        Response(question, str(annotator or ""), spans)
        for question, annotator, status, spans in _answers(record)
        if status in SUBMITTED and isinstance(spans, list) and all(isinstance(span, dict) for span in spans)
    ]
    identifier = record.get("id")
    return ArgillaRecord(identifier if isinstance(identifier, str | int) else None, text, responses)


def _answers(record: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any, Any]]:
    """Question, annotator, status and value of every answer."""
    responses = record.get("responses")
    if isinstance(responses, dict):
        for question, answers in responses.items():
            for answer in answers if isinstance(answers, list) else ():
                if isinstance(answer, dict):
                    yield question, answer.get("user_id"), answer.get("status"), answer.get("value")
    for item in responses if isinstance(responses, list) else ():  # the feedback task of version 1
        values = item.get("values") if isinstance(item, dict) else None
        for question, answer in (values or {}).items():
            if isinstance(answer, dict):
                yield question, item.get("user_id"), item.get("status"), answer.get("value")
    for name, values in record.items():
        if name.endswith(".responses") and isinstance(values, list):
            users, states = (record.get(f"{name}.{kind}") or [None] * len(values) for kind in ("users", "status"))
            for value, user, state in zip(values, users, states, strict=False):
                yield name.removesuffix(".responses"), user, state, value
