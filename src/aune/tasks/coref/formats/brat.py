r"""brat: standoff annotation, mentions by their characters in a text beside the file.

    T1	Person 0 7	Ann Lee
    T2	Person 12 15	her
    T3	Thing 16 19;24 30	dog … collar
    A1	kind T2 pronoun
    R1	Coreference Arg1:T2 Arg2:T1
    *	Coref T1 T2

A `T` line is a mention: its type (the feature `etype`, unless it is Mention) and its characters, from the first to the
one after the last, several pieces when it is discontinuous. An `R` line whose type holds `coref`, or is Ident,
Identity, Equiv or Same, makes two mentions coreferent; of another type it is a relation from the first to the second. A
`*` line makes all its mentions coreferent, and so do `COREF T1 name` lines for the mentions of one name.
Chains are the transitive closure of all of these; a mention in none is a singleton. `A` (or `M`) lines are features,
named in small letters, `true` without a value. Notes (`#`) are passed over; events, normalisations and what concerns
them are counted and told.

Positions are characters. With the text beside the file (`a.txt` for `a.ann`) there are tokens too, each at the
character where it begins: words, numbers and single signs; lines count as sentences. The document is named as the file;
a file is one document. Written are both files: the annotation, and a text made of the document's tokens, one blank or
line end between two unless their places say otherwise. Several documents go to a folder, two files for each.

Source: Stenetorp et al. 2012, brat: a web-based tool for NLP-assisted text annotation.

>>> from aune.reading.corpus import Source
>>> [found] = read(Source("a.ann", b"T1\tPer 0 3\tAnn\nT2\tPer 8 11\ther\n*\tCoref T1 T2\n"))
>>> found.id, found.unit, found.clusters()
('a', 'character', [[(0, 3), (8, 11)]])
>>> print("".join(write([found])).expandtabs(4), end="")
T1  Per 0 3 ___
T2  Per 8 11    ___
*   Coref T1 T2
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, pairwise
from typing import TypeAlias

import numpy as np

from aune.contract.format import Format
from aune.errors import UsageError
from aune.numeric.grouping import group_items
from aune.numeric.union_find import UnionFind
from aune.reading.source import Source
from aune.syntax import brat as syntax
from aune.syntax.edits import Edits
from aune.tasks.coref.formats._changes import changes, extents, file_order, fresh_numbers, spliced_documents
from aune.tasks.coref.formats._tokenization import single_line, text_columns, text_layout
from aune.tasks.coref.model import Document, Mention, Relation, make_document, token_spans

IDENTITY_TYPE = re.compile(r".*coref.*|ident|identity|equiv|same|same-as|sameas", re.IGNORECASE)
LITBANK_LINE = re.compile(r"^T\d+\t(?:PROP|NOM|PRON)_[A-Z]+ \d+ \d+", re.MULTILINE)
UNTYPED = "Mention"
Link: TypeAlias = syntax.Relation | syntax.Equivalence | syntax.Chain


def read(source: Source) -> Iterator[Document]:
    """The document of a file; an empty file is a text without mentions."""
    file = syntax.read(source)
    if file.others:
        source.warn(f"{len(file.others)} lines on events and normalisations are not read")
    mentions, relations = _read_links(source, file)
    text = text_columns(file.text) if file.text is not None else {}
    yield make_document(source.stem, mentions, relations=relations, unit="character", path=source.name, **text)


def _read_links(source: Source, file: syntax.BratFile) -> tuple[list[Mention], list[Relation]]:
    """The mentions with their chains and features, and the relations between them."""
    ties = UnionFind(file.spans)
    number = {name: index for index, name in enumerate(file.spans)}
    named: dict[str, str] = {}
    relations = []
    for link in file.links:
        members = _members(link)
        if not _are_mentions(source, file, link.line.number, members):
            continue
        if isinstance(link, syntax.Relation) and not _is_identity(link):
            relations.append(Relation(link.label, number[link.source], number[link.target]))
            continue
        if isinstance(link, syntax.Chain):
            members = [named.setdefault(link.name, link.member), link.member]
        ties.union(*members)
    features = {name: _type_features(span.label) for name, span in file.spans.items()}
    for attribute in file.attributes:
        if _are_mentions(source, file, attribute.line.number, [attribute.target]):
            features[attribute.target][attribute.name.lower()] = attribute.value
    mentions = [
        Mention(*span.bounds, ties.find(name), span.line.number, segments=span.parts if len(span.parts) > 1 else (),
                features=features[name])
        for name, span in file.spans.items()
    ]  # fmt: skip
    return mentions, relations


def _type_features(kind: str) -> dict[str, str]:
    return {} if kind == UNTYPED else {"etype": kind}


def _is_identity(link: Link) -> bool:
    """Whether a link makes mentions coreferent; another one is a relation."""
    return not isinstance(link, syntax.Relation) or IDENTITY_TYPE.fullmatch(link.label) is not None


def _members(link: Link) -> list[str]:
    if isinstance(link, syntax.Relation):
        return [link.source, link.target]
    return link.members if isinstance(link, syntax.Equivalence) else [link.member]


def _are_mentions(source: Source, file: syntax.BratFile, line: int, names: Sequence[str]) -> bool:
    """Whether all these are mentions; what concerns events is left alone, and the rest is a problem."""
    missing = [name for name in names if name not in file.spans]
    for name in missing:
        if name[0] not in "ERN":
            source.add_problem(
                "mention.unknown",
                line,
                1,
                found=f"{name!r}, which is no mention of the file",
                expected="the number of a T line",
                remedies=["correct it or add the mention"],
            )
    return not missing


def sniff(head: str) -> bool:
    """Whether there is a `T` line, and the file is not one of LitBank's."""
    has_mention = re.search(r"^T\d+\t\S+ \d+ \d+(?:;\d+ \d+)*(?:\t|$)", head, re.MULTILINE) is not None
    return has_mention and not LITBANK_LINE.search(head)


