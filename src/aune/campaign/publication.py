"""What each viewer is shown: boards, participants, agreement, differences; under the names that the viewer may see."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from aune.campaign.campaign import Campaign
from aune.campaign.disputes import TABLE, KeyChange, change_rows, changes
from aune.campaign.jobs import make_board
from aune.campaign.phases import DRY_RUN, SUBMITTING, TEST
from aune.campaign.policy import ORGANISER, Viewer
from aune.campaign.ranking import labelled
from aune.campaign.records import ANONYMOUS, BASELINE, LISTED, NAMED, ORGANISERS, SCORED, Dispute, Key, Submission, Team
from aune.reports.delimited import separated

BLOCKS = {"participant": "participants", ORGANISERS: "organisers, for information", BASELINE: "baselines"}


def is_named(campaign: Campaign, viewer: Viewer, team: Team) -> bool:
    """Whether a viewer may tie a team's name to its results."""
    if viewer.role == ORGANISER or team.id == viewer.team or team.kind != "participant":
        return True
    return team.consent == NAMED and team.validated and campaign.may(viewer, "names")


def labels(campaign: Campaign, viewer: Viewer, runs: Sequence[Submission]) -> dict[str, str]:
    """What each run is called for a viewer: team and run by name, or a pseudonym and a number.

    A run has the same number in every condition.
    """
    state, plan = campaign.state, campaign.protocol
    phases = {plan.datasets[one.dataset].phase for one in runs}
    others = [one for phase in phases for dataset in plan.of_phase(phase) for one in state.standing(dataset.name)]
    by_team: dict[str, list[str]] = {}
    for one in sorted((*runs, *others), key=lambda one: one.id):  # ids are random: numbers tell nothing
        known = by_team.setdefault(one.team, [])
        known += [one.run] if one.run not in known else []
    found = {}
    for one in runs:
        team = state.teams[one.team]
        if is_named(campaign, viewer, team):
            found[one.id] = f"{team.name} / {one.run}"
        else:
            found[one.id] = f"{team.pseudonym} / {by_team[one.team].index(one.run) + 1}"
    alike = Counter((one.dataset, found[one.id]) for one in runs)
    return {one.id: found[one.id] + f" ({one.id})" * (alike[one.dataset, found[one.id]] > 1) for one in runs}


def results(campaign: Campaign, viewer: Viewer, dataset: str, *, derived: bool = True) -> dict[str, Any]:
    """The board of a dataset as a viewer may see it."""
    campaign.check(viewer, f"{campaign.dataset(dataset).phase} scores")
    runs = campaign.state.standing(dataset)
    names = labels(campaign, viewer, runs)
    found = labelled(make_board(campaign, dataset, derived=derived), names)
    teams = campaign.state.teams
    found["blocks"] = {
        title: [names[run.id] for run in runs if teams[run.team].kind == kind] for kind, title in BLOCKS.items()
    }
    if "derived" in found:
        found["derived"] = {view: _renamed(data, names) for view, data in found["derived"].items()}
    found["dataset"], found["version"] = dataset, campaign.state.version(dataset)
    if campaign.may(viewer, "agreement"):
        found["agreement"] = agreement(campaign, viewer, dataset)
    return found


