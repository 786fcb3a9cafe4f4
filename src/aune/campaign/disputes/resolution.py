"""Disputes are patches: a place, a claim, and the edit that would correct the key.

The effect of an acceptance on every score and rank is computed before anyone decides. A decision has an author and a
reason. Accepted edits make a new version of the key. Every run is scored again with it, and old results are kept.
"""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from aune.campaign.campaign import Campaign
from aune.campaign.keys.key_files import key_reader_options
from aune.campaign.ledger.state import ACCEPTED, Dispute, Submission
from aune.campaign.protocol.phases import OPEN, discussion_phase
from aune.campaign.protocol.protocol_file import Protocol
from aune.campaign.protocol.visibility import ORGANISER, THE_ORGANISER, Viewer
from aune.campaign.runs.jobs import board_job, run_in_process
from aune.contract import registry
from aune.corrections.document_diffs import diff_documents, documents_differ
from aune.corrections.edit_wording import describe_edit
from aune.corrections.item_edits import first_few
from aune.corrections.key_revision import EditedKey, Review, check_digest, edit_key, read_key, rename_only_document
from aune.errors import InputError, UsageError
from aune.reading.corpus import read
from aune.tasks.tagging.grace.correspondence_table import format_table as table_written
from aune.tasks.tagging.grace.correspondence_table import read_table as table_in

REFERENCE, TABLE, ALIGNMENT, PROTOCOL = "reference", "table", "alignment", "protocol"
CLAIMS = (REFERENCE, TABLE, ALIGNMENT, PROTOCOL)
REFUSED = "refused"
LONGEST_ARGUMENT = 5_000  # characters of an argument


def file_dispute(
    campaign: Campaign, viewer: Viewer, dataset: str, document: str, claim: str, edit: Mapping[str, Any], argument: str
) -> Dispute:
    """File a dispute: a claim about what is wrong, and the edit that would correct it."""
    _check_may_dispute(campaign, viewer, dataset)
    if claim not in CLAIMS:
        raise UsageError(f"{claim!r}: expected a claim about the {', '.join(CLAIMS[:-1])} or {CLAIMS[-1]}")
    if not argument.strip() or len(argument) > LONGEST_ARGUMENT:
        raise UsageError(f"expected an argument of {LONGEST_ARGUMENT:,} letters at most")
    if claim == REFERENCE:
        _check_edit(campaign, dataset, document, edit)
    elif claim == TABLE:
        _mended_table(campaign, _disputed_run(campaign, viewer.team, dataset, edit), edit)
    elif edit:
        raise UsageError(f"a dispute about the {claim} has no edit: say in the argument what should be done")
    details: dict[str, Any] = {
        "dispute": f"d-{secrets.token_hex(6)}", "team": viewer.team, "dataset": dataset, "document": document,
        "claim": claim, "edit": dict(edit), "argument": argument,
    }  # fmt: skip
    with campaign.writing() as writer:
        if duplicate := _duplicate_dispute(campaign, details):
            return duplicate
        _check_may_dispute(campaign, viewer, dataset)  # the phase may have ended meanwhile
        writer.append("dispute", details)
    return campaign.state.disputes[details["dispute"]]


def _check_edit(campaign: Campaign, dataset: str, document: str, edit: Mapping[str, Any]) -> None:
    """Refuse an edit of an item that does not exist, or an edit that would change nothing."""
    key = edit_newest_key(campaign, dataset, [(document, edit)])
    pairs = zip(key.before, key.documents, strict=True)
    if not any(
        documents_differ(campaign.plan_of(dataset).task, before, after)
        for before, after in pairs
        if before is not after
    ):
        raise UsageError("this is what the key says already: say what it should be instead")


def _duplicate_dispute(campaign: Campaign, details: Mapping[str, Any]) -> Dispute | None:
    """The team's identical undecided dispute, if any: a double click files one dispute."""
    fields = ("team", "dataset", "document", "claim", "edit", "argument")
    return next(
        (
            dispute
            for dispute in campaign.state.disputes.values()
            if not dispute.decision and all(getattr(dispute, name) == details[name] for name in fields)
        ),
        None,
    )


