"""Correspondence tables, which map a participant's tags to those of the pivot.

A table is a TSV file with a line per tag, or a TOML file with a key per tag:

    NC	Ncms|Ncfs|Ncmp|Ncfp             NC = ["Ncms", "Ncfs", "Ncmp", "Ncfp"]
    V*	Vm*                             "V*" = "Vm*"

A `*` matches any letters. On the left it covers every tag of the participant that no entry names and no
longer pattern covers; on the right it expands to every tag of the pivot that fits it. The pivot is fixed in advance: a
tagset with a description, or a list of tags in the table itself (a line `# pivot = Ncms|Ncfs|…`, or in TOML a key
`pivot` beside a section [table]). It is never derived from the tags of a key, since errors would vanish with the tags.

Source: Adda et al. 1999, §2 (tables), §5 (inverse tables). The paper refers to Adda et al. 1997 for the algorithm that
makes inverse tables; `inverse` is ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from aune.errors import InputError, Problem, UsageError
from aune.files import parse_toml
from aune.numeric.grouping import group_items
from aune.reading.source import Source, single_source
from aune.tasks.tagging.grace.tagset import Tagset


@dataclass(frozen=True)
class CorrespondenceTable:
    """The pivot tags to which each tag of a participant may correspond."""

    entries: Mapping[str, tuple[str, ...]]
    """The entries as written: tags or patterns, on both sides."""
    path: str = ""
    pivot_tags: frozenset[str] = frozenset()
    """The pivot's tags, if the table lists them."""
    _cache: dict[tuple[str, frozenset[str]], tuple[str, ...] | None] = field(default_factory=dict, compare=False)

    def entry(self, tag: str) -> str | None:
        """The entry that covers a tag: its own, or the longest pattern that it fits."""
        if tag in self.entries:
            return tag
        fitting = [entry for entry in self.entries if is_pattern(entry) and fits(tag, entry)]
        return max(fitting, key=lambda entry: (len(entry), entry), default=None)

    def project(self, tag: str, pivot: frozenset[str] = frozenset()) -> tuple[str, ...] | None:
        """The pivot tags of a tag, with patterns expanded over the pivot; None for a tag without an entry.

        >>> CorrespondenceTable({"V": ("Vm*",)}).project("V", frozenset({"Vmn", "Vmp", "Nc"}))
        ('Vmn', 'Vmp')
        """
        if (tag, pivot) not in self._cache:
            entry = self.entry(tag)
            self._cache[tag, pivot] = None if entry is None else expand_patterns(self.entries[entry], pivot)
        return self._cache[tag, pivot]

    def pivot(self, described: Tagset | None) -> frozenset[str]:
        """The tags over which patterns expand; refused if there are patterns and no list of tags."""
        if described is not None:
            return frozenset(described.tags)
        patterns = sorted({target for targets in self.entries.values() for target in targets if is_pattern(target)})
        if patterns and not self.pivot_tags:
            raise UsageError(
                f"{self.path or 'the table'}: {patterns[0]!r} stands for tags of the pivot, which nobody lists: name "
                "its tagset with --tagset, or list its tags in the table (# pivot = Ncms|Ncfs|…)"
            )
        return self.pivot_tags

    def entries_by_tag(
        self, pivot: frozenset[str], canonical_tag: Callable[[str], str] = str
    ) -> dict[str, tuple[str, ...]]:
        """For every pivot tag the entries (tags or patterns of the participant) that may be it.

        >>> CorrespondenceTable({"NC": ("Ncms", "Ncfs"), "N*": ("Ncms",)}).entries_by_tag(frozenset())
        {'Ncfs': ('NC',), 'Ncms': ('N*', 'NC')}
        """
        by_tag: dict[str, set[str]] = {}
        for entry, targets in self.entries.items():
            for target in expand_patterns(targets, pivot):
                by_tag.setdefault(canonical_tag(target), set()).add(entry)
        return {tag: tuple(sorted(entries)) for tag, entries in sorted(by_tag.items())}

    def inverse(self, tags: Iterable[str], pivot: frozenset[str] = frozenset()) -> dict[str, tuple[str, ...]]:
        """The inverse table: for every pivot tag, the participant's tags that may correspond to it.

        >>> CorrespondenceTable({"NC": ("Ncms", "Ncfs"), "N": ("Ncms",)}).inverse(["NC", "N"])
        {'Ncfs': ('NC',), 'Ncms': ('N', 'NC')}
        """
        by_tag = group_items((target, tag) for tag in sorted(set(tags)) for target in self.project(tag, pivot) or ())
        return {target: tuple(sources) for target, sources in sorted(by_tag.items())}


