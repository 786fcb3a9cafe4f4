"""Count chunks in this process, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from aune.errors import UsageError
from aune.evaluation.counting import Engine, count_here


def open_engine(workers: int = 1, address: str = "", modules: Sequence[str] = ()) -> AbstractContextManager[Engine]:
    if address or workers > 1:
        request = f"here={address}" if address else f"here with {workers} workers"
        raise UsageError(f"engine {request}: expected neither address nor workers, for this process counts alone")
    return nullcontext(count_here)