def _check_may_dispute(campaign: Campaign, viewer: Viewer, dataset: str) -> None:
    """Refuse a dispute in the wrong phase, or beyond the quota."""
    if viewer.role == ORGANISER:
        return
    phase = discussion_phase(campaign.dataset(dataset).phase)
    if phase == OPEN:
        raise UsageError(f"{dataset} is open to runs, and its key is no longer disputed")
    if campaign.phase != phase:
        raise UsageError(f"disputes about {dataset} are taken in the phase {phase!r}")
    if not remaining_disputes(campaign, viewer.team, dataset):
        raise UsageError(
            f"all {_dispute_quota(campaign, dataset)} disputes about {dataset} are used: one that is "
            "accepted counts no more"
        )


def remaining_disputes(campaign: Campaign, team: str, dataset: str) -> int:
    """How many more disputes a team may file about a dataset; accepted ones do not count."""
    disputes = campaign.state.disputes.values()
    used = sum(
        (dispute.team, dispute.dataset) == (team, dataset) and dispute.decision != ACCEPTED for dispute in disputes
    )
    return max(_dispute_quota(campaign, dataset) - used, 0)


def _dispute_quota(campaign: Campaign, dataset: str) -> int:
    return campaign.protocol.quotas[campaign.dataset(dataset).phase].disputes


def visible_disputes(campaign: Campaign, viewer: Viewer) -> list[Dispute]:
    """The disputes that a viewer may see: all for the organiser, else one's own, and decided ones if public."""
    return [
        dispute
        for dispute in campaign.state.disputes.values()
        if viewer.role == ORGANISER
        or (dispute.team == viewer.team and campaign.may_see(viewer, "own disputes", dispute.team))
        or (dispute.decision and campaign.may_see(viewer, "decisions"))
    ]


def decide_dispute(campaign: Campaign, name: str, decision: str, author: str, reason: str) -> None:
    """Accept or refuse a dispute, with an author and a reason."""
    if decision not in (ACCEPTED, REFUSED) or not author.strip() or not reason.strip():
        raise UsageError(f"expected {ACCEPTED} or {REFUSED}, with an author and a reason")
    with campaign.writing() as writer:
        dispute = campaign.state.disputes.get(name)
        if dispute is None:
            raise UsageError(f"no dispute {name!r}")
        if dispute.decision:
            raise UsageError(f"{name} was {dispute.decision} already, by {dispute.author}")
        writer.append("decision", {"dispute": name, "decision": decision, "author": author, "reason": reason})


def unapplied_disputes(campaign: Campaign) -> dict[str, list[Dispute]]:
    """By dataset, the accepted disputes that are in no version of a key or a table yet."""
    by_dataset: dict[str, list[Dispute]] = {}
    for dispute in campaign.state.disputes.values():
        if dispute.waits_for_a_key:
            by_dataset.setdefault(dispute.dataset, []).append(dispute)
    return by_dataset


def make_key_version(campaign: Campaign, dataset: str) -> int:
    """Make a new version of a key with all accepted edits that it lacks, and of tables with theirs.

    Every run then waits to be scored again, and its earlier results are kept.
    """
    with campaign.writing() as writer:
        accepted = unapplied_disputes(campaign).get(dataset, [])
        if not accepted:
            raise UsageError(f"{dataset}: no accepted dispute waits for a new version of the key")
        edits = [(dispute.document, dispute.edit) for dispute in accepted if dispute.claim == REFERENCE]
        key = edit_newest_key(campaign, dataset, edits).data if edits else newest_key(campaign, dataset)
        for dispute in accepted:
            if dispute.claim == TABLE and not _is_moot(campaign, dispute):
                run = _disputed_run(campaign, dispute.team, dataset, dispute.edit)
                digest = campaign.store.add(_mended_table(campaign, run, dispute.edit))
                details = {"dispute": dispute.id, "submission": run.id, "digest": digest}
                writer.append("table", {**details, "version": campaign.state.version(dataset) + 1})
        return campaign.fix_key(writer, dataset, key, [dispute.id for dispute in accepted])


