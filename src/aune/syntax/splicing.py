"""Functions that the splicers of all tasks share: they relate the documents of a file to those to write into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from aune.errors import UsageError
from aune.reading.source import Source


class HasId(Protocol):
    """A document, of which only the name matters here."""

    @property
    def id(self) -> str: ...


DocumentT = TypeVar("DocumentT", bound=HasId)


def pair_documents(
    source: Source, before: Sequence[DocumentT], after: Sequence[DocumentT], text: Callable[[DocumentT], Any]
) -> Iterator[tuple[DocumentT, DocumentT]]:
    """Documents in a file, paired with the new ones; refused if they are not on the same texts."""
    source.raise_problems()
    if [document.id for document in before] != [document.id for document in after]:
        raise UsageError(
            f"{source.name} holds other documents than those to write into it: "
            "give the same documents in the same order, or write a new file"
        )
    for old, new in zip(before, after, strict=True):
        if text(old) != text(new):
            raise UsageError(
                f"document {new.id!r} has another text than in {source.name}: its annotation cannot be put there, "
                "give the same text, or write a new file"
            )
    return zip(before, after, strict=True)
