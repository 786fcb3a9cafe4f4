"""The common referential of a tagging campaign: a pivot tagset, and each participant's table that maps to it, or the
participant's statement that its tags are those of the pivot.

Source: Adda et al. 1999, §2. Of 13 participants, ten gave a table and three had adapted their systems to the pivot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from aune.campaign.protocol.protocol_file import Protocol
from aune.errors import InputError, Place, Problem, Remedy
from aune.tasks.tagging.grace.correspondence_table import CorrespondenceTable, coverage, is_pattern
from aune.tasks.tagging.grace.correspondence_table import read_table as table_in
from aune.tasks.tagging.grace.readings import projection_of
from aune.tasks.tagging.grace.tagset import Tagset, tagset
from aune.tasks.tagging.lexicon import tag_counts

MOST_LISTED = 20


def load_pivot(protocol: Protocol, folder: Path) -> Tagset | None:
    """The tagset that correspondence tables map to."""
    if not protocol.pivot:
        return None
    return tagset(str(folder / protocol.pivot) if protocol.pivot.endswith(".toml") else protocol.pivot)


def table_problems(
    path: str, name: str, documents: Sequence[Any], pivot: Tagset | None
) -> tuple[list[Problem], list[str]]:
    """All problems of a participant's table, and notes for the participant."""
    try:
        correspondences = table_in(path)
    except InputError as error:
        return [problem.with_path(name) for problem in error.problems], []
    lines = _targets_by_line(path)
    occurring = tag_counts(documents)
    usage = coverage(correspondences, occurring, projection_of(correspondences, "drop", pivot).pivot, pivot)
    problems = [
        Problem(
            "table.no-entry",
            Place(name),
            f"no entry for the tag {tag!r}, which the run uses {count} times",
            "one",
            (Remedy("add it"),),
        )
        for tag, count in usage.missing.items()
    ]
    for tag in usage.outside:
        line = next((number for number, right in lines if tag in right), 1)
        what, expected = (f"{tag!r}, which the pivot does not have", f"tags of {pivot.name if pivot else 'the pivot'}")
        problems.append(Problem("table.unknown-tag", Place(name, line), what, expected))
    return problems, list(_notes(correspondences, usage.unused, usage.ambiguous))


def _targets_by_line(path: str) -> list[tuple[int, set[str]]]:
    """The tags on the right of each line of a table."""
    text = Path(path).read_text("utf-8", "replace").split("\n")
    return [
        (number, {part.strip() for part in line.partition("\t")[2].replace("\t", "|").split("|")})
        for number, line in enumerate(text, 1)
    ]


def _notes(correspondences: CorrespondenceTable, unused: Sequence[str], ambiguous: dict[str, int]) -> Iterator[str]:
    if unused:
        yield f"entries of the table that the run never uses: {_first_names(unused)}"
    if ambiguous:
        counted_tags = [
            f"{tag} ({number})" for tag, number in sorted(ambiguous.items(), key=lambda item: (-item[1], item[0]))
        ]
        yield f"tags that stand for several of the pivot's: {_first_names(counted_tags)}"
    patterns = [left for left in correspondences.entries if is_pattern(left)]
    if patterns:
        yield f"patterns of the table: {_first_names(patterns)}"


def identity_problems(name: str, documents: Sequence[Any], pivot: Tagset | None) -> list[Problem]:
    """A problem for each tag of a run without a table that is not in the pivot."""
    if pivot is None:
        return []
    remedies = Remedy("send a correspondence table with the run"), Remedy("correct the tags")
    strange = {tag: count for tag, count in tag_counts(documents).items() if tag not in pivot}
    return [
        Problem(
            "tag.unknown",
            Place(name, _first_line(documents, tag)),
            f"the tag {tag!r} ({count} times)",
            f"tags of {pivot.name}",
            remedies,
        )
        for tag, count in sorted(strange.items())
    ]


def _first_line(documents: Sequence[Any], tag: str) -> int:
    """The line of the first word that has a tag."""
    from aune.tasks.tagging.model import alternatives, choose_column  # noqa: PLC0415 - needed only here

    for document in documents:
        column = choose_column(document)
        for word, text in enumerate(document.column(column).values()):
            if tag in alternatives(text, column):
                return int(document.lines[word]) if document.lines is not None else int(document.line)
    return 1


def _first_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more
