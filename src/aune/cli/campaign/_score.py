"""Commands that score runs, and decide disputes about keys."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from aune.cli._inputs import File, Most, keywords
from aune.cli._output import progress, put_json, put_text, warn
from aune.cli.campaign._shared import (
    SCORE,
    Data,
    EngineName,
    OpenCampaign,
    Processes,
    app,
    put_rows,
    viewer_of,
)

if TYPE_CHECKING:
    from aune.campaign.disputes.resolution import Effect
    from aune.campaign.ledger.state import Dispute


@app.command(group=SCORE)
def score(campaign: OpenCampaign, /, *, most: Most = None, engine: EngineName = "", workers: Processes = 1) -> None:
    """Score what waits: new submissions, and all runs by a key that has changed. Killed half-way, it goes on.

    Parameters
    ----------
    most
        How many at most.
    """
    from aune.campaign.runs.jobs import Engine, score_waiting

    with progress() as update:
        ended = score_waiting(campaign, most, update, Engine.create(engine, workers))
    put_text("".join(f"{state} {number}\n" for state, number in sorted(ended.items())) or "nothing waits\n", None)
    reasons = dict.fromkeys(
        submission.waits_for for submission in campaign.state.submissions.values() if submission.waits_for
    )
    warn(f"{reason}: nothing is lost, score again when it is there" for reason in reasons)


@app.command(group=SCORE)
def baseline(campaign: OpenCampaign, name: str, data: Data, /, **options: str) -> None:
    """Enter a baseline of aune, which is scored like a run and shown apart. Further options are the baseline's own.

    Parameters
    ----------
    name
        The baseline: see `aune list baselines`.
    """
    from aune.campaign.runs.baseline_runs import enter_baseline
    from aune.campaign.runs.jobs import score_waiting

    receipt = enter_baseline(campaign, name, data, **keywords(options))
    score_waiting(campaign)
    put_text(f"{receipt.submission}\n", None)


@app.command(group=SCORE)
def disqualify(
    campaign: OpenCampaign, submission: str, /, *, reason: str, author: str = "organiser", lift: bool = False
) -> None:
    """Take a run off the boards, with a reason that is published.

    Parameters
    ----------
    submission
        The submission: its id is on the receipt.
    reason
        Why.
    author
        Who says so.
    lift
        Put a run back that was disqualified.
    """
    from aune.campaign.runs.run_actions import disqualify_run, reinstate_run

    (reinstate_run if lift else disqualify_run)(campaign, submission, reason, author)


@app.command(group=SCORE)
def dispute(
    campaign: OpenCampaign,
    data: Data,
    document: str,
    edit: str = "{}",
    /,
    *,
    argument: str,
    claim: Literal["reference", "table", "alignment", "protocol"] = "reference",
    team: str = "",
    edited: File = "",
) -> None:
    """Claim that something is wrong, with the edit that would mend it.

    Parameters
    ----------
    document
        The document of the key.
    edit
        The edit of one item, as JSON: {"word": 12, "tags": "Ncms"} for tagging; see docs/campaign.md for other tasks.
    argument
        Why.
    claim
        What is wrong: the reference, the team's own table, the alignment or the protocol.
    team
        Who claims it; the organiser unless given.
    edited
        Instead of an edit, a file with the document as it should be, annotated in any tool; the edit is what differs.
    """
    from aune.campaign.disputes.resolution import edit_from_file
    from aune.campaign.disputes.resolution import file_dispute as claimed

    viewer = viewer_of(campaign, team or "organiser")
    proposed = edit_from_file(campaign, viewer, data, document, Path(edited)) if edited else _parse_edit(edit)
    put_text(f"{claimed(campaign, viewer, data, document, claim, proposed, argument).id}\n", None)


def _parse_edit(text: str) -> dict[str, Any]:
    from aune.errors import UsageError
    from aune.files import parse_strict_json

    try:
        edit = parse_strict_json(text)
    except ValueError as error:
        raise UsageError(f"the edit {text[:80]!r} is no JSON ({error})") from None
    if not isinstance(edit, dict):
        raise UsageError(f"the edit {text[:80]!r}: expected an object such as {{}}")
    return edit


@app.command(group=SCORE)
def disputes(campaign: OpenCampaign, /, *, format: Literal["table", "json"] = "table") -> None:
    """List the disputes that wait, first those that could change the ranking most, with what each would do.

    Parameters
    ----------
    format
        table or json.
    """
    from aune.campaign.disputes.resolution import open_disputes
    from aune.campaign.protocol.visibility import THE_ORGANISER
    from aune.campaign.publication.visible_results import run_labels

    waiting = open_disputes(campaign, THE_ORGANISER)
    runs = [run for dataset in campaign.state.keys for run in campaign.state.standing_submissions(dataset)]
    names = run_labels(campaign, THE_ORGANISER, runs)
    if format == "json":
        put_json([_dispute_data(dispute, effects, names) for dispute, effects in waiting], None)
    else:
        rows = [row for dispute, effects in waiting for row in _effect_rows(dispute, effects, names)]
        put_rows(("dispute", "edit", "run", "change", "rank"), rows)


def _dispute_data(dispute: Dispute, effects: Sequence[Effect], names: dict[str, str]) -> dict[str, Any]:
    return {
        "dispute": dispute.id, "data": dispute.dataset, "document": dispute.document, "claim": dispute.claim,
        "edit": dict(dispute.edit), "argument": dispute.argument,
        "effects": [{**effect._asdict(), "run": names[effect.run]} for effect in effects],
    }  # fmt: skip


def _effect_rows(dispute: Dispute, effects: Sequence[Effect], names: dict[str, str]) -> list[tuple[str, ...]]:
    """A dispute with each run that its acceptance would move."""
    from aune.campaign.ledger.ledger_file import canonical_json

    description = f"{dispute.document} {canonical_json(dict(dispute.edit)).decode()}"
    moved = [effect for effect in effects if effect.change or effect.rank_before != effect.rank_after]
    if not moved:
        return [(dispute.id, description, "nobody", "", "")]
    return [
        (
            dispute.id,
            description,
            names[effect.run],
            f"{effect.change:+.6f}",
            f"{effect.rank_before} → {effect.rank_after}",
        )
        for effect in moved
    ]


@app.command(group=SCORE)
def decide(
    campaign: OpenCampaign, dispute: str, decision: Literal["accepted", "refused"], /, *, author: str, reason: str
) -> None:
    """Decide a dispute, with an author and a reason. `aune campaign rekey` then makes the new key.

    Parameters
    ----------
    dispute
        The dispute.
    decision
        accepted or refused.
    author
        Who decides.
    reason
        Why.
    """
    from aune.campaign.disputes.resolution import decide_dispute as decided

    decided(campaign, dispute, decision, author, reason)


@app.command(group=SCORE)
def rekey(campaign: OpenCampaign, data: Data, /) -> None:
    """Make a new version of a key from the accepted disputes; `aune campaign score` then scores all runs by it."""
    from aune.campaign.disputes.resolution import make_key_version

    put_text(f"version {make_key_version(campaign, data)}\n", None)
