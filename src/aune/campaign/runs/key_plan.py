"""How many texts need a key: what runs on data that have one, such as the dry run's, say of data that have none yet.

Runs are read in a process of its own, as for a board. An organiser's own files, of a pilot of ten documents for
instance, are read here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from aune.contract import registry
from aune.errors import UsageError
from aune.evaluation.pipeline import evaluate
from aune.reading.corpus import read

if TYPE_CHECKING:
    from aune.campaign.campaign import Campaign
    from aune.campaign.protocol.protocol_file import Protocol


class KeyPlan(NamedTuple):
    """What is known of the size of keys."""

    text: str
    """The plan in the format that was asked for."""
    warnings: list[str]
    notes: list[str]
    """What each of the data without a key could show."""


def plan_key(
    campaign: Campaign,
    dataset: str,
    responses: Mapping[str, Any],
    *,
    difference: str | None = None,
    power: float = 0.8,
    format: str = "table",
) -> KeyPlan:
    """What the runs on a dataset, or an organiser's own responses, say of how many texts need a key."""
    from aune.campaign.keys.key_files import key_reader_options  # noqa: PLC0415 - through the store, which jobs lack
    from aune.campaign.protocol.visibility import THE_ORGANISER  # noqa: PLC0415
    from aune.campaign.publication.visible_results import run_labels  # noqa: PLC0415
    from aune.campaign.runs.jobs import board_job, run_in_process  # noqa: PLC0415

    protocol, about = campaign.plan_of(dataset), campaign.dataset(dataset)
    sizes = _unkeyed_sizes(campaign, dataset, key_reader_options(protocol))
    request: dict[str, Any] = {"difference": difference, "power": power, "format": format, "sizes": sizes}
    if responses:
        key = campaign.folder / about.key
        if not key.is_file():
            raise UsageError(f"{about.key}: there is no such key: name data whose key there is, a pilot for instance")
        options = _options(campaign.folder, protocol, {"dataset": dataset, "key_format": about.format, "runs": []})
        return KeyPlan(**planned(protocol, str(key), responses, options, request))
    runs = campaign.state.standing_submissions(dataset)
    if not runs:
        raise UsageError(
            f"{dataset} has no valid run yet: name responses of your own, or plan from data that have runs"
        )
    job = {**board_job(campaign, dataset, runs, derived=False), "kind": "plan", "request": request}
    request["labels"] = run_labels(campaign, THE_ORGANISER, runs)
    return KeyPlan(**run_in_process(campaign, job)["plan"])


def planned(
    protocol: Protocol, key: str, responses: Mapping[str, Any], options: Mapping[str, Any], request: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields of the plan that some responses give, as plain data."""
    from aune.reports.analyses import analysis_written  # noqa: PLC0415 - tables
    from aune.statistics.planning import plan_sample, usual_sizes  # noqa: PLC0415 - scipy

    scoring = protocol.scoring
    result = evaluate(protocol.task, key, responses, **{**options, "measures": [scoring.ranking]})
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
        requirements=[_relabelled(entry, labels) for entry in whole.requirements if entry.value == scoring.value],
        curve=[_relabelled(point, labels) for point in whole.curve if point.value == scoring.value],
    )
    notes = [_size_note(name, number, plan.curve, measure) for name, number in others.items()]
    text = analysis_written(plan, request["format"])
    return {"text": text, "warnings": [*plan.warnings, *result.warnings], "notes": [note for note in notes if note]}


def _relabelled(entry: Any, labels: Mapping[str, str]) -> Any:
    """A part of a plan with what people call the runs."""
    return entry._replace(a=labels.get(entry.a, entry.a), b=labels.get(entry.b, entry.b))


def _size_note(name: str, documents: int, curve: Sequence[Any], measure: Any) -> str:
    """What a dataset with so many documents can show; '' where that is nothing."""
    from aune.reports.comparison import amount  # noqa: PLC0415

    sizes = [point.detectable for point in curve if point.units == documents]
    if not sizes:
        return ""
    low, high = amount(min(sizes), measure), amount(max(sizes), measure)
    extent = low if low == high else f"{low} to {high}"
    return f"{name}: {documents:,} documents have no key yet; with one they show differences of {extent} or more"


def _unkeyed_sizes(campaign: Campaign, dataset: str, options: Mapping[str, Any]) -> dict[str, int]:
    """The number of documents of each other dataset of the same task that has texts, and no key or an empty one."""
    sizes = {}
    task = campaign.plan_of(dataset).task
    for name, other in campaign.protocol.datasets.items():
        path = campaign.folder / other.texts
        key = campaign.folder / other.key
        has_key = name in campaign.state.keys or (key.is_file() and key.stat().st_size > 0)
        if name != dataset and other.texts and not has_key and path.exists() and campaign.plan_of(name).task == task:
            corpus = read(registry.task(task), str(path), None, **options)
            sizes[name] = sum(1 for _ in corpus.documents)
    return sizes


def _options(folder: Path, protocol: Protocol, job: Mapping[str, Any]) -> dict[str, Any]:
    from aune.campaign.runs.scoring_process import evaluation_options  # noqa: PLC0415 - it imports this module

    return evaluation_options(folder, protocol, job)
