"""What is kept of laying a response on a key: how many things were placed how, and each that was not placed exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, TypeAlias

from aune.alignment.placing import Policy
from aune.alignment.projection import Placement, Status, Text
from aune.core.errors import Problem

Realign: TypeAlias = Annotated[
    Literal["none", "words"], "how a response whose text is not the key's is laid on it: not at all, or by its words"
]
Place: TypeAlias = Annotated[
    Policy, "where strings without positions stand: in the order given, at their first place, at all; or between bounds"
]
Unplaced: TypeAlias = Annotated[
    Literal["count", "ignore"], "what has no place in the key: counted as wrong, or left out as if not given"
]
OtherText: TypeAlias = Annotated[
    Literal["refuse", "unplaced"], "a response that is of another text: a problem, or all it gives has no place"
]
LOST = "LOST"  # beside the names of `Status`: what could not be read
ANOTHER_TEXT = 0.4  # coverage of both sides below which a response is of another text


class Item(NamedTuple):
    """Something of the response that does not stand in the key just as written."""

    written: str
    label: str
    placement: Placement
    line: int = 0
    column: int = 1


class Record(NamedTuple):
    """How the response of one document was laid on its key."""

    document: str
    statuses: Mapping[Status, int]
    items: Sequence[Item] = ()
    lost: int = 0
    """What the response gave and could not be read, such as the end of an answer that was cut off."""
    key_coverage: float = 1.0
    response_coverage: float = 1.0

    @property
    def given(self) -> int:
        return sum(self.statuses.values()) + self.lost

    @property
    def unplaced(self) -> int:
        return sum(count for status, count in self.statuses.items() if not status.placed) + self.lost


def record(document: str, items: Sequence[Item], lost: int = 0, coverage: tuple[float, float] = (1.0, 1.0)) -> Record:
    """The record of a document, from all its items."""
    statuses = Counter(item.placement.status for item in items)
    inexact = [item for item in items if item.placement.status is not Status.EXACT]
    return Record(document, statuses, inexact, lost, *coverage)


def is_another_text(key_coverage: float, response_coverage: float) -> bool:
    return max(key_coverage, response_coverage) < ANOTHER_TEXT


def another_text(path: str, line: int, document: str, key_coverage: float, response_coverage: float) -> Problem:
    """The problem of a response to another text."""
    shared = f"{100 * response_coverage:.0f} % of its words and {100 * key_coverage:.0f} % of the key's"
    found = f"found another text than the key's in document {document!r} (they share {shared})"
    remedy = "check the names, or count all it gives as unplaced with --other-text unplaced"
    return Problem(path, line, 1, f"{found}, expected a version of it: {remedy}")


def summary(numbers: Mapping[str, int], unplaced: str) -> str | None:
    """A sentence on how things were placed, from their numbers by status; None where all stand just as written."""
    if not any(number for name, number in numbers.items() if name != Status.EXACT.name):
        return None
    placed = [f"{numbers[it.name]} {it.words}" for it in Status if it.placed and numbers.get(it.name)]
    reasons = [f"{numbers[it.name]} {it.words}" for it in Status if not it.placed and numbers.get(it.name)]
    reasons += [f"{numbers[LOST]} cut off"] if numbers.get(LOST) else []
    if reasons:
        total = sum(number for name, number in numbers.items() if name == LOST or not Status[name].placed)
        done = "counted as wrong" if unplaced == "count" else "ignored"
        placed.append(f"{total} unplaced, {done} ({', '.join(reasons)})")
    return f"{sum(numbers.values())} items laid on the key's text: {', '.join(placed)}"


def text_of(tokens: Sequence[str] | None, characters: str | None) -> Text | None:
    """The text of a document that knows its tokens or its characters."""
    if characters is not None:
        return Text.of_characters(characters)
    return None if tokens is None else Text.of_tokens(tokens)
