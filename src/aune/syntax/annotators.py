"""Choose one annotator in files with the annotation of several people or models.

A file that names one annotator, or none, is read directly. One that names several becomes several responses
(`reading/annotator_split.py`); as a key it is refused until the user names one. `--annotator ann
--response-annotator ben` compares two of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, TypeAlias

from aune.contract.options import HiddenAtDefault
from aune.errors import Remedy
from aune.reading.source import Source

Annotator: TypeAlias = Annotated[
    str, "whose annotation is read, of a file with that of several people or models", HiddenAtDefault
]
Places: TypeAlias = Mapping[str, tuple[int, int]]
"""Annotators, each with the line and column of the first annotation."""
MOST_NAMED = 8
NOT_ANNOTATED = "texts that the annotator did not annotate"


def choose_annotator(source: Source, annotators: Places, wanted: str) -> str | None:
    """The annotator whose annotation is read; '' if the file names none, None if a problem was reported.

    >>> choose_annotator(Source("a", b""), {"ann": (1, 1)}, "")
    'ann'
    >>> source = Source("a", b"")
    >>> choose_annotator(source, {"ann": (1, 1), "ben": (2, 5)}, ""), source.problems[0].place.line
    (None, 2)
    """
    if wanted and wanted not in annotators:
        expected = f"one of {_list_names(annotators)}" if annotators else "a file without names of annotators"
        remedies = ["choose one of them" if annotators else "leave the option out"]
        source.add_problem(
            "annotator.unknown", 1, 1, found=f"no annotator {wanted!r}", expected=expected, remedies=remedies
        )
        return None
    if not wanted and len(annotators) > 1:
        source.annotators = tuple(annotators)
        first, second, *_ = annotators
        line, column = annotators[second]
        remedy = Remedy("name one, or two to compare them", (("annotator", first), ("response_annotator", second)))
        source.add_problem(
            "annotator.several", line, column,
            found=f"annotation of {len(annotators)} annotators ({_list_names(annotators)})",
            expected="that of one", remedies=[remedy],
        )  # fmt: skip
        return None
    return wanted or next(iter(annotators), "")


def _list_names(annotators: Places) -> str:
    names = list(annotators)
    return ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")


def note_unannotated(source: Source, line: int) -> None:
    """Note that a text is left out, because the annotator did not annotate it."""
    source.add_note(NOT_ANNOTATED, _unannotated_note, {"texts": 1}, line)


def _unannotated_note(counts: Mapping[str, int], line: int) -> str:
    texts = f"{counts['texts']} text" + ("s" if counts["texts"] > 1 else "")
    return f"{texts} left out, which the annotator did not annotate (first at line {line})"


def note_left_out(source: Source, kinds: Counter[str]) -> None:
    """Note which parts of a file were not read, by kind."""
    if kinds:
        source.add_note("what is not read", _left_out_note, dict(kinds))


def _left_out_note(counts: Mapping[str, int], line: int) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    return f"not read: {kinds}"
