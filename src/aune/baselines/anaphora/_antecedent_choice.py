"""Replace the antecedents in the documents of a key."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aune.tasks.anaphora.model import Anaphor, Document, make_document


def choose_antecedents(
    documents: Sequence[Document], choose: Callable[[Document, Anaphor], Sequence[str]]
) -> list[Document]:
    """The same anaphors with the antecedents that `choose` gives them."""
    return [
        make_document(
            original.id,
            [anaphor._replace(antecedents=tuple(choose(original, anaphor))) for anaphor in original.anaphors],
            kinds=original.kinds,
            texts=original.texts,
            attributes=original.attributes,
            path=original.path,
            line=original.line,
        )
        for original in documents
    ]
