"""Whether a run annotates the whole text that was handed out, and nothing else.

Words are compared in both directions: words that a run leaves out, adds or changes count. The protocol states which
share of the words may differ (`[coverage]` in campaign.toml); the default is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from aune.campaign.keys.texts import WORDS, TextDifference, make_excerpt
from aune.errors import Place, Problem, Remedy

Pairs = Sequence[tuple[Any, Any]]
"""Documents as they were handed out, each with the document of a run."""


class Coverage(NamedTuple):
    """How much of the texts is missing, added or different in a run."""

    unit: str
    """The name of the counted units, in the plural."""
    total: int
    differences: Sequence[TextDifference] = ()

    @property
    def different(self) -> int:
        return sum(difference.size for difference in self.differences)


def measure_coverage(task: str, pairs: Pairs, differences: Sequence[TextDifference]) -> Coverage:
    """The coverage of a run, in words or anaphors; `differences` are those of its words."""
    if task == "anaphora":
        total = sum(len(document.anaphors) for document, _ in pairs)
        return Coverage("anaphors", total, [*_anaphor_differences(pairs)])
    read_words = WORDS.get(task)
    if read_words is None:
        return Coverage("words", 0)
    total = sum(len(read_words(document)[0] or ()) for document, _ in pairs)
    ragged = _tag_differences(pairs) if task == "entities" else ()
    counted = [
        difference for difference in differences if _letters(difference.expected) != _letters(difference.answered)
    ]
    return Coverage("words", total, [*counted, *ragged])


def _letters(words: Sequence[str]) -> str:
    """Words without the separators in compounds: `Par_exemple` is the same as `Par exemple`."""
    return "".join("".join(words).split()).replace("_", "")


def _anaphor_differences(pairs: Pairs) -> Iterator[TextDifference]:
    """Anaphors without an answer, and answers about something that is not an anaphor of the text."""
    for document, response in pairs:
        expected, answered = (
            list(dict.fromkeys(anaphor.mention for anaphor in side.anaphors)) for side in (document, response)
        )
        missing = [mention for mention in expected if mention not in response.by_mention]
        added = [mention for mention in answered if mention not in document.by_mention]
        if missing or added:
            place = next((number for number, name in enumerate(expected, 1) if name in missing), 1)
            yield TextDifference(document.id, response.line, place, missing, added)


def _tag_differences(pairs: Pairs) -> Iterator[TextDifference]:
    """Sequences of tags without words whose length differs from that of the text."""
    for document, response in pairs:
        if response.tags is None or response.words or response.text is not None or not document.tokens:
            continue
        words, tags = list(document.tokens), len(response.tags.codes)
        if tags != len(words):
            shorter = min(tags, len(words))
            yield TextDifference(document.id, 0, shorter + 1, words[shorter:], ["a tag"] * (tags - shorter))


def coverage_problems(name: str, coverage: Coverage, allowed: float) -> list[Problem]:
    """One problem, with the first place, if more of the texts is missing or different than the protocol allows."""
    most = int(coverage.total * allowed + 1e-9)
    if coverage.different <= most:
        return []
    first = coverage.differences[0]
    has_missing = any(difference.expected for difference in coverage.differences)
    has_added = any(difference.answered for difference in coverage.differences)
    manner = "different" if has_missing and has_added else "missing" if has_missing else "added"
    expected, answered = (make_excerpt(words[:3]) for words in (first.expected, first.answered))
    instead = f"{expected!r} is missing" if not answered else f"{answered!r} instead of {expected!r}"
    what = instead if expected else f"{answered!r} was added"
    return [
        Problem(
            "run.incomplete",
            Place(name, max(first.line, 1), 1),
            f"{coverage.different:,} of {coverage.total:,} {coverage.unit} {manner}, the first at "
            f"{coverage.unit.removesuffix('s')} {first.word:,} of {first.document!r} ({what})",
            f"at most {most:,}" if most else "the whole text that was handed out, and nothing else",
            (Remedy("annotate every document from its beginning to its end, and leave its words as they are"),),
        )
    ]
