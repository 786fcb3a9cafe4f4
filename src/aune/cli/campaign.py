"""`aune campaign`: run an evaluation campaign from a folder, from the call to the archive."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from aune.cli._inputs import File, keywords
from aune.cli._numbers import Largest, Most, Port
from aune.cli._output import OutputFile, progress, put_json, put_text, tell, warn

if TYPE_CHECKING:
    from aune.campaign.campaign import Campaign
    from aune.campaign.policy import Viewer

app = App(
    name="campaign",
    help="Run an evaluation campaign from a folder: call, dry run, test, adjudication, publication, archive.",
    help_format="plaintext",
)

Folder = Annotated[Path, Parameter(allow_leading_hyphen=False)]
As = Annotated[str, Parameter(name=["--as"])]


def _campaign(folder: Path) -> Campaign:
    from aune.campaign.starting import opened

    return opened(folder)


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


@app.command
def new(name: str, /, *, task: str, folder: Path | None = None) -> None:
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

    home = folder or Path(name)
    founded(home, name, task)
    tell(f"{home}/campaign.toml is ready: read it, put your keys beside it, and see `aune campaign show {home}`")


@app.command
def show(folder: Folder, /) -> None:
    """Check campaign.toml, and say what the campaign is, in which phase, and what was committed so far.

    Parameters
    ----------
    folder
        The folder of the campaign.
    """
    campaign = _campaign(folder)
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
    listed = [(one.name, one.phase, one.condition, state.version(one.name)) for one in plan.datasets.values()]
    _rows(("data", "phase", "condition", "key version"), listed)


@app.command
def check(file: File, /, *, handout: Path, table: Path | None = None) -> int:
    """Check a run before it is submitted: the same check as on receipt, with nothing but what was handed out.

    Parameters
    ----------
    file
        The run: a file, or a zip or tar archive.
    handout
        The folder that was handed out.
    table
        The correspondence table of a tagger that does not use the pivot's tags.
    """
    from aune.campaign.distribution import handed
    from aune.campaign.submissions import Run, checked, told
    from aune.core.errors import InputError
    from aune.core.files import bytes_of

    protocol, dataset, texts = handed(handout)
    sent = bytes_of(table) if table else b""
    run = Run(file, bytes_of(file), str(table or ""), sent)
    found = checked(protocol, protocol.datasets[dataset], handout, texts, run)
    if not found.valid:
        raise InputError(found.problems)
    put_text("valid\n" + "".join(f"{line}\n" for line in told(found)), None)
    return 0


@app.command
def handout(folder: Folder, data: str, target: Path, /, *, viewer: As = "organiser") -> None:
    """Write what is handed out for some data: the texts without their annotation, the protocol and the licence.

    Parameters
    ----------
    folder
        The folder of the campaign.
    data
        The data: a name in campaign.toml.
    target
        A new folder, or a file that ends in .zip.
    viewer
        To whom: organiser, or the name of a team. The download is logged.
    """
    from aune.campaign.distribution import as_archive
    from aune.campaign.distribution import handout as handed_out
    from aune.core.files import check_target, filling, write_whole

    campaign = _campaign(folder)

    def files() -> dict[str, bytes]:
        return _allowed(lambda: handed_out(campaign, _viewer(campaign, viewer), data))  # type: ignore[no-any-return]

    if target.suffix == ".zip":
        check_target(target, [])
        write_whole(target, as_archive(files()))
        return
    with filling(target):
        for name, content in files().items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(target / name, content)


def _allowed(action: Any) -> Any:
    """What an action gives, if the policy allows it."""
    from aune.campaign.campaign import NotYoursError
    from aune.core.errors import UsageError

    try:
        return action()
    except NotYoursError as error:
        raise UsageError(f"{error}: not to be seen by this role in this phase") from None


@app.command
def team(
    folder: Folder,
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
    folder
        The folder of the campaign.
    name
        The team's name.
    country
        Where it is.
    kind
        participant, or organiser for a system of the organisers, which is shown apart, for information.
    member
        A person of the team; may be repeated.
    """
    found = _campaign(folder).register(name, country, kind, member or [])
    put_text(f"{found.id}\n", None)


@app.command
def accept(folder: Folder, team: str, /) -> None:
    """Record that a team accepted the licence of the texts.

    Parameters
    ----------
    folder
        The folder of the campaign.
    team
        The team.
    """
    _campaign(folder).accept_licence(team)


