"""What holds of every document with chains, whoever made it: a reader, a writer that was read back, an edit."""

from __future__ import annotations

import numpy as np

from aune.numeric.ranges import have_overlap
from aune.tasks.coref.model import Document


def unsound(document: Document) -> str:
    """What is wrong with a document, or '' when all is well: heads and least spans lie in their mentions."""
    for index, (start, end) in enumerate(document.spans.tolist()):
        parts = document.segments.get(index) or ((start, end),)
        where = f"{document.id!r}, mention {index} {parts}"
        head = -1 if document.heads is None else int(document.heads[index])
        least = (start, end) if document.minima is None else tuple(document.minima[index].tolist())
        if not start < end or any(first >= last for first, last in parts):
            return f"{where}: nothing is in it"
        if (parts[0][0], parts[-1][1]) != (start, end) or list(parts) != sorted(parts) or have_overlap(parts):
            return f"{where}: its parts are not its extent, or not in order, or overlap"
        if head >= 0 and not any(first <= head < last for first, last in parts):
            return f"{where}: the head {head} is outside it"
        if not start <= least[0] < least[1] <= end:
            return f"{where}: the least span {least} is outside it"
        if head >= 0 and document.unit == "token" and document.positions is not None and head not in document.positions:
            return f"{where}: no token stands at the head {head}"
    if document.positions is not None and not (np.diff(document.positions) > 0).all():
        return f"{document.id!r}: tokens that stand at one place, or before others"
    if "" in document.features:
        return f"{document.id!r}: a feature without a name"
    ends = [end for relation in document.relations for end in (relation.source, relation.target)]
    if not all(0 <= end < len(document) for end in ends):
        return f"{document.id!r}: a relation of mentions that are not there"
    if not np.array_equal(np.unique(document.chains), np.arange(document.chain_count)):
        return f"{document.id!r}: chains that have no mention"
    return ""
