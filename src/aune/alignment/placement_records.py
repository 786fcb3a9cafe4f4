"""Records of locating a response in its key: how many items were placed how, and each that was not placed exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar

from aune.alignment.projection import Placement, Status, TokenisedText, project
from aune.alignment.string_placement import PlacePolicy
from aune.contract.error_record import ErrorRecord
from aune.contract.options import HiddenAtDefault
from aune.errors import InputError, Problem, Remedy

T = TypeVar("T")
Realign: TypeAlias = Annotated[
    Literal["none", "words"],
    "how a response whose text is not the key's is laid on it: not at all, or by its words",
    HiddenAtDefault,
]
PlaceOption: TypeAlias = Annotated[
    PlacePolicy,
    "where strings without positions stand: in the order given, at their first place, at all; or between bounds",
    HiddenAtDefault,
]
Unplaced: TypeAlias = Annotated[
    Literal["count", "ignore"],
    "what has no place in the key: counted as wrong, or left out as if not given",
    HiddenAtDefault,
]
OtherText: TypeAlias = Annotated[
    Literal["refuse", "unplaced"],
    "a response that is of another text: a problem, or all it gives has no place",
    HiddenAtDefault,
]
LOST = "LOST"  # used beside the names of `Status`: an item that could not be read
NOWHERE = Placement(-1, -1, Status.UNLIKE, 0.0)
MIN_COVERAGE = 0.4  # coverage of both sides below which a response is on another text


class PlacedItem(NamedTuple):
    """An item of the response that does not occur in the key exactly as written."""

    string: str
    label: str
    placement: Placement
    line: int = 0
    column: int = 1


class PlacementRecord(NamedTuple):
    """How the response of one document was located in its key."""

    document: str
    statuses: Mapping[Status, int]
    items: Sequence[PlacedItem] = ()
    lost: int = 0
    """The parts of the response that could not be read, such as the end of an answer that was cut off."""
    key_coverage: float = 1.0
    response_coverage: float = 1.0

    @property
    def total(self) -> int:
        return sum(self.statuses.values()) + self.lost

    @property
    def unplaced_total(self) -> int:
        return sum(count for status, count in self.statuses.items() if not status.is_placed) + self.lost


def placement_record(
    document: str, items: Sequence[PlacedItem], lost: int = 0, coverage: tuple[float, float] = (1.0, 1.0)
) -> PlacementRecord:
    """The record of a document, from all its items."""
    statuses = Counter(item.placement.status for item in items)
    inexact = [item for item in items if item.placement.status is not Status.EXACT]
    return PlacementRecord(document, statuses, inexact, lost, *coverage)


def place_responses(
    pairs: Sequence[tuple[T, T]], lay: Callable[[T, T], tuple[T, PlacementRecord]]
) -> tuple[list[tuple[T, T]], list[PlacementRecord]]:
    """Every pair with its response as `lay` locates it in the key, and the record; raises all problems together."""
    placed_pairs: list[tuple[T, T]] = []
    records: list[PlacementRecord] = []
    problems: list[Problem] = []
    for key, response in pairs:
        try:
            placed_response, record = lay(key, response)
        except InputError as error:
            problems += error.problems
            continue
        placed_pairs.append((key, placed_response))
        records.append(record)
    if problems:
        raise InputError(problems)
    return placed_pairs, records


def project_spans(
    key: TokenisedText, response: TokenisedText, spans: Sequence[tuple[int, int]], document: Any, other_text: str
) -> tuple[Iterator[Placement], tuple[float, float]]:
    """Where the spans of a response's document are in the key's text, and how much the texts have in common.

    If the text is not the key's, they are nowhere, or the response is refused.
    """
    projection = project(key, response, spans)
    coverage = projection.key_coverage, projection.response_coverage
    if max(coverage) >= MIN_COVERAGE:
        return iter(projection.placements), coverage
    if other_text == "refuse":
        raise InputError([_other_text_problem(document.path or document.id, document.line, document.id, *coverage)])
    return iter([NOWHERE] * len(projection.placements)), coverage


def _other_text_problem(path: str, line: int, document: str, key_coverage: float, response_coverage: float) -> Problem:
    """The problem of a response to another text."""
    shared = f"{100 * response_coverage:.0f} % of its words and {100 * key_coverage:.0f} % of the key's"
    return Problem.in_file(
        "text.unrelated", path, line,
        found=f"another text than the key's in document {document!r} (they share {shared})",
        expected="a version of it",
        remedies=["check the names", Remedy("count all it gives as unplaced", (("other_text", "unplaced"),))],
    )  # fmt: skip


PLACING, COVERAGE = "placing", "coverage"
LAID_ON_KEY = "located in the key's text"  # identifies the note


def placement_facts(records: Sequence[PlacementRecord], unplaced: str) -> Counter[tuple[str, ...]]:
    """How many items of a response were located in the key's text in which way, as facts that add up over chunks."""
    facts: Counter[tuple[str, ...]] = Counter()
    for record in records:
        for status, number in record.statuses.items():
            facts[PLACING, status.name, unplaced] += number
        facts[PLACING, LOST, unplaced] += record.lost
        if min(record.key_coverage, record.response_coverage) < 1:
            facts[COVERAGE, "documents"] += 1
            facts[COVERAGE, "key"] += round(1000 * record.key_coverage)
            facts[COVERAGE, "response"] += round(1000 * record.response_coverage)
    return facts