@app.command
def consent(folder: Folder, team: str, consent: Literal["named", "listed", "anonymous"], /) -> None:
    """Record, before the test, whether a team's results may be named.

    Parameters
    ----------
    folder
        The folder of the campaign.
    team
        The team.
    consent
        named (name with results), listed (name among the participants only) or anonymous.
    """
    _campaign(folder).consent(team, consent)


@app.command
def validate(folder: Folder, team: str, /) -> None:
    """Record that a team looked at its results and stands by them: only then are they named.

    Parameters
    ----------
    folder
        The folder of the campaign.
    team
        The team.
    """
    _campaign(folder).validate(team)


@app.command
def withdraw(folder: Folder, team: str, /, *, reason: str = "") -> None:
    """Record that a team leaves; it stays listed as having left.

    Parameters
    ----------
    folder
        The folder of the campaign.
    team
        The team.
    reason
        Why.
    """
    _campaign(folder).withdraw(team, reason)


@app.command
def submit(
    place: File,
    file: File,
    /,
    *,
    data: str,
    team: str = "",
    run: str = "run",
    table: Path | None = None,
    key: str = "",
    token: Annotated[str, Parameter(env_var="AUNE_TOKEN", show_env_var=True)] = "",
    later: bool = False,
) -> int:
    """Submit a run, have it scored at once, and print the receipt.

    Parameters
    ----------
    place
        The folder of the campaign, or the address of its server.
    file
        The run: a file, or a zip or tar archive.
    data
        The data that it is about.
    team
        The team that submits it, in a folder; a server knows it by the token.
    run
        What the team calls it; a new submission of the same run takes the place of the one before.
    table
        The correspondence table of a tagger that does not use the pivot's tags.
    key
        An idempotency key: the same submission with the same key is taken once.
    token
        The token of your account, for a server; better in the variable than on the command line.
    later
        Leave the scoring to `aune campaign score`, or to the server.
    """
    from aune.campaign.remote import is_remote, submitted
    from aune.core.errors import InputError, Problem
    from aune.core.files import bytes_of

    sent = (table.name, bytes_of(table)) if table else None
    if is_remote(place):
        status = submitted(place, token, data, run, (Path(file).name, bytes_of(file)), sent, key, wait=not later)
    else:
        status = _submitted_here(Path(place), file, team, data, run, sent, key, later)
    if status.get("problems"):
        raise InputError([Problem(*one) for one in status["problems"]])
    put_json({name: value for name, value in status.items() if name not in ("problems", "residue")}, None)
    return 0


def _submitted_here(
    folder: Path, file: str, team: str, data: str, run: str, table: tuple[str, bytes] | None, key: str, later: bool
) -> dict[str, Any]:
    from aune.campaign.jobs import work
    from aune.campaign.policy import PARTICIPANT, Viewer
    from aune.core.errors import UsageError
    from aune.core.files import bytes_of

    if not team:
        raise UsageError("expected --team, the team that submits the run")
    campaign = _campaign(folder)
    name, content = table or ("", b"")
    receipt = campaign.receive(
        team, data, run, Path(file).name, bytes_of(file), table=content, table_name=name, idempotency=key
    )
    if not later:
        work(campaign)
    return campaign.status(Viewer(PARTICIPANT, campaign.team(team).id), receipt.submission)


@app.command
def status(folder: Folder, submission: str, /, *, viewer: As = "organiser") -> None:
    """Say what became of a submission, as far as the phase allows.

    Parameters
    ----------
    folder
        The folder of the campaign.
    submission
        The submission: its id is on the receipt.
    viewer
        For whom: organiser, or the name of a team.
    """
    campaign = _campaign(folder)
    put_json(_allowed(lambda: campaign.status(_viewer(campaign, viewer), submission)), None)


@app.command
def score(folder: Folder, /, *, most: Most = None) -> None:
    """Score what waits: new submissions, and all runs by a key that has changed. Killed half-way, it goes on.

    Parameters
    ----------
    folder
        The folder of the campaign.
    most
        How many at most.
    """
    from aune.campaign.jobs import work

    with progress() as told:
        ended = work(_campaign(folder), most, told)
    put_text("".join(f"{state} {number}\n" for state, number in sorted(ended.items())) or "nothing waits\n", None)


