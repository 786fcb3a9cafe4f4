"""The phases of a campaign, their order and their purpose."""

from __future__ import annotations

from collections.abc import Sequence

from aune.errors import UsageError

CALL, TRAINING, DRY_RUN, DRY_ADJUDICATION = "call", "training", "dry run", "dry adjudication"
TEST, TEST_ADJUDICATION, PUBLICATION, ARCHIVE = "test", "test adjudication", "publication", "archive"
OPEN = "open"

PHASES = (CALL, TRAINING, DRY_RUN, DRY_ADJUDICATION, TEST, TEST_ADJUDICATION, PUBLICATION, ARCHIVE, OPEN)
SUBMITTING = (DRY_RUN, TEST, OPEN)
"""The phases in which runs are submitted."""
DISCUSSED = (DRY_RUN, TEST)
"""The submission phases of the campaign itself; each is followed by a phase in which its results are discussed."""
DISTRIBUTING = (TRAINING, DRY_RUN, TEST)
"""The phases for which texts are handed out."""

MEANING = {
    CALL: "teams register",
    TRAINING: "training texts are handed out",
    DRY_RUN: "runs are submitted to try the protocol",
    DRY_ADJUDICATION: "the protocol and the key of the dry run are discussed, and may change",
    TEST: "runs are submitted and only their validity is told",
    TEST_ADJUDICATION: "results go to participants, who may dispute the key",
    PUBLICATION: "results are public, under pseudonyms",
    ARCHIVE: "results are public, with the names of those who agreed, and everything can be verified",
    OPEN: "everybody can still submit runs for the data of the test, which are scored at once, on a board of their own",
}


def phase_number(phase: str) -> int:
    """The position of a phase in the order."""
    return PHASES.index(phase)


def has_reached(phase: str, first: str) -> bool:
    """Whether a phase is the given one or a later one.

    >>> has_reached("test", "dry run"), has_reached("call", "test")
    (True, False)
    """
    return phase_number(phase) >= phase_number(first)


def discussion_phase(phase: str) -> str:
    """The phase in which results of a submission phase are discussed; the open phase shows its results immediately.

    >>> discussion_phase("dry run")
    'dry adjudication'
    """
    return OPEN if phase == OPEN else PHASES[phase_number(phase) + 1]


def check_next_phase(current: str, target: str, phases: Sequence[str]) -> None:
    """Refuse an invalid step: backwards, or one that skips a phase of the protocol."""
    if target not in phases:
        raise UsageError(f"no phase {target!r} in this campaign: expected one of {', '.join(phases)}")
    if target == current:
        raise UsageError(f"the campaign is in the phase {current!r} already")
    if not has_reached(target, current):
        raise UsageError(f"the campaign is in the phase {current!r}: it cannot go back to {target!r}")
    next_phase = next(phase for phase in phases if phase_number(phase) > phase_number(current))
    if target != next_phase:
        raise UsageError(f"the phase after {current!r} is {next_phase!r}, not {target!r}")
