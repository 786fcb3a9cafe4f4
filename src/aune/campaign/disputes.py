"""Disputes are patches: a place, a claim, and the edit that would mend it.

What an acceptance would do to every score and rank is computed before anybody decides. A decision has an author and a
reason. Accepted edits make a new version of the key; every run is scored again by it, and old results are kept.
"""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from aune.campaign.campaign import Campaign
from aune.campaign.items import edited, rewritten, some
from aune.campaign.jobs import board_job, in_a_process
from aune.campaign.keys import reading
from aune.campaign.patches import differ, patch
from aune.campaign.phases import discussed_in
from aune.campaign.policy import ORGANISER, Viewer
from aune.campaign.records import ACCEPTED, Dispute, Submission
from aune.campaign.wording import described
from aune.core import registry
from aune.core.corpus import Corpus, file_source, read
from aune.core.errors import InputError, UsageError
from aune.core.task import Format
from aune.tasks.tagging.grace.table import table as table_in
from aune.tasks.tagging.grace.table import written as table_written

REFERENCE, TABLE, ALIGNMENT, PROTOCOL = "reference", "table", "alignment", "protocol"
CLAIMS = (REFERENCE, TABLE, ALIGNMENT, PROTOCOL)
REFUSED = "refused"
LONGEST = 5_000  # characters of an argument


def dispute(
    campaign: Campaign, viewer: Viewer, dataset: str, document: str, claim: str, edit: Mapping[str, Any], argument: str
) -> Dispute:
    """A new dispute: what is claimed to be wrong, and the edit that would mend it."""
    _check_may_dispute(campaign, viewer, dataset)
    if claim not in CLAIMS:
        raise UsageError(f"{claim!r}: expected a claim about the {', '.join(CLAIMS[:-1])} or {CLAIMS[-1]}")
    if not argument.strip() or len(argument) > LONGEST:
        raise UsageError(f"expected an argument of {LONGEST:,} letters at most")
    if claim == REFERENCE:
        _check_edit(campaign, dataset, document, edit)
    elif claim == TABLE:
        _mended_table(campaign, _disputed_run(campaign, viewer.team, dataset, edit), edit)
    elif edit:
        raise UsageError(f"a dispute about the {claim} has no edit: say in the argument what should be done")
    said: dict[str, Any] = {
        "dispute": f"d-{secrets.token_hex(6)}", "team": viewer.team, "dataset": dataset, "document": document,
        "claim": claim, "edit": dict(edit), "argument": argument,
    }  # fmt: skip
    with campaign.writing() as writer:
        if same := _same(campaign, said):
            return same
        _check_may_dispute(campaign, viewer, dataset)  # the phase may have ended meanwhile
        writer.append("dispute", said)
    return campaign.state.disputes[said["dispute"]]


def _check_edit(campaign: Campaign, dataset: str, document: str, edit: Mapping[str, Any]) -> None:
    """Refuse an edit that is about nothing, or would change nothing."""
    key = with_edits(campaign, dataset, [(document, edit)])
    pairs = zip(key.before, key.documents, strict=True)
    if not any(differ(campaign.protocol.task, before, after) for before, after in pairs if before is not after):
        raise UsageError("this is what the key says already: say what it should be instead")


def _same(campaign: Campaign, said: Mapping[str, Any]) -> Dispute | None:
    """What a team claims already, and nobody has decided: whoever clicks twice claims once."""
    told = ("team", "dataset", "document", "claim", "edit", "argument")
    return next(
        (
            one
            for one in campaign.state.disputes.values()
            if not one.decision and all(getattr(one, name) == said[name] for name in told)
        ),
        None,
    )


def _check_may_dispute(campaign: Campaign, viewer: Viewer, dataset: str) -> None:
    """Refuse a dispute that comes at the wrong time, or is one too many."""
    if viewer.role == ORGANISER:
        return
    when = discussed_in(campaign.dataset(dataset).phase)
    if campaign.phase != when:
        raise UsageError(f"disputes about {dataset} are taken in the phase {when!r}")
    if not disputes_left(campaign, viewer.team, dataset):
        raise UsageError(
            f"all {_most(campaign, dataset)} disputes about {dataset} are used: one that is accepted counts no more"
        )


