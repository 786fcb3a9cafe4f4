"""Commands that publish results, and keep them: boards, archive, verification, backups."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from aune.cli._output import OutputFile, progress, put_json, put_text, tell, warn
from aune.cli.campaign._shared import (
    PUBLISH,
    Data,
    EngineName,
    OpenCampaign,
    Processes,
    ViewerName,
    app,
    format_number,
    put_rows,
    viewer_of,
)


@app.command(group=PUBLISH)
def publish(
    campaign: OpenCampaign,
    data: Data,
    /,
    *,
    viewer: ViewerName = "visitor",
    format: Annotated[Literal["table", "json", "csv", "latex"], Parameter(name=["--format", "-f"])] = "table",
    output: OutputFile = None,
) -> None:
    """Print the results of some data as someone may see them now: rank groups, intervals, under the right names.

    Parameters
    ----------
    format
        table, json, csv or latex.
    output
        A file for it; standard output otherwise.
    """
    from aune.campaign.publication.static_pages import mean_and_deviation
    from aune.campaign.publication.visible_results import board_csv, board_latex, visible_board

    board = visible_board(campaign, viewer_of(campaign, viewer), data)
    warn(board.get("warnings", ()))
    if format == "json":
        put_json(board, output)
    elif format == "csv":
        put_text(board_csv(board), output)
    elif format == "latex":
        put_text(board_latex(board), output)
    else:
        put_rows(("block", "run", "rank", "group", board["value"], "low", "high"), _board_rows(board))
        if systems := board.get("systems_with_runs"):
            put_text("\n", None)
            rows = [(item["system"], item["runs"], mean_and_deviation(item)) for item in systems]
            put_rows(("system", "runs", f"{board['value']}, mean ± sd (n − 1)"), rows)


def _board_rows(board: dict[str, Any]) -> list[tuple[str, ...]]:
    """A board, the best first in each block."""
    from aune.campaign.publication.static_pages import group_letters

    groups = group_letters(board["ranking"]["groups"])
    ranks = {entry["system"]: entry for entry in board["ranking"]["ranks"]}
    rows = []
    for title, systems in board["blocks"].items():
        for system in sorted(systems, key=lambda entry: (ranks.get(entry, {}).get("rank", 10**9), entry)):
            main = board["systems"][system][board["measure"]]["values"][board["value"]]
            low, high = main["interval"] or (None, None)
            rank = ranks.get(system)
            place = f"{rank['rank']} ({rank['best']}–{rank['worst']})" if rank else "–"
            rows.append((title, system, place, groups.get(system, ""), *map(format_number, (main["score"], low, high))))
    return rows


@app.command(group=PUBLISH)
def conditions(
    campaign: OpenCampaign, phase: Literal["dry-run", "test"] = "test", /, *, viewer: ViewerName = "visitor"
) -> None:
    """Print every run in every condition side by side: the value that ranks, and the places that the test leaves it.

    Parameters
    ----------
    phase
        Whose data: test or dry-run.
    """
    from aune.campaign.publication.static_pages import condition_rows
    from aune.campaign.publication.visible_results import visible_board
    from aune.errors import UsageError

    who = viewer_of(campaign, viewer)
    data = [
        dataset.name
        for dataset in campaign.protocol.datasets_in(phase.replace("-", " "))
        if campaign.state.version(dataset.name)
    ]
    if not data:
        raise UsageError(f"nothing is scored yet: the phase {phase.replace('-', ' ')!r} has not begun")
    put_rows(*condition_rows([visible_board(campaign, who, name) for name in data]))


@app.command(group=PUBLISH)
def participants(campaign: OpenCampaign, /, *, viewer: ViewerName = "visitor") -> None:
    """Print the table of participants: country, dry run, test, whether results are public, and who left."""
    from aune.campaign.publication.visible_results import participants as listed

    rows = listed(campaign, viewer_of(campaign, viewer))
    put_rows(rows[0] if rows else ("participant",), [row.values() for row in rows])


@app.command(group=PUBLISH)
def archive(campaign: OpenCampaign, target: Path, /, *, pages: bool = True) -> None:
    """Write the archive: a static site, and everything that its numbers are computed from.

    Parameters
    ----------
    target
        A new folder.
    pages
        Whether aune's report page of every run is in it, where the run and the key are public.
    """
    from aune.campaign.archive.archive_builder import write_archive

    with progress() as update:
        digest = write_archive(campaign, target, pages=pages, progress=update)
    put_text(f"manifest {digest}\n", None)


@app.command(group=PUBLISH)
def doi(campaign: OpenCampaign, doi: str, /, *, author: str = "organiser") -> None:
    """Record the DOI of the archive, which its page shows. One that is reserved before goes into the archive itself.

    Parameters
    ----------
    doi
        The DOI, such as 10.5281/zenodo.1234567.
    author
        Who says so.
    """
    from aune.campaign.publication.public_face import set_doi

    set_doi(campaign, doi, author)


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
        The archive: its folder, or the zip that a server sends.
    head
        A head of the ledger that you know, from a receipt or a publication: it must be in the ledger.
    """
    from aune.campaign.archive.verification import verify_folder
    from aune.campaign.runs.jobs import Engine

    report = verify_folder(folder, head, Engine.create(engine, workers))
    put_text("".join(f"checked: {line}\n" for line in report.checked), None)
    warn(report.notes)
    for problem in report.problems:
        tell(problem)
    put_text("wrong\n" if report.problems else "everything holds\n", None)
    return 1 if report.problems else 0


@app.command(group=PUBLISH)
def codabench(campaign: OpenCampaign, target: Path, /, *, image: str = "") -> None:
    """Write the campaign as a bundle for Codabench, whose scoring program is aune.

    Parameters
    ----------
    target
        The zip file to write.
    image
        The container image that the platform runs; it must have aune installed.
    """
    from aune.campaign.runs.codabench import bundle
    from aune.files import check_target, write_atomically

    check_target(target, [])
    if not image:
        warn(["no --image: the platform's own image has no aune, so name one that has before you upload the bundle"])
    write_atomically(target, bundle(campaign, image))


@app.command(group=PUBLISH)
def backup(campaign: OpenCampaign, target: Path, /) -> None:
    """Write the whole campaign as one file, while it runs.

    Of one that is served, `aune site backup` writes the same and the accounts too.

    Parameters
    ----------
    target
        The file to write, such as backup.tar.gz.
    """
    from aune.campaign.archive.campaign_backup import write_backup

    put_text(f"{write_backup(campaign, target)} files\n", None)


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
    from aune.campaign.archive.campaign_backup import restore_backup

    campaign = restore_backup(source, folder)
    put_text(f"{len(campaign.ledger.entries())} entries\nhead {campaign.ledger.head}\n", None)