def write(documents: Iterable[Document]) -> Iterator[str]:
    """The annotation of one document."""
    for index, document in enumerate(documents):
        if index:
            raise UsageError("brat has one document per file, and there are several: convert them to a folder")
        yield "".join(f"{line}\n" for line in _format_document(document))


def beside(documents: Sequence[Document]) -> dict[str, str]:
    """The text that the annotation of one document is about."""
    return {".txt": "".join(text_layout(document, "brat")[0] for document in documents)}


def _format_document(document: Document) -> Iterator[str]:
    text, starts, ends = text_layout(document, "brat")
    kinds = document.features.get("etype", [""] * len(document))
    for index, span in enumerate(document.spans):
        parts = np.asarray(document.segments.get(index) or [span])
        if document.unit != "character":
            parts = np.asarray([(starts[start], ends[end - 1]) for start, end in token_spans(document, parts).tolist()])
        yield _span_line(f"T{index + 1}", re.sub(r"\s", "_", kinds[index]) or UNTYPED, parts.tolist(), text)
    cells = [(name, index, value) for name, column in document.features.items() for index, value in enumerate(column)]
    features = [cell for cell in cells if cell[2] and cell[0] != "etype"]
    for number, (name, index, value) in enumerate(features, 1):
        yield _attribute_line(number, name, f"T{index + 1}", value)
    relations = [relation for relation in document.relations if not IDENTITY_TYPE.fullmatch(relation.kind)]
    for number, (name, start, end) in enumerate(relations, 1):
        yield _relation_line(number, name, (f"T{start + 1}", f"T{end + 1}"))
    for mentions in document.members():
        if len(mentions) > 1:
            yield f"*\tCoref {' '.join(f'T{mention + 1}' for mention in mentions)}"


def _span_line(name: str, label: str, parts: Sequence[Sequence[int]], text: str) -> str:
    places = ";".join(f"{start} {end}" for start, end in parts)
    quoted = " ".join(text[start:end] for start, end in parts)
    return f"{name}\t{label} {places}\t{single_line(quoted)}"


def _attribute_line(number: int, name: str, target: str, value: str) -> str:
    return f"A{number}\t{re.sub(r'[^a-z0-9_-]', '_', name.lower())} {target} {single_line(value)}"


def _relation_line(number: int, kind: str, ends: tuple[str, str], roles: tuple[str, str] = ("Arg1", "Arg2")) -> str:
    return f"R{number}\t{re.sub('[^A-Za-z0-9_-]', '_', kind)} {roles[0]}:{ends[0]} {roles[1]}:{ends[1]}"


def splice(source: Source, documents: Sequence[Document]) -> bytes:
    """The annotation with other lines for the mentions that changed; the text beside it stays as it is."""
    [(before, after)] = spliced_documents(FORMAT, source, documents)
    edits = Edits(source)
    _BratSplicer(syntax.read(source), before, after).put_into(edits, source.text)
    return edits.apply()