def disputes_left(campaign: Campaign, team: str, dataset: str) -> int:
    """How many more disputes a team has about a dataset; those that were accepted do not count."""
    every = campaign.state.disputes.values()
    used = sum((one.team, one.dataset) == (team, dataset) and one.decision != ACCEPTED for one in every)
    return max(_most(campaign, dataset) - used, 0)


def _most(campaign: Campaign, dataset: str) -> int:
    return campaign.protocol.quotas[campaign.dataset(dataset).phase].disputes


def seen(campaign: Campaign, viewer: Viewer) -> list[Dispute]:
    """The disputes that a viewer may see: their own, those decided once decisions are told, all for the organiser."""
    return [
        dispute
        for dispute in campaign.state.disputes.values()
        if viewer.role == ORGANISER
        or (dispute.team == viewer.team and campaign.may(viewer, "own disputes", dispute.team))
        or (dispute.decision and campaign.may(viewer, "decisions"))
    ]


def decide(campaign: Campaign, name: str, decision: str, author: str, reason: str) -> None:
    """Accept or refuse a dispute, with an author and a reason."""
    if decision not in (ACCEPTED, REFUSED) or not author.strip() or not reason.strip():
        raise UsageError(f"expected {ACCEPTED} or {REFUSED}, with an author and a reason")
    with campaign.writing() as writer:
        one = campaign.state.disputes.get(name)
        if one is None:
            raise UsageError(f"no dispute {name!r}")
        if one.decision:
            raise UsageError(f"{name} was {one.decision} already, by {one.author}")
        writer.append("decision", {"dispute": name, "decision": decision, "author": author, "reason": reason})


def unapplied(campaign: Campaign) -> dict[str, list[Dispute]]:
    """The accepted disputes that are in no version of a key or a table yet, by dataset."""
    found: dict[str, list[Dispute]] = {}
    for one in campaign.state.disputes.values():
        if one.waits_for_a_key:
            found.setdefault(one.dataset, []).append(one)
    return found


def new_version(campaign: Campaign, dataset: str) -> int:
    """The key with every accepted edit that is not in it yet, and tables with theirs, as a new version.

    Every run is then to be scored again, and what it scored before is kept.
    """
    with campaign.writing() as writer:
        fresh = unapplied(campaign).get(dataset, [])
        if not fresh:
            raise UsageError(f"{dataset}: no accepted dispute waits for a new version of the key")
        edits = [(one.document, one.edit) for one in fresh if one.claim == REFERENCE]
        key = with_edits(campaign, dataset, edits).data if edits else newest_key(campaign, dataset)
        for one in fresh:
            if one.claim == TABLE and not _is_moot(campaign, one):
                run = _disputed_run(campaign, one.team, dataset, one.edit)
                digest = campaign.store.put(_mended_table(campaign, run, one.edit))
                said = {"dispute": one.id, "submission": run.id, "digest": digest}
                writer.append("table", {**said, "version": campaign.state.version(dataset) + 1})
        return campaign.fix_key(writer, dataset, key, [one.id for one in fresh])


def newest_key(campaign: Campaign, dataset: str) -> bytes:
    """The file of a key as it is now."""
    if dataset not in campaign.state.keys:
        raise UsageError(f"{dataset} has no key yet")
    return campaign.store.get(campaign.state.keys[dataset][-1].digest)


class EditedKey(NamedTuple):
    """The file of a key with some edits, its documents, and what they were before."""

    data: bytes
    documents: Sequence[Any]
    before: Sequence[Any]


def with_edits(campaign: Campaign, dataset: str, edits: Sequence[tuple[str, Mapping[str, Any]]]) -> EditedKey:
    """The newest key of a dataset with some edits."""
    chosen = campaign.dataset(dataset)
    return edited_key(
        campaign.protocol.task, Path(chosen.key).name, newest_key(campaign, dataset), chosen.format,
        reading(campaign.protocol), edits,
    )  # fmt: skip


def edited_key(
    task: str, name: str, data: bytes, form: str, options: Mapping[str, Any],
    edits: Sequence[tuple[str, Mapping[str, Any]]],
) -> EditedKey:  # fmt: skip
    """The file of a key with some edits."""
    with _read(task, name, data, form, options) as (path, corpus):
        documents = corpus.documents
        for document, edit in edits:
            documents = edited(task, documents, document, edit)
        chosen: Format = registry.format(task, corpus.format or form)
        data = rewritten(chosen, file_source(path), documents, **corpus.options)
        return EditedKey(data, documents, corpus.documents)


