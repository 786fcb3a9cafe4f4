"""Results as each viewer may see them: boards, participants, agreement, differences, under permitted names."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import TABLE, KeyChange, change_rows, score_changes
from aune.campaign.ledger.state import (
    ANONYMOUS,
    BASELINE,
    LISTED,
    NAMED,
    ORGANISERS,
    SCORED,
    Dispute,
    Key,
    Submission,
    Team,
)
from aune.campaign.protocol.phases import DRY_RUN, SUBMITTING, TEST
from aune.campaign.protocol.visibility import ORGANISER, Viewer
from aune.campaign.publication.static_pages import OTHER_RUNS, PARTICIPANTS, group_letters
from aune.campaign.runs.jobs import make_board, ranked_runs
from aune.campaign.runs.leaderboard import relabel_board
from aune.campaign.runs.run_metadata import read_metadata
from aune.reports.delimited import delimited_text
from aune.reports.latex import write as write_latex
from aune.reports.tabular import Table

BLOCKS = {"participant": PARTICIPANTS, ORGANISERS: "organisers, for information", BASELINE: "baselines"}


def is_named(campaign: Campaign, viewer: Viewer, team: Team) -> bool:
    """Whether a viewer may know which results are the team's."""
    if viewer.role == ORGANISER or team.id == viewer.team or team.kind != "participant":
        return True
    return team.consent == NAMED and (team.validated or team.is_late) and campaign.may_see(viewer, "names")


def run_labels(campaign: Campaign, viewer: Viewer, runs: Sequence[Submission]) -> dict[str, str]:
    """The label of each run for a viewer: names of team and run, or a pseudonym and a number.

    A run has the same number in every condition.
    """
    state, plan = campaign.state, campaign.protocol
    phases = {plan.datasets[run.dataset].phase for run in runs}
    phase_runs = [
        run for phase in phases for dataset in plan.datasets_in(phase) for run in state.valid_submissions(dataset.name)
    ]
    by_team: dict[str, list[str]] = {}
    for run in sorted((*runs, *phase_runs), key=lambda run: run.id):  # ids are random: numbers reveal nothing
        numbered = by_team.setdefault(run.team, [])
        numbered += [run.run] if run.run not in numbered else []
    names = {}
    for run in runs:
        team = state.teams[run.team]
        if is_named(campaign, viewer, team):
            names[run.id] = f"{team.name} / {run.run}"
        else:
            names[run.id] = f"{team.pseudonym} / {by_team[run.team].index(run.run) + 1}"
    label_counts = Counter((run.dataset, names[run.id]) for run in runs)
    return {run.id: names[run.id] + f" ({run.id})" * (label_counts[run.dataset, names[run.id]] > 1) for run in runs}


def visible_board(campaign: Campaign, viewer: Viewer, dataset: str, *, derived: bool = True) -> dict[str, Any]:
    """The board of a dataset as a viewer may see it."""
    campaign.check(viewer, f"{campaign.dataset(dataset).phase} scores")
    runs = campaign.state.standing_submissions(dataset)
    names = run_labels(campaign, viewer, runs)
    board = relabel_board(make_board(campaign, dataset, derived=derived), names)
    block_of = run_blocks(campaign, dataset, runs)
    titles = [*BLOCKS.values()]
    if campaign.plan_of(dataset).scoring.rank == "primary":
        titles.insert(1, OTHER_RUNS)
    board["blocks"] = {title: [names[run.id] for run in runs if block_of[run.id] == title] for title in titles}
    if disqualified := disqualified_runs(campaign, viewer, dataset):
        board["disqualified"] = disqualified
    if "derived" in board:
        board["derived"] = {view: _rename_systems(data, names) for view, data in board["derived"].items()}
    board["dataset"], board["version"] = dataset, campaign.state.version(dataset)
    if systems := systems_with_runs(campaign, viewer, dataset, board):
        board["systems_with_runs"] = systems
    if campaign.may_see(viewer, "agreement"):
        board["agreement"] = agreement(campaign, viewer, dataset)
    return board


SYSTEM = "system"
"""The metadata field in which teams name the system of each run."""


