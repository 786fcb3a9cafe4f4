"""Chunks counted in this process, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from aune.core.errors import UsageError
from aune.core.evaluation import here
from aune.core.plans import Engine


def opened(workers: int = 1, address: str = "", modules: Sequence[str] = ()) -> AbstractContextManager[Engine]:
    if address or workers > 1:
        what = f"here={address}" if address else f"here with {workers} workers"
        raise UsageError(f"engine {what}: expected neither address nor workers, for this process counts alone")
    return nullcontext(here)