def placement_signature(realign: str, place: str, unplaced: str, other_text: str) -> dict[str, Any]:
    """What signatures contain where a response was located in the key's text."""
    return {"realign": realign, "place": place, "unplaced": unplaced, "other_text": other_text}


def placement_notes(facts: Mapping[Any, int]) -> list[str]:
    """The facts as a sentence; empty if the text is the key's and every item occurs exactly as written."""
    placings = {fact[1:]: number for fact, number in facts.items() if isinstance(fact, tuple) and fact[0] == PLACING}
    numbers = {name: number for (name, _), number in placings.items()}
    coverage = _coverage_note(facts)
    if not coverage and not any(number for name, number in numbers.items() if name != Status.EXACT.name):
        return []
    parts = [
        f"{numbers[status.name]} {status.description}"
        for status in Status
        if status.is_placed and numbers.get(status.name)
    ]
    reasons = {status: numbers[status.name] for status in Status if not status.is_placed and numbers.get(status.name)}
    if reasons:
        treatment = "counted as wrong" if any(policy == "count" for _, policy in placings) else "ignored"
        why = ", ".join(f"{number} {status.description}" for status, number in reasons.items())
        parts.append(f"{sum(reasons.values())} unplaced, {treatment} ({why})")
    if numbers.get(LOST):
        parts.append(f"{numbers[LOST]} cut off or unreadable, not scored")
    total = sum(numbers.values())
    return [f"{total} item{'s' if total != 1 else ''} {LAID_ON_KEY}: {', '.join(parts) or 'none'}{coverage}"]


def _coverage_note(facts: Mapping[Any, int]) -> str:
    """How much the texts have in common, if they differ."""
    documents = facts.get((COVERAGE, "documents"), 0)
    if not documents:
        return ""
    key, response = (f"{facts.get((COVERAGE, side), 0) / (10 * documents):.1f} %" for side in ("key", "response"))
    many = f"the {documents} documents" if documents > 1 else "the document"
    return f"; in {many} whose text differs, {key} of the key's words and {response} of the response's are in both"


KINDS = ("normalised", "approximate", "moved", "unplaced")


def placement_case(document: str, item: PlacedItem, end: int, key_text: str, context: str) -> ErrorRecord:
    """An item that does not occur in the key exactly as written. Its cost is part of the other errors."""
    placement = item.placement
    is_placed = placement.status.is_placed
    return ErrorRecord(
        document,
        (placement.start, placement.end) if is_placed else (end, end),
        placement.status.name.lower() if is_placed else "unplaced",
        f"“{key_text}”" if is_placed else "",
        f"{item.label} “{item.string}”",
        context=context if is_placed else "",
        cost=0.0,
        attributes={
            "label": item.label,
            "placing": placement.status.description,
            "similarity": f"{placement.similarity:.2f}",
        },
    )


def text_of(tokens: Sequence[str] | None, characters: str | None) -> TokenisedText | None:
    """The text of a document that has tokens or characters."""
    if characters is not None:
        return TokenisedText.from_characters(characters)
    return None if tokens is None else TokenisedText.from_tokens(tokens)