def systems_with_runs(
    campaign: Campaign, viewer: Viewer, dataset: str, board: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The mean and the standard deviation of systems with several runs, such as training runs with different seeds.

    A team names the system of each run in the metadata field `system`. A viewer gets only the systems of teams that
    may be named to the viewer, and whose runs the viewer may see.
    """
    if SYSTEM not in campaign.protocol.metadata:
        return []
    runs = campaign.state.standing_submissions(dataset)
    names = run_labels(campaign, viewer, runs)
    values: dict[tuple[str, str], list[float]] = {}
    for run in runs:
        team = campaign.state.teams[run.team]
        if not (is_named(campaign, viewer, team) and campaign.may_see(viewer, "runs", team.id)):
            continue
        system = read_metadata(campaign.store, run).get(SYSTEM, "")
        score = board["systems"][names[run.id]][board["measure"]]["values"][board["value"]]["score"]
        if system and score is not None:
            values.setdefault((team.name, system), []).append(score)
    return [
        {"system": f"{team} / {system}", "runs": len(scores), "mean": fmean(scores), "sd": stdev(scores)}
        for (team, system), scores in sorted(values.items())
        if len(scores) > 1
    ]


def run_blocks(campaign: Campaign, dataset: str, runs: Sequence[Submission]) -> dict[str, str]:
    """The title of the block in which each run is listed."""
    teams, ranked = campaign.state.teams, set(ranked_runs(campaign, dataset, runs))
    return {
        run.id: OTHER_RUNS if teams[run.team].kind == "participant" and run.id not in ranked
        else BLOCKS[teams[run.team].kind]
        for run in runs
    }  # fmt: skip


def disqualified_runs(campaign: Campaign, viewer: Viewer, dataset: str) -> list[dict[str, str]]:
    """The runs that the organiser disqualified, and the reasons."""
    runs = [run for run in campaign.state.valid_submissions(dataset) if run.disqualified]
    names = run_labels(campaign, viewer, runs)
    return [{"run": names[run.id], "why": run.disqualified} for run in runs]


def board_from_results(results: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    """The board behind published results, with run ids instead of labels: the inverse of `visible_board`."""
    board = relabel_board(results, ids)
    for added in ("blocks", "dataset", "version", "agreement", "disqualified", "systems_with_runs"):
        board.pop(added, None)
    if "derived" in board:
        board["derived"] = {view: _rename_systems(data, ids) for view, data in board["derived"].items()}
    return board


def _rename_systems(data: Any, names: Mapping[str, str]) -> Any:
    return {names.get(name, name): value for name, value in data.items()} if isinstance(data, Mapping) else data


def score_differences(campaign: Campaign, viewer: Viewer, dataset: str) -> list[dict[str, Any]]:
    """The ranking value of every run before and after each new version of the key."""
    names = run_labels(campaign, viewer, campaign.state.standing_submissions(dataset))
    return [{**change, "run": names[change["run"]]} for change in score_changes(campaign, viewer, dataset)]


def visible_key_edits(campaign: Campaign, viewer: Viewer, key: Key) -> list[dict[str, Any]]:
    """The accepted edits of a version of a key, of documents and of tables, as far as a viewer may see them."""
    return [visible_edit(campaign, viewer, campaign.state.disputes[name]) for name in key.disputes]


def visible_edit(campaign: Campaign, viewer: Viewer, dispute: Dispute) -> dict[str, Any]:
    """The edit of a dispute, as far as a viewer may see it: the name that an unnamed team gave its run is hidden."""
    phase = campaign.dataset(dispute.dataset).phase
    is_hidden = not campaign.protocol.is_key_published(dispute.dataset)
    if is_hidden and not campaign.may_see(viewer, f"{phase} key"):
        return {"document": "", "edit": None}
    if dispute.claim != TABLE:
        return {"document": dispute.document, "edit": dict(dispute.edit)}
    line = {"tag": dispute.edit["tag"], "to": dispute.edit["to"]}
    team = campaign.state.teams[dispute.team]
    is_visible = is_named(campaign, viewer, team) or not team.is_named_in(str(line))
    if is_visible and any(run.id == dispute.mended for run in campaign.state.standing_submissions(dispute.dataset)):
        return {"run": dispute.mended, "edit": line}
    return {"run": "", "edit": None}


def changelog(campaign: Campaign, viewer: Viewer) -> list[dict[str, Any]]:
    """The changes of keys, tables and protocol, with their times, reasons and authors."""
    campaign.check(viewer, "decisions")
    state = campaign.state
    keys = []
    for name, versions in state.keys.items():
        names = run_labels(campaign, viewer, state.standing_submissions(name))
        for key in versions:
            for row, dispute in zip(
                visible_key_edits(campaign, viewer, key), map(state.disputes.get, key.disputes), strict=True
            ):
                assert dispute is not None
                place_edit = document_and_edit(row, names)
                keys.append(KeyChange(key.time, name, key.version, *place_edit, dispute.reason, dispute.author))
    return change_rows(
        campaign.protocol, state.protocols, state.unsettled_phases, keys, _visible_verdicts(campaign, viewer)
    )


def _visible_verdicts(campaign: Campaign, viewer: Viewer) -> list[Mapping[str, Any]]:
    """The verdicts on runs whose scores a viewer may see, with the labels that the runs have for the viewer.

    An archive contains all verdicts, with the ids of the ledger.
    """
    state = campaign.state
    if campaign.may_see(viewer, "archive"):
        return state.verdicts
    verdicts: list[Mapping[str, Any]] = []
    for verdict in state.verdicts:
        submission = state.submissions[verdict["submission"]]
        if campaign.may_see(viewer, f"{campaign.dataset(submission.dataset).phase} scores", submission.team):
            label = run_labels(campaign, viewer, [submission])[submission.id]
            verdicts.append({**verdict, "submission": f"{label} on {submission.dataset}"})
    return verdicts


def document_and_edit(row: Mapping[str, Any], names: Mapping[str, str]) -> tuple[str, Mapping[str, Any] | None]:
    """The document of an edit, and the edit; an edit of a table gets the label of its run."""
    run, edit = row.get("run"), row["edit"]
    return row.get("document", ""), {"run": names[run], **edit} if run and edit else edit


def participants(campaign: Campaign, viewer: Viewer) -> list[dict[str, str]]:
    """The participants: name, country, dry run, test, whether results are public; withdrawn teams are marked."""
    campaign.check(viewer, "participants")
    state, plan = campaign.state, campaign.protocol
    valid: dict[str, set[str]] = {phase: set() for phase in SUBMITTING}
    for submission in state.submissions.values():
        if submission.state == SCORED:
            valid[plan.datasets[submission.dataset].phase].add(submission.team)
    rows = []
    for team in state.teams.values():
        if team.kind == BASELINE or team.is_late:
            continue
        is_known = (
            viewer.role == ORGANISER
            or team.id == viewer.team
            or team.consent in (NAMED, LISTED)
            or team.kind == ORGANISERS
        )
        tested = team.id in valid[TEST]
        public = "yes" if team.kind == ORGANISERS or (team.consent == NAMED and team.validated) else "no"
        rows.append({
            "participant": team.name if is_known else "(not named)",
            "country": team.country if is_known else "",
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
    """How far the annotators of a key agree, an upper bound on meaningful scores. Annotators are numbered."""
    campaign.check(viewer, "agreement")
    campaign.dataset(dataset)
    digest = campaign.state.agreements.get(dataset)
    data: dict[str, Any] = json.loads(campaign.store.get(digest)) if digest else {}
    return data


def scores_json(board: Mapping[str, Any], system: str) -> dict[str, float]:
    """The scores of a run in the form that Codabench requires: a number per name; undefined values are left out.

    >>> scores_json({"systems": {"a": {"x.f": {"values": {"f1": {"score": 0.5}, "p": {"score": None}}}}}}, "a")
    {'f_f1': 0.5}
    """
    return {
        f"{measure.rpartition('.')[2]}_{value}": number["score"]
        for measure, scores in board["systems"][system].items()
        for value, number in scores["values"].items()
        if number["score"] is not None
    }


BOARD_COLUMNS = ["run", "block", "rank", "best", "worst", "measure", "value", "score", "low", "high"]


def board_csv(board: Mapping[str, Any]) -> str:
    """A board as CSV without cells that a spreadsheet would evaluate: a row per run, measure and value."""
    block = {system: title for title, systems in board["blocks"].items() for system in systems}
    ranks = {entry["system"]: entry for entry in board["ranking"]["ranks"]}
    rows: list[list[Any]] = [BOARD_COLUMNS]
    for system, measures in board["systems"].items():
        rows += board_csv_rows(system, block[system], ranks.get(system, {}), measures)
    return delimited_text(rows, ",")


def board_csv_rows(
    system: str, block: str, rank: Mapping[str, Any], measures: Mapping[str, Any]
) -> Iterator[list[Any]]:
    """The rows of a run in the CSV of its board."""
    for measure, scores in measures.items():
        for value, number in scores["values"].items():
            low, high = number["interval"] or ("", "")
            score = "" if number["score"] is None else number["score"]
            place = [rank.get(name, "") for name in ("rank", "best", "worst")]
            yield [system, block, *place, measure, value, score, low, high]


def board_latex(board: Mapping[str, Any]) -> str:
    """The ranking of a board as a table for a paper, with a part for each block."""
    ranks = {entry["system"]: entry for entry in board["ranking"]["ranks"]}
    letters = group_letters(board["ranking"]["groups"])
    rows: list[tuple[str, ...]] = []
    parts = []
    for systems in filter(None, board["blocks"].values()):
        parts.append(len(rows))
        for system in sorted(systems, key=lambda name: (ranks.get(name, {}).get("rank", 10**9), name)):
            number = board["systems"][system][board["measure"]]["values"][board["value"]]
            rank = ranks.get(system)
            rows.append((
                system, "" if rank is None else f"{rank['best']}–{rank['worst']}",
                "undefined" if number["score"] is None else f"{number['score']:.4f}",
                "–".join(f"{bound:.4f}" for bound in number["interval"] or ()), letters.get(system, ""),
            ))  # fmt: skip
    title = f"{board['dataset']}, key version {board['version']}"
    note = "Runs that share a letter do not differ significantly; a rank is between the best and the worst place."
    header = ("run", "rank", board["value"], "interval", "group")
    return write_latex([Table(title, header, rows, 1, notes=(note,), parts=tuple(parts[1:]), caption=title)])


def participants_csv(rows: Sequence[Mapping[str, str]]) -> str:
    return delimited_text([list(rows[0]), *(row.values() for row in rows)], ",") if rows else ""


def team_consents(campaign: Campaign) -> dict[str, str]:
    """The consent of every team, for the organiser; teams that have not answered yet count as anonymous."""
    return {team.name: team.consent or ANONYMOUS for team in campaign.state.teams.values()}