@app.command
def phase(folder: Folder, phase: str, /) -> None:
    """Go to the next phase. The protocol is frozen at the end of the dry run, keys are committed as their phase begins.

    Parameters
    ----------
    folder
        The folder of the campaign.
    phase
        The next phase: training, "dry run", "dry adjudication", test, "test adjudication", publication, archive.
    """
    campaign = _campaign(folder)
    entry = campaign.go_to(phase.replace("-", " "))
    put_text(f"{campaign.phase}\nhead {entry.hash}\n", None)


@app.command
def freeze(folder: Folder, /, *, reason: str, author: str = "organiser") -> None:
    """Record the protocol as it is now as a new version, with a reason.

    Parameters
    ----------
    folder
        The folder of the campaign.
    reason
        Why it changed.
    author
        Who says so.
    """
    campaign = _campaign(folder)
    campaign.freeze(reason, author)
    put_text(f"version {len(campaign.state.protocols)}\n{campaign.protocol.digest}\n", None)


@app.command
def dispute(
    folder: Folder,
    data: str,
    document: str,
    edit: str = "{}",
    /,
    *,
    argument: str,
    claim: Literal["reference", "table", "alignment", "protocol"] = "reference",
    team: str = "",
) -> None:
    """Claim that something is wrong, with the edit that would mend it.

    Parameters
    ----------
    folder
        The folder of the campaign.
    data
        The data that it is about.
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
    """
    import json

    from aune.campaign.disputes import dispute as claimed
    from aune.core.errors import UsageError

    campaign = _campaign(folder)
    try:
        proposed = json.loads(edit)
    except ValueError as error:
        raise UsageError(f"the edit {edit!r} is no JSON ({error})") from None
    if not isinstance(proposed, dict):
        raise UsageError(f"the edit {edit!r}: expected an object such as {{}}")
    viewer = _viewer(campaign, team or "organiser")
    put_text(f"{claimed(campaign, viewer, data, document, claim, proposed, argument).id}\n", None)


@app.command
def disputes(folder: Folder, /, *, format: Literal["table", "json"] = "table") -> None:
    """List the disputes that wait, first those that could change the ranking most, with what each would do.

    Parameters
    ----------
    folder
        The folder of the campaign.
    format
        table or json.
    """
    from aune.campaign.disputes import open_disputes
    from aune.campaign.ledger import canonical
    from aune.campaign.policy import THE_ORGANISER
    from aune.campaign.publication import labels

    campaign = _campaign(folder)
    found = open_disputes(campaign, THE_ORGANISER)
    runs = [run for dataset in campaign.state.keys for run in campaign.state.standing(dataset)]
    names = labels(campaign, THE_ORGANISER, runs)
    if format == "json":
        put_json(
            [
                {
                    "dispute": one.id, "data": one.dataset, "document": one.document, "claim": one.claim,
                    "edit": dict(one.edit), "argument": one.argument,
                    "effects": [{**effect._asdict(), "run": names[effect.run]} for effect in effects],
                }
                for one, effects in found
            ],
            None,
        )  # fmt: skip
        return
    rows = []
    for one, effects in found:
        moved = [effect for effect in effects if effect.change or effect.rank_before != effect.rank_after]
        said = f"{one.document} {canonical(dict(one.edit)).decode()}"
        for effect in moved:
            ranks = f"{effect.rank_before} → {effect.rank_after}"
            rows.append((one.id, said, names[effect.run], f"{effect.change:+.6f}", ranks))
        if not moved:
            rows.append((one.id, said, "nobody", "", ""))
    _rows(("dispute", "edit", "run", "change", "rank"), rows)