def board_of(found: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    """The board that results were made of, whose runs have ids: `results` the other way round."""
    board = labelled(found, ids)
    for added in ("blocks", "dataset", "version", "agreement"):
        board.pop(added, None)
    if "derived" in board:
        board["derived"] = {view: _renamed(data, ids) for view, data in board["derived"].items()}
    return board


def _renamed(data: Any, names: Mapping[str, str]) -> Any:
    return {names.get(name, name): value for name, value in data.items()} if isinstance(data, Mapping) else data


def differences(campaign: Campaign, viewer: Viewer, dataset: str) -> list[dict[str, Any]]:
    """The ranking value of every run before and after each new version of the key."""
    names = labels(campaign, viewer, campaign.state.standing(dataset))
    return [{**change, "run": names[change["run"]]} for change in changes(campaign, viewer, dataset)]


def key_edits(campaign: Campaign, viewer: Viewer, key: Key) -> list[dict[str, Any]]:
    """What was accepted for a version of a key, as far as a viewer may know: edits of documents and of tables."""
    return [told_edit(campaign, viewer, campaign.state.disputes[name]) for name in key.disputes]


def told_edit(campaign: Campaign, viewer: Viewer, dispute: Dispute) -> dict[str, Any]:
    """The edit of a dispute, as far as a viewer may know it: what a team calls its run is nobody else's business."""
    if dispute.claim != TABLE:
        return {"document": dispute.document, "edit": dict(dispute.edit)}
    line = {"tag": dispute.edit["tag"], "to": dispute.edit["to"]}
    team = campaign.state.teams[dispute.team]
    is_told = is_named(campaign, viewer, team) or not team.is_told_by(str(line))
    if is_told and any(run.id == dispute.mended for run in campaign.state.standing(dispute.dataset)):
        return {"run": dispute.mended, "edit": line}
    return {"run": "", "edit": None}


def changelog(campaign: Campaign, viewer: Viewer) -> list[dict[str, Any]]:
    """What changed in keys, tables and protocol, when, why and by whom."""
    campaign.check(viewer, "decisions")
    state = campaign.state
    keys = []
    for name, versions in state.keys.items():
        names = labels(campaign, viewer, state.standing(name))
        for key in versions:
            for told, one in zip(key_edits(campaign, viewer, key), map(state.disputes.get, key.disputes), strict=True):
                assert one is not None
                what = place_and_edit(told, names)
                keys.append(KeyChange(key.time, name, key.version, *what, one.reason, one.author))
    return change_rows(campaign.protocol.task, state.protocols, state.unsettled_phases, keys)


def place_and_edit(told: Mapping[str, Any], names: Mapping[str, str]) -> tuple[str, Mapping[str, Any] | None]:
    """The document of an edit, and the edit; that of a table has the name of its run."""
    run, edit = told.get("run"), told["edit"]
    return told.get("document", ""), {"run": names[run], **edit} if run and edit else edit


def participants(campaign: Campaign, viewer: Viewer) -> list[dict[str, str]]:
    """Who took part: name, country, dry run, test, whether results are public; those who left are listed as such."""
    campaign.check(viewer, "participants")
    state, plan = campaign.state, campaign.protocol
    valid: dict[str, set[str]] = {phase: set() for phase in SUBMITTING}
    for one in state.submissions.values():
        if one.state == SCORED:
            valid[plan.datasets[one.dataset].phase].add(one.team)
    rows = []
    for team in state.teams.values():
        if team.kind == BASELINE:
            continue
        known = (
            viewer.role == ORGANISER
            or team.id == viewer.team
            or team.consent in (NAMED, LISTED)
            or team.kind == ORGANISERS
        )
        tested = team.id in valid[TEST]
        public = "yes" if team.kind == ORGANISERS or (team.consent == NAMED and team.validated) else "no"
        rows.append({
            "participant": team.name if known else "(not named)",
            "country": team.country if known else "",
            "kind": team.kind,
            "dry run": _yes(team.id in valid[DRY_RUN]),
            "test": _yes(tested),
            "public": public if tested and not team.withdrawn else "–",
            "withdrawn": _yes(bool(team.withdrawn)),
        })  # fmt: skip
    return sorted(
        rows, key=lambda row: (row["kind"] != "participant", row["participant"].startswith("("), *row.values())
    )


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def agreement(campaign: Campaign, viewer: Viewer, dataset: str) -> dict[str, Any]:
    """How far the annotators of a key agree: the ceiling of what a score can mean. Annotators are numbered."""
    campaign.check(viewer, "agreement")
    campaign.dataset(dataset)
    kept = campaign.state.agreements.get(dataset)
    found: dict[str, Any] = json.loads(campaign.store.get(kept)) if kept else {}
    return found


def scores_json(found: Mapping[str, Any], system: str) -> dict[str, float]:
    """The scores of a run as Codabench wants them: a number per name; what is undefined is left out.

    >>> scores_json({"systems": {"a": {"x.f": {"values": {"f1": {"score": 0.5}, "p": {"score": None}}}}}}, "a")
    {'f_f1': 0.5}
    """
    return {
        f"{measure.rpartition('.')[2]}_{value}": number["score"]
        for measure, scores in found["systems"][system].items()
        for value, number in scores["values"].items()
        if number["score"] is not None
    }


def as_csv(found: Mapping[str, Any]) -> str:
    """A board as CSV that no spreadsheet computes: a row per run, measure and value."""
    block = {system: title for title, systems in found["blocks"].items() for system in systems}
    ranks = {one["system"]: one for one in found["ranking"]["ranks"]}
    rows: list[list[Any]] = [["run", "block", "rank", "best", "worst", "measure", "value", "score", "low", "high"]]
    for system, measures in found["systems"].items():
        rank = ranks.get(system, {})
        for measure, scores in measures.items():
            for value, number in scores["values"].items():
                low, high = number["interval"] or ("", "")
                score = "" if number["score"] is None else number["score"]
                place = [rank.get(name, "") for name in ("rank", "best", "worst")]
                rows.append([system, block[system], *place, measure, value, score, low, high])
    return separated(rows, ",")


def participants_csv(rows: Sequence[Mapping[str, str]]) -> str:
    return separated([list(rows[0]), *(row.values() for row in rows)], ",") if rows else ""


def results_may_be_named(campaign: Campaign) -> dict[str, str]:
    """What every team agreed to, for the organiser; teams that were not asked yet count as anonymous."""
    return {team.name: team.consent or ANONYMOUS for team in campaign.state.teams.values()}
