"""The rules of the task for `aune validate`: what the organisers of an entity campaign have to check.

Under a typology with components, the rules are those of the Quaero guide as described by Ben Jannet 2015 (§3.3.3,
§4.9). A violation of the structure or the typology is an error. An entity without a constituent is only a warning,
since every measure can handle it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from aune.errors import Place, Problem, as_remedies
from aune.tasks.entities.model import Document, Segments, Span, spans_of
from aune.typologies.typology import Typology, typology

MOST_LABELS = 2  # of an entity: metonymy is two labels


def check(documents: Sequence[Document]) -> list[Problem]:
    """Check for empty, repeated and crossing spans, and under a typology for wrong labels and misplaced components."""
    return [problem for document in documents for problem in _problems(document)]


def _problems(document: Document) -> Iterator[Problem]:
    known = typology(document.typology)
    spans = sorted(
        spans_of(document),
        key=lambda span: (span.start, -span.end, span.depth, span.label in known.components, span.label, span.segments),
    )
    outer: list[Span] = []
    entities: dict[Extent, list[Span]] = {}
    decomposed: set[Extent] = set()
    seen: set[tuple[Extent, str]] = set()
    for span in spans:
        make_problem = _ProblemMaker(document, span)
        yield from _label_problems(make_problem, span.label, known)
        if span.start == span.end:
            empty, remedies = f"an empty {span.label!r}", ["remove it or give it its text"]
            yield make_problem("mention.empty", found=empty, expected="text in it", remedies=remedies)
            continue
        if (_extent(span), span.label) in seen:
            repeated = f"{span.label!r} a second time over {_describe_place(document, span)}"
            yield make_problem("mention.repeated", found=repeated, expected="it once", remedies=["remove one"])
            continue
        seen.add((_extent(span), span.label))
        outer = [enclosing for enclosing in outer if enclosing.end > span.start]
        yield from _crossing_problems(make_problem, document, span, outer)
        around = [enclosing for enclosing in outer if enclosing.end >= span.end]
        component = span.label in known.components
        if around and (component or _extent(span) != _extent(around[-1])):
            decomposed.add(_extent(around[-1]))
        if component:
            yield from _component_problems(make_problem, span.label, [enclosing.label for enclosing in around], known)
        else:
            entities.setdefault(_extent(span), []).append(span)
        outer.append(span)
    if known.components:
        yield from _decomposition_problems(document, known, entities, decomposed)


def _label_problems(make_problem: _ProblemMaker, label: str, known: Typology) -> Iterator[Problem]:
    if fuller := known.completions(label):
        yield make_problem(
            "label.incomplete", found=f"the label {label!r}", expected=f"it in full, such as {fuller[0]!r}",
            remedies=["add the sub-type"],
        )  # fmt: skip
    elif not known.knows(label):
        yield make_problem(
            "label.unknown", found=f"the label {label!r}", expected=f"one of the typology {known.name}",
            remedies=["mend it"],
        )  # fmt: skip


def _crossing_problems(
    make_problem: _ProblemMaker, document: Document, span: Span, outer: Sequence[Span]
) -> Iterator[Problem]:
    """Contiguous spans that begin inside another span and end after it."""
    for enclosing in outer:
        if enclosing.end < span.end and not (enclosing.segments or span.segments):
            crossed = f"{enclosing.label!r} over {_describe_place(document, enclosing)}"
            yield make_problem(
                "mention.crossing",
                found=f"{span.label!r} over {_describe_place(document, span)}, which crosses {crossed}",
                expected="spans that nest or stay apart", remedies=["move a boundary"],
            )  # fmt: skip


Extent: TypeAlias = tuple[int, int, Segments]


def _extent(span: Span) -> Extent:
    return span.start, span.end, span.segments


def _decomposition_problems(
    document: Document, known: Typology, entities: Mapping[Extent, list[Span]], decomposed: set[Extent]
) -> Iterator[Problem]:
    """Entities with more labels than metonymy allows, and entities without constituents."""
    for extent, spans in entities.items():
        make_problem = _ProblemMaker(document, spans[0])
        if len(spans) > MOST_LABELS:
            names = ", ".join(sorted(span.label for span in spans))
            yield make_problem(
                "label.too-many", found=f"the labels {names} on one entity", expected=f"at most {MOST_LABELS}",
                remedies=["remove the others"],
            )  # fmt: skip
        settled = [span.label for span in spans if known.knows(span.label)]
        if extent not in decomposed and settled:
            yield make_problem(
                "component.none",
                found=f"{settled[0]!r} over {_describe_place(document, spans[0])} without a constituent",
                expected="at least one", remedies=["decompose it"], severity="warning",
            )  # fmt: skip


def _component_problems(
    make_problem: _ProblemMaker, label: str, around: Sequence[str], known: Typology
) -> Iterator[Problem]:
    """Components outside an entity, and specific ones outside entities of their types."""
    if not around:
        outside = f"the component {label!r} outside of any entity"
        expected = "an entity around it"
        yield make_problem("component.misplaced", found=outside, expected=expected, remedies=["add it"])
    elif around[-1] in known.components:
        inside = f"the component {label!r} inside the component {around[-1]!r}"
        expected = "it directly inside an entity"
        yield make_problem("component.misplaced", found=inside, expected=expected, remedies=["move it one level up"])
    elif not known.allows(label, around[-1]):
        homes = ", ".join(sorted(known.components[label]))
        inside, expected = f"the component {label!r} inside {around[-1]!r}", f"it only inside {homes}"
        yield make_problem("component.misplaced", found=inside, expected=expected, remedies=["mend one of them"])


class _ProblemMaker:
    """Makes the problems of one span."""

    def __init__(self, document: Document, span: Span) -> None:
        self.path = document.path or document.id
        self.line = document.line if document.lines is None else span.line
        self.column = span.column
        self.where = "" if document.lines is not None else f" in document {document.id!r}"

    def __call__(
        self,
        code: str,
        *,
        found: str,
        expected: str,
        remedies: Sequence[str],
        severity: Literal["error", "warning"] = "error",
    ) -> Problem:
        place = Place(self.path, self.line, self.column)
        return Problem(code, place, found + self.where, expected, as_remedies(remedies), severity)


def _describe_place(document: Document, span: Span) -> str:
    """The text of a span, or its position if the text is unknown."""
    quoted = document.excerpt(span.start, span.end)
    return repr(quoted) if quoted else f"{document.unit}s {span.start} to {span.end - 1}"
