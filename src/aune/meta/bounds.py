"""Lower bounds of recall and precision, from sizes alone (Popescu-Belis 1999, PROP. 5 to 7, note 5 and figure 2).

With |E| mentions, |P_K| key chains, |P_R| response chains, and the largest chains K_m and R_m:

    MUC recall ≥ (|E| − |P_K|·|P_R|) / (|E| − |P_K|)     MUC precision ≥ (|E| − |P_K|·|P_R|) / (|E| − |P_R|)  (PROP. 5)
    B³ recall ≥ |P_K| / |E|                              B³ precision ≥ |P_R| / |E|                           (PROP. 6)
    C recall ≥ (|R_m| − |P_K|) / (|E| − |P_K|)           C precision ≥ (|K_m| − |P_R|) / (|E| − |P_R|)        (PROP. 7)

MUC is never below C (PROP. 8), so PROP. 7 bounds MUC too (note 5). If the largest chain is unknown, it has at least
|E| / |P| mentions, rounded up. A bound below 0 is trivial, and is replaced by 0.
"""

from __future__ import annotations

from typing import NamedTuple

from aune.errors import UsageError

MAX_ROWS = 100_000  # limit of rows in an output for readers


class Bounds(NamedTuple):
    """The lower bounds of recall and precision."""

    response_chains: int
    muc_recall: float
    muc_precision: float
    muc_recall_by_core: float
    """The second bound, of note 5."""
    muc_precision_by_core: float
    b_cubed_recall: float
    b_cubed_precision: float
    core_recall: float
    core_precision: float


def bounds(
    mentions: int,
    key_chains: int,
    response_chains: int,
    largest_key: int | None = None,
    largest_response: int | None = None,
) -> Bounds:
    """The bounds for given sizes.

    >>> bounds(10, 2, 1).muc_precision.__round__(3)
    0.889
    """
    for name, count in (("key", key_chains), ("response", response_chains)):
        if not 1 <= count <= mentions:
            raise UsageError(f"{count} {name} chains of {mentions} mentions: expected 1 to {mentions}")
    key_most = largest_chain(mentions, key_chains, largest_key)
    response_most = largest_chain(mentions, response_chains, largest_response)
    shared = mentions - key_chains * response_chains
    core_recall = _lower_bound(response_most - key_chains, mentions - key_chains)
    core_precision = _lower_bound(key_most - response_chains, mentions - response_chains)
    return Bounds(
        response_chains,
        _lower_bound(shared, mentions - key_chains),
        _lower_bound(shared, mentions - response_chains),
        core_recall,
        core_precision,
        key_chains / mentions,
        response_chains / mentions,
        core_recall,
        core_precision,
    )


def largest_chain(mentions: int, chains: int, size: int | None) -> int:
    """The size of the largest chain: the given one, or else the smallest possible."""
    least, most = -(-mentions // chains), mentions - chains + 1
    if size is None:
        return least
    if not least <= size <= most:
        raise UsageError(
            f"largest chain of {size}: with {chains} chains of {mentions} mentions it has {least} to {most}"
        )
    return size


def _lower_bound(part: int, total: int) -> float:
    """A bound: 1 if there is no link to find (DÉF. 6, 7, 12, 13), and never below 0."""
    return max(0.0, part / total) if total else 1.0


def bounds_curve(mentions: int, key_chains: int, largest_key: int | None = None) -> list[Bounds]:
    """The bounds for every number of response chains: figure 2."""
    if not 1 <= mentions <= MAX_ROWS:
        message = f"{mentions:,} mentions: expected 1 to {MAX_ROWS:,} for every number of response chains"
        raise UsageError(f"{message}: say how many chains there are")
    return [bounds(mentions, key_chains, chains, largest_key) for chains in range(1, mentions + 1)]
