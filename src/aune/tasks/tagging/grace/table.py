"""Correspondence tables: from a participant's tags to those of the pivot.

A table is a TSV file with a line per tag, or a TOML file with a key per tag:

    NC	Ncms|Ncfs|Ncmp|Ncfp             NC = ["Ncms", "Ncfs", "Ncmp", "Ncfp"]
    V*	Vm*                             "V*" = "Vm*"

A `*` stands for any letters: on the left it takes every tag of the participant that no entry names and no
longer pattern takes; on the right it stands for every tag of the pivot that fits it. The pivot is fixed in advance: a
tagset with a description, or a list of tags in the table itself (a line `# pivot = Ncms|Ncfs|…`, or in TOML a key
`pivot` beside a section [table]). It is never what a key happens to contain: errors would vanish with the tags.

Source: Adda et al. 1999, §2 (tables), §5 (inverse tables). The paper refers to Adda et al. 1997 for the algorithm that
makes inverse tables; `inverse` is ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from aune.core.corpus import Source, single_source
from aune.core.errors import InputError, Problem, UsageError
from aune.core.files import toml_of
from aune.core.groups import grouped
from aune.tasks.tagging.grace.tagset import Tagset


@dataclass(frozen=True)
class Correspondences:
    """What each tag of a participant may be in the pivot."""

    entries: Mapping[str, tuple[str, ...]]
    """As written: tags or patterns, on both sides."""
    path: str = ""
    listed: frozenset[str] = frozenset()
    """The pivot's tags, where the table lists them."""
    _found: dict[tuple[str, frozenset[str]], tuple[str, ...] | None] = field(default_factory=dict, compare=False)

    def entry(self, tag: str) -> str | None:
        """The entry that a tag falls under: its own, or the longest pattern that it fits."""
        if tag in self.entries:
            return tag
        fitting = [left for left in self.entries if is_pattern(left) and fits(tag, left)]
        return max(fitting, key=lambda left: (len(left), left), default=None)

    def projected(self, tag: str, pivot: frozenset[str] = frozenset()) -> tuple[str, ...] | None:
        """The pivot tags of a tag, patterns written out over the pivot; None for a tag without an entry.

        >>> Correspondences({"V": ("Vm*",)}).projected("V", frozenset({"Vmn", "Vmp", "Nc"}))
        ('Vmn', 'Vmp')
        """
        if (tag, pivot) not in self._found:
            entry = self.entry(tag)
            self._found[tag, pivot] = None if entry is None else written_out(self.entries[entry], pivot)
        return self._found[tag, pivot]

    def pivot(self, described: Tagset | None) -> frozenset[str]:
        """The tags that patterns stand for; refused where there are patterns and nobody says over what."""
        if described is not None:
            return frozenset(described.tags)
        patterns = sorted({one for right in self.entries.values() for one in right if is_pattern(one)})
        if patterns and not self.listed:
            raise UsageError(
                f"{self.path or 'the table'}: {patterns[0]!r} stands for tags of the pivot, which nobody lists: name "
                "its tagset with --tagset, or list its tags in the table (# pivot = Ncms|Ncfs|…)"
            )
        return self.listed

    def back(self, pivot: frozenset[str], as_is: Callable[[str], str] = str) -> dict[str, tuple[str, ...]]:
        """For every pivot tag the entries (tags or patterns of the participant) that may be it.

        >>> Correspondences({"NC": ("Ncms", "Ncfs"), "N*": ("Ncms",)}).back(frozenset())
        {'Ncfs': ('NC',), 'Ncms': ('N*', 'NC')}
        """
        found: dict[str, set[str]] = {}
        for left, right in self.entries.items():
            for one in written_out(right, pivot):
                found.setdefault(as_is(one), set()).add(left)
        return {tag: tuple(sorted(entries)) for tag, entries in sorted(found.items())}

    def inverse(self, tags: Iterable[str], pivot: frozenset[str] = frozenset()) -> dict[str, tuple[str, ...]]:
        """The inverse table: for every pivot tag, the participant's tags that may be it.

        >>> Correspondences({"NC": ("Ncms", "Ncfs"), "N": ("Ncms",)}).inverse(["NC", "N"])
        {'Ncfs': ('NC',), 'Ncms': ('N', 'NC')}
        """
        found = grouped((one, tag) for tag in sorted(set(tags)) for one in self.projected(tag, pivot) or ())
        return {one: tuple(back) for one, back in sorted(found.items())}


