"""Further analyses of the runs of a dataset: other views of the same results, from the literature.

- tagging: the precision–decision plane with the zone of every run, and the relative evaluation, in each run's own tags
  and words (Adda et al. 1999, §4 and §5);
- every task: the two-way analysis of variance of the ranking value over systems and units;
- tasks that combine: the vote of all runs, scored like a run (ROVER for speech).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aune.campaign.protocol.protocol_file import Protocol
from aune.campaign.protocol.scorer import PROGRAM_KIND, SCORER
from aune.campaign.runs.scorer_execution import evaluate_runs, without_scorer
from aune.contract import registry
from aune.contract.options import options_of
from aune.errors import AuneError
from aune.evaluation.pipeline import evaluate
from aune.reading.corpus import Corpus, read
from aune.statistics.anova import anova
from aune.tasks.tagging.grace.zone import zone_of

PLANE = "tagging.precision_decision"


def derived_views(
    folder: Path, protocol: Protocol, job: Mapping[str, Any], key: str, paths: Mapping[str, str],
    options: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """The views that fit the task; a view that makes no sense for these runs contains the reason instead.

    `folder` is the folder of the job, `key` the file of the key, `paths` the files of the runs, and `options` those
    with which the runs were scored.
    """
    views: dict[str, Any] = {
        "variance": _view_or_reason(lambda: _variance(folder, protocol, key, paths, options)),
        "vote": _view_or_reason(lambda: _vote(folder, protocol, job, key, paths, options)),
    }
    if protocol.task == "tagging":
        views["plane"] = _view_or_reason(lambda: _plane(key, paths, options))
        views["relative"] = _view_or_reason(lambda: _relative(protocol, key, paths, options))
    return views


def _view_or_reason(view: Any) -> Any:
    try:
        return view()
    except AuneError as error:
        return {"none": str(error)}


def _plane(key: str, paths: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    chosen = {**options, "measures": ["precision_decision", "operating_zone"]}
    result = evaluate("tagging", key, paths, **chosen)
    return {
        system: {
            **result[system, "precision_decision"].values,
            "zone": zone_of(result[system, "operating_zone"]).as_data(),
        }
        for system in result.systems
    }


def _relative(protocol: Protocol, key: str, paths: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    if protocol.scoring.ranking == SCORER:
        return {"none": "there is no relative evaluation by the organiser's scorer"}
    result = evaluate("tagging", key, paths, **{**without_scorer(options), "evaluation": "relative"})
    return {system: result[system, protocol.scoring.ranking].values for system in result.systems}


def _variance(
    folder: Path, protocol: Protocol, key: str, paths: Mapping[str, str], options: Mapping[str, Any]
) -> dict[str, Any]:
    scoring = protocol.scoring
    result = evaluate_runs(folder, protocol, key, paths, {**options, "measures": [scoring.ranking]})
    values = ["p_min", "p_mean", "p_max"] if scoring.ranking == PLANE else [scoring.value]
    analyses = {value: anova(result, value, measure=scoring.ranking, by=scoring.unit) for value in values}
    return {
        value: {source: line._asdict() for source, line in analysis._asdict().items()}
        for value, analysis in analyses.items()
    }


def _vote(
    folder: Path, protocol: Protocol, job: Mapping[str, Any], path: str, paths: Mapping[str, str],
    options: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """The vote of all competing runs, scored like a run."""
    task = registry.task(protocol.task)
    if task.extras.combine is None:
        return {"none": f"runs of {protocol.task} are not combined"}
    readers = {name for form in registry.formats(task.name) for name in options_of(form.read)}
    reading = {name: value for name, value in protocol.scoring.options.items() if name in readers}
    key = read(task, path, job["key_format"] or None, **reading)
    voters = {system: read(task, paths[system], **reading).documents for system in job["ranked"]}
    if len(voters) < 3:
        return {"none": "a vote needs three runs"}
    tables = {entry["id"]: entry["table"] for entry in job["runs"] if entry.get("table") and entry["id"] in voters}
    extras = {"tables": tables or None, "tagset": protocol.pivot or None}
    known = {name: value for name, value in extras.items() if value and name in options_of(task.extras.combine)}
    vote = Corpus(list(task.extras.combine(key.documents, voters, **known)))
    chosen = {name: value for name, value in options.items() if name not in ("table", "key_format")}
    scorer = protocol.scoring.scorer
    if scorer and scorer.kind == PROGRAM_KIND:  # it reads files, and a vote is not a file
        chosen = without_scorer(chosen)
    result = evaluate_runs(folder, protocol, key, {"vote": vote}, chosen)
    return {entry.name: entry.values for entry in result}
