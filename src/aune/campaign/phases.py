"""The phases of a campaign, in their order, and what each of them is for."""

from __future__ import annotations

from collections.abc import Sequence

from aune.core.errors import UsageError

CALL, TRAINING, DRY_RUN, DRY_ADJUDICATION = "call", "training", "dry run", "dry adjudication"
TEST, TEST_ADJUDICATION, PUBLICATION, ARCHIVE = "test", "test adjudication", "publication", "archive"

PHASES = (CALL, TRAINING, DRY_RUN, DRY_ADJUDICATION, TEST, TEST_ADJUDICATION, PUBLICATION, ARCHIVE)
SUBMITTING = (DRY_RUN, TEST)
"""The phases in which runs are submitted; each is followed by the phase in which its results are discussed."""
DISTRIBUTING = (TRAINING, DRY_RUN, TEST)
"""The phases that texts are handed out for."""

MEANING = {
    CALL: "teams register",
    TRAINING: "training texts are handed out",
    DRY_RUN: "runs are submitted to try the protocol",
    DRY_ADJUDICATION: "the protocol and the key of the dry run are discussed, and may change",
    TEST: "runs are submitted and only their validity is told",
    TEST_ADJUDICATION: "results go to participants, who may dispute the key",
    PUBLICATION: "results are public, under pseudonyms",
    ARCHIVE: "results are public, with the names of those who agreed, and everything can be verified",
}


def number(phase: str) -> int:
    """The place of a phase in the order."""
    return PHASES.index(phase)


def since(phase: str, first: str) -> bool:
    """Whether a phase is this one or a later one.

    >>> since("test", "dry run"), since("call", "test")
    (True, False)
    """
    return number(phase) >= number(first)


def discussed_in(phase: str) -> str:
    """The phase in which the results of a phase with submissions are discussed.

    >>> discussed_in("dry run")
    'dry adjudication'
    """
    return PHASES[number(phase) + 1]


def check_step(current: str, wanted: str, held: Sequence[str]) -> None:
    """Refuse a step that is none: back, or over a phase that the protocol has."""
    if wanted not in held:
        raise UsageError(f"no phase {wanted!r} in this campaign: expected one of {', '.join(held)}")
    if wanted == current:
        raise UsageError(f"the campaign is in the phase {current!r} already")
    if not since(wanted, current):
        raise UsageError(f"the campaign is in the phase {current!r}: it cannot go back to {wanted!r}")
    following = next(phase for phase in held if number(phase) > number(current))
    if wanted != following:
        raise UsageError(f"the phase after {current!r} is {following!r}, not {wanted!r}")
