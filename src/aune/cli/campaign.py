"""`aune campaign`: run an evaluation campaign from a folder, from the call to the archive.

Whoever has the folder is the organiser. A command opens the campaign, does one thing, and prints what came of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from cyclopts import App, Group, Parameter

from aune.cli._inputs import File, TaskName, keywords
from aune.cli._numbers import Largest, Most, Port, Workers
from aune.cli._output import OutputFile, progress, put_json, put_text, tell, warn

if TYPE_CHECKING:
    from aune.campaign.campaign import Campaign
    from aune.campaign.disputes import Effect
    from aune.campaign.policy import Viewer
    from aune.campaign.records import Dispute

HEADINGS = ("Prepare", "Take part", "Score and discuss", "Publish and keep")
PREPARE, TAKE_PART, SCORE, PUBLISH = (Group(name, sort_key=place) for place, name in enumerate(HEADINGS))
app = App(
    name="campaign",
    help="Run an evaluation campaign from a folder: call, dry run, test, adjudication, publication, archive.",
    help_format="plaintext",
    group_commands="Commands of campaigns",
)


def _opened(kind: Any, tokens: Sequence[Any]) -> Campaign:
    from aune.campaign.starting import opened

    return opened(Path(tokens[0].value))


if TYPE_CHECKING:
    Here: TypeAlias = Campaign
else:
    Here = Annotated[
        Any,
        Parameter(
            name="folder", converter=_opened, n_tokens=1, help="The folder of the campaign.", allow_leading_hyphen=False
        ),
    ]
Data: TypeAlias = Annotated[str, Parameter(help="The data: a name in campaign.toml.")]
TeamName: TypeAlias = Annotated[str, Parameter(help="The team: its name, or its id.")]
As: TypeAlias = Annotated[
    str, Parameter(name=["--as"], help="Who looks: visitor, annotator, organiser, or the name of a team.")
]
EngineName: TypeAlias = Annotated[
    str, Parameter(help="Where large corpora are counted: processes, dask or dask=ADDRESS. Numbers are the same.")
]
Processes: TypeAlias = Annotated[Workers, Parameter(help="How many processes count.")]
Correspondence: TypeAlias = Annotated[
    Path | None, Parameter(help="The correspondence table of a tagger that does not use the pivot's tags.")
]


def _viewer(campaign: Campaign, given: str) -> Viewer:
    """Who looks: a role, or the name of a team."""
    from aune.campaign.policy import ANNOTATOR, ORGANISER, PARTICIPANT, VISITOR, Viewer

    if given in (ORGANISER, ANNOTATOR, VISITOR):
        return Viewer(given)
    return Viewer(PARTICIPANT, campaign.team(given).id)


def _rows(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    from aune.reports.tabular import one_line
    from aune.reports.text import aligned

    cells = [tuple(header), *(tuple(one_line(str(cell)) for cell in row) for row in rows)]
    put_text("\n".join(aligned(cells)) + "\n", None)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


# Prepare.


@app.command(group=PREPARE)
def new(name: str, /, *, task: TaskName, folder: Path | None = None) -> None:
    """Make the folder of a new campaign, with a commented campaign.toml and small texts that work at once.

    Parameters
    ----------
    name
        What the campaign is called: letters, digits, '.', '_' and '-'.
    task
        What is evaluated: see `aune list tasks`.
    folder
        Where it goes: a new folder of that name unless given.
    """
    from aune.campaign.starting import founded
    from aune.core.files import filling

    home = folder or Path(name)
    with filling(home) as made:
        founded(made, name, task)
    tell(f"{home}/campaign.toml is ready: read it, put your keys beside it, and see `aune campaign show {home}`")


@app.command(group=PREPARE)
def show(campaign: Here, /) -> None:
    """Check campaign.toml, and say what the campaign is, in which phase, and what was committed so far."""
    plan, state = campaign.protocol, campaign.state
    about = [
        ("campaign", plan.title), ("task", plan.task), ("phase", campaign.phase),
        ("ranked by", f"{plan.scoring.ranking} {plan.scoring.value}"), ("protocol", plan.digest),
        ("versions", str(len(state.protocols)) if state.protocols else "not frozen yet"),
        ("teams", str(len(state.teams))), ("submissions", str(len(state.submissions))), ("head", campaign.ledger.head),
    ]  # fmt: skip
    _rows(("what", "is"), about)
    put_text("\n", None)
    _rows(("phase", "ends"), [(f"{'→ ' * one['now']}{one['phase']}", one["ends"]) for one in campaign.schedule()])
    put_text("\n", None)
    listed = [
        (dataset.name, dataset.phase, dataset.condition, state.version(dataset.name))
        for dataset in plan.datasets.values()
    ]
    _rows(("data", "phase", "condition", "key version"), listed)
    if state.teams:
        put_text("\n", None)
        rows = [(team.id, team.name, team.kind, team.pseudonym, team.consent or "–") for team in state.teams.values()]
        _rows(("team", "name", "kind", "pseudonym", "consent"), rows)
    warn(f"{' and '.join(one.id for one in alike)} have one name: rename one" for alike in campaign.namesakes())


@app.command(group=PREPARE)
def key(
    campaign: Here,
    data: Data,
    file: File,
    /,
    *,
    annotator: Annotated[list[File], Parameter(negative=())],
    author: str,
) -> None:
    """Take a key that was made from several annotators' files: these are kept with it, and their agreement.

    Parameters
    ----------
    file
        The key, as it was adjudicated.
    annotator
        What an annotator made of the same texts; for each of them, two at least.
    author
        Who made the key of them.
    """
    from aune.campaign.policy import THE_ORGANISER
    from aune.campaign.publication import agreement
    from aune.core.files import bytes_of

    campaign.make_key(data, bytes_of(file), {path: (Path(path).name, bytes_of(path)) for path in annotator}, author)
    found = agreement(campaign, THE_ORGANISER, data)
    if "none" in found:
        warn([f"no agreement: {found['none']}"])
    _rows(
        ("annotators", campaign.protocol.scoring.value),
        [(pair, _number(value)) for pair, value in found.get("ranking", {}).items()],
    )


@app.command(group=PREPARE)
def phase(campaign: Here, phase: str, /, *, reason: str = "", author: str = "organiser") -> None:
    """Go to the next phase. The protocol is frozen at the end of the dry run, keys are committed as their phase begins.

    Parameters
    ----------
    phase
        The next phase: training, dry-run, dry-adjudication, test, test-adjudication, publication, archive.
    reason
        Why it goes on before every dispute is settled, where some are not; this is published.
    author
        Who says so.
    """
    from aune.campaign.jobs import waiting

    entry = campaign.go_to(phase.replace("-", " "), reason, author)
    if behind := len(waiting(campaign.state)):
        warn([f"{behind} run{'s' * (behind > 1)} wait to be scored: `aune campaign score`"])
    put_text(f"{campaign.phase}\nhead {entry.hash}\n", None)


@app.command(group=PREPARE)
def freeze(campaign: Here, /, *, reason: str, author: str = "organiser") -> None:
    """Record the protocol as it is now as a new version, with a reason.

    Parameters
    ----------
    reason
        Why it changed.
    author
        Who says so.
    """
    campaign.freeze(reason, author)
    put_text(f"version {len(campaign.state.protocols)}\n{campaign.protocol.digest}\n", None)


@app.command(group=PREPARE)
def serve(
    campaign: Here,
    /,
    *,
    port: Port = 8765,
    browser: bool = True,
    database: str = "",
    public: str = "",
    listen: str = "127.0.0.1",
    largest: Largest = 100,
    room: Largest = 4096,
    engine: EngineName = "",
    workers: Processes = 1,
) -> None:
    """Serve a campaign: the same as `aune serve --site FOLDER --accounts`.

    The first start prints an invitation for the first organiser, who invites participants; these register their teams.
    Needs the extra `server`: pip install 'aune[server]'.

    Parameters
    ----------
    port
        The port to listen on.
    browser
        Whether a browser is opened.
    database
        Another database than the SQLite in the folder: postgresql://user:password@host:port/name.
    public
        The address that people type, where a proxy stands in front: https://campaign.example.org.
    listen
        The address to listen on.
    largest
        The largest upload, in megabytes.
    room
        How much the layers of one account may hold, in megabytes; one layer a quarter of it.
    """
    from aune.campaign.jobs import Engine
    from aune.cli.serve import serve as run

    campaign.protocol  # noqa: B018 - what is wrong with it is said before anything starts
    Engine.named(engine, workers).for_children()
    run(port=port, browser=browser, site=campaign.folder, accounts=True, database=database, public=public,
        listen=listen, largest=largest, room=room)  # fmt: skip


# Take part.


@app.command(group=TAKE_PART)
def team(
    campaign: Here,
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
    found = campaign.register(name, country, kind, member or [])
    if any(found in alike for alike in campaign.namesakes()):
        warn([f"another team is called {name!r}: `aune campaign rename` one of them before publication"])
    put_text(f"{found.id}\n", None)


@app.command(group=TAKE_PART)
def rename(campaign: Here, team: TeamName, name: str, /) -> None:
    """Give a team another name.

    Parameters
    ----------
    name
        The new name.
    """
    campaign.rename(team, name)


@app.command(group=TAKE_PART)
def accept(campaign: Here, team: TeamName, /) -> None:
    """Record that a team accepted the licence of the texts."""
    campaign.accept_licence(team)


@app.command(group=TAKE_PART)
def consent(campaign: Here, team: TeamName, consent: Literal["named", "listed", "anonymous"], /) -> None:
    """Record, before the test, whether a team's results may be named.

    Parameters
    ----------
    consent
        named (name with results), listed (name among the participants only) or anonymous.
    """
    campaign.consent(team, consent)


@app.command(group=TAKE_PART)
def validate(campaign: Here, team: TeamName, /) -> None:
    """Record that a team looked at its results and stands by them: only then are they named."""
    campaign.validate(team)


@app.command(group=TAKE_PART)
def withdraw(campaign: Here, team: TeamName, /, *, reason: str = "") -> None:
    """Record that a team leaves; it stays listed as having left.

    Parameters
    ----------
    reason
        Why.
    """
    campaign.withdraw(team, reason)


@app.command(group=TAKE_PART)
def handout(campaign: Here, data: Data, target: Path, /, *, viewer: As = "organiser") -> None:
    """Write what is handed out for some data: the texts without their annotation, the protocol and the licence.

    Parameters
    ----------
    target
        A new folder, or a file that ends in .zip. The download is logged.
    """
    from aune.campaign.distribution import as_archive
    from aune.campaign.distribution import handout as handed_out
    from aune.core.errors import UsageError
    from aune.core.files import check_target, filling, is_vacant, together, write_whole

    who = _viewer(campaign, viewer)
    if target.suffix == ".zip":
        check_target(target, [])
        write_whole(target, as_archive(handed_out(campaign, who, data)))
        return
    if not is_vacant(target):
        raise UsageError(f"{target}: there is something already: name a new folder")
    with filling(target) as folder:
        contents = handed_out(campaign, who, data)
        with together() as files:
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
    from aune.campaign.distribution import handed
    from aune.campaign.submissions import Run, checked, told
    from aune.core.errors import InputError
    from aune.core.files import bytes_of

    protocol, dataset, texts = handed(handout)
    run = Run(file, bytes_of(file), str(table or ""), bytes_of(table) if table else b"")
    found = checked(protocol, protocol.datasets[dataset], handout, texts, run)
    if not found.valid:
        raise InputError(found.problems)
    put_text("valid\n" + "".join(f"{line}\n" for line in told(found)), None)


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
    """
    from aune.campaign.remote import is_remote, submitted
    from aune.core.errors import InputError, Problem, visible
    from aune.core.files import bytes_of

    sent, *more = [(visible(path.name), bytes_of(path)) for path in (Path(file), table) if path]
    correspondence = more[0] if more else None
    if is_remote(place):
        status = submitted(place, token, data, run, sent, correspondence, key, wait=not later)
    else:
        status = _submitted_here(Path(place), team, data, run, sent, correspondence or ("", b""), key, later)
    if status.get("problems"):
        raise InputError([Problem(*one) for one in status["problems"]])
    put_json({name: value for name, value in status.items() if name not in ("problems", "residue")}, None)


