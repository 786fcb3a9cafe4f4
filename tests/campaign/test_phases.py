from __future__ import annotations

from itertools import pairwise

import pytest

from aune.campaign.phases import MEANING, PHASES, check_step, discussed_in
from aune.core.errors import UsageError


def test_phases_go_one_step_at_a_time() -> None:
    for before, after in pairwise(PHASES):
        check_step(before, after, PHASES)
        with pytest.raises(UsageError, match="cannot go back"):
            check_step(after, before, PHASES)
    with pytest.raises(UsageError, match="the phase after 'call' is 'training'"):
        check_step("call", "test", PHASES)
    check_step("call", "test", ("call", "test", "archive"))
    with pytest.raises(UsageError, match="no phase"):
        check_step("call", "holidays", PHASES)


def test_every_phase_has_a_meaning() -> None:
    assert set(MEANING) == set(PHASES)
    assert discussed_in("test") == "test adjudication"