class _BratSplicer:
    """The lines of a file and what becomes of them: another text, or nothing (None)."""

    def __init__(self, file: syntax.BratFile, before: Document, after: Document) -> None:
        self.file, self.before, self.after = file, before, after
        self.change = changes(before, after)
        self.lines: dict[syntax.Line, str | None] = {}
        self.new: list[str] = []
        spans = list(file.spans.values())
        self.spans = [spans[number] for number in file_order(before)]
        """The line of every mention before."""
        fresh = fresh_numbers(file.spans)
        kept_names = {new: self.spans[old].name for new, old in self.change.origin.items()}
        self.names = [kept_names.get(index) or f"T{next(fresh)}" for index in range(len(after))]
        """The T… of every mention after."""
        self.numbers = {letter: self._numbers(letter) for letter in "AR"}

    def _numbers(self, letter: str) -> Iterator[int]:
        """Numbers for new lines of a kind."""
        return fresh_numbers(line.text.partition("\t")[0] for line in self.file.lines if line.text.startswith(letter))

    def put_into(self, edits: Edits, text: str) -> None:
        self._change_spans()
        self._change_attributes()
        self._change_relations()
        if _chain_sets(self.before, [span.name for span in self.spans]) != _chain_sets(self.after, self.names):
            self._change_chains()
        for line, new in self.lines.items():
            end = line.start + len(line.text)
            edits.replace(line.start, end if new is not None else min(end + 1, len(text)), new or "")
        ends = "" if not text or text.endswith("\n") else "\n"
        edits.insert(len(text), "".join([ends, *(f"{line}\n" for line in self.new)]) if self.new else "")

    def _change_spans(self) -> None:
        new_extents, old_extents = extents(self.after), extents(self.before)
        text = self.file.text or ""
        for old, new in self.change.pairs:
            span = self.spans[old] if old is not None else None
            if span and new is None:
                self.lines[span.line] = None
                if any(re.search(rf"\b{re.escape(span.name)}\b", line.text) for line in self.file.others):
                    raise UsageError(f"an event or a normalisation is about {span.name}, so that it cannot be removed")
                self.lines |= {note.line: None for note in self.file.notes if note.target == span.name}
            elif new is not None:
                kind = self.after.features_of(new).get("etype", "")
                same_kind = old is not None and kind == self.before.features_of(old).get("etype", "")
                label = span.label if span and same_kind else re.sub(r"\s", "_", kind or UNTYPED)
                line = _span_line(self.names[new], label, new_extents[new], text)
                if span is None or old is None:
                    self.new.append(line)
                elif new_extents[new] != old_extents[old] or not same_kind:
                    self.lines[span.line] = line

    def _change_attributes(self) -> None:
        """Take out attributes that are no longer true, and add those that are new."""
        old_features, new_features = (
            _features_by_name(self.before, [span.name for span in self.spans]),
            _features_by_name(self.after, self.names),
        )
        for attribute in self.file.attributes:
            key = (attribute.target, attribute.name.lower())
            if old_features.get(key) != new_features.get(key):
                self.lines[attribute.line] = None
        for (target, name), value in new_features.items():
            if old_features.get((target, name)) != value and name != "etype":  # which the line of the mention says
                self.new.append(_attribute_line(next(self.numbers["A"]), name, target, value))

    def _change_relations(self) -> None:
        old_relations = Counter(
            (kind, self.spans[source].name, self.spans[target].name) for kind, source, target in self.before.relations
        )
        new_relations = Counter(
            (kind, self.names[source], self.names[target]) for kind, source, target in self.after.relations
        )
        for link in self.file.links:
            if isinstance(link, syntax.Relation) and not _is_identity(link):
                key = (link.label, link.source, link.target)
                if old_relations[key] > new_relations[key]:
                    self.lines[link.line] = None
                    old_relations[key] -= 1
        for kind, start, end in (new_relations - old_relations).elements():
            self.new.append(_relation_line(next(self.numbers["R"]), kind, (start, end)))

    def _change_chains(self) -> None:
        """Take out links that are no longer true, and tie together what no longer hangs together."""
        chains = {name: int(self.after.chains[index]) for index, name in enumerate(self.names)}
        known = self.file.spans.keys()  # what is about events, the reader left out
        same = [link for link in self.file.links if _is_identity(link) and known >= set(_members(link))]
        tied = UnionFind(self.names)
        starred: dict[int, tuple[syntax.Equivalence, list[str]]] = {}
        for link in same:
            if isinstance(link, syntax.Equivalence):
                self._change_star(link, chains, tied, starred)
            elif isinstance(link, syntax.Relation):
                if link.source in chains and chains[link.source] == chains.get(link.target):
                    tied.union(link.source, link.target)
                else:
                    self.lines[link.line] = None
        if named := [link for link in same if isinstance(link, syntax.Chain)]:
            self._change_names(named, chains, tied)
        for number, names in group_items((number, name) for name, number in chains.items()).items():
            loose = tied.groups(names)
            if len(loose) > 1:
                self._tie_pieces(number, [piece[0] for piece in loose], same, starred)

    def _change_star(
        self, link: syntax.Equivalence, chains: Mapping[str, int], tied: UnionFind[str],
        starred: dict[int, tuple[syntax.Equivalence, list[str]]],
    ) -> None:  # fmt: skip
        """Leave those on a `*` line that are still in one chain, the largest of several."""
        members = [name for name in link.members if name in chains]
        common = Counter(chains[name] for name in members).most_common(1)
        remaining = [name for name in members if chains[name] == common[0][0]]
        if remaining != link.members:
            text = link.line.text[: link.line.text.index(link.label) + len(link.label)]
            self.lines[link.line] = f"{text} {' '.join(remaining)}" if len(remaining) > 1 else None
        if len(remaining) > 1:
            tied.union(*remaining)
            starred.setdefault(common[0][0], (link, remaining))

    def _change_names(self, named: Sequence[syntax.Chain], chains: Mapping[str, int], tied: UnionFind[str]) -> None:
        """Give the mentions the names of their chains, in a file that has such lines."""
        votes = Counter((chains[link.member], link.name) for link in named if link.member in chains)
        names: dict[int, str] = {}
        for (number, name), _ in votes.most_common():
            if number not in names and name not in names.values():
                names[number] = name
        taken = {link.name for link in named}
        fresh = (name for number in count(1) if (name := f"chain-{number}") not in taken)
        lined: set[str] = set()
        sizes = Counter(chains.values())
        for link in named:
            if link.member not in chains:
                self.lines[link.line] = None
                continue
            number = chains[link.member]
            if number not in names:
                names[number] = next(fresh)
            lined.add(link.member)
            if link.name != names[number]:
                self.lines[link.line] = link.line.text[: link.line.text.rindex(link.name)] + names[number]
        for name, number in chains.items():
            if name not in lined and (sizes[number] > 1 or len(lined) == len(self.file.spans)):
                if number not in names:
                    names[number] = next(fresh)
                self.new.append(f"COREF\t{name}\t{names[number]}")
                lined.add(name)
        first: dict[int, str] = {}
        for name in lined:
            tied.union(first.setdefault(chains[name], name), name)

    def _tie_pieces(
        self,
        number: int,
        names: list[str],
        same: Sequence[object],
        starred: Mapping[int, tuple[syntax.Equivalence, list[str]]],
    ) -> None:
        """Tie pieces of a chain together, in the way of the file."""
        relations = [link for link in same if isinstance(link, syntax.Relation)]
        stars = [link for link in same if isinstance(link, syntax.Equivalence)]
        if number in starred:
            link, members = starred[number]
            text = self.lines.get(link.line) or link.line.text.rstrip()
            self.lines[link.line] = " ".join([text, *(name for name in names if name not in members)])
        elif relations and not stars:
            for first, second in pairwise(names):
                line = _relation_line(next(self.numbers["R"]), relations[0].label, (second, first), relations[0].roles)
                self.new.append(line)
        else:
            self.new.append(f"*\t{stars[0].label if stars else 'Coref'} {' '.join(names)}")


def _features_by_name(document: Document, names: Sequence[str]) -> dict[tuple[str, str], str]:
    """What is said of every mention, by its name and that of the feature."""
    return {
        (name, feature.lower()): value
        for mention, name in enumerate(names)
        for feature, value in document.features_of(mention).items()
    }


def _chain_sets(document: Document, names: Sequence[str]) -> set[frozenset[str]]:
    """The mentions of every chain, by their names."""
    return {frozenset(names[mention] for mention in members) for members in document.members()}


FORMAT = Format(
    read,
    sniff,
    write,
    carries=frozenset(("kinds", "features", "discontinuous", "relations", "singletons", "spans")),
    suffixes=(".ann",),
    companion_endings=(".txt",),
    settings_files=syntax.SETTINGS_FILES,
    splice=splice,
    beside=beside,
)