def correct_key(campaign: Campaign, dataset: str, review: Review, author: str) -> int:
    """Make a new version of a key from answers about its doubtful items; each correction becomes an accepted dispute
    of the organiser, with the reason of the answer.
    """
    if dataset not in campaign.state.keys or campaign.plan_of(dataset).task != review.task:
        raise UsageError(f"{dataset} has no key of {review.task}")
    check_digest(review, campaign.state.keys[dataset][-1].digest)
    review = rename_only_document(review, key_documents(campaign, THE_ORGANISER, dataset))
    edit_newest_key(
        campaign, dataset, [(answer.document, answer.edit) for answer in review.corrections]
    )  # refuses all if one is wrong
    for answer in review.corrections:
        filed = file_dispute(
            campaign, THE_ORGANISER, dataset, answer.document, REFERENCE, answer.edit, f"doubtful: {answer.reason}"
        )
        decide_dispute(campaign, filed.id, ACCEPTED, author, answer.reason)
    return make_key_version(campaign, dataset)


def newest_key(campaign: Campaign, dataset: str) -> bytes:
    """The file of the newest version of a key."""
    if dataset not in campaign.state.keys:
        raise UsageError(f"{dataset} has no key yet")
    return campaign.store.get(campaign.state.keys[dataset][-1].digest)


def edit_newest_key(campaign: Campaign, dataset: str, edits: Sequence[tuple[str, Mapping[str, Any]]]) -> EditedKey:
    """The newest key of a dataset with some edits applied."""
    chosen = campaign.dataset(dataset)
    return edit_key(
        campaign.plan_of(dataset).task, Path(chosen.key).name, newest_key(campaign, dataset), chosen.format,
        key_reader_options(campaign.plan_of(dataset)), edits,
    )  # fmt: skip


def key_documents(campaign: Campaign, viewer: Viewer, dataset: str) -> Sequence[Any]:
    """The documents of the newest key, for viewers who may see it."""
    chosen, plan = campaign.dataset(dataset), campaign.plan_of(dataset)
    campaign.check(viewer, f"{chosen.phase} key")
    newest = newest_key(campaign, dataset)
    with read_key(plan.task, Path(chosen.key).name, newest, chosen.format, key_reader_options(plan)) as (_, corpus):
        return corpus.documents


def edit_from_file(campaign: Campaign, viewer: Viewer, dataset: str, document_id: str, path: Path) -> Mapping[str, Any]:
    """The edit that turns a document of the newest key into the document in a file, which may be in any format."""
    before = {document.id: document for document in key_documents(campaign, viewer, dataset)}
    plan = campaign.plan_of(dataset)
    after = read(registry.task(plan.task), str(path), **key_reader_options(plan)).documents
    targets = (
        {document.id: document for document in after} if len(before) > 1 or len(after) > 1 else {document_id: after[0]}
    )
    if document_id not in before or document_id not in targets:
        where, known = ("the key", before) if document_id not in before else (path, targets)
        raise UsageError(f"no document {document_id!r} in {where}: expected one of {first_few(known)}")
    return diff_documents(plan.task, before[document_id], targets[document_id])


class Effect(NamedTuple):
    """The effect of a change of the key on one run."""

    run: str
    before: float | None
    after: float | None
    rank_before: int | None
    rank_after: int | None

    @property
    def change(self) -> float:
        return 0.0 if self.before is None or self.after is None else self.after - self.before


def dispute_impact(campaign: Campaign, viewer: Viewer, name: str) -> list[Effect]:
    """The effect of accepting a dispute on the ranking value and the rank of every run."""
    campaign.check(viewer, "impact")
    return dispute_impacts(campaign, [campaign.state.disputes[name]])[name]


def dispute_impacts(campaign: Campaign, disputes: Sequence[Dispute]) -> dict[str, list[Effect]]:
    """The effects of several disputes; the runs of a dataset are read once for all of them."""
    effects: dict[str, list[Effect]] = {}
    for dataset in dict.fromkeys(dispute.dataset for dispute in disputes):
        about = [dispute for dispute in disputes if dispute.dataset == dataset]
        effects |= _dataset_impacts(campaign, dataset, about)
    return effects


