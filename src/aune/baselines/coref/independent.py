"""A partition independent of the key: knowing a mention's response chain says nothing of its key chain, and H is 0.

Every response chain takes the same share of every key chain. That needs a number that divides the sizes of all key
chains; with the greatest one, g, every response chain takes |K|/g mentions of each key chain K. Where the sizes have no
common divisor, no such partition exists but the one chain of everything.

Source: Popescu-Belis 1999, PROP. 12.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np

from aune.baselines import Baseline
from aune.baselines.coref._grouping import regroup_mentions
from aune.errors import UsageError
from aune.tasks.coref.model import Document


def respond(
    documents: Sequence[Document],
    *,
    otherwise: Annotated[
        Literal["refuse", "one_chain"], "documents that have no independent partition: refused, or made one chain"
    ] = "refuse",
) -> list[Document]:
    """Every document with chains that are independent of its own."""
    lacking = [document.id for document in documents if len(document) and divisor(document) == 1]
    if lacking and otherwise == "refuse":
        raise UsageError(
            f"{len(lacking)} of {len(documents)} documents (first {lacking[0]!r}) have no partition independent of "
            "their key, since the sizes of its chains have no common divisor: use --otherwise one_chain"
        )
    return [regroup_mentions(document, _groups(document)) for document in documents]


def divisor(document: Document) -> int:
    """The greatest common divisor of the sizes of all chains."""
    return math.gcd(*np.bincount(document.chains).tolist()) if len(document) else 1


def _groups(document: Document) -> list[int]:
    """The nth mention of a key chain goes to group n modulo the divisor."""
    groups, met, shared = [], np.zeros(document.chain_count, np.int64), divisor(document)
    for chain in document.chains.tolist():
        groups.append(int(met[chain]) % shared)
        met[chain] += 1
    return groups


BASELINE = Baseline(respond)
