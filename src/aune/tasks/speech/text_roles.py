"""The text fields of a record, and the side of a comparison to which each of them belongs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from aune.errors import Remedy
from aune.reading.source import Source

TextField = Annotated[
    tuple[str, ...], "the fields that may contain the text; text, words, transcript… if none is named"
]
_TEXT = r"(?:[_ -]?(?:text|words|transcript|transcription|sentence))"
REFERENCE_NAME = re.compile(rf"(?:reference|ref|gold|ground[_ -]?truth|truth|target){_TEXT}?", re.IGNORECASE)
RESPONSE_NAME = re.compile(
    rf"(?:pred|predicted|prediction|hyp|hypothesis|recogni[sz]ed|asr|stt){_TEXT}?", re.IGNORECASE
)
NEUTRAL_NAMES = ("text", "words", "transcript", "transcription", "sentence")


class TextRoles(NamedTuple):
    """The field of the key and the field of the response, in a record that has both."""

    key: str
    response: str

    @property
    def remedy(self) -> Remedy:
        return Remedy("name both", (("text_field", self.key), ("response_text_field", self.response)))


def text_roles(record: Mapping[str, Any]) -> TextRoles | None:
    """The texts of both sides in one record; None if it has at most one side.

    >>> text_roles({"id": "u1", "text": "a", "pred_text": "b"})
    TextRoles(key='text', response='pred_text')
    >>> text_roles({"id": "u1", "text": "a", "prediction_score": 0.5}) is None
    True
    """
    texts = [name for name, value in record.items() if isinstance(name, str) and isinstance(value, str | list)]
    reference = next(filter(REFERENCE_NAME.fullmatch, texts), "")
    response = next(filter(RESPONSE_NAME.fullmatch, texts), "")
    neutral = next((name for name in NEUTRAL_NAMES if name in texts), "")
    if response and (reference or neutral):
        return TextRoles(reference or neutral, response)
    return TextRoles(reference, neutral) if reference and neutral else None


def report_two_roles(source: Source, line: int, column: int, roles: TextRoles) -> None:
    """Report a record that contains both sides when no option selects one."""
    source.add_problem(
        "record.two-roles",
        line,
        column,
        found=f"both {roles.key!r} and {roles.response!r} in one record",
        expected="the text of one side",
        remedies=[roles.remedy],
    )