def _dataset_impacts(campaign: Campaign, dataset: str, disputes: Sequence[Dispute]) -> dict[str, list[Effect]]:
    by_dispute: dict[str, list[Effect]] = {item.id: [] for item in disputes}
    runs = campaign.state.standing_submissions(dataset)
    changes = [_change_data(campaign, item) for item in disputes if not _is_moot(campaign, item)]
    if runs and changes:
        job = {**board_job(campaign, dataset, runs, derived=False), "kind": "impact", "changes": changes}
        for name, effects in run_in_process(campaign, job)["impacts"].items():
            by_dispute[name] = [Effect(*item) for item in effects]
    return by_dispute


def _change_data(campaign: Campaign, dispute: Dispute) -> dict[str, Any]:
    """The change that a dispute proposes, as input of the process that computes its effects."""
    change: dict[str, Any] = {
        "id": dispute.id,
        "claim": dispute.claim,
        "document": dispute.document,
        "edit": dict(dispute.edit),
    }
    if dispute.claim == TABLE:
        run = _disputed_run(campaign, dispute.team, dispute.dataset, dispute.edit)
        change |= {"run": run.id, "table": _mended_table(campaign, run, dispute.edit).decode()}
    return change


def score_versions(campaign: Campaign, dataset: str, old: int) -> dict[str, Any]:
    """Every run scored with an older version of a key and with the newest one, like `aune rescore`."""
    runs = campaign.state.standing_submissions(dataset)
    if not runs:
        raise UsageError(f"{dataset} has no run to score")
    before, name = campaign.state.keys[dataset][old - 1], f"old-key/{Path(campaign.dataset(dataset).key).name}"
    job = board_job(campaign, dataset, runs, derived=False)
    job = {**job, "kind": "rescored", "old_key": name, "files": {**job.get("files", {}), name: before.digest}}
    rescored: dict[str, Any] = run_in_process(campaign, job)["rescored"]
    return rescored


def open_disputes(campaign: Campaign, viewer: Viewer) -> list[tuple[Dispute, list[Effect]]]:
    """Disputes without a decision; those that could change the ranking most come first."""
    campaign.check(viewer, "impact")
    undecided = [open_dispute for open_dispute in campaign.state.disputes.values() if not open_dispute.decision]
    effects = dispute_impacts(campaign, undecided)

    def weight(dispute: Dispute) -> tuple[int, float]:
        moved = sum(effect.rank_before != effect.rank_after for effect in effects[dispute.id])
        return -moved, -max((abs(effect.change) for effect in effects[dispute.id]), default=0.0)

    return [(open_dispute, effects[open_dispute.id]) for open_dispute in sorted(undecided, key=weight)]


# Correspondence tables of participants.


def _disputed_run(campaign: Campaign, team: str, dataset: str, edit: Mapping[str, Any]) -> Submission:
    """The team's own run whose table a dispute is about."""
    if set(edit) != {"run", "tag", "to"}:
        raise UsageError('an edit of a table is {"run": name, "tag": its tag, "to": [tags of the pivot]}')
    runs = [
        run
        for run in campaign.state.standing_submissions(dataset)
        if run.team == team and run.run == edit["run"] and run.table
    ]
    if not runs:
        raise UsageError(f"no run {edit['run']!r} of this team with a table in {dataset}")
    return runs[0]


def _is_moot(campaign: Campaign, dispute: Dispute) -> bool:
    """Whether a dispute has no effect: it is about the table of a team that has withdrawn since."""
    return dispute.claim == TABLE and bool(campaign.state.teams[dispute.team].withdrawn)


def _mended_table(campaign: Campaign, run: Submission, edit: Mapping[str, Any]) -> bytes:
    """The newest table of a run with one line replaced or added."""
    table = run.table_at(campaign.state.version(run.dataset) + 1)
    assert table, "a run without a table has no dispute about it"
    return edit_table(table.path, campaign.store.get(table.digest), edit)