@app.command
def decide(
    folder: Folder, dispute: str, decision: Literal["accepted", "refused"], /, *, author: str, reason: str
) -> None:
    """Decide a dispute, with an author and a reason. `aune campaign rekey` then makes the new key.

    Parameters
    ----------
    folder
        The folder of the campaign.
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

    decided(_campaign(folder), dispute, decision, author, reason)


@app.command
def rekey(folder: Folder, data: str, /) -> None:
    """Make a new version of a key from the accepted disputes; `aune campaign score` then scores all runs by it.

    Parameters
    ----------
    folder
        The folder of the campaign.
    data
        The data.
    """
    from aune.campaign.disputes import new_version

    put_text(f"version {new_version(_campaign(folder), data)}\n", None)


@app.command
def publish(
    folder: Folder,
    data: str,
    /,
    *,
    viewer: As = "visitor",
    format: Annotated[Literal["table", "json", "csv"], Parameter(name=["--format", "-f"])] = "table",
    output: OutputFile = None,
) -> None:
    """Print the results of some data as someone may see them now: rank groups, intervals, under the right names.

    Parameters
    ----------
    folder
        The folder of the campaign.
    data
        The data.
    viewer
        Who looks: visitor, organiser, annotator, or the name of a team.
    format
        table, json or csv.
    output
        A file for it; standard output otherwise.
    """
    from aune.campaign.pages import group_letters
    from aune.campaign.publication import as_csv, results

    campaign = _campaign(folder)
    found = _allowed(lambda: results(campaign, _viewer(campaign, viewer), data))
    warn(found.get("warnings", ()))
    if format == "json":
        put_json(found, output)
    elif format == "csv":
        put_text(as_csv(found), output)
    else:
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
        _rows(("block", "run", "rank", "group", found["value"], "low", "high"), rows)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


@app.command
def participants(folder: Folder, /, *, viewer: As = "visitor") -> None:
    """Print the table of participants: country, dry run, test, whether results are public, and who left.

    Parameters
    ----------
    folder
        The folder of the campaign.
    viewer
        Who looks: visitor, organiser, annotator, or the name of a team.
    """
    from aune.campaign.publication import participants as listed

    campaign = _campaign(folder)
    rows = _allowed(lambda: listed(campaign, _viewer(campaign, viewer)))
    _rows(rows[0] if rows else ("participant",), [row.values() for row in rows])


@app.command
def archive(folder: Folder, target: Path, /) -> None:
    """Write the archive: a static site, and everything that its numbers are computed from.

    Parameters
    ----------
    folder
        The folder of the campaign.
    target
        A new folder.
    """
    from aune.campaign.archive import archived

    campaign = _campaign(folder)
    put_text(f"manifest {_allowed(lambda: archived(campaign, target))}\n", None)


@app.command
def verify(folder: Folder, /, *, head: str = "") -> int:
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
    from aune.campaign.verification import verified

    report = verified(folder, head)
    put_text("".join(f"checked: {one}\n" for one in report.checked), None)
    warn(report.notes)
    for problem in report.problems:
        tell(problem)
    put_text("wrong\n" if report.problems else "everything holds\n", None)
    return 1 if report.problems else 0


@app.command
def codabench(folder: Folder, target: Path, /, *, image: str = "") -> None:
    """Write the campaign as a bundle for Codabench, whose scoring program is aune.

    Parameters
    ----------
    folder
        The folder of the campaign.
    target
        The zip file to write.
    image
        The container image that the platform runs; it must have aune installed.
    """
    from aune.campaign.codabench import bundle
    from aune.core.files import write_whole

    write_whole(target, bundle(_campaign(folder), image))


@app.command
def baseline(folder: Folder, name: str, data: str, /, **options: str) -> None:
    """Enter a baseline of aune, which is scored like a run and shown apart. Further options are the baseline's own.

    Parameters
    ----------
    folder
        The folder of the campaign.
    name
        The baseline: see `aune list baselines`.
    data
        The data.
    """
    from aune.campaign.entering import enter_baseline
    from aune.campaign.jobs import work

    campaign = _campaign(folder)
    receipt = enter_baseline(campaign, name, data, **keywords(options))
    work(campaign)
    put_text(f"{receipt.submission}\n", None)


@app.command
def serve(
    folder: Folder,
    /,
    *,
    port: Port = 8765,
    browser: bool = True,
    database: str = "",
    public: str = "",
    listen: str = "127.0.0.1",
    largest: Largest = 100,
) -> None:
    """Serve a campaign: the same as `aune serve --site FOLDER --accounts`.

    The first start prints an invitation for the first organiser, who invites participants; these register their teams.
    Needs the extra `server`: pip install 'aune[server]'.

    Parameters
    ----------
    folder
        The folder of the campaign.
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
    """
    from aune.cli.serve import serve as run

    _campaign(folder).protocol  # noqa: B018 - what is wrong with it is said before anything starts
    run(port=port, browser=browser, site=folder, accounts=True, database=database, public=public, listen=listen,
        largest=largest)  # fmt: skip


@app.command
def backup(folder: Folder, target: Path, /) -> None:
    """Write the whole campaign as one file, while it runs.

    Of one that is served, `aune site backup` writes the same and the accounts too.

    Parameters
    ----------
    folder
        The folder of the campaign.
    target
        The file to write, such as backup.tar.gz.
    """
    from aune.campaign.backups import backed_up

    put_text(f"{backed_up(_campaign(folder), target)} files\n", None)


@app.command
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
