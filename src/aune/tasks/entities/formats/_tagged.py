"""What formats with tags have to say about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aune.core.corpus import Source
from aune.tasks.entities.tags import Decoded


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
    first = int(found.illegal[0])
    done = "read as conlleval does" if repair == "conlleval" else "left out"
    source.warn(
        f"{len(found.illegal)} entit{'ies' if len(found.illegal) > 1 else 'y'} with tags that {found.scheme} does not "
        f"allow, {done} (first at line {int(lines[first])}: {tags[int(codes[first])]})"
    )
