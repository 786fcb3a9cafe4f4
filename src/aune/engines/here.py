"""Chunks counted in this process, one after the other."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from aune.core.evaluation import here
from aune.core.plans import Engine


def opened(workers: int = 1, address: str = "") -> AbstractContextManager[Engine]:
    return nullcontext(here)
