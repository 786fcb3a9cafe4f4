"""What formats with tags have to say about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from aune.core.corpus import Source
from aune.core.notes import Note
from aune.tasks.entities.tags import Decoded, is_doubtful


def asking(source: Source, column: str = "") -> Callable[[set[str]], Collection[str]]:
    """What speaks for and against schemes in a column of the whole file, where a piece of it is read."""

    def asked(found: set[str]) -> Collection[str]:
        everywhere = source.survey.asked(f"scheme of {column} in {source.name}", found)
        source.alone &= not (source.is_piece and is_doubtful(everywhere))
        return everywhere

    return asked


def tell_tag(source: Source, line: int, text: str, tag: str) -> None:
    """A cell that holds no tag."""
    if tag == "":
        column = len(text.rstrip()) + 1
        source.problem(line, column, "found no tag, expected one in the tag column: add it, such as O")
        return
    source.problem(
        line,
        text.rfind(tag) + 1,
        f"found {tag!r}, expected O or a tag such as B-PER: mend it, or choose the right column",
    )


def tell_illegal(source: Source, found: Decoded, repair: str, lines: Any, tags: Sequence[str], codes: Any) -> None:
    """Entities with tag sequences that their scheme forbids: a problem each, or one warning that counts them."""
    if not len(found.illegal):
        return
    if repair == "error":
        for token in found.illegal.tolist():
            tag = tags[int(codes[token])]
            source.problem(
                int(lines[token]),
                1,
                f"found an entity that starts at {tag!r} with tags that {found.scheme} does not allow, "
                "expected legal tags: mend them, or choose --repair conlleval or discard",
            )
        return
    token = int(found.illegal[0])
    first = int(lines[token]), tags[int(codes[token])]
    wording = partial(_illegal, found.scheme, "read as conlleval does" if repair == "conlleval" else "left out")
    source.notes.append(Note(f"illegal {found.scheme}", wording, {"entities": len(found.illegal)}, first, first[0]))


def _illegal(scheme: str, done: str, counts: Mapping[str, int], first: tuple[int, str]) -> str:
    number, (line, tag) = counts["entities"], first
    entities = f"{number} entit{'ies' if number > 1 else 'y'}"
    return f"{entities} with tags that {scheme} does not allow, {done} (first at line {line}: {tag})"
