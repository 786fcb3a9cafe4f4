"""The rules of the task, for `aune validate`: what organisers of entity campaigns have to check.

Under a typology with components the rules are those of the Quaero guide as Ben Jannet 2015 tells them (§3.3.3, §4.9).
What breaks the structure or the typology is an error; an entity without a constituent, which every measure survives, is
a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from aune.core.errors import Problem
from aune.tasks.entities.model import Document, Segments
from aune.tasks.entities.typology import Typology, typology

MOST_LABELS = 2  # of an entity: metonymy is two labels


def check(found: Sequence[Document]) -> list[Problem]:
    """Empty and repeated spans, spans that cross; under a typology also its labels, and where components may stand."""
    return [problem for one in found for problem in _problems(one)]


def _problems(found: Document) -> Iterator[Problem]:
    known = typology(found.typology)
    triples = found.triples()
    component = [label in known.components for _, _, label in triples]
    depths = [0] * len(triples) if found.depths is None else found.depths.tolist()
    order = sorted(
        range(len(triples)),
        key=lambda i: (
            triples[i][0],
            -triples[i][1],
            depths[i],
            component[i],
            triples[i][2],
            found.segments.get(i, ()),
        ),
    )
    outer: list[int] = []
    entities: dict[Extent, list[int]] = {}
    decomposed: set[Extent] = set()
    seen: dict[tuple[int, int, str, object], int] = {}
    for index in order:
        start, end, label = triples[index]
        tell = _Teller(found, index)
        if fuller := known.completions(label):
            yield tell(f"found the label {label!r}, expected it in full, such as {fuller[0]!r}: add the sub-type")
        elif not known.knows(label):
            yield tell(f"found the label {label!r}, expected one of the typology {known.name}: mend it")
        if start == end:
            yield tell(f"found an empty {label!r}, expected text in it: remove it or give it its text")
            continue
        same = (start, end, label, found.segments.get(index, ()))
        if same in seen:
            yield tell(f"found {label!r} a second time over {_where(found, index)}, expected it once: remove one")
            continue
        seen[same] = index
        outer = [one for one in outer if triples[one][1] > start]
        for one in outer:
            if triples[one][1] < end and not (found.segments.get(one) or found.segments.get(index)):
                crossed = f"{triples[one][2]!r} over {_where(found, one)}"
                what = f"found {label!r} over {_where(found, index)}, which crosses {crossed}"
                yield tell(f"{what}, expected spans that nest or stay apart: move a boundary")
        around = [one for one in outer if triples[one][1] >= end]
        extent = (start, end, found.segments.get(index, ()))
        if around and (component[index] or extent != _extent(found, around[-1])):
            decomposed.add(_extent(found, around[-1]))
        if component[index]:
            yield from _misplaced(tell, label, [triples[one][2] for one in around], known)
        else:
            entities.setdefault(extent, []).append(index)
        outer.append(index)
    if known.components:
        yield from _undecomposed(found, known, entities, decomposed)


Extent: TypeAlias = tuple[int, int, Segments]


def _extent(found: Document, index: int) -> Extent:
    start, end = found.spans[index].tolist()
    return start, end, found.segments.get(index, ())


def _undecomposed(
    found: Document, known: Typology, entities: Mapping[Extent, list[int]], decomposed: set[Extent]
) -> Iterator[Problem]:
    """Entities with more labels than metonymy allows, and entities without a constituent."""
    for extent, labels in entities.items():
        tell = _Teller(found, labels[0])
        if len(labels) > MOST_LABELS:
            names = ", ".join(sorted(found.names[int(found.labels[index])] for index in labels))
            yield tell(f"found the labels {names} on one entity, expected at most {MOST_LABELS}: remove the others")
        settled = [name for index in labels if known.knows(name := found.names[int(found.labels[index])])]
        if extent not in decomposed and settled:
            what = f"found {settled[0]!r} over {_where(found, labels[0])} without a constituent, expected at least one"
            yield tell(f"{what}: decompose it", "warning")


def _misplaced(tell: _Teller, label: str, around: Sequence[str], known: Typology) -> Iterator[Problem]:
    """Components belong directly inside an entity, and specific ones inside entities of their types."""
    if not around:
        yield tell(f"found the component {label!r} outside of any entity, expected an entity around it: add it")
    elif around[-1] in known.components:
        what = f"found the component {label!r} inside the component {around[-1]!r}"
        yield tell(f"{what}, expected it directly inside an entity: move it one level up")
    elif not known.allows(label, around[-1]):
        homes = ", ".join(sorted(known.components[label]))
        yield tell(
            f"found the component {label!r} inside {around[-1]!r}, expected it only inside {homes}: mend one of them"
        )


class _Teller:
    """Makes the problems of one span."""

    def __init__(self, found: Document, index: int) -> None:
        self.path = found.path or found.id
        self.line = int(found.lines[index]) if found.lines is not None else found.line
        self.column = int(found.columns[index]) if found.columns is not None else 1
        self.where = "" if found.lines is not None else f" (document {found.id!r})"

    def __call__(self, message: str, severity: Literal["error", "warning"] = "error") -> Problem:
        return Problem(self.path, self.line, self.column, message + self.where, severity)


def _where(found: Document, index: int) -> str:
    """The text of a span, or its place where the text is unknown."""
    start, end = found.spans[index].tolist()
    quoted = found.quoted(start, end)
    return repr(quoted) if quoted else f"{found.unit}s {start} to {end - 1}"