def is_pattern(tag: str) -> bool:
    return "*" in tag


def fits(tag: str, pattern: str) -> bool:
    """Whether a tag is what a pattern stands for.

    >>> fits("Vmip1s-", "Vm*"), fits("Vaip1s-", "Vm*")
    (True, False)
    """
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), tag) is not None


def written_out(right: Iterable[str], pivot: frozenset[str]) -> tuple[str, ...]:
    """Pivot tags with every pattern replaced by the tags that fit it, each once."""
    found: dict[str, None] = {}
    for one in right:
        fitting = sorted(tag for tag in pivot if fits(tag, one)) if is_pattern(one) and one not in pivot else [one]
        found |= dict.fromkeys(fitting)
    return tuple(found)


class Coverage(NamedTuple):
    """How a table and an output fit each other."""

    missing: dict[str, int]
    """Tags of the output without an entry, and how often they occur."""
    unused: list[str]
    """Entries that no tag of the output falls under."""
    outside: list[str]
    """Pivot tags of the entries that the pivot does not have; without a description, patterns that fit no tag."""
    ambiguous: dict[str, int]
    """Tags of the output with several pivot tags, and how many."""


def coverage(
    table: Correspondences, occurrences: Mapping[str, int], pivot: frozenset[str], known: Tagset | None = None
) -> Coverage:
    """What is missing, unused, outside the pivot (`known` is its description) and ambiguous."""
    used = {tag: table.entry(tag) for tag in occurrences}
    right = sorted({one for entry in table.entries.values() for one in entry})
    outside = [one for one in right if not in_pivot(one, pivot, known)]
    several = {tag: len(table.projected(tag, pivot) or ()) for tag in sorted(occurrences)}
    return Coverage(
        {tag: occurrences[tag] for tag in sorted(used) if used[tag] is None},
        sorted(set(table.entries) - set(used.values())),
        outside,
        {tag: count for tag, count in several.items() if count > 1},
    )


def in_pivot(tag: str, pivot: frozenset[str], known: Tagset | None) -> bool:
    """Whether a tag or pattern of an entry stands for something; only a description knows all tags, not a key."""
    if is_pattern(tag) and not (known and tag in known):
        return any(fits(one, tag) for one in pivot)
    return tag in known if known else not pivot or tag in pivot


def table(path: str) -> Correspondences:
    """The table in a file; everything wrong with it at once."""
    source = single_source(path)
    entries, listed = _of_toml(source) if path.endswith(".toml") else (_tsv_entries(source), _listed_pivot(source))
    if not source.problems and not entries:
        source.problem(1, 1, "found no entry, expected such as 'NC<tab>Ncms|Ncfs': write the table")
    source.finish()
    return Correspondences(entries, path, frozenset(listed))


PIVOT_LINE = re.compile(r"#\s*pivot\s*[=:]\s*(.*)")


def _listed_pivot(source: Source) -> list[str]:
    """The pivot's tags, where the lines of a file list them."""
    lines = [match[1] for _, line in source.lines() if (match := PIVOT_LINE.fullmatch(line.strip()))]
    return [tag for line in lines for part in line.split("|") if (tag := part.strip())]


def written(entries: Mapping[str, Iterable[str]], listed: Iterable[str] = ()) -> str:
    """A table as a TSV file."""
    pivot = "|".join(sorted(listed))
    lines = [f"# pivot = {pivot}\n"] if pivot else []
    return "".join([*lines, *(f"{left}\t{'|'.join(right)}\n" for left, right in entries.items())])


