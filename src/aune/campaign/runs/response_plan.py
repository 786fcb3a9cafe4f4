"""The sample-size plan that responses to some data give for other data, as computed in the process of a job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aune.campaign.runs.scorer_execution import evaluate_runs

if TYPE_CHECKING:
    from aune.campaign.protocol.protocol_file import Protocol


def plan_responses(
    folder: Path,
    protocol: Protocol,
    key: str,
    responses: Mapping[str, Any],
    options: Mapping[str, Any],
    request: Mapping[str, Any],
) -> dict[str, Any]:
    """The fields of a `KeyPlan` from some responses, as plain data; `folder` contains the files of the protocol."""
    from aune.reports.analyses import analysis_written  # noqa: PLC0415 - needed for tables only
    from aune.statistics.planning import plan_sample, usual_sizes  # noqa: PLC0415 - imports scipy

    scoring = protocol.scoring
    result = evaluate_runs(folder, protocol, key, responses, {**options, "measures": [scoring.ranking]})
    measure = result.measures[0]
    settings: dict[str, Any] = {
        "difference": request["difference"], "power": request["power"], "level": scoring.level, "unit": scoring.unit,
        "values": {measure.name: [scoring.value]},
    }  # fmt: skip
    units = plan_sample(result, **settings).settings["units"]
    others: Mapping[str, int] = request["sizes"] if scoring.unit == "document" else {}
    whole = plan_sample(result, **settings, sizes=[*usual_sizes(units, None), *others.values()])
    labels = request.get("labels", {})
    plan = replace(
        whole,
        requirements=[_relabel_pair(entry, labels) for entry in whole.requirements if entry.value == scoring.value],
        curve=[_relabel_pair(point, labels) for point in whole.curve if point.value == scoring.value],
    )
    notes = [_size_note(name, number, plan.curve, measure) for name, number in others.items()]
    text = analysis_written(plan, request["format"])
    return {"text": text, "warnings": [*plan.warnings, *result.warnings], "notes": [note for note in notes if note]}


def _relabel_pair(entry: Any, labels: Mapping[str, str]) -> Any:
    """A part of a plan with labels in place of run ids."""
    return entry._replace(a=labels.get(entry.a, entry.a), b=labels.get(entry.b, entry.b))


def _size_note(name: str, documents: int, curve: Sequence[Any], measure: Any) -> str:
    """The smallest differences that a dataset of this size can show; '' if they are unknown."""
    from aune.reports.comparison import amount  # noqa: PLC0415

    sizes = [point.detectable for point in curve if point.units == documents]
    if not sizes:
        return ""
    low, high = amount(min(sizes), measure), amount(max(sizes), measure)
    extent = low if low == high else f"{low} to {high}"
    return f"{name}: {documents:,} documents have no key yet; with one they show differences of {extent} or more"
