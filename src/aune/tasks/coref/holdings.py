"""What documents hold beyond the bare chains, so that a conversion can say what the other format cannot carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from aune.tasks.coref.model import STEP, Document


def holdings(documents: Sequence[Document]) -> dict[str, int]:
    """How many there are of each thing that a format may or may not carry (`Format.carries`), those found at all.

    >>> from aune.tasks.coref.model import Mention, document
    >>> holdings([document("d", [Mention(0, 2, "a", head=1)], tokens=["my", "dog", "barks"])])
    {'tokens': 3, 'heads': 1, 'singletons': 1, 'spans': 1}
    """
    total: Counter[str] = Counter()
    for found in documents:
        total.update(_held(found))
    return {name: total[name] for name in NAMES if total[name]}


NAMES = (
    "tokens", "sentences", "kinds", "features", "heads", "minima", "discontinuous", "relations", "singletons", "spans",
    "attributes", "empty nodes",
)  # fmt: skip


def _held(found: Document) -> dict[str, int]:
    return {
        "tokens": len(found.tokens or ()),
        "sentences": len(found.sentences or ()),
        "kinds": _filled(found, {"kind"}),
        "features": _filled(found, set(found.features) - {"kind", "name"}),
        "heads": 0 if found.heads is None else int((found.heads >= 0).sum()),
        "minima": 0 if found.minima is None else int((found.minima != found.spans).any(axis=1).sum()),
        "discontinuous": len(found.segments),
        "relations": len(found.relations),
        "singletons": int((np.bincount(found.chains) == 1).sum()) if len(found) else 0,
        "spans": 0 if found.unit == "name" else len(found),
        "attributes": len([name for name in found.attributes if name != "genre" or not _names_its_genre(found)]),
        "empty nodes": _empty_nodes(found),
    }


def _filled(found: Document, names: set[str]) -> int:
    """How many cells of some columns say something."""
    return sum(bool(value) for name in names for value in found.features.get(name, ()))


def _names_its_genre(found: Document) -> bool:
    return found.id.startswith(f"{found.attributes['genre']}/")


def _empty_nodes(found: Document) -> int:
    """Tokens that are not words: those that stand between the places of words."""
    return 0 if found.positions is None or found.unit != "token" else int((found.positions % STEP != 0).sum())
