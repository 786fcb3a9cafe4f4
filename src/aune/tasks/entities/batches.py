"""Batches of a training loop, counted directly from lists of tags, the most common case.

Both sides are decoded as one text, and only totals are computed, so that a batch takes a fraction of the time of a
comparison. Any input other than lists of sentences of the same lengths is left to the comparison, and so is any input
that must be refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aune.alignment.offset_slips import count_slips
from aune.contract.task import Batch
from aune.numeric.arrays import Ints, Mask
from aune.reading.python_inputs import is_list_of
from aune.tasks.entities.tags import detect_scheme, entity_bounds, legality, parse_tags, scheme_evidence, tag_numbers


def f_measure(key: Any, response: Any) -> Batch | None:
    """The counts of the strict F-measure: the entities of each side, and how many both have."""
    if not (is_list_of(key, list) and is_list_of(response, list)):
        return None
    lengths = list(map(len, key))
    size = sum(lengths)
    if lengths != list(map(len, response)) or not size or set(lengths) == {2}:  # pairs may be words with their tags
        return None
    try:
        tags, codes = tag_numbers(chain.from_iterable(chain(key, response)), 2 * size)
    except TypeError:  # a value that is no tag
        return None
    if set(map(type, tags)) != {str}:
        return None
    prefixes, names, tag_labels, unreadable = parse_tags(tuple(tags), "auto")
    if unreadable:
        return None
    prefix, label = prefixes[codes], tag_labels[codes]
    all_lengths = np.array(lengths * 2)
    begin, end, starts = entity_bounds(prefix, label, np.cumsum(all_lengths) - all_lengths)
    key_count, labels = int(np.searchsorted(begin, size)), label[begin]
    facts: dict[Any, int] = {("no typology",): 1, ("key tokens",): size}  # tags alone name no typology
    for role, first, entities in (("key", 0, slice(key_count)), ("response", size, slice(key_count, None))):
        text = slice(first, first + size)
        used_tags = np.flatnonzero(np.bincount(codes[text], minlength=len(tags))).tolist()
        side = prefix[text], label[text], begin[entities] - first, end[entities] - first
        facts["repaired", role] = _count_illegal(*side, starts[text], [tags[number] for number in used_tags])
        for name, number in zip(names, np.bincount(labels[entities], minlength=len(names)).tolist(), strict=True):
            facts["label", role, name] = number
    spans = np.stack([begin, end], axis=1)
    if 0 < key_count < len(begin):
        slips = count_slips(spans[:key_count], spans[key_count:] - size)
        facts |= {("slip", name): number for name, number in slips.items()}
    correct = _count_same(begin, end - begin, labels, key_count, size)
    return Batch(
        1,
        (correct, key_count, correct, len(begin) - key_count),
        facts,
        has_annotation=(key_count > 0, len(begin) > key_count),
    )


def _count_illegal(prefix: NDArray[Any], label: Ints, begin: Ints, end: Ints, first: Mask, tags: Sequence[str]) -> int:
    """How many entities of a side have tags that their scheme does not allow."""
    seen, broken = scheme_evidence(prefix, label, begin, end, tags, thorough=False)
    scheme = detect_scheme(seen)
    if scheme in ("IOB2", "IOE2"):  # these schemes do not depend on the sentences
        return int(np.count_nonzero(broken.get(scheme, 0)))
    return len(begin) - int(np.count_nonzero(legality(prefix, label, begin, end, scheme, first)))


def _count_same(begin: Ints, length: Ints, label: Ints, key_count: int, size: int) -> int:
    """How many entities both sides have. The first `key_count` ones are the key's; the two texts have the same size."""
    codes = length * (int(label.max(initial=0)) + 1) + label
    expected = np.zeros(size, np.int64)
    expected[begin[:key_count]] = codes[:key_count]
    return int(np.count_nonzero(expected[begin[key_count:] - size] == codes[key_count:]))
