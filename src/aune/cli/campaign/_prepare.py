"""Commands that prepare and lead a campaign: make, show, freeze, serve, and begin its phases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from aune.cli._inputs import File, Lanes, Largest, Port, TaskName
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_text, tell, warn
from aune.cli.campaign._shared import (
    PREPARE,
    Data,
    EngineName,
    OpenCampaign,
    Processes,
    app,
    format_number,
    put_rows,
)
from aune.cli.plan import Chance
from aune.cli.serve import DatabaseAddress


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
    from aune.campaign.scaffold import create_campaign
    from aune.files import fill_folder

    home = folder or Path(name)
    with fill_folder(home) as made:
        create_campaign(made, name, task)
    tell(f"{home}/campaign.toml is ready: read it, put your keys beside it, and see `aune campaign show {home}`")


@app.command(group=PREPARE)
def show(campaign: OpenCampaign, /) -> None:
    """Check campaign.toml, and say what the campaign is, in which phase, and what was committed so far."""
    plan, state = campaign.protocol, campaign.state
    about = [
        ("campaign", plan.title), ("task", plan.task), ("phase", campaign.phase),
        ("ranked by", f"{plan.scoring.ranking} {plan.scoring.value}"), ("protocol", plan.digest),
        ("versions", str(len(state.protocols)) if state.protocols else "not frozen yet"),
        ("teams", str(len(state.teams))), ("submissions", str(len(state.submissions))), ("head", campaign.ledger.head),
    ]  # fmt: skip
    put_rows(("what", "is"), about)
    put_text("\n", None)
    put_rows(
        ("phase", "ends"), [(f"{'→ ' * item['now']}{item['phase']}", item["ends"]) for item in campaign.schedule()]
    )
    put_text("\n", None)
    listed = [
        (dataset.name, dataset.phase, dataset.condition, state.version(dataset.name))
        for dataset in plan.datasets.values()
    ]
    put_rows(("data", "phase", "condition", "key version"), listed)
    if state.teams:
        put_text("\n", None)
        rows = [(team.id, team.name, team.kind, team.pseudonym, team.consent or "–") for team in state.teams.values()]
        put_rows(("team", "name", "kind", "pseudonym", "consent"), rows)
    warn(f"{' and '.join(item.id for item in alike)} have one name: rename one" for alike in campaign.namesakes())


@app.command(group=PREPARE)
def plan(
    campaign: OpenCampaign,
    data: Data,
    /,
    *responses: File,
    difference: str | None = None,
    power: Chance = 0.8,
    format: OutputFormat = None,
    output: OutputFile = None,
) -> None:
    """Plan how many texts need a key before they are annotated: what the runs on other data say, the dry run's for
    instance, by the measure that ranks.

    Parameters
    ----------
    data
        The data with a key: a name in campaign.toml.
    responses
        Responses of your own to these data, of a pilot for instance, instead of the runs: files, or name=path.
    difference
        The difference to be shown, as a share or a percentage: 0.02 or 2%. By default those observed.
    power
        The chance of showing it.
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the plan, written whole or not at all; standard output otherwise.
    """
    from aune.campaign.runs.key_plan import plan_key
    from aune.reading.system_names import system_names

    paths = system_names(list(responses), with_runs=True) if responses else {}
    outcome = plan_key(campaign, data, paths, difference=difference, power=power, format=chosen_format(format, output))
    warn(outcome.warnings)
    put_text(outcome.text, output)
    for note in outcome.notes:
        tell(note)


@app.command(group=PREPARE)
def key(
    campaign: OpenCampaign,
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
    from aune.campaign.protocol.visibility import THE_ORGANISER
    from aune.campaign.publication.visible_results import agreement
    from aune.files import read_bytes

    campaign.make_key(data, read_bytes(file), {path: (Path(path).name, read_bytes(path)) for path in annotator}, author)
    summary = agreement(campaign, THE_ORGANISER, data)
    if "none" in summary:
        warn([f"no agreement: {summary['none']}"])
    put_rows(
        ("annotators", campaign.protocol.scoring.value),
        [(pair, format_number(value)) for pair, value in summary.get("ranking", {}).items()],
    )


@app.command(group=PREPARE)
def phase(campaign: OpenCampaign, phase: str, /, *, reason: str = "", author: str = "organiser") -> None:
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
    from aune.campaign.runs.jobs import waiting_submissions

    entry = campaign.begin_phase(phase.replace("-", " "), reason, author)
    if behind := len(waiting_submissions(campaign.state)):
        warn([f"{behind} run{'s' * (behind > 1)} wait to be scored: `aune campaign score`"])
    put_text(f"{campaign.phase}\nhead {entry.hash}\n", None)


@app.command(group=PREPARE)
def about(campaign: OpenCampaign, file: File, /, *, author: str = "organiser") -> None:
    """Show a description of the campaign on its public page and in the archive.

    Parameters
    ----------
    file
        The description, in Markdown.
    author
        Who says so.
    """
    from aune.campaign.publication.public_face import set_description
    from aune.files import read_text

    set_description(campaign, read_text(Path(file)), author)


@app.command(group=PREPARE)
def attach(
    campaign: OpenCampaign,
    file: File,
    /,
    *,
    name: str = "",
    title: str = "",
    phase: str = "call",
    audience: Literal["everybody", "teams"] = "everybody",
    licence: bool = False,
    author: str = "organiser",
) -> None:
    """Offer a file beside the texts: guidelines, audio, a lexicon. One of the same name is replaced.

    Parameters
    ----------
    file
        The file.
    name
        What it is called in addresses; the name of the file unless given.
    title
        What people read.
    phase
        From which phase on it is there.
    audience
        Who gets it: everybody, or teams.
    licence
        Whether a team must have accepted the licence.
    author
        Who says so.
    """
    from aune.campaign.publication.public_face import attach_file
    from aune.files import read_bytes

    path = Path(file)
    attachment = attach_file(
        campaign, name or path.name, path.name, [read_bytes(path)], title=title, phase=phase.replace("-", " "),
        audience=audience, licence=licence, author=author,
    )  # fmt: skip
    put_text(f"{attachment.name} {attachment.digest}\n", None)


@app.command(group=PREPARE)
def detach(campaign: OpenCampaign, name: str, /, *, author: str = "organiser") -> None:
    """Offer a file no longer.

    Parameters
    ----------
    name
        The name that it was offered under.
    author
        Who says so.
    """
    from aune.campaign.publication.public_face import detach_file

    detach_file(campaign, name, author)


@app.command(group=PREPARE)
def message(
    campaign: OpenCampaign,
    subject: str,
    text: str,
    /,
    *,
    team: Annotated[list[str] | None, Parameter(negative=())] = None,
    author: str = "organiser",
) -> None:
    """Write to teams: the message is among their notices, and a letter to those who want letters.

    Parameters
    ----------
    subject
        What it is about.
    text
        The message.
    team
        A team that gets it; may be repeated. All teams unless given.
    author
        Who signs it.
    """
    from aune.campaign.publication.public_face import send_message

    send_message(campaign, subject, text, team or [], author)


@app.command(group=PREPARE)
def freeze(campaign: OpenCampaign, /, *, reason: str, author: str = "organiser") -> None:
    """Record the protocol as it is now as a new version, with a reason.

    Parameters
    ----------
    reason
        Why it changed.
    author
        Who says so.
    """
    campaign.freeze_protocol(reason, author)
    put_text(f"version {len(campaign.state.protocols)}\n{campaign.protocol.digest}\n", None)


@app.command(group=PREPARE)
def serve(
    campaign: OpenCampaign,
    /,
    *,
    port: Port = 8765,
    browser: bool = True,
    database: DatabaseAddress = "",
    public: str = "",
    listen: str = "127.0.0.1",
    proxies: str = "",
    lanes: Lanes = 2,
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
        Another database than the SQLite in the folder: postgresql://user@host:port/name.
        The password is best in AUNE_DATABASE_PASSWORD, or in a file that AUNE_DATABASE_PASSWORD_FILE names.
    public
        The address that people type, where a proxy stands in front: https://campaign.example.org.
    listen
        The address to listen on.
    proxies
        The addresses or networks of proxies in front, separated by commas, such as 172.16.0.0/12: they are trusted to
        name their clients. Proxies on this machine always are.
    lanes
        How many processes score runs and compute boards. With two or more, one does nothing that takes minutes, so that
        no run waits behind a board.
    largest
        The largest upload, in megabytes.
    room
        How much room the layers of one account may take, in megabytes; one layer a quarter of it.
    """
    from aune.campaign.runs.jobs import Engine
    from aune.cli.serve import serve as run

    campaign.protocol  # noqa: B018 - what is wrong with it is said before anything starts
    Engine.create(engine, workers).export_environment()
    run(port=port, browser=browser, site=campaign.folder, accounts=True, database=database, public=public,
        listen=listen, proxies=proxies, lanes=lanes, largest=largest, room=room)  # fmt: skip
