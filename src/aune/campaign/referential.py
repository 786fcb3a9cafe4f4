"""The common referential of a tagging campaign: one pivot, and each participant's table into it, or its own word that
its tags are the pivot's.

Source: Adda et al. 1999, §2. Of 13 participants, ten gave a table and three had made their systems speak the pivot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from aune.campaign.protocol import Protocol
from aune.core.errors import InputError, Problem
from aune.tasks.tagging.grace.meanings import projection_of
from aune.tasks.tagging.grace.table import Correspondences, coverage, is_pattern
from aune.tasks.tagging.grace.table import table as table_in
from aune.tasks.tagging.grace.tagset import Tagset, tagset
from aune.tasks.tagging.lexicon import tag_counts

LISTED = 20


def pivot_of(protocol: Protocol, folder: Path) -> Tagset | None:
    """The tagset that tables lead into."""
    if not protocol.pivot:
        return None
    return tagset(str(folder / protocol.pivot) if protocol.pivot.endswith(".toml") else protocol.pivot)


def table_problems(
    path: str, name: str, documents: Sequence[Any], pivot: Tagset | None
) -> tuple[list[Problem], list[str]]:
    """What is wrong with a participant's table (all at once), and what the participant should know about it."""
    try:
        given = table_in(path)
    except InputError as error:
        return [Problem(name, problem.line, problem.column, problem.message) for problem in error.problems], []
    lines = _lines(path)
    occurring = tag_counts(documents)
    found = coverage(given, occurring, projection_of(given, "drop", pivot).pivot, pivot)
    problems = [
        Problem(
            name, 1, 1, f"found no entry for the tag {tag!r}, which the run uses {count} times, expected one: add it"
        )
        for tag, count in found.missing.items()
    ]
    for tag in found.outside:
        line = next((number for number, right in lines if tag in right), 1)
        what = f"found {tag!r}, which the pivot does not have, expected tags of {pivot.name if pivot else 'the pivot'}"
        problems.append(Problem(name, line, 1, what))
    return problems, list(_notes(given, found.unused, found.ambiguous))


def _lines(path: str) -> list[tuple[int, set[str]]]:
    """The tags that each line of a table names on its right."""
    text = Path(path).read_text("utf-8", "replace").split("\n")
    return [
        (number, {part.strip() for part in line.partition("\t")[2].replace("\t", "|").split("|")})
        for number, line in enumerate(text, 1)
    ]


def _notes(correspondences: Correspondences, unused: Sequence[str], ambiguous: dict[str, int]) -> Iterator[str]:
    if unused:
        yield f"entries of the table that the run never uses: {_some(unused)}"
    if ambiguous:
        said = [f"{tag} ({number})" for tag, number in sorted(ambiguous.items(), key=lambda item: (-item[1], item[0]))]
        yield f"tags that stand for several of the pivot's: {_some(said)}"
    patterns = [left for left in correspondences.entries if is_pattern(left)]
    if patterns:
        yield f"patterns of the table: {_some(patterns)}"


def identity_problems(name: str, documents: Sequence[Any], pivot: Tagset | None) -> list[Problem]:
    """Tags of a run without a table that are not the pivot's."""
    if pivot is None:
        return []
    mended = f"expected tags of {pivot.name}: send a correspondence table with the run, or mend the tags"
    strange = {tag: count for tag, count in tag_counts(documents).items() if tag not in pivot}
    return [
        Problem(name, _first_line(documents, tag), 1, f"found the tag {tag!r} ({count} times), {mended}")
        for tag, count in sorted(strange.items())
    ]


def _first_line(documents: Sequence[Any], tag: str) -> int:
    """The line of the first word that has a tag."""
    from aune.tasks.tagging.model import alternatives, chosen_column  # noqa: PLC0415 - of this function alone

    for document in documents:
        column = chosen_column(document)
        for word, text in enumerate(document.column(column).values()):
            if tag in alternatives(text, column):
                return int(document.lines[word]) if document.lines is not None else int(document.line)
    return 1


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
