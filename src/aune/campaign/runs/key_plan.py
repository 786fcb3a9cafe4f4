"""How many texts need a key, estimated from runs on data with a key (such as the dry run) for data without one.

Runs are read in a separate process, as for a board. The organiser's own files, for instance of a pilot of ten
documents, are read in this process.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from aune.campaign.campaign import Campaign
from aune.campaign.keys.key_files import key_reader_options
from aune.campaign.protocol.visibility import THE_ORGANISER
from aune.campaign.publication.visible_results import run_labels
from aune.campaign.runs.jobs import board_job, run_in_process
from aune.campaign.runs.response_plan import plan_responses
from aune.campaign.runs.scoring_process import evaluation_options
from aune.contract import registry
from aune.errors import UsageError
from aune.reading.corpus import read


class KeyPlan(NamedTuple):
    """A plan of the sizes of keys."""

    text: str
    """The plan in the requested format."""
    warnings: list[str]
    notes: list[str]
    """For each dataset without a key, the differences that it could show."""


def plan_key(
    campaign: Campaign,
    dataset: str,
    responses: Mapping[str, Any],
    *,
    difference: str | None = None,
    power: float = 0.8,
    format: str = "table",
) -> KeyPlan:
    """How many texts need a key, according to the runs on a dataset or to an organiser's own responses."""
    protocol, about = campaign.plan_of(dataset), campaign.dataset(dataset)
    sizes = _unkeyed_sizes(campaign, dataset, key_reader_options(protocol))
    request: dict[str, Any] = {"difference": difference, "power": power, "format": format, "sizes": sizes}
    if responses:
        key = campaign.folder / about.key
        if not key.is_file():
            raise UsageError(f"{about.key}: there is no such key: name data whose key there is, a pilot for instance")
        options = evaluation_options(
            campaign.folder, protocol, {"dataset": dataset, "key_format": about.format, "runs": []}
        )
        return KeyPlan(**plan_responses(campaign.folder, protocol, str(key), responses, options, request))
    runs = campaign.state.standing_submissions(dataset)
    if not runs:
        raise UsageError(
            f"{dataset} has no valid run yet: name responses of your own, or plan from data that have runs"
        )
    job = {**board_job(campaign, dataset, runs, derived=False), "kind": "plan", "request": request}
    request["labels"] = run_labels(campaign, THE_ORGANISER, runs)
    return KeyPlan(**run_in_process(campaign, job)["plan"])


def _unkeyed_sizes(campaign: Campaign, dataset: str, options: Mapping[str, Any]) -> dict[str, int]:
    """The number of documents of each other dataset of the same task that has texts, but no key or an empty one."""
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
