"""Predictions that annotators accept, change or reject, as recorded by the events of their layer."""

from __future__ import annotations

from collections.abc import Iterable

from aune.workbench.model import Event

ACCEPTED, CHANGED, REJECTED = "accept prediction", "change prediction", "reject prediction"
"""The operations of events about predictions; `about` contains the prediction."""


def settled_predictions(events: Iterable[Event]) -> set[str]:
    """The predictions that were rejected or changed; accepted predictions are mentions of the layer."""
    return {name for event in events if event.operation in (CHANGED, REJECTED) for name in event.about}
