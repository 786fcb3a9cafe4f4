"""What is kept of laying a response on a key: how many things were placed how, and each that was not placed exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar

from aune.alignment.placing import Policy
from aune.alignment.projection import Placement, Status, Text, project
from aune.core.cases import Case
from aune.core.errors import InputError, Problem
from aune.core.options import Quiet

T = TypeVar("T")
Realign: TypeAlias = Annotated[
    Literal["none", "words"],
    "how a response whose text is not the key's is laid on it: not at all, or by its words",
    Quiet,
]
Place: TypeAlias = Annotated[
    Policy,
    "where strings without positions stand: in the order given, at their first place, at all; or between bounds",
    Quiet,
]
Unplaced: TypeAlias = Annotated[
    Literal["count", "ignore"],
    "what has no place in the key: counted as wrong, or left out as if not given",
    Quiet,
]
OtherText: TypeAlias = Annotated[
    Literal["refuse", "unplaced"],
    "a response that is of another text: a problem, or all it gives has no place",
    Quiet,
]
LOST = "LOST"  # beside the names of `Status`: what could not be read
NOWHERE = Placement(-1, -1, Status.UNLIKE, 0.0)
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


def each_laid(
    pairs: Sequence[tuple[T, T]], lay: Callable[[T, T], tuple[T, Record]]
) -> tuple[list[tuple[T, T]], list[Record]]:
    """Every pair with its response as `lay` puts it on the key, and how; or all that is wrong with any of them."""
    laid: list[tuple[T, T]] = []
    records: list[Record] = []
    problems: list[Problem] = []
    for key, response in pairs:
        try:
            new, how = lay(key, response)
        except InputError as error:
            problems += error.problems
            continue
        laid.append((key, new))
        records.append(how)
    if problems:
        raise InputError(problems)
    return laid, records


def spans_laid(
    key: Text, response: Text, spans: Sequence[tuple[int, int]], document: Any, other_text: str
) -> tuple[Iterator[Placement], tuple[float, float]]:
    """Where the spans of a response's document lie on the key's text, and how much of either text the other has.

    In another text than the key's they lie nowhere, or it is refused.
    """
    found = project(key, response, spans)
    coverage = found.key_coverage, found.response_coverage
    if max(coverage) >= ANOTHER_TEXT:
        return iter(found.placements), coverage
    if other_text == "refuse":
        raise InputError([_another_text(document.path or document.id, document.line, document.id, *coverage)])
    return iter([NOWHERE] * len(found.placements)), coverage


def _another_text(path: str, line: int, document: str, key_coverage: float, response_coverage: float) -> Problem:
    """The problem of a response to another text."""
    shared = f"{100 * response_coverage:.0f} % of its words and {100 * key_coverage:.0f} % of the key's"
    found = f"found another text than the key's in document {document!r} (they share {shared})"
    remedy = "check the names, or count all it gives as unplaced with --other-text unplaced"
    return Problem(path, line, 1, f"{found}, expected a version of it: {remedy}")


PLACING, COVERAGE = "placing", "coverage"
LAID = "laid on the key's text"  # how the note on it is known


def facts_of(records: Sequence[Record], unplaced: str) -> Counter[tuple[str, ...]]:
    """How many things of a response were laid on the key's text in which way, as facts that add up over chunks."""
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


def policy_of(is_laid: bool, realign: str, place: str, unplaced: str, other_text: str) -> dict[str, Any]:
    """What signatures say of how a response was laid on the key's text; nothing where it was taken as it is."""
    return {"realign": realign, "place": place, "unplaced": unplaced, "other_text": other_text} if is_laid else {}


def told_of(facts: Mapping[Any, int]) -> list[str]:
    """The facts in a sentence; none where the text is the key's and everything stands just as written."""
    own = {fact[1:]: number for fact, number in facts.items() if isinstance(fact, tuple) and fact[0] == PLACING}
    numbers = {name: number for (name, _), number in own.items()}
    coverage = _coverage(facts)
    if not coverage and not any(number for name, number in numbers.items() if name != Status.EXACT.name):
        return []
    told = [f"{numbers[it.name]} {it.words}" for it in Status if it.placed and numbers.get(it.name)]
    reasons = {it: numbers[it.name] for it in Status if not it.placed and numbers.get(it.name)}
    if reasons:
        done = "counted as wrong" if any(policy == "count" for _, policy in own) else "ignored"
        why = ", ".join(f"{number} {it.words}" for it, number in reasons.items())
        told.append(f"{sum(reasons.values())} unplaced, {done} ({why})")
    if numbers.get(LOST):
        told.append(f"{numbers[LOST]} cut off or unreadable, not scored")
    total = sum(numbers.values())
    return [f"{total} item{'s' if total != 1 else ''} {LAID}: {', '.join(told) or 'none'}{coverage}"]


def _coverage(facts: Mapping[Any, int]) -> str:
    """How much the texts have in common, where they differ."""
    documents = facts.get((COVERAGE, "documents"), 0)
    if not documents:
        return ""
    key, response = (f"{facts[COVERAGE, side] / (10 * documents):.1f} %" for side in ("key", "response"))
    many = f"the {documents} documents" if documents > 1 else "the document"
    return f"; in {many} whose text differs, {key} of the key's words and {response} of the response's are in both"


KINDS = ("normalised", "approximate", "moved", "unplaced")


def case(document: str, item: Item, end: int, quoted: str, context: str) -> Case:
    """Something that does not stand in the key just as written. What that costs is in the other cases already."""
    placement = item.placement
    placed = placement.status.placed
    return Case(
        document,
        (placement.start, placement.end) if placed else (end, end),
        placement.status.name.lower() if placed else "unplaced",
        f"“{quoted}”" if placed else "",
        f"{item.label} “{item.written}”",
        context=context if placed else "",
        cost=0.0,
        attributes={
            "label": item.label,
            "placing": placement.status.words,
            "similarity": f"{placement.similarity:.2f}",
        },
    )


def text_of(tokens: Sequence[str] | None, characters: str | None) -> Text | None:
    """The text of a document that knows its tokens or its characters."""
    if characters is not None:
        return Text.of_characters(characters)
    return None if tokens is None else Text.of_tokens(tokens)
