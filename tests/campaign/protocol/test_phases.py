from __future__ import annotations

from itertools import pairwise

import pytest

from aune.campaign.protocol.phases import MEANING, PHASES, check_next_phase, discussion_phase
from aune.errors import UsageError


def test_phases_go_one_step_at_a_time() -> None:
    for before, after in pairwise(PHASES):
        check_next_phase(before, after, PHASES)
        with pytest.raises(UsageError, match="cannot go back"):
            check_next_phase(after, before, PHASES)
    with pytest.raises(UsageError, match="the phase after 'call' is 'training'"):
        check_next_phase("call", "test", PHASES)
    check_next_phase("call", "test", ("call", "test", "archive"))
    with pytest.raises(UsageError, match="no phase"):
        check_next_phase("call", "holidays", PHASES)


def test_every_phase_has_a_meaning() -> None:
    assert set(MEANING) == set(PHASES)
    assert discussion_phase("test") == "test adjudication"
