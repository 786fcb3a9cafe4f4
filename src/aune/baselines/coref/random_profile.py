"""Random partitions with the key's profile: as many chains, of the same sizes, and mentions dealt out by chance.

What it scores is the chance level of a measure. Popescu-Belis (1999, §5.1) hopes that H and κ vanish on such a
response; with finite chains they do not, and `aune baseline coref random_profile KEY --draws 100` shows by how much.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from aune.baselines import Baseline
from aune.baselines.coref._grouping import regroup_mentions
from aune.contract.options import Range
from aune.tasks.coref.model import Document


def respond(documents: Sequence[Document], *, seed: Annotated[int, "which draw", Range(0)] = 0) -> list[Document]:
    """Every document with its mentions shuffled over chains; independent of the order of the documents."""
    return [
        regroup_mentions(document, _generator(document.id, seed).permutation(document.chains).tolist())
        for document in documents
    ]


def _generator(name: str, seed: int) -> np.random.Generator:
    digest = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest())
    return np.random.default_rng([abs(seed), int(seed < 0), digest])


BASELINE = Baseline(respond)