def is_pattern(tag: str) -> bool:
    return "*" in tag


def fits(tag: str, pattern: str) -> bool:
    """Whether a tag matches a pattern.

    >>> fits("Vmip1s-", "Vm*"), fits("Vaip1s-", "Vm*")
    (True, False)
    """
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), tag) is not None


def expand_patterns(targets: Iterable[str], pivot: frozenset[str]) -> tuple[str, ...]:
    """Pivot tags with every pattern replaced by the tags that fit it, each once."""
    expanded: dict[str, None] = {}
    for target in targets:
        fitting = (
            sorted(tag for tag in pivot if fits(tag, target))
            if is_pattern(target) and target not in pivot
            else [target]
        )
        expanded |= dict.fromkeys(fitting)
    return tuple(expanded)


class Coverage(NamedTuple):
    """How well a table covers an output."""

    missing: dict[str, int]
    """Tags of the output without an entry, and their frequencies."""
    unused: list[str]
    """Entries that cover no tag of the output."""
    outside: list[str]
    """Pivot tags of the entries that the pivot lacks; without a description, patterns that fit no tag."""
    ambiguous: dict[str, int]
    """Tags of the output with several pivot tags, and the numbers of these."""


def coverage(
    table: CorrespondenceTable, occurrences: Mapping[str, int], pivot: frozenset[str], known: Tagset | None = None
) -> Coverage:
    """The coverage of an output by a table; `known` is the description of the pivot."""
    used = {tag: table.entry(tag) for tag in occurrences}
    targets = sorted({target for entry in table.entries.values() for target in entry})
    outside = [target for target in targets if not in_pivot(target, pivot, known)]
    several = {tag: len(table.project(tag, pivot) or ()) for tag in sorted(occurrences)}
    return Coverage(
        {tag: occurrences[tag] for tag in sorted(used) if used[tag] is None},
        sorted(set(table.entries) - set(used.values())),
        outside,
        {tag: count for tag, count in several.items() if count > 1},
    )


def in_pivot(tag: str, pivot: frozenset[str], known: Tagset | None) -> bool:
    """Whether a tag or pattern of an entry is in the pivot; only a description, unlike a key, knows all tags."""
    if is_pattern(tag) and not (known and tag in known):
        return any(fits(pivot_tag, tag) for pivot_tag in pivot)
    return tag in known if known else not pivot or tag in pivot


def read_table(path: str) -> CorrespondenceTable:
    """Read the table in a file; all its problems are reported together."""
    source = single_source(path)
    entries, pivot_tags = (
        _toml_entries(source) if path.lower().endswith(".toml") else (_tsv_entries(source), _pivot_tags(source))
    )
    if not source.problems and not entries:
        source.add_problem(
            "table.empty", 1, 1, found="no entry", expected="such as 'NC<tab>Ncms|Ncfs'", remedies=["write the table"]
        )
    source.raise_problems()
    return CorrespondenceTable(entries, path, frozenset(pivot_tags))


PIVOT_LINE = re.compile(r"#\s*pivot\s*[=:]\s*(.*)")


def _pivot_tags(source: Source) -> list[str]:
    """The pivot's tags, if the lines of a file list them."""
    lines = [match[1] for _, line in source.lines() if (match := PIVOT_LINE.fullmatch(line.strip()))]
    return [tag for line in lines for part in line.split("|") if (tag := part.strip())]


def format_table(entries: Mapping[str, Iterable[str]], pivot_tags: Iterable[str] = ()) -> str:
    """Format a table as a TSV file."""
    pivot = "|".join(sorted(pivot_tags))
    lines = [f"# pivot = {pivot}\n"] if pivot else []
    return "".join([*lines, *(f"{entry}\t{'|'.join(targets)}\n" for entry, targets in entries.items())])