@contextmanager
def _read(task: str, name: str, data: bytes, form: str, options: Mapping[str, Any]) -> Iterator[tuple[Path, Corpus]]:
    """A file that is kept as bytes, where formats can read it, and what they read."""
    with tempfile.TemporaryDirectory() as room:
        path = Path(room, name)
        path.write_bytes(data)
        yield path, read(registry.task(task), str(path), form or None, **options)


def key_documents(campaign: Campaign, viewer: Viewer, dataset: str) -> Sequence[Any]:
    """The documents of the newest key, for those who may see it."""
    chosen, plan = campaign.dataset(dataset), campaign.protocol
    campaign.check(viewer, f"{chosen.phase} key")
    newest = newest_key(campaign, dataset)
    with _read(plan.task, Path(chosen.key).name, newest, chosen.format, reading(plan)) as (_, corpus):
        return corpus.documents


def edit_from(campaign: Campaign, viewer: Viewer, dataset: str, document: str, path: Path) -> Mapping[str, Any]:
    """The edit that makes a document of the newest key what a file says of it, in whatever format the file is."""
    before = {one.id: one for one in key_documents(campaign, viewer, dataset)}
    plan = campaign.protocol
    after = read(registry.task(plan.task), str(path), **reading(plan)).documents
    wanted = {one.id: one for one in after} if len(before) > 1 or len(after) > 1 else {document: after[0]}
    if document not in before or document not in wanted:
        where, known = ("the key", before) if document not in before else (path, wanted)
        raise UsageError(f"no document {document!r} in {where}: expected one of {some(known)}")
    return patch(plan.task, before[document], wanted[document])


class Effect(NamedTuple):
    """What a change of the key does to one run."""

    run: str
    before: float | None
    after: float | None
    rank_before: int | None
    rank_after: int | None

    @property
    def change(self) -> float:
        return 0.0 if self.before is None or self.after is None else self.after - self.before


def impact(campaign: Campaign, viewer: Viewer, name: str) -> list[Effect]:
    """What accepting a dispute would do to the ranking value and the rank of every run, by run."""
    campaign.check(viewer, "impact")
    return impacts(campaign, [campaign.state.disputes[name]])[name]


def impacts(campaign: Campaign, disputes: Sequence[Dispute]) -> dict[str, list[Effect]]:
    """The same for several disputes; runs are read once for all of a dataset."""
    found: dict[str, list[Effect]] = {}
    for dataset in dict.fromkeys(dispute.dataset for dispute in disputes):
        about = [dispute for dispute in disputes if dispute.dataset == dataset]
        found |= _impacts(campaign, dataset, about)
    return found


def _impacts(campaign: Campaign, dataset: str, disputes: Sequence[Dispute]) -> dict[str, list[Effect]]:
    found: dict[str, list[Effect]] = {one.id: [] for one in disputes}
    runs = campaign.state.standing(dataset)
    changes = [_change(campaign, one) for one in disputes if not _is_moot(campaign, one)]
    if runs and changes:
        job = {**board_job(campaign, dataset, runs, derived=False), "kind": "impact", "changes": changes}
        for name, effects in in_a_process(campaign, job)["impacts"].items():
            found[name] = [Effect(*one) for one in effects]
    return found


def _change(campaign: Campaign, dispute: Dispute) -> dict[str, Any]:
    """What a dispute would change, for the process that computes what comes of it."""
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


def open_disputes(campaign: Campaign, viewer: Viewer) -> list[tuple[Dispute, list[Effect]]]:
    """Disputes without a decision, first those that could still change the ranking most."""
    campaign.check(viewer, "impact")
    undecided = [one for one in campaign.state.disputes.values() if not one.decision]
    effects = impacts(campaign, undecided)

    def weight(dispute: Dispute) -> tuple[int, float]:
        moved = sum(effect.rank_before != effect.rank_after for effect in effects[dispute.id])
        return -moved, -max((abs(effect.change) for effect in effects[dispute.id]), default=0.0)

    return [(one, effects[one.id]) for one in sorted(undecided, key=weight)]