def _submitted_here(
    folder: Path, team: str, data: str, run: str, sent: tuple[str, bytes], table: tuple[str, bytes], key: str,
    later: bool,
) -> dict[str, Any]:  # fmt: skip
    from aune.campaign.jobs import work
    from aune.campaign.starting import opened
    from aune.core.errors import UsageError

    if not team:
        raise UsageError("expected --team, the team that submits the run")
    campaign = opened(folder)
    receipt = campaign.receive(team, data, run, *sent, table=table[1], table_name=table[0], idempotency=key)
    if not later:
        work(campaign)
    return campaign.status(_viewer(campaign, campaign.team(team).id), receipt.submission)


@app.command(group=TAKE_PART)
def status(campaign: Here, submission: str, /, *, viewer: As = "organiser") -> None:
    """Say what became of a submission, as far as the phase allows.

    Parameters
    ----------
    submission
        The submission: its id is on the receipt.
    """
    put_json(campaign.status(_viewer(campaign, viewer), submission), None)


@app.command(group=TAKE_PART)
def page(campaign: Here, submission: str, target: Path, /, *, viewer: As = "organiser") -> None:
    """Write aune's report of a run as a page, for those who may see the run, its scores and the key.

    Parameters
    ----------
    submission
        The submission: its id is on the receipt.
    target
        The file to write, such as run.html.
    """
    from aune.campaign.explained import page as explained
    from aune.core.files import check_target, write_whole

    check_target(target, [])
    write_whole(target, explained(campaign, _viewer(campaign, viewer), submission).encode())