def edit_table(name: str, data: bytes, edit: Mapping[str, Any]) -> bytes:
    """A table with one line replaced or added, as TSV."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"table{Path(name).suffix}")
        path.write_bytes(data)
        before = table_in(str(path))
        to = [edit["to"]] if isinstance(edit["to"], str) else list(map(str, edit["to"]))
        entries = {**before.entries, str(edit["tag"]): tuple(to)}
        path = Path(folder, "after.tsv")
        path.write_text(table_written(entries, before.pivot_tags), "utf-8")
        try:
            table_in(str(path))
        except InputError as error:
            raise UsageError(f"no such line of a table: {error.problems[0].message}") from None
        return path.read_bytes()


def score_changes(
    campaign: Campaign, viewer: Viewer, dataset: str, runs: Sequence[Submission] | None = None
) -> list[dict[str, Any]]:
    """The ranking value of every run (or of `runs`) by each version of the key, for viewers who may see the scores."""
    campaign.check(viewer, f"{campaign.dataset(dataset).phase} scores")
    scoring = campaign.plan_of(dataset).scoring
    rows = []
    for run in campaign.state.standing_submissions(dataset) if runs is None else runs:
        values = {}
        for version, digest in sorted(run.results.items()):
            result = json.loads(campaign.store.get(digest))
            ranking_score = next(
                (score for score in result.get("scores", ()) if score["measure"] == scoring.ranking), None
            )
            values[version] = ranking_score["values"][scoring.value] if ranking_score else None
        rows.append({"run": run.id, "values": values})
    return rows


class KeyChange(NamedTuple):
    """An accepted edit that went into a key, or into a table that came with that version of the key."""

    time: str
    dataset: str
    version: int
    document: str
    edit: Mapping[str, Any] | None
    """The edit of the key, or of a table (with its run); None where the viewer may not see it."""
    reason: str
    author: str

    @property
    def version_of_key(self) -> str:
        return f"key of {self.dataset}, version {self.version}: "


VERDICT_WORDS = {
    "retracted": "was withdrawn", "disqualified": "was disqualified", "reinstated": "is no longer disqualified"
}  # fmt: skip
"""How the changelog words entries about runs."""


def change_rows(
    plan: Protocol, protocols: Iterable[Mapping[str, Any]], phases: Iterable[Mapping[str, Any]],
    keys: Iterable[KeyChange], verdicts: Iterable[Mapping[str, Any]] = (),
) -> list[dict[str, Any]]:  # fmt: skip
    """The changelog: each change with its time, reason and author; and phases that ended early or left disputes open.

    `verdicts` are entries about runs that were withdrawn, disqualified or reinstated.
    """
    rows: list[dict[str, Any]] = [
        {
            "time": protocol["time"],
            "what": f"protocol, version {protocol['version']}",
            "why": protocol["reason"],
            "who": protocol["author"],
        }
        for protocol in protocols
    ]
    for row in phases:
        if row.get("early"):
            summary = f"{row['ended']} ended before its published end, {row['early']}"
            rows.append({"time": row["time"], "what": summary, "why": row["reason"], "who": row["author"]})
        if number := len(row.get("unsettled", ())):
            summary = f"{row['phase']} began with {number} dispute{'s' * (number > 1)} not settled"
            rows.append({"time": row["time"], "what": summary, "why": row["reason"], "who": row["author"]})
    for verdict in verdicts:
        summary = f"the run {verdict['submission']} {VERDICT_WORDS[verdict['kind']]}"
        rows.append({
            "time": verdict["time"], "what": summary, "why": verdict.get("reason", ""),
            "who": verdict.get("author", "its team"),
        })  # fmt: skip
    for key in keys:
        edit_text = "" if key.edit is None else describe_edit(plan.for_dataset(key.dataset).task, key.edit)
        edit = f"{key.document}: {edit_text}" if edit_text and key.document else edit_text
        rows.append({"time": key.time, "what": key.version_of_key + edit, "why": key.reason, "who": key.author})
    return sorted(rows, key=lambda row: row["time"])
