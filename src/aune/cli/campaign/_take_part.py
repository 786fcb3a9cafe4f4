"""Commands for taking part: register teams, hand out texts, check and submit runs, write notices."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from aune.cli._inputs import File
from aune.cli._output import put_json, put_text, warn
from aune.cli.campaign._shared import (
    TAKE_PART,
    Correspondence,
    Data,
    OpenCampaign,
    TeamName,
    ViewerName,
    app,
    put_rows,
    viewer_of,
)


@app.command(group=TAKE_PART)
def team(
    campaign: OpenCampaign,
    name: str,
    /,
    *,
    country: str = "",
    kind: Literal["participant", "organiser"] = "participant",
    member: Annotated[list[str] | None, Parameter(negative=())] = None,
) -> None:
    """Register a team; its pseudonym is drawn and stays.

    Parameters
    ----------
    name
        The team's name.
    country
        Where it is.
    kind
        participant, or organiser for a system of the organisers, which is shown apart, for information.
    member
        A person of the team, such as "Ann <ann@example.org>", who gets its notices; may be repeated.
    """
    new_team = campaign.register(name, country, kind, member or [])
    if any(new_team in alike for alike in campaign.namesakes()):
        warn([f"another team is called {name!r}: `aune campaign rename` one of them before publication"])
    put_text(f"{new_team.id}\n", None)


@app.command(group=TAKE_PART)
def rename(campaign: OpenCampaign, team: TeamName, name: str, /) -> None:
    """Give a team another name.

    Parameters
    ----------
    name
        The new name.
    """
    campaign.rename(team, name)


@app.command(group=TAKE_PART)
def accept(campaign: OpenCampaign, team: TeamName, /) -> None:
    """Record that a team accepted the licence of the texts."""
    campaign.accept_licence(team)


@app.command(group=TAKE_PART)
def consent(campaign: OpenCampaign, team: TeamName, consent: Literal["named", "listed", "anonymous"], /) -> None:
    """Record, before the test, whether a team's results may be named.

    Parameters
    ----------
    consent
        named (name with results), listed (name among the participants only) or anonymous.
    """
    campaign.consent(team, consent)


@app.command(group=TAKE_PART)
def validate(campaign: OpenCampaign, team: TeamName, /) -> None:
    """Record that a team looked at its results and stands by them: only then are they named."""
    campaign.validate(team)


@app.command(group=TAKE_PART)
def withdraw(campaign: OpenCampaign, team: TeamName, /, *, reason: str = "") -> None:
    """Record that a team leaves; it stays listed as having left.

    Parameters
    ----------
    reason
        Why.
    """
    campaign.withdraw(team, reason)


@app.command(group=TAKE_PART)
def handout(campaign: OpenCampaign, data: Data, target: Path, /, *, viewer: ViewerName = "organiser") -> None:
    """Write what is handed out for some data: the texts without their annotation, the protocol and the licence.

    Parameters
    ----------
    target
        A new folder, or a file that ends in .zip. The download is logged.
    """
    from aune.campaign.runs.handouts import handout_zip
    from aune.campaign.runs.handouts import make_handout as handed_out
    from aune.errors import UsageError
    from aune.files import check_target, file_transaction, fill_folder, is_vacant, write_atomically

    who = viewer_of(campaign, viewer)
    if target.suffix == ".zip":
        check_target(target, [])
        write_atomically(target, handout_zip(handed_out(campaign, who, data)))
        return
    if not is_vacant(target):
        raise UsageError(f"{target}: there is something already: name a new folder")
    with fill_folder(target) as folder:
        contents = handed_out(campaign, who, data)
        with file_transaction() as files:
            for name, content in contents.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                files.write(folder / name, content)


@app.command(group=TAKE_PART)
def check(file: File, /, *, handout: Path, table: Correspondence = None) -> None:
    """Check a run before it is submitted: the same check as on receipt, with nothing but what was handed out.

    Parameters
    ----------
    file
        The run: a file, or a zip or tar archive.
    handout
        The folder that was handed out.
    """
    from aune.campaign.runs.handouts import read_handout
    from aune.campaign.runs.submission_checks import Run, check_run, describe_check
    from aune.errors import InputError
    from aune.files import read_bytes

    protocol, dataset, texts, labels = read_handout(handout)
    run = Run(file, read_bytes(file), str(table or ""), read_bytes(table) if table else b"")
    report = check_run(protocol, protocol.datasets[dataset], handout, texts, run, known_labels=labels)
    if not report.is_valid:
        raise InputError(report.problems)
    put_text("valid\n" + "".join(f"{line}\n" for line in describe_check(report)), None)


@app.command(group=TAKE_PART)
def submit(
    place: File,
    file: File,
    /,
    *,
    data: Data,
    team: str = "",
    run: str = "run",
    table: Correspondence = None,
    key: str = "",
    token: Annotated[str, Parameter(env_var="AUNE_TOKEN", show_env_var=True)] = "",
    later: bool = False,
    metadata: Annotated[list[str] | None, Parameter(negative=())] = None,
) -> None:
    """Submit a run, have it scored at once, and print the receipt.

    Parameters
    ----------
    place
        The folder of the campaign, or the address of its server.
    file
        The run: a file, or a zip or tar archive.
    team
        The team that submits it, in a folder; a server knows it by the token.
    run
        What the team calls it; a new submission of the same run takes the place of the one before.
    key
        An idempotency key: the same submission with the same key is taken once.
    token
        The token of your account, for a server; better in the variable than on the command line.
    later
        Leave the scoring to `aune campaign score`, or to the server.
    metadata
        What the organisers ask about runs: NAME=TEXT; may be repeated.
    """
    from aune.campaign.runs.remote_submission import is_remote, submit_run
    from aune.campaign.runs.submission_checks import RefusedRunError, stored_problem_line
    from aune.errors import make_visible
    from aune.files import read_bytes

    sent, *more = [(make_visible(path.name), read_bytes(path)) for path in (Path(file), table) if path]
    correspondence, texts = more[0] if more else None, _named_texts(metadata or [])
    if is_remote(place):
        status = submit_run(place, token, data, run, sent, correspondence, key, wait=not later, metadata=texts)
    else:
        status = _submit_locally(Path(place), team, data, run, sent, correspondence or ("", b""), key, later, texts)
    if problems := status.get("problems"):
        print("\n".join(stored_problem_line(*problem) for problem in problems), file=sys.stderr)
        raise RefusedRunError(f"{len(problems):,} problem{'s' if len(problems) > 1 else ''} in the input")
    put_json({name: value for name, value in status.items() if name not in ("problems", "residue")}, None)


def _named_texts(pairs: list[str]) -> dict[str, str]:
    """What is said of a run, by heading."""
    from aune.errors import UsageError

    for pair in pairs:
        if "=" not in pair:
            raise UsageError(f"--metadata: found {pair!r}, expected NAME=TEXT")
    return {name: text for name, _, text in (pair.partition("=") for pair in pairs)}


def _submit_locally(
    folder: Path, team: str, data: str, run: str, sent: tuple[str, bytes], table: tuple[str, bytes], key: str,
    later: bool, metadata: dict[str, str],
) -> dict[str, Any]:  # fmt: skip
    from aune.campaign.runs.jobs import score_waiting
    from aune.campaign.scaffold import open_campaign
    from aune.errors import UsageError

    if not team:
        raise UsageError("expected --team, the team that submits the run")
    campaign = open_campaign(folder)
    receipt = campaign.receive(
        team, data, run, *sent, table=table[1], table_name=table[0], idempotency=key, metadata=metadata
    )
    if not later:
        score_waiting(campaign)
    return campaign.status(viewer_of(campaign, campaign.team(team).id), receipt.submission)


@app.command(group=TAKE_PART)
def primary(campaign: OpenCampaign, submission: str, /) -> None:
    """Name the primary run of a team: it is ranked and tested, its others are listed. Its last valid one by default.

    Parameters
    ----------
    submission
        The submission: its id is on the receipt.
    """
    from aune.campaign.runs.run_actions import name_primary

    name_primary(campaign, submission)


@app.command(group=TAKE_PART)
def describe(
    campaign: OpenCampaign, submission: str, /, *, metadata: Annotated[list[str] | None, Parameter(negative=())] = None
) -> None:
    """Record what a team says of its run, in place of what it said before.

    Parameters
    ----------
    submission
        The submission: its id is on the receipt.
    metadata
        NAME=TEXT, for each heading in `[[metadata]]` of the protocol.
    """
    from aune.campaign.runs.run_actions import describe_run

    describe_run(campaign, submission, _named_texts(metadata or []))


@app.command(group=TAKE_PART)
def retract(campaign: OpenCampaign, submission: str, /) -> None:
    """Take a run of a team back, before results are published. It is on no board then, and still counts for the quota.

    Parameters
    ----------
    submission
        The submission: its id is on the receipt.
    """
    from aune.campaign.runs.run_actions import retract_run

    retract_run(campaign, submission)


@app.command(group=TAKE_PART)
def status(campaign: OpenCampaign, submission: str, /, *, viewer: ViewerName = "organiser") -> None:
    """Say what became of a submission, as far as the phase allows.

    Parameters
    ----------
    submission
        The submission: its id is on the receipt.
    """
    put_json(campaign.status(viewer_of(campaign, viewer), submission), None)


@app.command(group=TAKE_PART)
def page(campaign: OpenCampaign, submission: str, target: Path, /, *, viewer: ViewerName = "organiser") -> None:
    """Write aune's report of a run as a page, for those who may see the run, its scores and the key.

    Parameters
    ----------
    submission
        The submission: its id is on the receipt.
    target
        The file to write, such as run.html.
    """
    from aune.campaign.publication.run_report import report_page as explained
    from aune.files import check_target, write_atomically

    check_target(target, [])
    write_atomically(target, explained(campaign, viewer_of(campaign, viewer), submission).encode())


@app.command(group=TAKE_PART)
def notices(
    campaign: OpenCampaign,
    /,
    *,
    sender: str = "",
    smtp: str = "",
    user: Annotated[str, Parameter(env_var="AUNE_SMTP_USER", show_env_var=True)] = "",
    password: Annotated[str, Parameter(env_var="AUNE_SMTP_PASSWORD", show_env_var=True)] = "",
    again: bool = False,
    address: str = "",
) -> None:
    """List what people are told: receipts, decisions, phases, disputes. Or write it as letters to teams, and send them.

    Parameters
    ----------
    sender
        The address that letters come from: those about what happens from the first time on are written to outbox/.
    smtp
        The mail server that sends what waits in outbox/: its name, perhaps with a port. What was sent is kept.
    user
        The account at the mail server, where it wants one.
    password
        Its password; better in the variable than on the command line.
    again
        Try again what the mail server refused for good, which is kept in outbox/refused/.
    address
        The address of the server of this campaign, for the links in letters.
    """
    from aune.campaign.publication import notices as told
    from aune.campaign.publication import outbox
    from aune.errors import UsageError

    if smtp and not sender:
        raise UsageError("expected --sender, the address that letters come from")
    if sender:
        if again:
            outbox.retry_refused(campaign)
        put_text(f"{len(outbox.write_letters(campaign, sender, home=address.rstrip('/')))} wait\n", None)
    if smtp:
        with outbox.smtp_delivery(smtp, user, password) as deliver:
            put_text(f"{outbox.send_letters(campaign, deliver)} sent\n", None)
    if not sender:
        teams = campaign.state.teams
        rows = [
            (
                notice.time,
                teams[notice.to.viewer.team].name if notice.to.viewer.team else notice.to.account or "organisers",
                notice.subject,
            )
            for notice in told.visible_notices(campaign)
        ]
        put_rows(("when", "to", "notice"), rows)