# Tables of participants.


def _disputed_run(campaign: Campaign, team: str, dataset: str, edit: Mapping[str, Any]) -> Submission:
    """The run whose table a dispute is about: the team's own."""
    if set(edit) != {"run", "tag", "to"}:
        raise UsageError('an edit of a table is {"run": name, "tag": its tag, "to": [tags of the pivot]}')
    own = [one for one in campaign.state.standing(dataset) if one.team == team and one.run == edit["run"] and one.table]
    if not own:
        raise UsageError(f"no run {edit['run']!r} of this team with a table in {dataset}")
    return own[0]


def _is_moot(campaign: Campaign, dispute: Dispute) -> bool:
    """Whether a dispute is about the table of a team that has left since: nothing comes of it."""
    return dispute.claim == TABLE and bool(campaign.state.teams[dispute.team].withdrawn)


def _mended_table(campaign: Campaign, run: Submission, edit: Mapping[str, Any]) -> bytes:
    """The newest table of a run with another line."""
    table = run.table_at(campaign.state.version(run.dataset) + 1)
    assert table, "a run without a table has no dispute about it"
    return edited_table(table.path, campaign.store.get(table.digest), edit)


def edited_table(name: str, data: bytes, edit: Mapping[str, Any]) -> bytes:
    """A table with another line, as TSV."""
    with tempfile.TemporaryDirectory() as room:
        path = Path(room, f"table{Path(name).suffix}")
        path.write_bytes(data)
        before = table_in(str(path))
        to = [edit["to"]] if isinstance(edit["to"], str) else list(map(str, edit["to"]))
        entries = {**before.entries, str(edit["tag"]): tuple(to)}
        path = Path(room, "after.tsv")
        path.write_text(table_written(entries, before.listed), "utf-8")
        try:
            table_in(str(path))
        except InputError as error:
            raise UsageError(f"no such line of a table: {error.problems[0].message}") from None
        return path.read_bytes()


def changes(campaign: Campaign, viewer: Viewer, dataset: str) -> list[dict[str, Any]]:
    """Before and after: the ranking value of every run by every version of the key, for those who may see scores."""
    campaign.check(viewer, f"{campaign.dataset(dataset).phase} scores")
    scoring = campaign.protocol.scoring
    found = []
    for one in campaign.state.standing(dataset):
        values = {}
        for version, digest in sorted(one.results.items()):
            result = json.loads(campaign.store.get(digest))
            own = next((score for score in result.get("scores", ()) if score["measure"] == scoring.ranking), None)
            values[version] = own["values"][scoring.value] if own else None
        found.append({"run": one.id, "values": values})
    return found


class KeyChange(NamedTuple):
    """An accepted edit that went into a key, or into a table that came with it."""

    time: str
    dataset: str
    version: int
    document: str
    edit: Mapping[str, Any] | None
    """Of the key, or of a table, with the run that has it; None where it is not told."""
    reason: str
    author: str

    @property
    def version_of_key(self) -> str:
        return f"key of {self.dataset}, version {self.version}: "


def change_rows(
    task: str, protocols: Iterable[Mapping[str, Any]], phases: Iterable[Mapping[str, Any]], keys: Iterable[KeyChange]
) -> list[dict[str, Any]]:
    """What changed, when, why and by whom; and phases that began before all disputes were settled."""
    found: list[dict[str, Any]] = [
        {
            "time": protocol["time"],
            "what": f"protocol, version {protocol['version']}",
            "why": protocol["reason"],
            "who": protocol["author"],
        }
        for protocol in protocols
    ]
    for one in phases:
        if number := len(one.get("unsettled", ())):
            what = f"{one['phase']} began with {number} dispute{'s' * (number > 1)} not settled"
            found.append({"time": one["time"], "what": what, "why": one["reason"], "who": one["author"]})
    for key in keys:
        said = "" if key.edit is None else described(task, key.edit)
        edit = f"{key.document}: {said}" if said and key.document else said
        found.append({"time": key.time, "what": key.version_of_key + edit, "why": key.reason, "who": key.author})
    return sorted(found, key=lambda one: one["time"])
