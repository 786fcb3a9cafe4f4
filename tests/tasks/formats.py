"""What the tests of formats share: reading a text and writing documents, as a file would be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aune.contract import registry
from aune.errors import InputError
from aune.reading.source import Source


def read(task: str, form: str, text: str | bytes, **options: Any) -> list[Any]:
    """The documents of a text in a format, or an `InputError`."""
    return read_with_warnings(task, form, text, **options)[0]


def read_with_warnings(task: str, form: str, text: str | bytes, **options: Any) -> tuple[list[Any], list[str]]:
    source = Source("file", text if isinstance(text, bytes) else text.encode())
    documents = list(registry.format(task, form).read(source, **options))
    source.raise_problems()
    return documents, [warning.removeprefix("file: ") for warning in source.warnings]


def write_text(task: str, form: str, documents: Sequence[Any]) -> str:
    write = registry.format(task, form).write
    assert write is not None
    return "".join(write(documents))


def splice_documents(task: str, form: str, data: bytes, documents: Sequence[Any], **options: Any) -> bytes:
    splice = registry.format(task, form).splice
    assert splice is not None
    return splice(Source("file", data), documents, **options)


def messages(task: str, form: str, text: str | bytes, **options: Any) -> list[str]:
    """What is wrong with a text, each with its line and column."""
    try:
        read(task, form, text, **options)
    except InputError as error:
        return [str(problem).removeprefix("file:") for problem in error.problems]
    return []