def minimised(
    table: Correspondences, pivot: frozenset[str], as_is: Callable[[str], str] = str
) -> dict[str, tuple[str, ...]]:
    """The table with as few entries and pivot tags as say the same, for the tags it lists and every other tag.

    Entries that a pattern would give the same projection are left out, repetitions are dropped, and where all tags of
    the pivot with a common beginning are meant, a pattern says so.

    >>> table = Correspondences({"V*": ("Vmn", "Vmp"), "VINF": ("Vmp", "Vmn"), "N": ("Nc",)})
    >>> minimised(table, frozenset({"Vmn", "Vmp", "Nc"}))
    {'N': ('Nc',), 'V*': ('V*',)}
    """
    meaning = {left: frozenset(map(as_is, written_out(right, pivot))) for left, right in table.entries.items()}
    kept: dict[str, tuple[str, ...]] = {}
    for left in sorted(table.entries):
        others = Correspondences({other: table.entries[other] for other in table.entries if other != left})
        instead = None if is_pattern(left) else others.entry(left)
        if instead is None or meaning[instead] != meaning[left]:
            kept[left] = shortest(meaning[left], pivot)
    return kept


def shortest(tags: frozenset[str], pivot: frozenset[str]) -> tuple[str, ...]:
    """Tags of the pivot with as few patterns and tags as say the same; those outside the pivot as they are.

    >>> shortest(frozenset({"Vmn", "Vmp", "Nc"}), frozenset({"Vmn", "Vmp", "Van", "Nc", "Np"}))
    ('Nc', 'Vm*')
    """
    rest = set(tags)
    found: list[str] = []
    for tag in sorted(tags & pivot):
        if tag not in rest:
            continue
        for length in range(1, len(tag)):
            meant = {one for one in pivot if one.startswith(tag[:length])}
            if len(meant) > 1 and meant <= tags:
                found.append(f"{tag[:length]}*")
                rest -= meant
                break
        else:
            found.append(tag)
            rest.discard(tag)
    return tuple(sorted([*found, *(rest - pivot)]))


def _tsv_entries(source: Source) -> dict[str, tuple[str, ...]]:
    entries: dict[str, tuple[str, ...]] = {}
    for number, line in source.lines():
        if not line.strip() or (line.startswith("#") and "\t" not in line):
            continue
        left, tab, right = line.partition("\t")
        tags = tuple(tag for tag in (part.strip() for part in right.replace("\t", "|").split("|")) if tag)
        if not tab or not left.strip() or not tags:
            source.problem(number, 1, f"found {line[:40]!r}, expected 'tag<tab>pivot|pivot': put a tab between them")
        elif left.strip() in entries:
            source.problem(number, 1, f"found a second entry for {left.strip()!r}, expected one: join them with |")
        else:
            entries[left.strip()] = tuple(dict.fromkeys(tags))
    return entries


def _of_toml(source: Source) -> tuple[dict[str, tuple[str, ...]], Sequence[str]]:
    """The entries of a table, and the pivot's tags where they are listed."""
    try:
        given = toml_of(source.text)
    except ValueError as error:
        what = f"found no valid TOML ({error}), expected a table: mend it"
        raise InputError([Problem(source.name, 1, 1, what)]) from None
    table = given.get("table", given)
    if not isinstance(table, dict):
        source.problem(1, 1, f"found table = {table!r}, expected entries such as NC = 'Ncms': mend it")
        return {}, []
    listed = given.get("pivot", []) if table is not given else []
    sides = {tag: _tags(source, tag, right) for tag, right in table.items()}
    entries = {
        tag: tuple(dict.fromkeys(part for one in tags for part in one.split("|") if part))
        for tag, tags in sides.items()
        if tags
    }
    return entries, [] if listed == [] else _tags(source, "pivot", listed)


def _tags(source: Source, name: str, value: Any) -> list[str]:
    """A tag or a list of tags; what is none is told, and is no tag."""
    tags = [value] if isinstance(value, str) else value
    if not isinstance(tags, list) or not tags or not all(isinstance(tag, str) and tag for tag in tags):
        source.problem(1, 1, f"found {name} = {value!r}, expected a tag or a list of tags: mend the entry")
        return []
    return tags
