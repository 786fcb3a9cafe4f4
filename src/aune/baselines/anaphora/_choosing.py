"""The documents of a key with other antecedents."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aune.tasks.anaphora.model import Anaphor, Document, document


def chosen(documents: Sequence[Document], choose: Callable[[Document, Anaphor], Sequence[str]]) -> list[Document]:
    """The same anaphors with the antecedents that `choose` gives them."""
    return [
        document(
            one.id,
            [anaphor._replace(antecedents=tuple(choose(one, anaphor))) for anaphor in one.anaphors],
            kinds=one.kinds,
            texts=one.texts,
            attributes=one.attributes,
            path=one.path,
            line=one.line,
        )
        for one in documents
    ]
