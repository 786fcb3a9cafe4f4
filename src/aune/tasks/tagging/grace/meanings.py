"""What tag cells mean: alternatives, projected into the pivot's tags and reduced to what is compared.

Everything here is done once per distinct cell, not once per word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from aune.core.errors import UsageError
from aune.tasks.tagging.grace.table import Table
from aune.tasks.tagging.grace.tagset import Tagset
from aune.tasks.tagging.model import Coded, Ints, alternatives

SEVERAL, NONE = "several", "none"
LACKS = "∅"  # the value of a feature that a response tag does not have
Tags: TypeAlias = tuple[str, ...]
Reduction: TypeAlias = Callable[[Sequence[str]], Tags]


class Readings(NamedTuple):
    """What the distinct cells of a tag column mean; a word's cell is its code."""

    codes: Ints
    given: Sequence[Tags]
    """The alternatives as the file has them, those without an entry in the table left out."""
    tags: Sequence[Tags]
    """The alternatives in the tags that are compared."""


def read_cell(
    text: str, column: str, table: Table | None, unlisted: str, pivot: frozenset[str], as_is: Callable[[str], str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:  # fmt: skip
    """The alternatives of a cell, as given and as projected."""
    given = alternatives(text, column)
    if table is None:
        tags = tuple(dict.fromkeys(map(as_is, given)))
        return tags, tags
    kept: list[str] = []
    projected: dict[str, None] = {}
    for tag in given:
        into = table.projected(tag, pivot)
        if into is None and unlisted == "keep":
            into = (tag,)
        if into is not None:
            kept.append(tag)
            projected |= dict.fromkeys(map(as_is, into))
    return tuple(kept), tuple(projected)


def reductions(aspect: str, described: Tagset | None, column: str) -> tuple[Reduction, Reduction]:
    """How tags are reduced to what is compared, in the key and in the response.

    A key tag without the feature asked for is not compared; a response tag without it is wrong.
    """
    if aspect == "tag":
        return tuple, tuple
    if column == "feats":
        value = _universal_feature(aspect)
    elif described is None:
        raise UsageError(f"--aspect {aspect}: expected a tagset that says what tags mean: name it with --tagset")
    elif aspect == "category":
        value = described.category
    elif aspect in described.features:
        value = lambda tag: described.feature(tag, aspect)  # noqa: E731
    else:
        names = ", ".join(["tag", "category", *described.features])
        raise UsageError(f"--aspect {aspect}: expected one of {names} for the tagset {described.name}")

    def at_key(tags: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(found for found in map(value, tags) if found is not None))

    def at_response(tags: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(LACKS if found is None else found for found in map(value, tags)))

    return at_key, at_response


def aspects_of(described: Tagset | None, column: str, cells: Sequence[Tags]) -> list[str]:
    """What tags can be reduced to: their category and features, as far as they are known."""
    if described:
        return ["category", *described.features]
    if column == "feats":
        return sorted({pair.partition("=")[0] for tags in cells for tag in tags for pair in tag.split("|")})
    return []


def _universal_feature(name: str) -> Callable[[str], str | None]:
    def value(features: str) -> str | None:
        pairs = (pair.partition("=") for pair in features.split("|"))
        return next((found for feature, _, found in pairs if feature == name), None)

    return value


def labels_of(key: Readings, response: Readings) -> tuple[list[str], Ints, Ints]:
    """A label per word: its tag; for a key word with several accepted tags all of them, for a response `several`."""
    of_key = ["|".join(sorted(tags)) or NONE for tags in key.tags]
    of_response = [tags[0] if len(tags) == 1 else SEVERAL if tags else NONE for tags in response.tags]
    names = sorted({NONE, *of_key, *of_response})
    number = {name: index for index, name in enumerate(names)}
    of_cell, of_other = (np.array([number[label] for label in found], np.int64) for found in (of_key, of_response))
    return names, of_cell[key.codes], of_other[response.codes]


def occurrences(cells: Coded, column: str) -> dict[str, int]:
    found: Counter[str] = Counter()
    for text, count in zip(cells.names, np.bincount(cells.codes, minlength=len(cells.names)).tolist(), strict=True):
        found.update(dict.fromkeys(alternatives(text, column), count))
    return dict(found)