def minimise_table(
    table: CorrespondenceTable, pivot: frozenset[str], canonical_tag: Callable[[str], str] = str
) -> dict[str, tuple[str, ...]]:
    """The table with the fewest entries and tags that give the same projection, for its own tags and all others.

    Entries that a pattern would project in the same way are left out, repetitions are dropped, and a pattern replaces
    all tags of the pivot with a common beginning.

    >>> read_table = CorrespondenceTable({"V*": ("Vmn", "Vmp"), "VINF": ("Vmp", "Vmn"), "N": ("Nc",)})
    >>> minimise_table(read_table, frozenset({"Vmn", "Vmp", "Nc"}))
    {'N': ('Nc',), 'V*': ('V*',)}
    """
    meaning = {
        entry: frozenset(map(canonical_tag, expand_patterns(targets, pivot)))
        for entry, targets in table.entries.items()
    }
    entries: dict[str, tuple[str, ...]] = {}
    for entry in sorted(table.entries):
        others = CorrespondenceTable(
            {other_entry: table.entries[other_entry] for other_entry in table.entries if other_entry != entry}
        )
        instead = None if is_pattern(entry) else others.entry(entry)
        if instead is None or meaning[instead] != meaning[entry]:
            entries[entry] = shorten_tags(meaning[entry], pivot)
    return entries


def shorten_tags(tags: frozenset[str], pivot: frozenset[str]) -> tuple[str, ...]:
    """Tags of the pivot as the fewest equivalent patterns and tags; tags outside the pivot are unchanged.

    >>> shorten_tags(frozenset({"Vmn", "Vmp", "Nc"}), frozenset({"Vmn", "Vmp", "Van", "Nc", "Np"}))
    ('Nc', 'Vm*')
    """
    rest = set(tags)
    shortened: list[str] = []
    for tag in sorted(tags & pivot):
        if tag not in rest:
            continue
        for length in range(1, len(tag)):
            meant = {pivot_tag for pivot_tag in pivot if pivot_tag.startswith(tag[:length])}
            if len(meant) > 1 and meant <= tags:
                shortened.append(f"{tag[:length]}*")
                rest -= meant
                break
        else:
            shortened.append(tag)
            rest.discard(tag)
    return tuple(sorted([*shortened, *(rest - pivot)]))


def _tsv_entries(source: Source) -> dict[str, tuple[str, ...]]:
    entries: dict[str, tuple[str, ...]] = {}
    for number, line in source.lines():
        if not line.strip() or (line.startswith("#") and "\t" not in line):
            continue
        entry, tab, targets = line.partition("\t")
        tags = tuple(tag for tag in (part.strip() for part in targets.replace("\t", "|").split("|")) if tag)
        if not tab or not entry.strip() or not tags:
            source.add_problem(
                "table.malformed",
                number,
                1,
                found=f"{line[:40]!r}",
                expected="'tag<tab>pivot|pivot'",
                remedies=["put a tab between them"],
            )
        elif entry.strip() in entries:
            source.add_problem(
                "table.repeated-entry",
                number,
                1,
                found=f"a second entry for {entry.strip()!r}",
                expected="one",
                remedies=["join them with |"],
            )
        else:
            entries[entry.strip()] = tuple(dict.fromkeys(tags))
    return entries


def _toml_entries(source: Source) -> tuple[dict[str, tuple[str, ...]], Sequence[str]]:
    """The entries of a table, and the pivot's tags if they are listed."""
    try:
        data = parse_toml(source.text)
    except ValueError as error:
        raise InputError(
            [
                Problem.in_file(
                    "toml.malformed",
                    source.name,
                    1,
                    1,
                    found=f"no valid TOML ({error})",
                    expected="a table",
                    remedies=["mend it"],
                )
            ]
        ) from None
    table = data.get("table", data)
    if not isinstance(table, dict):
        source.add_problem(
            "table.malformed",
            1,
            1,
            found=f"table = {table!r}",
            expected="entries such as NC = 'Ncms'",
            remedies=["mend it"],
        )
        return {}, []
    pivot_tags = data.get("pivot", []) if table is not data else []
    sides = {tag: _tags(source, tag, value) for tag, value in table.items()}
    entries = {
        tag: tuple(dict.fromkeys(part for cell in tags for part in cell.split("|") if part))
        for tag, tags in sides.items()
        if tags
    }
    return entries, [] if pivot_tags == [] else _tags(source, "pivot", pivot_tags)


def _tags(source: Source, name: str, value: Any) -> list[str]:
    """A tag or a list of tags; anything else is reported, and gives no tag."""
    tags = [value] if isinstance(value, str) else value
    if not isinstance(tags, list) or not tags or not all(isinstance(tag, str) and tag for tag in tags):
        source.add_problem(
            "table.malformed",
            1,
            1,
            found=f"{name} = {value!r}",
            expected="a tag or a list of tags",
            remedies=["mend the entry"],
        )
        return []
    return tags