@app.command(group=TAKE_PART)
def notices(
    campaign: Here,
    /,
    *,
    sender: str = "",
    smtp: str = "",
    user: Annotated[str, Parameter(env_var="AUNE_SMTP_USER", show_env_var=True)] = "",
    password: Annotated[str, Parameter(env_var="AUNE_SMTP_PASSWORD", show_env_var=True)] = "",
    again: bool = False,
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
    """
    from aune.campaign import notices as told
    from aune.campaign import outbox
    from aune.core.errors import UsageError

    if smtp and not sender:
        raise UsageError("expected --sender, the address that letters come from")
    if sender:
        if again:
            outbox.tried_again(campaign)
        put_text(f"{len(outbox.written(campaign, sender))} wait\n", None)
    if smtp:
        with outbox.smtp(smtp, user, password) as deliver:
            put_text(f"{outbox.send(campaign, deliver)} sent\n", None)
    if not sender:
        teams = campaign.state.teams
        rows = [
            (
                notice.time,
                teams[notice.to.viewer.team].name if notice.to.viewer.team else notice.to.account or "organisers",
                notice.subject,
            )
            for notice in told.notices(campaign)
        ]
        _rows(("when", "to", "notice"), rows)


# Score and discuss.


@app.command(group=SCORE)
def score(campaign: Here, /, *, most: Most = None, engine: EngineName = "", workers: Processes = 1) -> None:
    """Score what waits: new submissions, and all runs by a key that has changed. Killed half-way, it goes on.

    Parameters
    ----------
    most
        How many at most.
    """
    from aune.campaign.jobs import Engine, work

    with progress() as told:
        ended = work(campaign, most, told, Engine.named(engine, workers))
    put_text("".join(f"{state} {number}\n" for state, number in sorted(ended.items())) or "nothing waits\n", None)
    reasons = dict.fromkeys(
        submission.waits_for for submission in campaign.state.submissions.values() if submission.waits_for
    )
    warn(f"{reason}: nothing is lost, score again when it is there" for reason in reasons)


@app.command(group=SCORE)
def baseline(campaign: Here, name: str, data: Data, /, **options: str) -> None:
    """Enter a baseline of aune, which is scored like a run and shown apart. Further options are the baseline's own.

    Parameters
    ----------
    name
        The baseline: see `aune list baselines`.
    """
    from aune.campaign.entering import enter_baseline
    from aune.campaign.jobs import work

    receipt = enter_baseline(campaign, name, data, **keywords(options))
    work(campaign)
    put_text(f"{receipt.submission}\n", None)


@app.command(group=SCORE)
def dispute(
    campaign: Here,
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
    from aune.campaign.disputes import dispute as claimed
    from aune.campaign.disputes import edit_from

    viewer = _viewer(campaign, team or "organiser")
    proposed = edit_from(campaign, viewer, data, document, Path(edited)) if edited else _edit(edit)
    put_text(f"{claimed(campaign, viewer, data, document, claim, proposed, argument).id}\n", None)


def _edit(text: str) -> dict[str, Any]:
    from aune.core.errors import UsageError
    from aune.core.files import json_of

    try:
        edit = json_of(text)
    except ValueError as error:
        raise UsageError(f"the edit {text[:80]!r} is no JSON ({error})") from None
    if not isinstance(edit, dict):
        raise UsageError(f"the edit {text[:80]!r}: expected an object such as {{}}")
    return edit


@app.command(group=SCORE)
def disputes(campaign: Here, /, *, format: Literal["table", "json"] = "table") -> None:
    """List the disputes that wait, first those that could change the ranking most, with what each would do.

    Parameters
    ----------
    format
        table or json.
    """
    from aune.campaign.disputes import open_disputes
    from aune.campaign.policy import THE_ORGANISER
    from aune.campaign.publication import labels

    waiting = open_disputes(campaign, THE_ORGANISER)
    runs = [run for dataset in campaign.state.keys for run in campaign.state.standing(dataset)]
    names = labels(campaign, THE_ORGANISER, runs)
    if format == "json":
        put_json([_as_data(one, effects, names) for one, effects in waiting], None)
    else:
        rows = [row for one, effects in waiting for row in _effect_rows(one, effects, names)]
        _rows(("dispute", "edit", "run", "change", "rank"), rows)


def _as_data(dispute: Dispute, effects: Sequence[Effect], names: dict[str, str]) -> dict[str, Any]:
    return {
        "dispute": dispute.id, "data": dispute.dataset, "document": dispute.document, "claim": dispute.claim,
        "edit": dict(dispute.edit), "argument": dispute.argument,
        "effects": [{**effect._asdict(), "run": names[effect.run]} for effect in effects],
    }  # fmt: skip


def _effect_rows(dispute: Dispute, effects: Sequence[Effect], names: dict[str, str]) -> list[tuple[str, ...]]:
    """A dispute with each run that its acceptance would move."""
    from aune.campaign.ledger import canonical

    said = f"{dispute.document} {canonical(dict(dispute.edit)).decode()}"
    moved = [effect for effect in effects if effect.change or effect.rank_before != effect.rank_after]
    if not moved:
        return [(dispute.id, said, "nobody", "", "")]
    return [
        (dispute.id, said, names[effect.run], f"{effect.change:+.6f}", f"{effect.rank_before} → {effect.rank_after}")
        for effect in moved
    ]


@app.command(group=SCORE)
def decide(
    campaign: Here, dispute: str, decision: Literal["accepted", "refused"], /, *, author: str, reason: str
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
    from aune.campaign.disputes import decide as decided

    decided(campaign, dispute, decision, author, reason)


@app.command(group=SCORE)
def rekey(campaign: Here, data: Data, /) -> None:
    """Make a new version of a key from the accepted disputes; `aune campaign score` then scores all runs by it."""
    from aune.campaign.disputes import new_version

    put_text(f"version {new_version(campaign, data)}\n", None)


# Publish and keep.


@app.command(group=PUBLISH)
def publish(
    campaign: Here,
    data: Data,
    /,
    *,
    viewer: As = "visitor",
    format: Annotated[Literal["table", "json", "csv"], Parameter(name=["--format", "-f"])] = "table",
    output: OutputFile = None,
) -> None:
    """Print the results of some data as someone may see them now: rank groups, intervals, under the right names.

    Parameters
    ----------
    format
        table, json or csv.
    output
        A file for it; standard output otherwise.
    """
    from aune.campaign.publication import as_csv, results

    found = results(campaign, _viewer(campaign, viewer), data)
    warn(found.get("warnings", ()))
    if format == "json":
        put_json(found, output)
    elif format == "csv":
        put_text(as_csv(found), output)
    else:
        _rows(("block", "run", "rank", "group", found["value"], "low", "high"), _board_rows(found))


def _board_rows(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """A board, the best first in each block."""
    from aune.campaign.pages import group_letters

    groups = group_letters(found["ranking"]["groups"])
    ranks = {one["system"]: one for one in found["ranking"]["ranks"]}
    rows = []
    for title, systems in found["blocks"].items():
        for system in sorted(systems, key=lambda one: (ranks.get(one, {}).get("rank", 10**9), one)):
            main = found["systems"][system][found["measure"]]["values"][found["value"]]
            low, high = main["interval"] or (None, None)
            rank = ranks.get(system)
            place = f"{rank['rank']} ({rank['best']}–{rank['worst']})" if rank else "–"
            rows.append((title, system, place, groups.get(system, ""), *map(_number, (main["score"], low, high))))
    return rows


@app.command(group=PUBLISH)
def conditions(campaign: Here, phase: Literal["dry-run", "test"] = "test", /, *, viewer: As = "visitor") -> None:
    """Print every run in every condition side by side: the value that ranks, and the places that the test leaves it.

    Parameters
    ----------
    phase
        Whose data: test or dry-run.
    """
    from aune.campaign.pages import by_condition
    from aune.campaign.publication import results
    from aune.core.errors import UsageError

    who = _viewer(campaign, viewer)
    data = [one.name for one in campaign.protocol.of_phase(phase.replace("-", " ")) if campaign.state.version(one.name)]
    if not data:
        raise UsageError(f"nothing is scored yet: the phase {phase.replace('-', ' ')!r} has not begun")
    _rows(*by_condition([results(campaign, who, name) for name in data]))


@app.command(group=PUBLISH)
def participants(campaign: Here, /, *, viewer: As = "visitor") -> None:
    """Print the table of participants: country, dry run, test, whether results are public, and who left."""
    from aune.campaign.publication import participants as listed

    rows = listed(campaign, _viewer(campaign, viewer))
    _rows(rows[0] if rows else ("participant",), [row.values() for row in rows])


@app.command(group=PUBLISH)
def archive(campaign: Here, target: Path, /, *, pages: bool = True) -> None:
    """Write the archive: a static site, and everything that its numbers are computed from.

    Parameters
    ----------
    target
        A new folder.
    pages
        Whether aune's report page of every run is in it, where the run and the key are public.
    """
    from aune.campaign.archive import archived

    with progress() as told:
        digest = archived(campaign, target, pages=pages, told=told)
    put_text(f"manifest {digest}\n", None)


@app.command(group=PUBLISH)
def verify(
    folder: Annotated[Path, Parameter(allow_leading_hyphen=False)],
    /,
    *,
    head: str = "",
    engine: EngineName = "",
    workers: Processes = 1,
) -> int:
    """Verify an archive: every byte, the ledger's chain, every commitment, every number, computed again.

    The folder of a campaign that still runs is verified too: its ledger and its store. The exit code is 1 where
    something is wrong.

    Parameters
    ----------
    folder
        The archive.
    head
        A head of the ledger that you know, from a receipt or a publication: it must be in the ledger.
    """
    from aune.campaign.jobs import Engine
    from aune.campaign.verification import verified

    report = verified(folder, head, Engine.named(engine, workers))
    put_text("".join(f"checked: {one}\n" for one in report.checked), None)
    warn(report.notes)
    for problem in report.problems:
        tell(problem)
    put_text("wrong\n" if report.problems else "everything holds\n", None)
    return 1 if report.problems else 0


@app.command(group=PUBLISH)
def codabench(campaign: Here, target: Path, /, *, image: str = "") -> None:
    """Write the campaign as a bundle for Codabench, whose scoring program is aune.

    Parameters
    ----------
    target
        The zip file to write.
    image
        The container image that the platform runs; it must have aune installed.
    """
    from aune.campaign.codabench import bundle
    from aune.core.files import check_target, write_whole

    check_target(target, [])
    write_whole(target, bundle(campaign, image))


@app.command(group=PUBLISH)
def backup(campaign: Here, target: Path, /) -> None:
    """Write the whole campaign as one file, while it runs.

    Of one that is served, `aune site backup` writes the same and the accounts too.

    Parameters
    ----------
    target
        The file to write, such as backup.tar.gz.
    """
    from aune.campaign.backups import backed_up

    put_text(f"{backed_up(campaign, target)} files\n", None)


@app.command(group=PUBLISH)
def restore(source: Path, folder: Path, /) -> None:
    """Put a backup back into a new folder, and check it.

    Parameters
    ----------
    source
        The backup.
    folder
        A new folder.
    """
    from aune.campaign.backups import restored

    found = restored(source, folder)
    put_text(f"{len(found.ledger.entries())} entries\nhead {found.ledger.head}\n", None)
